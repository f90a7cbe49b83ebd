"""What the client said about itself in `initialize`, and what may be sent to it because of that.

Knows the paths of LSP's client capabilities. Knows no connection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lsp_server.lsp.encoding import Encoding, choose_encoding

NEEDS: Mapping[str, str] = {
    "client/registerCapability": "",
    "client/unregisterCapability": "",
    "window/showMessageRequest": "",
    "window/showDocument": "window.showDocument.support",
    "window/workDoneProgress/create": "window.workDoneProgress",
    "workspace/applyEdit": "workspace.applyEdit",
    "workspace/configuration": "workspace.configuration",
    "workspace/workspaceFolders": "workspace.workspaceFolders",
    "workspace/codeLens/refresh": "workspace.codeLens.refreshSupport",
    "workspace/diagnostic/refresh": "workspace.diagnostics.refreshSupport",
    "workspace/inlayHint/refresh": "workspace.inlayHint.refreshSupport",
    "workspace/semanticTokens/refresh": "workspace.semanticTokens.refreshSupport",
    "workspace/foldingRange/refresh": "workspace.foldingRange.refreshSupport",
}
"""The capability that a request to the client needs ("" for none). A method that is not here needs none of ours."""


_SYNCHRONIZATION = frozenset(f"textDocument/{name}" for name in ("didOpen", "didChange", "didClose", "didSave"))


@dataclass(frozen=True, slots=True)
class Folder:
    """A workspace folder as the client spells it."""

    uri: str
    name: str


@dataclass(frozen=True, slots=True)
class Client:
    """The other end. `params` are the whole parameters of `initialize`, as they came."""

    capabilities: Mapping[str, Any] = field(default_factory=dict)
    encoding: Encoding = "utf-16"
    process_id: int | None = None
    name: str = ""
    version: str = ""
    folders: tuple[Folder, ...] = ()
    options: Any = None
    params: Mapping[str, Any] = field(default_factory=dict)

    def get(self, path: str, default: Any = None) -> Any:
        """Return the capability at a dotted path (`workspace.codeLens.refreshSupport`), or `default`."""
        value: Any = self.capabilities
        for name in path.split("."):
            if not isinstance(value, Mapping) or name not in value:
                return default
            value = value[name]
        return value

    def can(self, path: str) -> bool:
        """Whether the capability at a dotted path is true, or an object (an object means that it is there)."""
        value = self.get(path)
        return value is True or isinstance(value, Mapping)

    def takes(self, method: str) -> bool:
        """Whether this request may be sent to the client."""
        path = NEEDS.get(method, "")
        return not path or self.can(path)

    def registers(self, method: str) -> bool:
        """Whether the client lets us register `method` (`workspace/didChangeWatchedFiles`) while it runs."""
        area, _, name = method.partition("/")
        if method in _SYNCHRONIZATION:
            name = "synchronization"
        elif method == "textDocument/publishDiagnostics" or not name:
            return False
        elif method.startswith("workspace/") and name.endswith("Files") and name != "didChangeWatchedFiles":
            name = "fileOperations"
        return self.can(f"{area}.{name}.dynamicRegistration")


def read_client(params: Mapping[str, Any]) -> Client:
    """Return the client of these parameters of `initialize`, which have the shape of `SHAPES["initialize"]`."""
    capabilities = params["capabilities"]
    info = params.get("clientInfo") or {}
    folders = tuple(Folder(one["uri"], one.get("name") or "") for one in params.get("workspaceFolders") or ())
    if not folders and params.get("workspaceFolders") is None and params.get("rootUri"):
        folders = (Folder(params["rootUri"], ""),)
    pid = params.get("processId")
    return Client(
        capabilities=capabilities,
        encoding=choose_encoding(capabilities),
        process_id=pid if pid is not None and pid > 0 else None,
        name=info.get("name", ""),
        version=info.get("version") or "",
        folders=folders,
        options=params.get("initializationOptions"),
        params=params,
    )
