; Facts of shell scripts that checks ask for. The captures are described in core/check_facts.py.

(command
  name: (command_name) @call)

((command
  name: (command_name
    (word) @loader)
  .
  argument: [
    (word)
    (string)
    (raw_string)
    (concatenation)
  ] @import)
  (#set! loaders "source ."))
