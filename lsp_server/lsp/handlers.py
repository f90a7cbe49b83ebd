"""The routes of the language server: each converts in, calls one feature or one operation, and converts out."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lsp_server.features.actions import actions
from lsp_server.features.hover import hover
from lsp_server.features.lenses import lenses
from lsp_server.features.operations import follow_saved
from lsp_server.features.symbols import symbols
from lsp_server.lsp import convert
from lsp_server.lsp.commands import Commands
from lsp_server.lsp.connection import Connection, Routes, notification, request
from lsp_server.lsp.markers import MarkerHandlers
from lsp_server.lsp.publish import Publisher
from lsp_server.workspace import uris
from lsp_server.workspace.config import ConfigProblem, Settings, read_settings
from lsp_server.workspace.passages import is_markdown
from lsp_server.workspace.paths import Root
from lsp_server.workspace.session import Session
from lsp_server.workspace.workspaces import Owned, Workspaces

log = logging.getLogger("moorline.lsp")

Json = dict[str, Any]

CHEAP = 0.010
"""Seconds of judging up to which a change is judged at once; beyond, queued edits are waited for."""
IDLE = 1.0
"""Seconds of quiet after which a text with broken syntax is parsed from scratch."""
LATEST = 0.150
"""Seconds after the last key at the latest (design, section 7)."""
TELL_AFTER = 0.1
"""Seconds from the first mark that an edit changes to the notification for the client's own views."""
READY_LIMIT = 2.0
"""Seconds that a request waits for a workspace that is just being opened, before it is answered with nothing."""


class Handlers:
    """The server's side of one connection. Everything that lasts is in the sessions of `workspaces`."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.encoding = connection.client.encoding
        self.client_settings: Mapping[str, Any] | None = self._initial_settings()
        self.workspaces = Workspaces(self._begin)
        self.publisher = Publisher(connection)
        self.commands = Commands(self)
        self.markers = MarkerHandlers(self)
        self._waiting: dict[str, list[Any]] = {}
        self._timers: dict[tuple[Path, str], asyncio.TimerHandle] = {}
        self._quiet: dict[tuple[Path, str], asyncio.TimerHandle] = {}
        self._telling: dict[Path, asyncio.TimerHandle] = {}
        self._cost: dict[tuple[Path, str], float] = {}
        self._closed_shown: dict[Path, set[str]] = {}
        self._opened: dict[str, Owned] = {}
        self._config_problems: dict[Path, tuple[ConfigProblem, ...]] = {}
        options = connection.client.options
        own = options.get("moorline", options) if isinstance(options, Mapping) else {}
        listed = own.get("clientCommands") if isinstance(own, Mapping) else None
        self.client_commands = frozenset(listed if isinstance(listed, list) else ())

    def routes(self) -> Routes:
        return {
            "initialized": notification(self.initialized),
            "textDocument/didOpen": notification(self.did_open),
            "textDocument/didChange": notification(self.did_change),
            "textDocument/didSave": notification(self.did_save),
            "textDocument/didClose": notification(self.did_close),
            "textDocument/hover": request(self.hover),
            "textDocument/codeLens": request(self.code_lens),
            "textDocument/codeAction": request(self.code_action),
            "textDocument/diagnostic": request(self.diagnostic),
            "workspace/executeCommand": request(self.commands.execute),
            "workspace/symbol": request(self.workspace_symbol),
            "workspace/didChangeConfiguration": notification(self.did_change_configuration),
            "workspace/didChangeWatchedFiles": notification(self.did_change_watched_files),
            "workspace/didChangeWorkspaceFolders": notification(self.did_change_workspace_folders),
            "workspace/didRenameFiles": notification(self.did_rename_files),
            "workspace/didDeleteFiles": notification(self.did_change_files),
            "workspace/didCreateFiles": notification(self.did_change_files),
            **self.markers.routes(),
        }

    # -- life ------------------------------------------------------------------------------------------------------

    def initialized(self, params: Json) -> None:
        folders = [path for folder in self.connection.client.folders if (path := uris.to_path(folder.uri)) is not None]
        self.workspaces.set_folders([Path(path) for path in folders])
        for folder in self.workspaces.folders:
            self._open_folder(folder)
        self.connection.spawn(self._after_start(), "settings and watching")

    def _open_folder(self, folder: Path) -> None:
        root = self.workspaces.root_of_folder(folder)
        self.connection.spawn(self._ensure(root.path), f"opening {root.path}")

    async def _ensure(self, root: Path) -> None:
        await self.workspaces.session(root)

    async def _after_start(self) -> None:
        client = self.connection.client
        if client.can("workspace.didChangeWatchedFiles.dynamicRegistration"):
            watchers = [{"globPattern": glob} for glob in ("**/.moorline/**", "**/.git/HEAD", "**/*")]
            await self.connection.register("workspace/didChangeWatchedFiles", {"watchers": watchers})
        if client.can("workspace.didChangeConfiguration.dynamicRegistration"):
            await self.connection.register("workspace/didChangeConfiguration", {"section": "moorline"})
        await self._fetch_settings()

    async def _begin(self, root: Root) -> Session:
        settings, _ = self._read_settings(root.path)
        session = await Session.start(root, settings, refresh=False)
        session.on_change = lambda paths: self._changed(session, paths)
        session.on_settings = lambda: self._settings_changed(session)
        session.client_author = self._client_author()
        session.editor = self.connection.client.name or "editor"
        # The session's own work, which ends before its database is closed.
        session.spawn(self._first_scan(session), "first scan")
        return session

    async def _first_scan(self, session: Session) -> None:
        token = f"moorline-scan-{session.root.path.name}"
        shows = self.connection.client.can("window.workDoneProgress")
        if shows:
            await self.connection.ask("window/workDoneProgress/create", {"token": token})
            self._progress(
                token, {"kind": "begin", "title": "Moorline", "message": "reading memories", "percentage": 0}
            )

        def report(done: int, total: int) -> None:
            if shows and total:
                share = {"percentage": int(100 * done / total), "message": f"{done} of {total} files"}
                self._progress(token, {"kind": "report", **share})

        try:
            touched = await session.first_scan(report)
            await session.watch()
            self._apply_settings(session)  # They were read before anybody watched them.
            self._changed(session, touched | frozenset(session.open_paths))
        finally:
            if shows:
                self._progress(
                    token, {"kind": "end", "message": f"{len(session.closed_stale)} files with stale memories"}
                )

    def _progress(self, token: str, value: Json) -> None:
        self.connection.notify("$/progress", {"token": token, "value": value})

    async def close(self) -> None:
        """Ends every session; called once when the connection ends."""
        for timer in (*self._timers.values(), *self._quiet.values(), *self._telling.values()):
            timer.cancel()
        await self.workspaces.stop()

    # -- documents -------------------------------------------------------------------------------------------------

    def did_open(self, params: Json) -> None:
        document = params["textDocument"]
        owned = self.workspaces.owner(document["uri"])
        if owned is None:
            return
        self._opened[document["uri"]] = owned
        self._in_order(owned, lambda session: self._open(session, owned.path, document))

    def _open(self, session: Session, path: str, document: Json) -> None:
        shown = Publisher.uri_of(session, path)
        if shown != document["uri"]:
            self.publisher.withdraw(shown)
        self.publisher.forget_sent(document["uri"])
        session.open(path, document["uri"], document["version"], document["languageId"], document["text"])
        self._publish(session, path)
        self.connection.spawn(self._load(session, path), "loading memories")

    async def _load(self, session: Session, path: str) -> None:
        if await session.load(path):
            self._changed(session, frozenset([path]))

    def did_change(self, params: Json) -> None:
        document = params["textDocument"]
        owned = self._owner_of_open(document["uri"])
        if owned is None:
            return
        changes = convert.changes_of(params["contentChanges"])
        self._in_order(owned, lambda session: self._change(session, owned.path, document, changes))

    def _change(self, session: Session, path: str, document: Json, changes: list[Any]) -> None:
        known = session.document(path)
        if known is None or known.uri != document["uri"]:
            log.warning("a change of a document that is not open was left out: %s", document["uri"])
            return
        session.change(path, document["version"], changes, self.encoding)
        key = (session.root.path, path)
        timer = self._quiet.pop(key, None)
        if timer is not None:
            timer.cancel()
        self._quiet[key] = self.connection.loop.call_later(LATEST, self._settle, session, path, False)
        if key in self._timers:
            return  # It is going to be judged, and not put off again: else steady typing would put it off for ever.
        cost = self._cost.get(key, 0.0)
        if cost > CHEAP:
            delay = min(LATEST / 2, max(cost, session.settings.debounce_ms / 1000))
            self._timers[key] = self.connection.loop.call_later(delay, self._judge, session, path)
        elif self.connection.pending:
            # What has come already is handled first, so a burst of edits is judged once.
            self._timers[key] = self.connection.loop.call_later(0, self._judge, session, path)
        else:
            self._judge(session, path)

    def _judge(self, session: Session, path: str) -> None:
        """Judges what the last changes touched and sends the difference."""
        key = (session.root.path, path)
        self._timers.pop(key, None)
        document = session.document(path)
        if document is None:
            return
        start = time.thread_time()
        session.judge_edits(path, settled=False)
        self._publish(session, path)
        # Of the processor's time: a machine that is busy with other things is no reason to wait even longer.
        self._cost[key] = time.thread_time() - start

    def _settle(self, session: Session, path: str, whole: bool) -> None:
        """Judges a file anew once its client has been quiet: what is blank now is blank, and (`whole`) from scratch."""
        key = (session.root.path, path)
        self._quiet.pop(key, None)
        document = session.document(path)
        if document is None:
            return
        if session.settle(path) if whole else session.judge_edits(path):
            self._changed(session, frozenset([path]))
        if not whole and not document.source.settled:
            self._quiet[key] = self.connection.loop.call_later(IDLE, self._settle, session, path, True)

    def _forget_timers(self, key: tuple[Path, str]) -> None:
        for timers in (self._timers, self._quiet):
            timer = timers.pop(key, None)
            if timer is not None:
                timer.cancel()

    def did_save(self, params: Json) -> None:
        owned = self._owner_of_open(params["textDocument"]["uri"])
        if owned is None:
            return

        def save(session: Session) -> None:
            session.saved(owned.path)
            self._publish(session, owned.path)
            if related := session.related(owned.path):
                self._changed(session, related)
            self.connection.spawn(follow_saved(session, owned.path), "writing down what was followed")

        self._in_order(owned, save)

    def did_close(self, params: Json) -> None:
        uri = params["textDocument"]["uri"]
        owned = self._owner_of_open(uri)
        if owned is None:
            return
        self._opened.pop(uri, None)

        def close(session: Session) -> None:
            document = session.document(owned.path)
            if document is None or document.uri != uri:
                return
            self._forget_timers((session.root.path, owned.path))
            session.close(owned.path)
            self.publisher.forget_pulled(uri)
            self.publisher.forget_sent(uri)
            if Publisher.uri_of(session, owned.path) != uri:
                self.publisher.withdraw(uri)
            self._changed(session, frozenset([owned.path]))
            if not self.workspaces.is_related(session.root.path):
                self.connection.spawn(self._drop_unused(), "closing workspaces")

        self._in_order(owned, close)

    def _owner_of_open(self, uri: str) -> Owned | None:
        """The workspace that a document was opened in: it keeps the text until the document is closed, even where the
        editor's folders, or the workspaces on disk, are others by now."""
        return self._opened.get(uri) or self.workspaces.owner(uri)

    def _in_order(self, owned: Owned, work: Any) -> None:
        """Does work on a session now, or in order once it has started."""
        session = self.workspaces.ready(owned.root)
        queue = self._waiting.get(str(owned.root))
        if session is not None and queue is None:
            work(session)
            return
        if queue is None:
            self._waiting[str(owned.root)] = queue = []
            self.connection.spawn(self._drain(owned.root, queue), "opening a workspace")
        queue.append(work)

    async def _drain(self, root: Path, queue: list[Any]) -> None:
        try:
            session = await self.workspaces.session(root)
        finally:
            self._waiting.pop(str(root), None)
        for work in queue:
            try:
                work(session)
            except Exception:
                log.exception("something that waited for a workspace failed")

    # -- requests --------------------------------------------------------------------------------------------------

    async def located(self, uri: str) -> tuple[Session, str] | None:
        """The session and key of a document that takes part, once its workspace is open; None for any other."""
        owned = self.workspaces.owner(uri)
        if owned is None:
            return None
        session = self.workspaces.ready(owned.root)
        if session is None or str(owned.root) in self._waiting:
            try:
                session = await asyncio.wait_for(self.workspaces.session(owned.root), READY_LIMIT)
            except TimeoutError:
                return None
            await asyncio.sleep(0)
        if not session.is_loaded(owned.path):
            await session.load(owned.path)
        return session, owned.path

    def now(self, uri: str) -> tuple[Session, str] | None:
        """What `located` answers where nothing has to be waited for."""
        owned = self.workspaces.owner(uri)
        session = self.workspaces.ready(owned.root) if owned is not None else None
        if owned is None or session is None or str(owned.root) in self._waiting or not session.is_loaded(owned.path):
            return None
        return session, owned.path

    def hover(self, params: Json) -> Any:
        found = self.now(params["textDocument"]["uri"])
        return self._hover(found, params) if found is not None else self._hover_later(params)

    async def _hover_later(self, params: Json) -> Json | None:
        found = await self.located(params["textDocument"]["uri"])
        return self._hover(found, params) if found is not None else None

    def _hover(self, found: tuple[Session, str], params: Json) -> Json | None:
        session, path = found
        if not session.settings.hover:
            return None
        view = session.view(path)
        text = view.source.text
        if text is None:
            return None
        offset = convert.offset_of(text, params["position"], self.encoding)
        on_marker = self.markers.hover(session, path, offset)
        if on_marker is not None:
            return on_marker
        answer = hover(session.snapshot(), view, offset)
        if answer is None:
            return None
        session.seen(answer.shown, "hovered")
        formats = self.connection.client.get("textDocument.hover.contentFormat", ["markdown"])
        return convert.hover_json(answer, text, self.encoding, "markdown" in formats)

    async def code_lens(self, params: Json) -> list[Json] | None:
        uri = params["textDocument"]["uri"]
        found = await self.located(uri)
        if found is None:
            return None
        session, path = found
        view = session.view(path)
        text = view.source.text
        if text is None:
            return None
        command = "moorline.ui.showMemories" if "moorline.ui.showMemories" in self.client_commands else ""
        return [convert.lens_json(lens, text, self.encoding, uri, command) for lens in lenses(session.snapshot(), view)]

    async def code_action(self, params: Json) -> list[Json] | None:
        uri = params["textDocument"]["uri"]
        found = await self.located(uri)
        if found is None:
            return None
        session, path = found
        view = session.view(path)
        text = view.source.text
        if text is None:
            return None
        span = convert.span_of(text, params["range"], self.encoding)
        only = params["context"].get("only")
        offered = actions(session.snapshot(), view, span, uri, self.client_commands)
        diagnostics = params["context"].get("diagnostics") or []
        listed = [
            *await self.markers.actions(session, path, uri, span, diagnostics, params["range"]),
            *(convert.action_json(one, text, self.encoding, uri, params["range"], diagnostics) for one in offered),
        ]
        return [
            one
            for one in listed
            if not only or any(one["kind"] == want or one["kind"].startswith(want + ".") for want in only)
        ]

    async def workspace_symbol(self, params: Json) -> list[Json]:
        """The memories that a text speaks of, each at its places."""
        found = []
        for session in list(self.workspaces.sessions):
            root = session.root.path
            found += [
                convert.symbol_json(one, uris.to_uri(root / one.file))
                for one in await symbols(session, params["query"])
            ]
        return found

    async def diagnostic(self, params: Json) -> Json:
        found = await self.located(params["textDocument"]["uri"])
        if found is None:
            return {"kind": "full", "items": []}
        session, path = found
        return self.publisher.pull(session, path, params.get("previousResultId"))

    # -- the world outside -----------------------------------------------------------------------------------------

    async def did_change_configuration(self, params: Json) -> None:
        if isinstance(params.get("settings"), Mapping) and "moorline" in params["settings"]:
            self.client_settings = params["settings"]["moorline"]
        await self._fetch_settings()

    async def _fetch_settings(self) -> None:
        answer = await self.connection.ask("workspace/configuration", {"items": [{"section": "moorline"}]}, timeout=5.0)
        if isinstance(answer, list) and answer and isinstance(answer[0], Mapping):
            self.client_settings = answer[0]
        for session in self.workspaces.sessions:
            self._settings_changed(session)

    def _read_settings(self, root: Path) -> tuple[Settings, tuple[ConfigProblem, ...]]:
        settings, problems = read_settings(root, self.client_settings)
        if problems != self._config_problems.get(root, ()):
            for problem in problems:
                log.warning("%s: %s", problem.origin, problem.message)
        self._config_problems[root] = problems
        return settings, problems

    def _apply_settings(self, session: Session) -> bool:
        """Takes the settings as they are now; tells whether they differ from before."""
        settings, _ = self._read_settings(session.root.path)
        if settings == session.settings:
            return False
        session.settings = settings
        return True

    def _settings_changed(self, session: Session) -> None:
        """The settings may be others: by the workspace's file, as its watcher says, or by the client."""
        again = self._apply_settings(session)
        self._changed(session, frozenset(session.open_paths) if again else frozenset())

    async def did_change_watched_files(self, params: Json) -> None:
        await self._look([change["uri"] for change in params["changes"]])

    async def did_change_files(self, params: Json) -> None:
        await self._look([file["uri"] for file in params["files"]])

    async def _look(self, changed: list[str]) -> None:
        """A client says that files changed; the watcher would see it too, so this only makes it sooner."""
        self.workspaces.forget_owners()
        documents = any(map(is_markdown, changed))
        for session in self.workspaces.sessions:
            session.look_soon(documents)

    def did_rename_files(self, params: Json) -> None:
        self.workspaces.forget_owners()
        for file in params["files"]:
            old, new = self.workspaces.owner(file["oldUri"]), self.workspaces.owner(file["newUri"])
            if old is None or new is None or old.root != new.root:
                continue
            session = self.workspaces.ready(old.root)
            if session is not None:
                self.connection.spawn(self._renamed(session, old.path, new.path), "following a rename")

    async def _renamed(self, session: Session, old: str, new: str) -> None:
        self._changed(session, await session.renamed(old, new))

    def did_change_workspace_folders(self, params: Json) -> None:
        event = params["event"]
        removed = {path for folder in event["removed"] if (path := uris.to_path(folder["uri"])) is not None}
        kept = [
            folder
            for folder in self.workspaces.folders
            if str(folder) not in {str(Path(one).resolve()) for one in removed}
        ]
        added = [Path(path) for folder in event["added"] if (path := uris.to_path(folder["uri"])) is not None]
        self.workspaces.set_folders([*kept, *added])
        for folder in added:
            self._open_folder(folder.resolve())
        for session in self.workspaces.sessions:
            self._changed(session, frozenset(session.open_paths))
        self.connection.spawn(self._drop_unused(), "closing workspaces")

    async def _drop_unused(self) -> None:
        for session in await self.workspaces.drop_unused():
            for path in self._closed_shown.pop(session.root.path, set()):
                self.publisher.withdraw(Publisher.uri_of(session, path))

    # -- out -------------------------------------------------------------------------------------------------------

    def _publish(self, session: Session, path: str) -> None:
        """Sends the diagnostics of a document that the client itself changed."""
        if not self.workspaces.is_related(session.root.path):
            return
        shown, news = self.publisher.publish(session, path), session.take_news()
        if news:
            # The documents with passages on this code, and the code that this document's passages are on.
            others = [other for other in session.related(path) if session.document(other) is not None]
            again = [self.publisher.publish(session, other) for other in others]
            if any(again) and self.publisher.pulls:
                self.connection.spawn(self.connection.ask("workspace/diagnostic/refresh"))
        if shown or news:
            self._tell_soon(session)

    def _tell_soon(self, session: Session) -> None:
        """Tells, but not before the keystroke is dealt with."""
        if session.root.path not in self._telling:
            self._telling[session.root.path] = self.connection.loop.call_later(TELL_AFTER, self._tell, session)

    def _tell(self, session: Session) -> None:
        """Says that something a client's own views may show is different now."""
        if (timer := self._telling.pop(session.root.path, None)) is not None:
            timer.cancel()
        session.take_news()
        summary = {"root": uris.to_uri(session.root.path), "revision": session.number, "stale": session.stale_count()}
        self.connection.notify("moorline/changed", summary)

    def _changed(self, session: Session, paths: frozenset[str]) -> None:
        """Shows what is new after anything but a document's own change: diagnostics, lenses, the client's views."""
        paths |= {other for path in paths for other in session.related(path)}
        related = self.workspaces.is_related(session.root.path)
        wanted = set(session.closed_stale[: session.settings.closed_files]) if related else set()
        shown = self._closed_shown.get(session.root.path, set())
        again = False
        for path in set(paths) | (wanted ^ shown) | {path for path in shown if session.document(path) is not None}:
            if related and session.document(path) is not None:
                again |= self.publisher.publish(session, path)
            elif path in wanted:
                self.publisher.publish(session, path)
            else:
                self.publisher.withdraw(Publisher.uri_of(session, path))
        self._closed_shown[session.root.path] = {path for path in wanted if session.document(path) is None}
        self.publisher.publish_troubles(session, self._config_problems.get(session.root.path, ()))
        client = self.connection.client
        if again and self.publisher.pulls:
            self.connection.spawn(self.connection.ask("workspace/diagnostic/refresh"))
        if client.can("workspace.codeLens.refreshSupport"):
            self.connection.spawn(self.connection.ask("workspace/codeLens/refresh"))
        self._tell(session)

    def _initial_settings(self) -> Mapping[str, Any] | None:
        options = self.connection.client.options
        if not isinstance(options, Mapping):
            return None
        settings = options.get("settings")
        return settings if isinstance(settings, Mapping) else None

    def _client_author(self) -> str | None:
        options = self.connection.client.options
        own = options.get("moorline", options) if isinstance(options, Mapping) else {}
        author = own.get("author") if isinstance(own, Mapping) else None
        return author if isinstance(author, str) and author.strip() else None
