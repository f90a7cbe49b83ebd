"""Sends diagnostics when they differ from what the client has, to clients that are pushed to and to those that pull.

Knows what was sent last for each document. A client that pulls is pushed to only for files it has not open.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lsp_server.features.markers import marker_problems, page_of
from lsp_server.lsp import convert
from lsp_server.lsp.connection import Connection
from lsp_server.lsp.drawn import Drawings
from lsp_server.workspace import uris
from lsp_server.workspace.config import FILE as CONFIG_FILE
from lsp_server.workspace.config import ConfigProblem
from lsp_server.workspace.session import Session


class Publisher:
    """The diagnostics of one connection. `uri_of` spells the URI of a file of a session as the client does."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._sent: dict[str, list[convert.Json] | None] = {}
        self._pulled: dict[str, tuple[str, list[convert.Json]]] = {}
        self._troubled: dict[Path, set[str]] = {}
        self._number = 0
        client = connection.client
        self.pulls = client.can("textDocument.diagnostic") and client.can("workspace.diagnostics.refreshSupport")
        self._related = client.get("textDocument.publishDiagnostics.relatedInformation") is True
        self._drawings = Drawings(client.encoding, self._related, self.uri_of)
        self._pull_related = self._related or client.get("textDocument.diagnostic.relatedDocumentSupport") is True

    def publish(self, session: Session, path: str) -> bool:
        """Sends the diagnostics of a file if they differ from what was sent; tells whether they do.

        Of an open file with the version they are for; of a closed one without.
        """
        document = session.document(path)
        uri = document.uri if document is not None else self.uri_of(session, path)
        if document is not None and self.pulls:
            self._send(uri, [], None)
            known = self._pulled.get(uri)
            return known is None or known[1] != self.items(session, path)
        return self._send(uri, self.items(session, path), document.version if document is not None else None)

    def items(self, session: Session, path: str) -> list[convert.Json]:
        """The diagnostics of a file in LSP's form: of what is anchored in it, and of the markers that stand in it."""
        drawn = self._drawings.items(session, path)
        page = page_of(session, path)
        text = page.source.text
        if text is None or not (page.markers or page.lost):
            return drawn

        def uri_of(file: str) -> str:
            return self.uri_of(session, file)

        encoding, related = self._connection.client.encoding, self._related
        problems = marker_problems(session.settings, page)
        return [*drawn, *(convert.diagnostic_json(one, text, encoding, uri_of, related) for one in problems)]

    def pull(self, session: Session, path: str, previous: str | None) -> convert.Json:
        """The answer to a client that asks for a document's diagnostics."""
        document = session.document(path)
        uri = document.uri if document is not None else self.uri_of(session, path)
        items = self.items(session, path)
        known = self._pulled.get(uri)
        if known is not None and known[1] == items:
            if previous == known[0]:
                return {"kind": "unchanged", "resultId": known[0]}
            return {"kind": "full", "resultId": known[0], "items": items}
        self._number += 1
        self._pulled[uri] = (str(self._number), items)
        return {"kind": "full", "resultId": str(self._number), "items": items}

    def publish_troubles(self, session: Session, config: Sequence[ConfigProblem]) -> None:
        """Shows what cannot be read of the ledger and the settings, on those files; takes back what was mended."""
        found: dict[str, list[convert.Json]] = {}
        for path, message in session.problems:
            found.setdefault(self.uri_of(session, path), []).append(convert.trouble_json(1, message))
        for problem in config:
            if problem.origin == "config.toml":
                uri = self.uri_of(session, CONFIG_FILE)
                found.setdefault(uri, []).append(convert.trouble_json(problem.line or 1, problem.message))
        for uri in self._troubled.get(session.root.path, set()) - set(found):
            self._send(uri, [], None)
        for uri, items in found.items():
            self._send(uri, items, None)
        self._troubled[session.root.path] = set(found)

    def withdraw(self, uri: str) -> None:
        """Takes back whatever a document shows."""
        self._pulled.pop(uri, None)
        self._send(uri, [], None)

    def forget_sent(self, uri: str) -> None:
        """What a document shows is sent again though it is the same: some editors drop it as they close a document."""
        if uri in self._sent:
            self._sent[uri] = None

    def forget_pulled(self, uri: str) -> None:
        self._pulled.pop(uri, None)

    def _send(self, uri: str, items: list[convert.Json], version: int | None) -> bool:
        if self._sent.get(uri, []) == items:
            return False
        if items:
            self._sent[uri] = items
        else:
            self._sent.pop(uri, None)
        params: dict[str, Any] = {"uri": uri, "diagnostics": items}
        if version is not None:
            params["version"] = version
        self._connection.notify("textDocument/publishDiagnostics", params)
        return True

    @staticmethod
    def uri_of(session: Session, path: str) -> str:
        """The URI of a file: the client's spelling of an open one, else one below the root as the client reached it."""
        document = session.document(path)
        if document is not None:
            return document.uri
        return uris.to_uri(session.root.spelled / path)
