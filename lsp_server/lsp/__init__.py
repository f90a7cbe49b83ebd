"""The language server: convert in, call one feature, convert out. The only home of lsprotocol and pygls."""
