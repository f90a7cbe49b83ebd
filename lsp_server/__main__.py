"""`python -m lsp_server`: the `moorline` command."""

from lsp_server.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
