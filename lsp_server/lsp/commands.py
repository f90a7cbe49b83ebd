"""`workspace/executeCommand`: one argument, an object, checked member by member; the result an object."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsp_server.core.model import Locus
from lsp_server.features import backlog, operations
from lsp_server.features.errors import Refused
from lsp_server.features.evidence import read_evidence
from lsp_server.features.listing import Filters, moment
from lsp_server.features.places import Wanted, region_lines
from lsp_server.features.record import Request
from lsp_server.features.search import LIMIT, Question, together_json
from lsp_server.lsp import convert
from lsp_server.lsp.errors import InvalidParams, RequestFailed
from lsp_server.lsp.shapes import POSITION, RANGE, Shape, check_shape
from lsp_server.store.ledger import LedgerRefused
from lsp_server.workspace import uris
from lsp_server.workspace.session import Session, now

if TYPE_CHECKING:
    from lsp_server.lsp.handlers import Handlers

Json = dict[str, Any]

GROUNDS: Shape = {
    "reason?": str,
    "evidence?": [str],
    "revision?": str,
    "author?": str,
    "allowSecret?": bool,
    "root?": str,
}
"""What may go with any change of state."""

FILTERS: Shape = {
    "kind?": str,
    "state?": str,
    "tag?": str,
    "author?": str,
    "since?": str,
    "until?": str,
    "stale?": bool,
    "disputed?": bool,
    "expired?": bool,
    "pinned?": bool,
}
"""What narrows lists and searches alike."""

ARGUMENTS: Mapping[str, Shape] = {
    "moorline.record": {
        "uri?": str,
        "position?": POSITION,
        "range?": RANGE,
        "symbol?": str,
        "kind": str,
        "text": str,
        "local?": bool,
        "tags?": [str],
        "importance?": int,
        "expires?": str,
        "checks?": [str],
        "byChecks?": bool,
        "sensitivity?": str,
        "author?": str,
        "state?": str,
        "fields?": dict,
        "evidence?": [str],
        "revision?": str,
        "again?": bool,
        "allowSecret?": bool,
        "lift?": POSITION,
        "root?": str,
    },
    "moorline.clearStaleness": {
        "id": str,
        "anchor?": str,
        "note?": str,
        "undo?": bool,
        "allowSecret?": bool,
        "root?": str,
    },
    "moorline.reanchor": {
        "id": str,
        "anchor?": str,
        "uri?": str,
        "position?": POSITION,
        "range?": RANGE,
        "symbol?": str,
        "file?": str,
        "line?": int,
        "root?": str,
    },
    "moorline.supersede": {"id": str, "text": str, **GROUNDS},
    "moorline.retire": {"id": str, **GROUNDS, "reason": str},
    "moorline.restore": {"id": str, **GROUNDS},
    "moorline.transition": {"id": str, "state": str, "by?": str, **GROUNDS},
    "moorline.evidence": {
        "id": str,
        "add": [str],
        "role?": str,
        "revision?": str,
        "author?": str,
        "allowSecret?": bool,
        "root?": str,
    },
    "moorline.pin": {"id": str, "on?": bool, "author?": str, "root?": str},
    "moorline.use": {"id": str, "for": str, "author?": str, "allowSecret?": bool, "root?": str},
    "moorline.undo": {"id": str, "reason?": str, "author?": str, "allowSecret?": bool, "root?": str},
    "moorline.list": {
        "uri?": str,
        "position?": POSITION,
        "file?": str,
        "folder?": str,
        "symbol?": str,
        **FILTERS,
        "conflicts?": bool,
        "all?": bool,
        "limit?": int,
        "asOf?": str,
        "root?": str,
    },
    "moorline.search": {
        "query": str,
        "profile?": str,
        "task?": str,
        "uri?": str,
        "position?": POSITION,
        "path?": str,
        "symbol?": str,
        **FILTERS,
        "all?": bool,
        "limit?": int,
        "level?": str,
        "asOf?": str,
        "root?": str,
    },
    "moorline.explain": {"uri?": str, "position?": POSITION, "file?": str, "symbol?": str, "root?": str},
    "moorline.show": {"id": str, "asOf?": str, "root?": str},
    "moorline.history": {"id": str, "asOf?": str, "diff?": bool, "root?": str},
    "moorline.forget": {"id": str, "yes?": bool, "remains?": bool, "root?": str},
    "moorline.diff": {"id": str, "anchor?": str, "root?": str},
    "moorline.import": {
        "paths": [str],
        "format?": str,
        "apply?": bool,
        "renew?": bool,
        "shared?": bool,
        "allowSecret?": bool,
        "root?": str,
    },
    "moorline.checkpoint": {
        "summary": str,
        "decisions?": [str],
        "open?": [str],
        "next?": [str],
        "entities?": [str],
        "files?": [str],
        "author?": str,
        "root?": str,
    },
    "moorline.resume": {"task?": str, "bytes?": int, "root?": str},
    "moorline.consolidate": {"apply?": bool, "only?": [int], "kind?": str, "author?": str, "root?": str},
    "moorline.dismiss": {
        "id": str,
        "other": str,
        "reason": str,
        "author?": str,
        "allowSecret?": bool,
        "root?": str,
    },
    "moorline.capture": {
        "text": str,
        "yes?": bool,
        "only?": [int],
        "suggested?": bool,
        "force?": bool,
        "local?": bool,
        "author?": str,
        "allowSecret?": bool,
        "root?": str,
    },
    "moorline.describe": {
        "uri?": str,
        "position?": POSITION,
        "range?": RANGE,
        "file?": str,
        "folder?": str,
        "symbol?": str,
        "with?": [str],
        "root?": str,
    },
    "moorline.brief": {
        "task?": str,
        "constraints?": [str],
        "require?": [str],
        "lens?": str,
        "bytes?": int,
        "items?": int,
        "keep?": bool,
        "read?": str,
        "root?": str,
    },
    "moorline.backlog": {"kind?": str, "only?": [str], "limit?": int, "root?": str},
}
"""What each command takes. A key that ends in `?` may be left out."""


class Commands:
    """Runs the commands of one connection."""

    def __init__(self, handlers: Handlers) -> None:
        self._handlers = handlers
        self._run: Mapping[str, Callable[[Json], Awaitable[Json]]] = {
            "moorline.record": self.record,
            "moorline.clearStaleness": self.clear,
            "moorline.reanchor": self.reanchor,
            "moorline.supersede": self.supersede,
            "moorline.retire": self.retire,
            "moorline.restore": self.restore,
            "moorline.transition": self.transition,
            "moorline.evidence": self.evidence,
            "moorline.pin": self.pin,
            "moorline.use": self.use,
            "moorline.undo": self.undo,
            "moorline.list": self.list_,
            "moorline.search": self.search,
            "moorline.explain": self.explain,
            "moorline.show": self.show,
            "moorline.history": self.history,
            "moorline.forget": self.forget,
            "moorline.diff": self.diff,
            "moorline.import": self.import_,
            "moorline.capture": self.capture,
            "moorline.checkpoint": self.checkpoint,
            "moorline.resume": self.resume,
            "moorline.consolidate": self.consolidate,
            "moorline.dismiss": self.dismiss,
            "moorline.describe": self.describe,
            "moorline.brief": self.brief,
            "moorline.backlog": self.backlog,
        }

    async def execute(self, params: Json) -> Json:
        """Runs one command. Raises InvalidParams, naming the member, or RequestFailed with what to do instead."""
        command = params["command"]
        run = self._run.get(command)
        if run is None:
            raise InvalidParams(f"no command {command}; commands: {', '.join(self._run)}")
        arguments = params.get("arguments") or [{}]
        if len(arguments) != 1 or not isinstance(arguments[0], dict):
            raise InvalidParams(f"{command} takes one argument, an object")
        argument = {key: value for key, value in arguments[0].items() if value is not None}
        check_shape(argument, ARGUMENTS[command], "argument")
        try:
            return await run(argument)
        except (Refused, LedgerRefused) as refused:
            raise RequestFailed(str(refused)) from None

    async def record(self, argument: Json) -> Json:
        session, wanted = await self._place(argument)
        lifted = argument.get("lift")
        if lifted is not None and wanted is not None:
            wanted = self._below_comment(session, wanted.file, lifted)
        request = Request(
            kind=argument["kind"],
            text=argument["text"],
            anchors=(wanted,) if wanted is not None else (),
            home="local" if argument.get("local") else None,
            tags=tuple(argument.get("tags", ())),
            importance=argument.get("importance"),
            expires=argument.get("expires"),
            checks=tuple(argument.get("checks", ())),
            by_checks=argument.get("byChecks", False),
            sensitivity=argument.get("sensitivity"),
            author=argument.get("author"),
            state=argument.get("state"),
            fields=field_texts(argument),
            evidence=read_evidence(argument.get("evidence", ())),
            revision=argument.get("revision", ""),
            again=argument.get("again", False),
            allow_secret=argument.get("allowSecret", False),
        )
        answer = await operations.record_memory(session, request)
        if lifted is not None and wanted is not None:
            await self._remove_comment(session, wanted.file, lifted)
        return self._with_root(session, answer)

    async def clear(self, argument: Json) -> Json:
        session = await self._session(argument)
        answer = await operations.clear_staleness(
            session,
            argument["id"],
            argument.get("anchor"),
            argument.get("note"),
            argument.get("undo", False),
            argument.get("allowSecret", False),
        )
        return self._with_root(session, answer)

    async def reanchor(self, argument: Json) -> Json:
        session = await self._session(argument)
        if "uri" in argument:
            session, wanted = await self._place(argument)
        elif "file" in argument:
            wanted = Wanted(argument["file"], argument.get("symbol"), line=argument.get("line"))
        else:
            wanted = None
        if wanted is None:
            raise InvalidParams("argument.uri is missing: name the place by uri with position, range or symbol")
        return self._with_root(
            session, await operations.reanchor(session, argument["id"], wanted, argument.get("anchor"))
        )

    async def supersede(self, argument: Json) -> Json:
        session = await self._session(argument)
        answer = await operations.supersede(session, argument["id"], argument["text"], grounds(argument))
        return self._with_root(session, answer)

    async def retire(self, argument: Json) -> Json:
        session = await self._session(argument)
        return self._with_root(session, await operations.retire(session, argument["id"], grounds(argument)))

    async def restore(self, argument: Json) -> Json:
        session = await self._session(argument)
        return self._with_root(session, await operations.restore(session, argument["id"], grounds(argument)))

    async def transition(self, argument: Json) -> Json:
        session = await self._session(argument)
        answer = await operations.transition(session, argument["id"], argument["state"], grounds(argument))
        return self._with_root(session, answer)

    async def evidence(self, argument: Json) -> Json:
        session = await self._session(argument)
        given = grounds({**argument, "evidence": argument["add"]})
        return self._with_root(session, await operations.add_evidence(session, argument["id"], given))

    async def pin(self, argument: Json) -> Json:
        session = await self._session(argument)
        answer = await operations.pin(session, argument["id"], argument.get("on", True), argument.get("author"))
        return self._with_root(session, answer)

    async def undo(self, argument: Json) -> Json:
        session = await self._session(argument)
        answer = await operations.undo(
            session,
            argument["id"],
            argument.get("reason", ""),
            argument.get("author"),
            argument.get("allowSecret", False),
        )
        return self._with_root(session, answer)

    async def show(self, argument: Json) -> Json:
        session = await self._session(argument)
        return self._with_root(session, await operations.show(session, argument["id"], argument.get("asOf")))

    async def history(self, argument: Json) -> Json:
        session = await self._session(argument)
        answer = await operations.history(session, argument["id"], argument.get("asOf"), argument.get("diff", False))
        return self._with_root(session, answer)

    async def forget(self, argument: Json) -> Json:
        session = await self._session(argument)
        answer = await operations.forget(
            session, argument["id"], argument.get("yes", False), argument.get("remains", False)
        )
        return self._with_root(session, answer)

    async def diff(self, argument: Json) -> Json:
        session = await self._session(argument)
        return self._with_root(session, await operations.show_diff(session, argument["id"], argument.get("anchor")))

    async def explain(self, argument: Json) -> Json:
        if "uri" not in argument and "file" not in argument:
            raise InvalidParams("argument.uri or argument.file says of which place")
        session, place = await self._listed_place(argument)
        return self._with_root(session, await operations.explain(session, place))

    async def use(self, argument: Json) -> Json:
        session = await self._session(argument)
        answer = await operations.note_use(
            session, argument["id"], argument["for"], argument.get("author"), argument.get("allowSecret", False)
        )
        return self._with_root(session, answer)

    async def import_(self, argument: Json) -> Json:
        from lsp_server.features.importing import import_files

        session = await self._session(argument)
        answer = await import_files(
            session,
            [session.root.path / (uris.to_path(path) or path) for path in argument["paths"]],
            format=argument.get("format"),
            apply=argument.get("apply", False),
            renew=argument.get("renew", False),
            home="shared" if argument.get("shared") else None,
            allow_secret=argument.get("allowSecret", False),
        )
        return self._with_root(session, answer)

    async def checkpoint(self, argument: Json) -> Json:
        from lsp_server.features.checkpoint import SECTIONS, Work, checkpoint

        session = await self._session(argument)
        entries = {name: tuple(argument.get(name, ())) for name in SECTIONS}
        answer = await checkpoint(session, Work(argument["summary"], **entries), argument.get("author"))
        return self._with_root(session, answer)

    async def resume(self, argument: Json) -> Json:
        from lsp_server.features.budget import BASE
        from lsp_server.features.resume import resume

        session = await self._session(argument)
        return await resume(session, argument.get("task", ""), argument.get("bytes", BASE))

    async def consolidate(self, argument: Json) -> Json:
        from lsp_server.features.consolidate import consolidate

        session = await self._session(argument)
        answer = await consolidate(
            session,
            apply=argument.get("apply", False),
            only=argument.get("only", ()),
            kind=argument.get("kind"),
            author=argument.get("author"),
        )
        return self._with_root(session, answer)

    async def dismiss(self, argument: Json) -> Json:
        session = await self._session(argument)
        answer = await operations.dismiss(
            session,
            argument["id"],
            argument["other"],
            argument["reason"],
            argument.get("author"),
            argument.get("allowSecret", False),
        )
        return self._with_root(session, answer)

    async def capture(self, argument: Json) -> Json:
        from lsp_server.features.capture import capture

        session = await self._session(argument)
        answer = await capture(
            session,
            argument["text"],
            yes=argument.get("yes", False),
            only=argument.get("only", ()),
            suggested=argument.get("suggested", False),
            force=argument.get("force", False),
            local=argument.get("local", False),
            author=argument.get("author"),
            allow_secret=argument.get("allowSecret", False),
        )
        return self._with_root(session, answer)

    async def describe(self, argument: Json) -> Json:
        from lsp_server.features.describe import describe_place

        if "folder" in argument:
            session, place = await self._session(argument), Locus(argument["folder"])
        elif "uri" in argument or "file" in argument:
            session, place = await self._listed_place(argument)
        else:
            raise InvalidParams("argument.uri, argument.file or argument.folder says which place")
        # The answer has a budget, so nothing is added to it.
        return await describe_place(session, place, argument.get("with", ()))

    async def brief(self, argument: Json) -> Json:
        from lsp_server.core.locus import LocusError, parse_stored_locus
        from lsp_server.features.brief import Wish, brief, is_id, kept_brief
        from lsp_server.features.budget import BASE

        session = await self._session({**argument, "id": argument.get("read")})
        if "read" in argument:
            return await kept_brief(session, argument["read"])
        required = argument.get("require", ())
        try:
            places = tuple(parse_stored_locus(one) for one in required if not is_id(one))
        except LocusError as error:
            raise InvalidParams(f"argument.require {error}") from None
        wish = Wish(
            task=argument.get("task", ""),
            constraints=tuple(argument.get("constraints", ())),
            ids=tuple(one for one in required if is_id(one)),
            places=places,
            lens=argument.get("lens", ""),
            size=argument.get("bytes", BASE),
            items=argument.get("items", 0),
            keep=argument.get("keep", False),
        )
        return await brief(session, wish)

    async def backlog(self, argument: Json) -> Json:
        limit = argument.get("limit", backlog.LIMIT)
        if limit < 0:
            raise InvalidParams("argument.limit is a number of entries; 0 is all")
        kind, only = argument.get("kind"), tuple(argument.get("only", ()))
        backlog.check_filters(kind, only)
        answers = []
        for session in await self._opened(argument):
            answer = await operations.backlog(session, kind, only, limit)
            root = uris.to_uri(session.root.path)
            answers.append({**answer, "items": [{**item, "root": root} for item in answer["items"]]})
        return answers[0] if len(answers) == 1 else backlog.together(answers, limit)

    async def search(self, argument: Json) -> Json:
        """`uri` with `position` is where it is asked from; `path` (with `symbol`) what it must be anchored in."""
        filters = replace(filters_of(argument), limit=None)
        path, symbol = argument.get("path"), argument.get("symbol")
        if path is not None:
            filters = replace(filters, place=Locus(path, symbol)) if symbol else replace(filters, below=path)
        question = Question(
            argument["query"],
            filters,
            profile=argument.get("profile", "default"),
            task=argument.get("task", ""),
            limit=argument.get("limit", LIMIT),
            level=argument.get("level", "fit"),
        )
        asking, near = None, None
        if "uri" in argument:
            asked_from: Json = {key: argument[key] for key in ("uri", "position") if key in argument}
            asking, near = await self._listed_place(asked_from)
        answers = []
        for session in await self._opened(argument):
            asked = replace(question, near=near) if session is asking else question
            answers.append(
                self._with_root(session, await operations.search_memories(session, asked, argument.get("asOf")))
            )
        if len(answers) == 1:
            return {key: value for key, value in answers[0].items() if key != "root"}
        return together_json(question, answers)

    async def list_(self, argument: Json) -> Json:
        filters = filters_of(argument)
        revision = argument.get("asOf")
        if "uri" in argument or "file" in argument:
            session, place = await self._listed_place(argument)
            filters = replace(filters, place=place)
            return self._with_root(session, await operations.list_chosen(session, filters, revision))
        answers = [
            self._with_root(session, await operations.list_chosen(session, filters, revision))
            for session in await self._opened(argument)
        ]
        if len(answers) == 1:
            return {key: value for key, value in answers[0].items() if key != "root"}
        whole: Json = {
            "version": 1,
            "memories": [memory for answer in answers for memory in answer["memories"]],
            "omitted": sum(answer["omitted"] for answer in answers),
        }
        if filters.conflicts:
            whole["conflicts"] = [one for answer in answers for one in answer["conflicts"]]
        return whole

    # -- which workspace, which place --------------------------------------------------------------------------------

    def _sessions(self, argument: Json) -> list[Session]:
        sessions = list(self._handlers.workspaces.sessions)
        root = argument.get("root")
        if root is None:
            return sessions
        wanted = Path(uris.to_path(root) or root)
        return [session for session in sessions if wanted in (session.root.path, session.root.spelled)]

    async def _opened(self, argument: Json) -> list[Session]:
        """The sessions that a command may be for, those that are still being opened too: an editor that asks at once
        would be told that there is nothing."""
        for folder in self._handlers.workspaces.folders:
            await self._handlers.workspaces.session(self._handlers.workspaces.root_of_folder(folder).path)
        sessions = self._sessions(argument)
        for session in sessions:
            await session.caught_up()
        return sessions

    async def _session(self, argument: Json) -> Session:
        """The session that a command is for: by `root`, by `uri`, else the only one that knows the id."""
        sessions = await self._opened(argument)
        if len(sessions) == 1:
            return sessions[0]
        if not sessions:
            raise RequestFailed("no workspace is open there; open a folder, or name one of the open ones as `root`")
        identifier = argument.get("id")
        knowing = [session for session in sessions if identifier and await session.find(identifier)]
        if len(knowing) == 1:
            return knowing[0]
        roots = ", ".join(uris.to_uri(session.root.path) for session in knowing or sessions)
        if knowing:
            raise RequestFailed(f"{identifier} is known in {len(knowing)} workspaces; name one as `root`: {roots}")
        raise RequestFailed(f"no memory {identifier} in the open workspaces: {roots}")

    async def _place(self, argument: Json) -> tuple[Session, Wanted | None]:
        """The session and the place that `uri` with `symbol`, `range` or `position` names."""
        uri = argument.get("uri")
        if uri is None:
            return await self._session(argument), None
        found = await self._handlers.located(uri)
        if found is None:
            if uris.to_path(uri) is None:
                raise RequestFailed("only saved files can carry memories: save the document first, then record")
            raise RequestFailed("the file is outside the open workspaces: open its folder, then record")
        session, path = found
        await session.caught_up()
        if "symbol" in argument:
            return session, Wanted(path, argument["symbol"])
        text = session.view(path).source.text
        if "range" in argument and text is not None:
            span = convert.span_of(text, argument["range"], self._handlers.encoding)
            if span.end > span.start:
                return session, Wanted(path, lines=region_lines(text, span))
            return session, Wanted(path, offset=span.start)
        if "position" in argument and text is not None:
            return session, Wanted(path, offset=convert.offset_of(text, argument["position"], self._handlers.encoding))
        return session, Wanted(path)

    async def _listed_place(self, argument: Json) -> tuple[Session, Locus]:
        if "uri" not in argument:
            session = await self._session(argument)
            return session, Locus(argument["file"], argument.get("symbol"))
        session, wanted = await self._place(argument)
        assert wanted is not None
        if wanted.offset is None:
            return session, Locus(wanted.file, wanted.symbol, wanted.lines)
        source = session.view(wanted.file).source
        if source.outline is not None and (symbol := source.outline.at(wanted.offset)) is not None:
            return session, Locus(wanted.file, symbol.path)
        assert source.text is not None
        line = source.text.point(wanted.offset).line + 1
        return session, Locus(wanted.file, None, (line, line))

    def _below_comment(self, session: Session, path: str, position: Json) -> Wanted:
        """The place a `MEMORY(kind): text` comment speaks of."""
        from lsp_server.core.markers import memory_comments

        source = session.view(path).source
        assert source.text is not None
        offset = convert.offset_of(source.text, position, self._handlers.encoding)
        for comment in memory_comments(source):
            if offset in comment.span:
                return Wanted(path, offset=comment.symbol.name_start) if comment.symbol is not None else Wanted(path)
        raise Refused("the comment is not there any more; ask for the actions again")

    async def _remove_comment(self, session: Session, path: str, position: Json) -> None:
        """Takes the lifted comment out of the buffer, where the client lets the server edit."""
        from lsp_server.core.markers import memory_comments

        view = session.view(path)
        source, document = view.source, view.document
        if source.text is None or document is None:
            return
        offset = convert.offset_of(source.text, position, self._handlers.encoding)
        for comment in memory_comments(source):
            if offset in comment.span:
                edit = {"range": convert.range_json(source.text, comment.lines, self._handlers.encoding), "newText": ""}
                await self._handlers.connection.ask(
                    "workspace/applyEdit",
                    {"label": "Lift a comment into a memory", "edit": {"changes": {document.uri: [edit]}}},
                )

    def _with_root(self, session: Session, answer: Json) -> Json:
        root = uris.to_uri(session.root.path)
        for memory in answer.get("memories", ()):
            memory["root"] = root
        return {**answer, "root": root}


def filters_of(argument: Json) -> Filters:
    """What a list or a search is of. Raises Refused where a time is none."""
    time = now()
    return Filters(
        below=argument.get("folder"),
        kind=argument.get("kind"),
        state=argument.get("state"),
        tag=argument.get("tag"),
        author=argument.get("author"),
        since=moment(argument["since"], time) if "since" in argument else None,
        until=moment(argument["until"], time, end=True) if "until" in argument else None,
        stale=argument.get("stale"),
        disputed=argument.get("disputed"),
        expired=argument.get("expired"),
        pinned=argument.get("pinned"),
        conflicts=argument.get("conflicts", False),
        everything=argument.get("all", False),
        limit=argument.get("limit"),
    )


def grounds(argument: Json) -> operations.Grounds:
    """What goes with a change of state."""
    return operations.Grounds(
        reason=argument.get("reason", ""),
        evidence=tuple(argument.get("evidence", ())),
        role=argument.get("role", ""),
        revision=argument.get("revision", ""),
        by=argument.get("by", ""),
        author=argument.get("author"),
        allow_secret=argument.get("allowSecret", False),
    )


def field_texts(argument: Json) -> dict[str, str]:
    """The fields of a kind, each checked to be a text."""
    found: dict[str, str] = argument.get("fields", {})
    for name, text in found.items():
        check_shape(text, str, f"argument.fields.{name}")
    return found
