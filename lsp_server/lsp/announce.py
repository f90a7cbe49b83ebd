"""What the server announces to a client: its capabilities and its commands. Imports nothing that costs time."""

from __future__ import annotations

from typing import Any

from lsp_server.lsp.client import Client

COMMANDS = (
    "moorline.record",
    "moorline.clearStaleness",
    "moorline.reanchor",
    "moorline.supersede",
    "moorline.retire",
    "moorline.restore",
    "moorline.transition",
    "moorline.evidence",
    "moorline.pin",
    "moorline.use",
    "moorline.undo",
    "moorline.list",
    "moorline.search",
    "moorline.explain",
    "moorline.show",
    "moorline.history",
    "moorline.forget",
    "moorline.diff",
    "moorline.import",
    "moorline.capture",
    "moorline.consolidate",
    "moorline.describe",
    "moorline.brief",
    "moorline.checkpoint",
    "moorline.resume",
    "moorline.dismiss",
    "moorline.backlog",
)
"""The commands of `workspace/executeCommand` (design, section 7): those of `lsp.commands`, which loads too much."""

FILE_FILTERS = {"filters": [{"scheme": "file", "pattern": {"glob": "**/*"}}]}
"""Renames and deletions of files and of folders: no ending and no `matches`, or folder events would be hidden."""


def capabilities(client: Client) -> dict[str, Any]:
    """What the server announces to this client."""
    found: dict[str, Any] = {
        "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
        "hoverProvider": True,
        "codeLensProvider": {"resolveProvider": False},
        # Of `@anchor(...)` markers; outside of them every one of these answers nothing.
        "completionProvider": {"triggerCharacters": ["(", "=", "/", "#", ".", ","], "resolveProvider": False},
        "definitionProvider": True,
        "referencesProvider": True,
        "renameProvider": {"prepareProvider": True} if client.can("textDocument.rename.prepareSupport") else True,
        "documentLinkProvider": {"resolveProvider": False},
        "codeActionProvider": {"codeActionKinds": ["quickfix", "refactor"]},
        "workspaceSymbolProvider": True,
        "executeCommandProvider": {"commands": list(COMMANDS)},
        "workspace": {
            "workspaceFolders": {"supported": True, "changeNotifications": True},
            "fileOperations": {
                "willRename": FILE_FILTERS,
                "didRename": FILE_FILTERS,
                "didDelete": FILE_FILTERS,
                "didCreate": FILE_FILTERS,
            },
        },
    }
    if client.can("textDocument.diagnostic") and client.can("workspace.diagnostics.refreshSupport"):
        found["diagnosticProvider"] = {
            "identifier": "moorline",
            "interFileDependencies": True,
            "workspaceDiagnostics": False,
        }
    return found
