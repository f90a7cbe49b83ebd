"""The only mutable state: one workspace's open documents, loaded memories and their verdicts.

It hands out frozen snapshots and takes changes in. Document operations are synchronous and touch no database: they are
the keystroke path. Everything that reads or writes the ledger is asynchronous. One event loop owns a session.
"""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import logging
import os
import time
from collections.abc import Callable, Collection, Coroutine, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lsp_server.core.change import Change
from lsp_server.core.checks import by_checks, goes_by_checks
from lsp_server.core.documents_serving import KIND as PASSAGE
from lsp_server.core.drift import judge
from lsp_server.core.ids import body_hash
from lsp_server.core.kinds import kind_of
from lsp_server.core.lexicon import Lexicon, builtin, extended
from lsp_server.core.model import Anchor, FollowedPlace, Level, Locus, Memory, Reason, Verdict
from lsp_server.core.seek import merged
from lsp_server.core.source import Source
from lsp_server.core.text import Encoding, TextChange
from lsp_server.store.index import Index
from lsp_server.store.ledger import Ledger, LedgerRefused
from lsp_server.store.words import Words
from lsp_server.workspace import documents, git, hold, kept, rejudge, search
from lsp_server.workspace.beyond import Witness, look_beyond
from lsp_server.workspace.checks import Checks, files_of, judged_anew, stand_in
from lsp_server.workspace.config import FILE as CONFIG_FILE
from lsp_server.workspace.config import Settings
from lsp_server.workspace.documents import Document
from lsp_server.workspace.files import Files
from lsp_server.workspace.history import History, Since, Stale
from lsp_server.workspace.passages import Passages, is_markdown
from lsp_server.workspace.paths import Root
from lsp_server.workspace.snapshot import AnchorKey, FileView, Judged, Snapshot, Stamp, judged_item
from lsp_server.workspace.survey import Survey
from lsp_server.workspace.usage import Usage
from lsp_server.workspace.watch import Outside, Watcher

log = logging.getLogger(__name__)

AUTHOR_VARIABLE = "MOORLINE_AUTHOR"
"""Environment variable that says who records: a person's name, or `agent:NAME`."""
SEARCH_BATCH = 50
"""Missing anchors that are looked for beyond their file in one go, before others get a turn."""
SEARCH_PAUSE = 0.3
"""Seconds between an anchor going missing and the look for it elsewhere: a cut is often followed by a paste."""
TRACE_PAUSE = 1.0
"""Seconds between an anchor going stale and the look into git's history: what is typed has none."""
LEAVE_SECONDS = 1.0
"""Seconds between two looks at whether what is shown of unsaved text is news to others."""
FLUSH_SECONDS = 20.0
"""Seconds between two times that counts of what was seen are written."""
LOST = (Level.MISSING, Level.FILE_MISSING)
GONE = (Reason.SYMBOL_GONE, Reason.FILE_GONE)
RETRIES = (1.0, 5.0, 20.0)
"""Seconds before another try to take in a change from outside that could not be taken in."""
TYPING_PAUSE = 0.3
"""Seconds after a key in which no closed file is judged."""
LOOK_SECONDS = 10.0
"""Seconds between two looks at which Markdown files there are, and which of them changed."""
CHECK_PAUSE = 0.05
"""Seconds between two goes at the checks of a file for which there is no time at once."""
GIVE_WAY = 6
"""How often the next closed file is put off for that, each time by half the pause."""
SCAN_BATCH = 50
"""Files that a scan asks the index about at once."""
FIRST_READING = 20.0
"""Seconds that a command waits at most for the first reading of the ledger: some ten thousand memories' worth."""
TAKEN = 200
"""Memories that are judged, when all are loaded, before the loop gets a turn."""


@dataclass(slots=True)
class OpenFile:
    """What the session keeps of one open document."""

    document: Document
    held: hold.Held = hold.NOTHING
    saved: Mapping[AnchorKey, Verdict] = field(default_factory=dict)
    judged_source: Source | None = None
    pures: dict[AnchorKey, Verdict] = field(default_factory=dict)
    """What was judged, before holding. Where the file is `behind`, those of untouched symbols have old positions."""
    facts: int = -1
    """What `Session._facts` was then."""
    simple: rejudge.Simple | None = None
    """The anchors that depend on one symbol each; None where that was not asked yet."""
    behind: bool = False
    """Verdicts and what is held have the positions of a text before."""
    edited: Edited | None = None
    """What happened since `take_edited`; None: anything may have."""
    view: tuple[int, int, Document, FileView] | None = None


@dataclass(frozen=True, slots=True)
class Edited:
    """What edits to an open file changed: verdicts that were judged anew, and the lines that were touched."""

    judged: frozenset[AnchorKey] = frozenset()
    window: rejudge.Window | None = None


class Session:
    """One workspace. Make it with `start`, end it with `stop`."""

    def __init__(self, root: Root, settings: Settings, ledger: Ledger, index: Index, files: Files) -> None:
        self.root = root
        self.settings = settings
        self.ledger = ledger
        self.index = index
        self.files = files
        self.passages = Passages(root.path, files, settings.documents_ignored)
        self.author = ""
        self.head = ""
        self.client_author: str | None = None
        self.editor = ""
        """The name of the client that has documents open here."""
        self._open: dict[str, OpenFile] = {}
        self._memories: dict[str, Memory] = {}
        self._hashes: dict[str, str] = {}
        self._verdicts: dict[AnchorKey, Verdict] = {}
        self._by_file: dict[str, dict[AnchorKey, None]] = {}
        self.checks = Checks(self.read)
        self._spoken: dict[str, set[str]] | None = None
        """The files that checks speak of, by memory, loaded or not; None where that was not asked yet."""
        self._elsewhere: set[str] = set()
        self._finishing: set[str] = set()
        self._found: dict[AnchorKey, tuple[Locus, ...]] = {}
        self._searched: dict[AnchorKey, Verdict] = {}
        self._kept_texts: dict[str, str] = {}
        """Code that baselines do not keep inline, by their ids, as far as it was needed."""
        self._kept_asked: set[str] = set()
        """Baselines whose code was asked for at this HEAD."""
        self._unplaced: set[AnchorKey] = set()
        """Anchors whose verdict has no bytes yet, as their files were not looked into (`Survey`)."""
        self._hints: dict[str, str] = {}
        self._facts = 0
        self._typed = 0.0
        self._news = False
        self._copies: (
            tuple[tuple[int, int], Mapping[str, Memory], Mapping[AnchorKey, Verdict], Mapping[AnchorKey, Since]] | None
        ) = None
        self._loaded_all = False
        self._dropped: set[str] = set()
        """Memories that were dropped, or taken anew, since all were asked for."""
        self._loaded_files: set[str] = set()
        self._anchored: frozenset[str] = frozenset()
        self._loading: dict[str | None, asyncio.Future[bool]] = {}
        self._closed_stale: set[str] = set()
        self._problems: tuple[tuple[str, str], ...] = ()
        self._number = 0
        self._searching = False
        self._documents_due = asyncio.Event()
        self._documents_read = 0.0
        self._history = History(root.path)
        self._tracing = False
        self._trails: dict[Hashable, Locus | None] = {}
        self._watcher: Watcher | None = None
        self._first: asyncio.Future[set[str]] | None = None
        """The first reading of the ledger, where the index was taken as it was left."""
        self.usage = Usage(ledger.activity_path, lambda: self.settings.activity)
        self._words: Words | None = None
        self._write_lock = asyncio.Lock()
        self._readings = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self.on_change: Callable[[frozenset[str]], None] = lambda paths: None
        """Called on the loop with the files whose view changed for a reason other than a document operation."""
        self.on_settings: Callable[[], None] = lambda: None
        """Called on the loop when the workspace's settings file may have changed."""

    # -- life ----------------------------------------------------------------------------------------------------

    @classmethod
    async def start(cls, root: Root, settings: Settings | None = None, *, refresh: bool = True) -> Session:
        """Opens a workspace: its ledger, its index (made or mended as needed), who the user is. Judges nothing yet.

        Without `refresh` the index is taken as it was left, so that an editor starts at once (see `first_scan`).
        """
        ledger = Ledger.of(root)
        index = await Index.open(ledger.index_path)
        session = cls(root, settings or Settings(), ledger, index, Files(root.path))
        try:
            if refresh:
                session._problems = tuple((await index.refresh(ledger)).problems)
                session._first = asyncio.get_running_loop().create_future()
                session._first.set_result(set())
            session.head = await git.revision(root.path)
            session.author = (
                os.environ.get(AUTHOR_VARIABLE, "").strip() or await git.author(root.path) or getpass.getuser()
            )
        except BaseException:
            await index.close()
            raise
        return session

    async def stop(self) -> None:
        """Ends all background work and closes the index. Safe to call twice."""
        running: list[asyncio.Future[Any]] = [*self._tasks, *self._loading.values()]
        running += [self._first] if self._first is not None else []
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        if self._watcher is not None:
            await self._watcher.stop()
            self._watcher = None
        await self.usage.flush()
        if self._words is not None:
            await self._words.close()
            self._words = None
        await self.index.close()

    async def words(self) -> Words:
        """The words of all memories, brought up to date. Opened when somebody searches for the first time."""
        opened = self._words is None
        if self._words is None:
            self._words = await Words.open(self.ledger.words_path)
        if not self.passages.looked:
            await self.read_documents()
        # What the ledger keeps of a passage has no words: those are the document's.
        passages = {one: served.memory for one, served in self.passages.all().items()}
        told = self._words.trouble
        await self._words.refresh(self.index, self.lexicon(), passages)
        if self._words.trouble and (opened or self._words.trouble != told):
            log.warning("%s %s", self.ledger.words_path, self._words.trouble)
        return self._words

    def lexicon(self) -> Lexicon:
        """What search knows of words beside themselves, with what the workspace adds."""
        own = self.settings.search
        return extended(builtin(), own.get("expansions", {}), own.get("aliases", {}))

    async def forget_words(self, identifier: str) -> list[Path]:
        """Erases the words of a memory, also from the databases of other checkouts; answers the files in which
        something may be left, since another program is using them."""
        left = []
        for path in sorted(self.ledger.words_path.parent.glob("words*.db")):
            if self._words is not None and path == self.ledger.words_path:
                done = await self._words.forget(identifier)
            else:
                async with await Words.open(path) as other:
                    done = await other.forget(identifier)
            if not done:
                left.append(path)
        return left

    def spawn(self, work: Coroutine[None, None, None], name: str) -> None:
        """Runs background work that ends with the session; what it raises is logged."""
        task = asyncio.ensure_future(guarded(work, name))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: work.close())  # Of what was ended before it began.

    async def watch(self) -> None:
        """Begins to notice what others change: the ledger, git's HEAD, the anchored files."""
        watcher = await self._primed()
        self.spawn(self._watch(watcher), "watching")
        self.spawn(self._watch_index(), "watching the index")
        self.spawn(self._flush_counts(), "writing down what was seen")
        self.spawn(self._leave_unsaved(), "leaving the verdicts of what is unsaved")
        self.spawn(self._look_at_documents(), "looking at Markdown")

    async def _primed(self) -> Watcher:
        """The watcher after its first look, which must come before anything that is watched is read."""
        if self._watcher is None:
            watcher = Watcher(self.root, self._ledger_stamp, self.anchored_files, pause=self.settings.poll_seconds)
            await watcher.prime()
            self._watcher = watcher
        return self._watcher

    def _ledger_stamp(self) -> Hashable:
        """What the ledger looks like. What was read of it counts as well: a memory that is recorded, and taken away
        again before the next look, would leave the ledger as it looked last."""
        return self._readings, self.ledger.stamp()

    async def _watch(self, watcher: Watcher) -> None:
        async for outside in watcher:
            await self._take_in(outside)

    async def _watch_index(self) -> None:
        """Reads the ledger again where another program left in the index what it had read of it earlier."""
        while True:
            await asyncio.sleep(self.settings.poll_seconds)
            if await self.index.overtaken():
                await self._take_in(Outside(ledger=True))

    async def _take_in(self, outside: Outside) -> None:
        # What is noticed is told once, so it is not given up for a lock that somebody holds for a while.
        for pause in (*RETRIES, None):
            try:
                problems = self._problems
                changed = await self.refresh(outside)
                # A file that an editor holds open is judged from its buffer, so nothing changed for us; but the
                # editor may not have noticed that the file under it did, and must hear of it.
                if changed or outside.head or outside.files or self._problems != problems:
                    self.on_change(changed)
                break
            except Exception:
                log.exception("a change from outside could not be taken in")
            if pause is not None:
                await asyncio.sleep(pause)

    async def _leave_unsaved(self) -> None:
        """Leaves what is shown of unsaved text for others to read, whenever nobody types; takes it away in the end."""
        try:
            while True:
                await asyncio.sleep(LEAVE_SECONDS)
                if time.monotonic() - self._typed >= TYPING_PAUSE:
                    await self.usage.leave_unsaved(self.unsaved_verdicts(), self.editor)
        finally:
            await asyncio.shield(self.usage.leave_unsaved({}, self.editor))

    def unsaved_verdicts(self) -> dict[AnchorKey, str]:
        """The verdicts that are shown of what is anchored in documents whose text is not that of their files."""
        return {
            key: verdict.level.value
            for path, file in self._open.items()
            if not file.document.saved
            for key in self._by_file.get(path, ())
            if (verdict := self._verdicts.get(key)) is not None
        }

    async def _flush_counts(self) -> None:
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            await self.usage.flush()

    def look_soon(self, documents: bool = False) -> None:
        """Looks for outside changes now, because somebody says that there are some; among them of Markdown."""
        if self._watcher is not None:
            self._watcher.nudge()
        if documents:
            self._documents_due.set()

    async def catch_up(self) -> None:
        """Takes in what others changed since this was called last: for who asks now and then, and does not watch. What
        is new in Markdown that nobody has looked at is noticed as late as by who watches."""
        first, watcher = self._watcher is None, await self._primed()
        if first:
            await self.refresh()
        elif outside := await watcher.poll_now():
            await self.refresh(outside)
        if self.passages.looked and time.monotonic() - self._documents_read >= LOOK_SECONDS:
            self._settle(await self.read_documents())

    # -- documents: the keystroke path -----------------------------------------------------------------------------

    def open(self, path: str, uri: str, version: int, language_id: str, text: str) -> None:
        """A client shows a file. Opening one that is open already replaces its text."""
        disk = self.files.source(path)
        document = documents.open_document(path, uri, version, language_id, text, disk=disk)
        self._new_facts()
        self._open[path] = OpenFile(document)
        self._closed_stale.discard(path)
        self._live(path, document.source)
        self.judge(path)
        self._remember_saved(path)

    def change(self, path: str, version: int, changes: Sequence[TextChange], encoding: Encoding) -> None:
        """Applies one change notification to the text. Judges nothing: `judge` does, when its turn comes."""
        self._typed = time.monotonic()
        file = self._open[path]
        old = file.document.text
        file.document, edits = documents.changed(file.document, version, changes, encoding)
        if file.edited is not None:
            window = rejudge.window_of(old, file.document.text, edits[0]) if len(edits) == 1 else None
            if window is None:
                file.edited = None
            else:
                before = file.edited.window
                window = rejudge.merged(before, window) if before is not None else window
                file.edited = Edited(file.edited.judged, window)

    def judge(self, path: str, settled: bool = True) -> bool:
        """Judges what is anchored in a file against its present text; tells whether any verdict changed."""
        file = self._open.get(path)
        if file is not None:
            self._live(path, file.document.source)
            self._catch_up(path, file)
        keys = [key for key in self._by_file.get(path, ()) if key[0] in self._memories]
        shown = {key: self._judge_one(key) for key in keys}
        if file is not None:
            file.judged_source = file.document.source
            file.pures, file.facts, file.simple, file.edited = shown, self._facts, None, None
            file.held, shown = hold.hold(file.held, shown, file.document.source, settled=settled)
        changed = False
        for key, verdict in shown.items():
            changed |= self._show(path, key, verdict)
        changed |= self._judge_checks(path)
        if changed:
            self._number += 1
        return changed

    def _judge_checks(self, path: str) -> bool:
        """Judges the checks that speak of a file; tells whether any outcome is another one. The files that show them
        are told of it off the keystroke path."""
        if not self.checks.wait(path):
            return False
        changed = self.checks.judge(path, self._memories, self._verdicts.get, self._open.__contains__)
        if path in self.checks.left and path not in self._finishing:
            self._finishing.add(path)
            self.spawn(self._finish_checks(path), "judging the checks that are left")
        self._tell_checks(path, changed)
        self._news |= bool(changed)
        return bool(changed)

    def _tell_checks(self, path: str, changed: Iterable[str]) -> None:
        """Has what shows memories whose checks on a file say something else drawn anew."""
        files: set[str] = set()
        for identifier in changed:
            files |= self._shown_by(self._memories[identifier])
        for file in files & self._open.keys():
            self._open[file].edited = None
        if (files := files - {path}) and self._watcher is not None:
            if not self._elsewhere:
                self.spawn(self._tell_elsewhere(), "telling what checks say")
            self._elsewhere |= files

    async def _finish_checks(self, path: str) -> None:
        """Judges, some at a time, the checks of a file for which there was no time."""
        try:
            while path in self.checks.left:
                await asyncio.sleep(CHECK_PAUSE)
                if self._judge_checks(path):
                    self._number += 1
                    self.on_change(frozenset([path]))
        finally:
            self._finishing.discard(path)

    def _shown_by(self, memory: Memory) -> set[str]:
        """The files that a memory is shown in: those of its anchors; without one, those of its checks."""
        if not memory.anchors:
            return {one.check.locus.file for one in self.checks.of(memory.id) if one.check is not None}
        keys = [(memory.id, anchor.id) for anchor in memory.anchors]
        return {
            file
            for anchor, key in zip(memory.anchors, keys, strict=True)
            for file in (anchor.place.file, *shown_in(self._verdicts.get(key)))
        }

    async def _tell_elsewhere(self) -> None:
        paths, self._elsewhere = frozenset(self._elsewhere), set()
        self._mark_closed(paths)
        self.on_change(paths)

    def _show(self, path: str, key: AnchorKey, verdict: Verdict) -> bool:
        """Keeps what is shown of an anchor from now on, as `path` was judged; tells whether that is anything new."""
        before = self._verdicts.get(key)
        if before == verdict:
            return False
        self._verdicts[key] = verdict
        self._unplaced.discard(key)
        self.checks.note_verdict(key[0])
        for other in (
            {self._anchor(key).place.file, *shown_in(before), *shown_in(verdict)} if len(self._open) > 1 else ()
        ):
            if other != path and other in self._open:
                self._open[other].edited = None
        if verdict.level in LOST and not verdict.held:
            self._want_search(key)
        if verdict.stale:
            self._want_trace(key)
        self._news = True
        return True

    def judge_edits(self, path: str, settled: bool = True) -> bool:
        """As `judge`, which it equals, at the cost of what edits touched: of what is anchored to symbols that no edit
        touched nothing changes but positions, and these are brought up to date when somebody looks (`_catch_up`).

        Where syntax is broken, or anything but the text may have changed, everything is judged.
        """
        file = self._open.get(path)
        if file is not None:
            self._live(path, file.document.source)
        changed = self._judge_touched(path, file) if file is not None else None
        return self.judge(path, settled) if changed is None else changed

    def _judge_touched(self, path: str, file: OpenFile) -> bool | None:
        before, now = file.judged_source, file.document.source
        if file.facts != self._facts or before is None or not (rejudge.is_whole(before) and rejudge.is_whole(now)):
            return None
        if rejudge.may_be_blank(now):
            return None  # Whether what is missing in it is held depends on how long the client has been quiet.
        if before is now:
            return False
        was, outline = before.outline, now.outline
        assert was is not None and outline is not None
        if file.simple is None:
            file.simple = self._simple(file, before)
        simple = file.simple
        touched = [key for path in outline.touched(was, simple.keys_at) for key in simple.keys_at[path]]
        judged = {key: self._judge_one(key) for key in (*simple.others, *touched)}
        changed = now.text is None or before.text is None or now.text.line_count != before.text.line_count
        for key, verdict in judged.items():
            file.pures[key] = verdict
            simple.put(key, rejudge.depends_on(self._anchor(key), verdict, now))
            changed |= self._show(path, key, verdict)
        changed |= self._judge_checks(path)
        file.judged_source = now
        file.behind = True
        if file.edited is not None and judged:
            file.edited = Edited(file.edited.judged | judged.keys(), file.edited.window)
        self._number += 1
        self._news |= changed
        return changed

    def _simple(self, file: OpenFile, source: Source) -> rejudge.Simple:
        found = rejudge.Simple()
        for key, verdict in file.pures.items():
            found.put(key, rejudge.depends_on(self._anchor(key), verdict, source))
        return found

    def _catch_up(self, path: str, file: OpenFile) -> None:
        """Gives verdicts, and what is held, the positions of the text that was judged last."""
        source = file.judged_source
        if not file.behind or source is None:
            return
        file.behind = False
        simple = file.simple.path_of if file.simple is not None else {}
        for key in simple:
            file.pures[key] = rejudge.located(file.pures[key], source)
        file.held, shown = hold.hold(file.held, file.pures, source)
        for key in simple:
            if key in self._verdicts:
                self._verdicts[key] = shown[key]
        self._number += 1

    def _new_facts(self) -> None:
        """Something other than a text changes, on which verdicts or what is shown may depend: all is judged anew."""
        self._catch_up_all()
        self._facts += 1
        for file in self._open.values():
            file.edited = None

    def _catch_up_all(self) -> None:
        for path, file in self._open.items():
            self._catch_up(path, file)

    def take_news(self) -> bool:
        """Whether any verdict changed since this was asked last, whatever it was judged for: an edit or a request."""
        news, self._news = self._news, False
        return news

    def take_edited(self, path: str) -> Edited | None:
        """What edits changed in an open file since this was asked last; None where anything may have changed."""
        file = self._open.get(path)
        if file is None:
            return None
        found, file.edited = file.edited, Edited()
        return found

    def settle(self, path: str) -> bool:
        """Judges an open file whose client has been quiet for a while as from scratch; tells whether a verdict changed.

        While syntax is broken a tree can depend on the edits that led to it; from scratch it is what anybody else sees.
        """
        file = self._open.get(path)
        if file is None:
            return False
        file.document = documents.settled(file.document)
        return self.judge_edits(path)

    def saved(self, path: str) -> None:
        """A client saved a file as it shows it."""
        file = self._open.get(path)
        if file is None:
            return
        file.document = documents.settled(documents.saved(file.document))
        self.judge(path)
        self._remember_saved(path)
        for other in self.related(path):
            if other not in self._open:
                (self._closed_stale.add if self._shows_stale(other) else self._closed_stale.discard)(other)

    def close(self, path: str) -> None:
        """A client closed a file: the file's own code counts again, and nothing is held."""
        if self._open.pop(path, None) is None:
            return
        self._new_facts()
        self._live(path, None)
        self.checks.reset(path)
        self.checks.forget_saved(path)
        self.judge(path)
        if self._shows_stale(path):
            self._closed_stale.add(path)
        self._number += 1

    async def renamed(self, old: str, new: str) -> frozenset[str]:
        """An editor renamed a file, or a folder with all below it: what was anchored there is looked for at `new`.

        Answers the files whose view changed.
        """
        self._new_facts()
        self._hints.pop(old, None)  # The order is the one they came in.
        self._hints[old] = new
        self._take(await self.index.memories(below=old))
        touched: set[str] = set()
        for path in list(self._by_file):
            target = self._renamed_to(path)
            if target is None:
                continue
            for key in list(self._by_file.get(path, ())):
                memory = self._memories.get(key[0])
                anchor = next((a for a in memory.anchors if a.id == key[1]), None) if memory else None
                if anchor is not None and anchor.place.file == path:
                    self._found[key] = (replace(anchor.place, file=target),)
                    self._by_file.setdefault(target, {})[key] = None
            self.judge(path)
            self.judge(target)
            touched |= {path, target}
        if self.passages.looked:
            touched |= await self.read_documents()
        self._settle(touched)
        return frozenset(touched)

    def _hinted(self, anchor: Anchor) -> str:
        """Where an editor's rename says that an anchor's file went; its own file where nothing says so."""
        return self._renamed_to(anchor.place.file) or anchor.place.file

    def _renamed_to(self, path: str) -> str | None:
        """Where an editor's renames took a path, one after the other as they came; None where none did."""
        now = path
        for old, new in self._hints.items():
            if now == old:
                now = new
            elif now.startswith(old + "/"):
                now = new + now[len(old) :]
        return now if now != path else None

    def _judge_one(self, key: AnchorKey, by: Callable[[Memory, Anchor], Verdict] | None = None) -> Verdict:
        anchor = self._anchor(key)
        memory, hashed = self._memories[key[0]], self._hashes[key[0]]
        regressed = faulty_states(memory)
        if by is not None:
            verdict = by(memory, anchor)
        else:
            verdict = judge(anchor, self.read, body_hash=hashed, regressed=regressed)
        if verdict.level in LOST and key in self._found:
            # Where its code was found counts only while it is not at any place that was written down.
            elsewhere = judge(self._with_found(key, anchor), self.read, body_hash=hashed, regressed=regressed)
            verdict = elsewhere if elsewhere.level not in LOST else verdict
        searched = self._searched.get(key)
        if searched is not None and searched.now is None and verdict.level in LOST:
            beyond = [one for one in searched.candidates if one.place.file not in {p.file for p in anchor.places}]
            verdict = replace(verdict, candidates=merged(verdict.candidates, beyond))
            if verdict.reason in GONE:
                verdict = replace(verdict, reason=searched.reason, detail=searched.detail)
        return self.passages.judged(memory, verdict, self.read)

    def _anchor(self, key: AnchorKey) -> Anchor:
        anchors = self._memories[key[0]].anchors
        return next(anchor for anchor in anchors if anchor.id == key[1])

    def _with_found(self, key: AnchorKey, anchor: Anchor) -> Anchor:
        """The anchor with the places where its code was found and that nobody wrote down yet."""
        found = self._found.get(key)
        if not found:
            return anchor
        steps = tuple(FollowedPlace(anchor.locus, place, "", "") for place in found if place not in anchor.places)
        return replace(anchor, followed=(*anchor.followed, *steps))

    def read(self, path: str) -> Source:
        """The source of a file: the buffer where one is open, else the disk's."""
        file = self._open.get(path)
        return file.document.source if file is not None else self.files.source(path)

    def _remember_saved(self, path: str) -> None:
        file = self._open[path]
        self._catch_up(path, file)
        file.view = file.edited = None
        if saved := self.checks.remember_saved(path):
            self._number += 1
            self._tell_checks(path, saved)
        file.saved = MappingProxyType(
            {key: self._verdicts[key] for key in self._by_file.get(path, ()) if key in self._verdicts}
        )

    # -- views -----------------------------------------------------------------------------------------------------

    def document(self, path: str) -> Document | None:
        file = self._open.get(path)
        return file.document if file is not None else None

    @property
    def open_paths(self) -> tuple[str, ...]:
        return tuple(self._open)

    @property
    def closed_stale(self) -> tuple[str, ...]:
        """Closed files that show something stale."""
        return tuple(sorted(self._closed_stale))

    @property
    def problems(self) -> tuple[tuple[str, str], ...]:
        """(path, message) of ledger files that cannot be used."""
        return self._problems

    @property
    def number(self) -> int:
        """Grows with everything that changes what is shown."""
        return self._number

    def stale_count(self) -> int:
        """How many current memories are stale, as far as they were judged."""
        stale = {
            key[0] for key, verdict in self._verdicts.items() if verdict.stale and not self._is_settled(key, verdict)
        }
        return sum(1 for identifier in stale if identifier in self._memories and self._memories[identifier].current)

    def _is_settled(self, key: AnchorKey, verdict: Verdict) -> bool:
        """Whether a stale anchor is none for its memory, which goes by its checks."""
        memory = self._memories.get(key[0])
        return memory is not None and goes_by_checks(memory) and not by_checks(verdict, self.checks.of(memory.id)).stale

    def is_loaded(self, path: str) -> bool:
        """Whether what is anchored in a file was loaded, and not only begun to be."""
        return path not in self._loading and (
            path in self._loaded_files or (self._loaded_all and None not in self._loading)
        )

    def seen(self, ids: Iterable[str], how: str) -> None:
        """Counts that memories were shown. In memory only: it is written when nothing else is to do."""
        self.usage.count(ids, how)

    def is_judged(self, path: str) -> bool:
        """Whether the verdicts of an open file are those of its present text."""
        file = self._open.get(path)
        return file is None or file.judged_source is file.document.source

    def view(self, path: str) -> FileView:
        """One file with what is shown in it. Judges first where a change waits to be judged."""
        for other, shown in list(self._open.items()):
            if other != path and not self.is_judged(other):
                self._live(other, shown.document.source)  # The words of a passage are what its document says now.
        file = self._open.get(path)
        if file is None:
            self._place(self._by_file.get(path, ()))
            return self._view(path, None)
        if not self.is_judged(path):
            self.judge_edits(path, settled=False)
        self._catch_up(path, file)
        known = file.view
        if known is None or known[:2] != (self._number, self._facts) or known[2] is not file.document:
            known = file.view = (self._number, self._facts, file.document, self._view(path, file))
        return known[3]

    def _view(self, path: str, file: OpenFile | None) -> FileView:
        items = [item for key in self._by_file.get(path, ()) if (item := self._judged(key)) and item.file == path]
        items += self._by_checks(path)
        items.sort(key=lambda item: (item.verdict.name_span.start if item.verdict.name_span else 0, item.memory.id))
        saved = file.saved if file is not None else MappingProxyType({})
        return FileView(path, self.read(path), file.document if file else None, tuple(items), saved)

    def _by_checks(self, path: str) -> list[Judged]:
        """What memories without an anchor show in a file that their checks speak of."""
        found = []
        for identifier, checked in self.checks.in_file(path):
            memory = self._memories[identifier]
            if not memory.anchors and checked.check is not None:
                anchor, verdict = stand_in(checked.check, self.read(path))
                found.append(Judged(memory, anchor, verdict, None, self.checks.of(identifier)))
        return found

    def _judged(self, key: AnchorKey) -> Judged | None:
        memory, verdict = self._memories.get(key[0]), self._verdicts.get(key)
        if memory is None or verdict is None or not memory.current:
            return None
        since = self._since(key, verdict)
        return judged_item(memory, self._anchor(key), verdict, since, self.checks.of(memory.id))

    def judged(self, path: str, key: AnchorKey) -> Judged | None:
        """One anchor of what `view` shows of an open file that is judged, with its verdict; None where it is not shown
        there. Costs nothing for the others."""
        file, item = self._open.get(path), self._judged(key)
        if file is None or item is None:
            return None
        if file.behind and file.simple and key in file.simple.path_of and file.judged_source is not None:
            item = replace(item, verdict=rejudge.located(item.verdict, file.judged_source))
        return item if item.file == path else None

    def saved_verdict(self, path: str, key: AnchorKey) -> Verdict | None:
        """The verdict of an anchor when an open file was opened or saved last."""
        file = self._open.get(path)
        return file.saved.get(key) if file is not None else None

    def _shows_stale(self, path: str) -> bool:
        shown = (*self.view(path).judged, *self.in_document(path))
        return any(item.wrong for item in shown)

    def in_document(self, path: str) -> tuple[Judged, ...]:
        """The passages that stand in a document, in text order, each with the verdict on the code that it names."""
        found = []
        for served in self.passages.in_document(path):
            for anchor in served.memory.anchors[:1]:
                item = self._judged((served.memory.id, anchor.id))
                if item is not None:
                    found.append(item)
        return tuple(found)

    def related(self, path: str) -> frozenset[str]:
        """The documents with a passage on a file, and the files that the passages of a document are on."""
        found = set()
        for memory in self.passages.near(path):
            served = self.passages.of(memory.id)
            found |= {served.written.document} if served is not None and served.written is not None else set()
            for anchor in memory.anchors:
                found |= {anchor.place.file, *shown_in(self._verdicts.get((memory.id, anchor.id)))}
        return frozenset(found - {path})

    def snapshot(self) -> Snapshot:
        """This moment, frozen. Judges first whatever waits to be judged."""
        for path in self._open:
            if not self.is_judged(path):
                self.judge_edits(path, settled=False)
        self._catch_up_all()
        moment = (self._number, self._facts)
        if self._copies is None or self._copies[0] != moment:
            memories, verdicts = MappingProxyType(dict(self._memories)), MappingProxyType(dict(self._verdicts))
            since = {key: found for key, verdict in verdicts.items() if (found := self._since(key, verdict))}
            self._copies = (moment, memories, verdicts, MappingProxyType(since))
        open_now = {path: file.document for path, file in self._open.items()}
        files = self.files

        def read(path: str) -> Source:
            document = open_now.get(path)
            return document.source if document is not None else files.source(path)

        return Snapshot(
            root=self.root,
            number=self._number,
            settings=self.settings,
            documents=MappingProxyType(open_now),
            memories=self._copies[1],
            verdicts=self._copies[2],
            since=self._copies[3],
            checks=MappingProxyType(self.checks.all()),
            seen=self.usage.seen,
            read=read,
            stamp=Stamp(self.client_author or self.author, now(), self.head),
            problems=self._problems,
            initialized=bool(self._memories) or self.ledger.exists(),
            passages=MappingProxyType(dict(self.passages.all())),
            unsaved=self.usage.unsaved,
        )

    # -- memories --------------------------------------------------------------------------------------------------

    async def load(self, path: str) -> bool:
        """Loads what is anchored in a file from the index; tells whether anything came.

        Whoever asks while it is being loaded waits until it is there, and gets the same answer.
        """
        if path in self._loading:
            return await asyncio.shield(self._loading[path])
        if self._loaded_all or path in self._loaded_files:
            return False
        # Marked before it is read: what is written meanwhile is then taken in by whoever writes it.
        self._loaded_files.add(path)
        return await self._load_once(path, self._load(path))

    async def _load(self, path: str) -> bool:
        memories = await self.index.memories(file=path)
        if spoken := [one for one in await self._speaking(path) if one not in self._memories]:
            memories += await self.index.memories(ids=spoken)
        self._take([*memories, *self.passages.near(path)])
        self.judge(path)
        await self.read_kept(self._by_file.get(path, ()))
        if path in self._open:
            self._remember_saved(path)
        return bool(memories)

    async def _speaking(self, path: str) -> set[str]:
        """The ids of current memories with checks that speak of a file."""
        if self._spoken is None:
            self._spoken = {one: files_of(checks) for one, checks in (await self.index.checks()).items()}
        return {identifier for identifier, files in self._spoken.items() if path in files}

    async def _load_once(self, what: str | None, work: Coroutine[None, None, bool]) -> bool:
        """Loads one file's memories, or all (None), though whoever asked for it may be cancelled."""
        task = self._loading[what] = asyncio.ensure_future(work)
        task.add_done_callback(lambda _: self._loading.pop(what, None))
        return await asyncio.shield(task)

    async def load_ids(self, ids: Iterable[str]) -> None:
        named = list(ids)
        wanted = [identifier for identifier in named if identifier not in self._memories]
        if wanted:
            self._take(await self._with_passages(wanted))
        there = [self._memories[identifier] for identifier in named if identifier in self._memories]
        keys = [(memory.id, anchor.id) for memory in there for anchor in memory.anchors]
        self._place(keys)
        await self.read_kept(keys)

    async def _with_passages(self, ids: Sequence[str]) -> list[Memory]:
        """Memories by id, among them passages that nobody accepted yet."""
        found = await self.index.memories(ids=ids)
        if not self.passages.looked and any(memory.kind == PASSAGE for memory in found):
            await self.read_documents()
        known = {memory.id for memory in found}
        passages = [served for one in ids if one not in known and (served := self.passages.of(one)) is not None]
        return [*found, *(served.memory for served in passages)]

    async def load_all(self) -> None:
        """Loads every memory and judges it. What the command line does; an editor does it for the lists it shows."""
        if None in self._loading:
            await asyncio.shield(self._loading[None])
        elif not self._loaded_all:
            self._loaded_all = True
            await self._load_once(None, self._load_all())

    async def _load_all(self) -> bool:
        self._dropped.clear()
        found = await self.index.with_digests()
        # One file after the other, so that a file is read once and what is known of it can be forgotten.
        found.sort(key=lambda item: item[0].anchors[0].place.file if item[0].anchors else "")
        survey = Survey(self.files, await self.index.judged(), self.read)
        for start in range(0, len(found), TAKEN):
            # What was loaded meanwhile is newer than this, and what is gone stays so.
            some = [
                (memory, digest)
                for memory, digest in found[start : start + TAKEN]
                if memory.id not in self._memories and memory.id not in self._dropped
            ]
            self._take([memory for memory, _ in some], partial(self._by_survey, survey, with_ids(some)))
            await asyncio.sleep(0)
        await self.index.keep_judged(survey.news())
        await self.read_kept(self._verdicts, diffs=False)
        await self.read_documents()
        return bool(found)

    async def read_kept(self, keys: Iterable[AnchorKey], *, diffs: bool = True) -> set[str]:
        """Reads from git the long code that baselines do not keep, of anchors that cannot be judged without it or, with
        `diffs`, are shown with what changed; answers the files whose view may have changed."""
        wanted = {
            one.id: one
            for key in list(keys)
            if (verdict := self._verdicts.get(key)) is not None and (diffs or not verdict.stale)
            for one in kept.lacking(self._anchor(key), verdict)
            if one.id not in self._kept_asked
        }
        if not wanted:
            return set()
        self._kept_asked |= wanted.keys()
        found = await kept.texts(self.root.path, wanted.values())
        self._kept_texts |= found
        touched: set[str] = set()
        self._new_facts()
        for memory in list(self._memories.values()) if found else ():
            whole = kept.with_texts(memory, found)
            if whole is not memory:
                self._memories[memory.id] = whole
                for key in [(whole.id, anchor.id) for anchor in whole.anchors]:
                    self._verdicts[key] = self._judge_one(key)
                    touched |= {self._anchor(key).place.file, *shown_in(self._verdicts[key])}
        self._number += 1
        self._settle(touched)
        return touched

    def _by_survey(
        self, survey: Survey, known: Mapping[str, tuple[Memory, str]], memory: Memory, anchor: Anchor
    ) -> Verdict:
        read, digest = known[memory.id]
        if memory is not read:
            # It is served otherwise than the index has it, and what is kept there is of that.
            return judge(anchor, self.read, body_hash=body_hash(memory.body), regressed=faulty_states(memory))
        return survey.verdict(
            digest,
            anchor,
            body_hash=body_hash(memory.body),
            regressed=faulty_states(memory),
            open_now=anchor.place.file in self._open,
        )

    async def find(self, prefix: str) -> Sequence[str]:
        """Ids that begin with a prefix, loaded."""
        found = await self.index.ids_with_prefix(prefix.strip().lower())
        if not self.passages.looked:
            await self.read_documents()
        found = [*found, *(one for one in self.passages.with_ids(prefix) if one not in found)]
        await self.load_ids(found[:20])
        return found

    def _take(self, memories: Iterable[Memory], by: Callable[[Memory, Anchor], Verdict] | None = None) -> set[str]:
        """Keeps memories and judges them (`by`, or one by one); answers the files that they are anchored in."""
        touched: set[str] = set()
        self._new_facts()
        for served in self.passages.served(memories):
            memory = kept.with_texts(served, self._kept_texts)
            touched |= self._drop(memory.id)
            self._memories[memory.id] = memory
            self._hashes[memory.id] = body_hash(memory.body)
            for anchor in memory.anchors:
                key = (memory.id, anchor.id)
                found = tuple(place for place in self._found.get(key, ()) if place not in anchor.places)
                if found:
                    self._found[key] = found
                else:
                    self._found.pop(key, None)
                for place in (*anchor.places, *found):
                    self._by_file.setdefault(place.file, {})[key] = None
                    touched.add(place.file)
                verdict = self._judge_one(key, by)
                self._verdicts[key] = verdict
                if verdict.span is None and verdict.now is not None:
                    self._unplaced.add(key)
                if verdict.level in LOST:
                    self._want_search(key)
                if verdict.stale:
                    self._want_trace(key)
            self.checks.take(memory, self._verdicts.get)
            touched |= self._shown_by(memory) if memory.checks else set()
        self._number += 1
        return touched

    def _place(self, keys: Iterable[AnchorKey]) -> None:
        """Looks into the files of anchors that were judged without that, so that what is shown has its bytes."""
        for key in [key for key in keys if key in self._unplaced]:
            self._unplaced.discard(key)
            self._verdicts[key] = self._judge_one(key)
            self._number += 1

    def _drop(self, identifier: str) -> set[str]:
        if None in self._loading:
            self._dropped.add(identifier)
        shown = self._memories.get(identifier)
        touched: set[str] = self._shown_by(shown) if shown is not None and shown.checks else set()
        self.checks.drop(identifier)
        memory = self._memories.pop(identifier, None)
        if memory is None:
            return touched
        self._new_facts()
        for anchor in memory.anchors:
            key = (identifier, anchor.id)
            self._searched.pop(key, None)
            self._unplaced.discard(key)
            verdict = self._verdicts.pop(key, None)
            if verdict is not None and verdict.now is not None:
                touched.add(verdict.now.file)
            for path, keys in list(self._by_file.items()):
                if key in keys:
                    del keys[key]
                    touched.add(path)
                    if not keys:
                        del self._by_file[path]
            for file in self._open.values():
                file.held = hold.forget(file.held, [key])
                file.pures.pop(key, None)
        return touched

    async def apply(self, *changes: Change) -> None:
        """Writes changes to the ledger, indexes them, and takes what they made of their memories."""
        async with self._write_lock:
            for change in self._entered(changes):
                if not self.ledger.exists():
                    await asyncio.to_thread(self.ledger.init)
                await asyncio.to_thread(self.ledger.write, change)
            touched = await self._reindex()
            written = [change.memory_id for change in changes]
            for identifier in written:
                self._found = {key: places for key, places in self._found.items() if key[0] != identifier or places}
            touched |= self._take(await self.index.memories(ids=written))
        self._settle(touched)
        self.on_change(frozenset(touched))

    def _entered(self, changes: Iterable[Change]) -> list[Change]:
        """Changes with what the ledger must hold of a passage that is written for the first time."""
        return [self.passages.entered(one, self.client_author or self.author, now(), self.head) for one in changes]

    async def apply_each(self, changes: Sequence[Change]) -> dict[str, LedgerRefused]:
        """`apply` for many changes to different memories, none of which needs another, with one look at the ledger.

        Answers, by memory, why one was not written; the others are.
        """
        async with self._write_lock:
            refused = await asyncio.to_thread(self.ledger.write_all, self._entered(changes))
            touched = await self._reindex()
            touched |= self._take(await self.index.memories(ids=[change.memory_id for change in changes]))
        self._settle(touched)
        self.on_change(frozenset(touched))
        return refused

    async def _reindex(self, *, look: bool = True) -> set[str]:
        """Reads what changed in the ledger; answers the files whose view may have changed. Without `look` nobody looks
        whether what is not loaded is stale, as everything is scanned next."""
        refreshed = await self.index.refresh(self.ledger)
        self._problems = tuple(refreshed.problems)
        self._readings += bool(refreshed.changed)
        touched: set[str] = set()
        for identifier in refreshed.removed:
            touched |= self._drop(identifier)
        for identifier in refreshed.removed:
            if self._spoken is not None:
                self._spoken.pop(identifier, None)
        wanted = list(refreshed.changed)
        if not look and not self._loaded_all:
            self._spoken = None
            wanted = [identifier for identifier in wanted if identifier in self._memories]
        for start in range(0, len(wanted), TAKEN):
            for memory in await self.index.memories(ids=wanted[start : start + TAKEN]):
                near = {place.file for anchor in memory.anchors for place in anchor.places} | files_of(memory.checks)
                if self._spoken is not None:
                    self._spoken[memory.id] = files_of(memory.checks) if memory.current else set()
                if self._loaded_all or memory.id in self._memories or near & self._loaded_files:
                    touched |= self._take([memory])
                elif memory.current and await self._is_stale(memory):
                    for path in near:
                        await self.load(path)
                    touched |= near
        if refreshed.changed or refreshed.removed or not self._anchored:
            await self._speaking("")
            self._anchored = frozenset([*await self.index.files(), *set().union(*(self._spoken or {}).values())])
        if self.passages.looked and (refreshed.changed or refreshed.removed):
            touched |= await self._bind_passages()
        return touched

    # -- passages of documents -------------------------------------------------------------------------------------

    async def read_documents(self, paths: Collection[str] | None = None) -> set[str]:
        """Looks at the Markdown of the workspace (or at some of its files) and takes what their markers say; answers
        the files whose view changed."""
        self.passages.ignored = self.settings.documents_ignored
        self._documents_read = time.monotonic() if paths is None else self._documents_read
        await self.passages.look(paths)
        return await self._bind_passages()

    async def _bind_passages(self) -> set[str]:
        self.passages.take_ledger(await self.index.memories(kind=PASSAGE))
        return self._take_passages()

    def _take_passages(self) -> set[str]:
        """Takes what documents and ledger make of the passages, of those that anybody looks at."""
        news = self.passages.bind()
        touched = set(news.documents)
        for identifier in news.gone:
            touched |= self._drop(identifier)
        wanted = [memory for memory in news.changed if self._loaded_all or self._is_near(memory)]
        if wanted:
            touched |= self._take(wanted)
        return touched

    def _is_near(self, memory: Memory) -> bool:
        """Whether a passage is served already, or its code or its document was loaded."""
        served = self.passages.of(memory.id)
        near = {place.file for anchor in memory.anchors for place in anchor.places}
        if served is not None and served.written is not None:
            near.add(served.written.document)
        return memory.id in self._memories or bool(near & self._loaded_files)

    def _live(self, path: str, source: Source | None) -> None:
        """Takes what the markers of an open document say now (None: it was closed)."""
        if not self.passages.live(path, source):
            return
        self._number += 1
        touched = self._take_passages()
        for other in touched - {path}:
            if other in self._open:  # What is closed was judged as it was taken.
                self.judge(other)
        self._news |= bool(touched)

    async def _stale_passages(self) -> set[str]:
        """Judges the passages that nobody looks at; takes those that are stale and answers where they show."""
        touched: set[str] = set()
        for identifier, served in sorted(self.passages.all().items(), key=lambda item: str(item[1].memory.anchors[:1])):
            memory = served.memory
            if identifier in self._memories or not memory.current:
                continue
            await self._while_typing()
            await asyncio.sleep(0)
            if served.written is None or await self._is_stale(memory):
                touched |= self._take([memory])
                touched |= {served.written.document} if served.written is not None else set()
        return touched

    async def _look_at_documents(self) -> None:
        """Notices Markdown that comes, goes or changes, which no watched file tells of."""
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._documents_due.wait(), LOOK_SECONDS)
            self._documents_due.clear()
            touched = await self.read_documents()
            if touched:
                self._settle(touched)
                self.on_change(frozenset(touched))

    async def _is_stale(self, memory: Memory) -> bool:
        """Whether a memory that is not loaded is stale in the files on disk."""
        await asyncio.sleep(0)
        hashed = body_hash(memory.body)
        regressed = faulty_states(memory)
        if any(one.holds is False for one in judged_anew(memory, self._verdicts.get, self.read)):
            return True
        return any(judge(anchor, self.read, body_hash=hashed, regressed=regressed).stale for anchor in memory.anchors)

    def _settle(self, touched: Iterable[str]) -> None:
        """Judges files anew after their memories changed."""
        for path in {path for one in touched for path in (one, *self.related(one))}:
            self.judge(path)
            if path in self._open:
                if self._open[path].document.saved:
                    self._remember_saved(path)
            else:
                self._mark_closed([path])

    def _mark_closed(self, paths: Iterable[str]) -> None:
        """Notes which closed files show something stale or contradicted."""
        for path in paths:
            if path not in self._open and self._shows_stale(path):
                self._closed_stale.add(path)
            else:
                self._closed_stale.discard(path)

    # -- the world outside -------------------------------------------------------------------------------------------

    def anchored_files(self) -> set[str]:
        """Files whose change matters: of every current memory, those found to hold its code, and the settings."""
        return {*self._anchored, *self._by_file, *self.checks.files, *self.passages.documents(), CONFIG_FILE}

    async def refresh(self, outside: Outside | None = None) -> frozenset[str]:
        """Takes in what others changed (None: whatever it was); answers the files whose view changed."""
        touched: set[str] = set()
        self._new_facts()
        if outside is None or CONFIG_FILE in outside.files:
            self.on_settings()
        if outside is None or outside.head:
            self.head = await git.revision(self.root.path)
            self._kept_asked.clear()
        if outside is None or outside.ledger or outside.head:
            touched |= await self._reindex()
        if self.passages.looked:
            if outside is None or outside.head:
                touched |= await self.read_documents()
            elif any(map(is_markdown, outside.files)):
                touched |= await self.read_documents(outside.files)
        changed_files = self.anchored_files() if outside is None else set(outside.files)
        for path in changed_files:
            # A closed file whose memories were all fresh is not loaded; now it may show something.
            if await self.load(path):
                touched.add(path)
        self._catch_up_all()
        before = dict(self._verdicts)
        for path in changed_files | touched:
            self.judge(path)
        for key, verdict in self._verdicts.items():
            if before.get(key) != verdict:
                touched |= shown_in(before.get(key)) | shown_in(verdict)
                memory = self._memories.get(key[0])
                if memory is not None:
                    touched |= {a.place.file for a in memory.anchors if a.id == key[1]}
        if (outside is None or outside.head or outside.files) and self._searchable():
            self._searched.clear()
            touched |= await self.search_missing()
        self._settle(touched)
        touched |= await self.read_kept(self._verdicts, diffs=False)
        if outside is None or outside.head:
            for key in [key for path in self._open for key in self._by_file.get(path, ())]:
                self._want_trace(key)
        return frozenset(touched)

    def _searchable(self) -> bool:
        return any(verdict.level in LOST for verdict in self._verdicts.values())

    def _want_search(self, key: AnchorKey) -> None:
        """Asks for a look beyond the file, off the keystroke path."""
        if key not in self._searched and self._watcher is not None and not self._searching:
            self._searching = True
            self.spawn(self._search_soon(), "looking for moved code")

    async def _search_soon(self) -> None:
        await asyncio.sleep(SEARCH_PAUSE)
        self._searching = False
        touched = await self.search_missing()
        if touched:
            self._settle(touched)
            self.on_change(frozenset(touched))

    async def search_missing(self) -> set[str]:
        """Looks beyond the file for every anchor that is missing and was not looked for; answers the files touched."""
        wanted = [
            key
            for key, verdict in self._verdicts.items()
            if verdict.level in LOST
            and key not in self._searched
            and not verdict.held
            and not self.passages.is_lost(key[0])
        ]
        touched: set[str] = set()
        for start in range(0, len(wanted), SEARCH_BATCH):
            touched |= await self._search_batch(wanted[start : start + SEARCH_BATCH])
        return touched

    async def _search_batch(self, keys: Sequence[AnchorKey]) -> set[str]:
        touched: set[str] = set()
        anchors = [
            (key, next(a for a in self._memories[key[0]].anchors if a.id == key[1]))
            for key in keys
            if key[0] in self._memories
        ]
        if not anchors:
            return touched
        reach = await search.candidates(
            self.root.path,
            [anchor for _, anchor in anchors],
            [*(self._hinted(anchor) for _, anchor in anchors), *self._open],
            files=self.settings.search_files,
            seconds=self.settings.search_seconds,
        )
        witness = Witness(self.root.path, self._trails)
        if reach.bound:
            log.info("looking for moved code: %s", reach.bound)
        for key, anchor in anchors:
            verdict = self._verdicts.get(key)
            memory = self._memories.get(key[0])
            if verdict is None or memory is None or verdict.level not in LOST:
                continue
            sources = []
            for path in reach.paths(anchor):
                sources.append(self.read(path))
                await asyncio.sleep(0)
            found = await look_beyond(
                witness,
                anchor,
                verdict,
                sources,
                body_hash=self._hashes[memory.id],
                read=self.read,
                head=self.head,
                renamed=self._renamed_to(anchor.place.file),
            )
            self._new_facts()
            self._searched[key] = found
            if found.now is not None:
                place = Locus(found.now.file, found.now.symbol, None if found.now.symbol else anchor.place.lines)
                self._found[key] = (place,)
                self._by_file.setdefault(place.file, {})[key] = None
                touched.add(place.file)
            self._verdicts[key] = self._judge_one(key)
            if self._verdicts[key] != verdict:
                self.checks.note_verdict(key[0])
                touched |= {anchor.place.file, *shown_in(verdict), *shown_in(self._verdicts[key])}
                self._number += 1
        return touched

    # -- since when --------------------------------------------------------------------------------------------------

    async def trace(self, ids: Iterable[str] | None = None) -> bool:
        """Asks git's history since when the stale anchors (of some memories, or of all) have been so; tells whether
        anything was learnt. What was asked at this HEAD is not asked again."""
        wanted = None if ids is None else set(ids)
        found = [
            stale
            for key, verdict in self._verdicts.items()
            if (wanted is None or key[0] in wanted) and (stale := self._stale(key, verdict)) is not None
        ]
        learnt = await self._history.trace(found, self.head) if found else False
        self._number += learnt
        return learnt

    def _stale(self, key: AnchorKey, verdict: Verdict) -> Stale | None:
        memory = self._memories.get(key[0])
        if memory is None or not verdict.stale or not memory.current:
            return None
        anchor = self._with_found(key, self._anchor(key))
        return Stale(anchor, verdict, self._hashes[memory.id], faulty_states(memory))

    def _since(self, key: AnchorKey, verdict: Verdict) -> Since | None:
        stale = self._stale(key, verdict)
        return self._history.since(stale, self.head) if stale is not None else None

    def _want_trace(self, key: AnchorKey) -> None:
        """Asks, off the keystroke path, since when an anchor has been stale."""
        if self._tracing or self._watcher is None:
            return
        verdict = self._verdicts.get(key)
        stale = self._stale(key, verdict) if verdict is not None else None
        if stale is not None and not self._history.knows(stale, self.head):
            self._tracing = True
            self.spawn(self._trace_soon(), "asking since when code is stale")

    async def _trace_soon(self) -> None:
        await asyncio.sleep(TRACE_PAUSE)
        self._tracing = False
        near = {key[0] for path in self._open for key in self._by_file.get(path, ())}
        touched = await self.read_kept([key for path in self._open for key in self._by_file.get(path, ())])
        await self.trace(near)
        if touched:
            self.on_change(frozenset(touched))

    async def caught_up(self) -> None:
        """Waits until the ledger was read since the session began, but not longer than `FIRST_READING`.

        The index may have been left empty, or as it was before a `git pull`, and who is told that there is nothing
        takes it for an answer. What goes wrong there is said by `first_scan`.
        """
        await asyncio.wait([self._first_reading()], timeout=FIRST_READING)

    def _first_reading(self) -> asyncio.Future[set[str]]:
        if self._first is None:
            self._first = asyncio.ensure_future(self._read_first())
            # Whoever only waits for it does not look at what went wrong.
            self._first.add_done_callback(lambda first: first.cancelled() or first.exception())
        return self._first

    async def _read_first(self) -> set[str]:
        await self._primed()
        return await self._reindex(look=False)

    async def first_scan(self, progress: Callable[[int, int], None] = lambda done, total: None) -> frozenset[str]:
        """Brings the index up to date and judges every anchored file; answers the files whose view changed."""
        first = self._first_reading()
        # Who asked for something meanwhile has begun it; what was done before that is done once more.
        touched = set(await self._read_first() if first.done() else await asyncio.shield(first))
        for path in list(self._open):  # One may be opened meanwhile.
            self._loaded_files.discard(path)
            await self.load(path)
        touched |= await self.read_documents()
        self._settle(touched)
        self.on_change(frozenset(touched))  # What is open has its passages before the rest is looked at.
        scanned = await self.scan(progress)
        stale = await self._stale_passages()
        self._settle(stale)
        return frozenset(touched | stale) | scanned

    async def _while_typing(self) -> None:
        """Lets somebody who types go first, but not for ever."""
        for _ in range(GIVE_WAY):
            if time.monotonic() - self._typed >= TYPING_PAUSE:
                return
            await asyncio.sleep(TYPING_PAUSE / 2)

    async def scan(self, progress: Callable[[int, int], None] = lambda done, total: None) -> frozenset[str]:
        """Judges every anchored file that is not open; answers those that show something stale."""
        files = sorted(await self.index.files())
        stale: set[str] = set()
        for start in range(0, len(files), SCAN_BATCH):
            progress(start, len(files))
            stale |= await self._scan_some(files[start : start + SCAN_BATCH])
        progress(len(files), len(files))
        stale |= await self._scan_checks()
        touched = await self.search_missing()
        self._settle(stale | touched)
        return frozenset(stale | touched)

    async def _scan_checks(self) -> set[str]:
        """Judges the checks of memories that are not loaded; answers the files that show one that fails."""
        shown: set[str] = set()
        wanted = [one for one in await self.index.checks() if one not in self._memories]
        for start in range(0, len(wanted), SCAN_BATCH):
            for memory in await self.index.memories(ids=wanted[start : start + SCAN_BATCH]):
                await self._while_typing()
                await asyncio.sleep(0)
                if any(one.holds is False for one in judged_anew(memory, self._verdicts.get, self.read)):
                    shown |= self._take([memory])
        return shown

    async def _scan_some(self, files: Sequence[str]) -> set[str]:
        stale: set[str] = set()
        there = await self.index.anchored_in(files)
        survey = Survey(self.files, await self.index.judged(files), self.read)
        unknown = []
        for path in files:
            if path in self._open or path in self._loaded_files:
                continue
            if not survey.is_quiet(path, there.get(path, ())):
                unknown.append(path)
            await asyncio.sleep(0)
        if not unknown:
            return stale
        by_file: dict[str, list[tuple[Memory, str]]] = {path: [] for path in unknown}
        for memory, digest in await self.index.with_digests(files=unknown):
            for path in {place.file for anchor in memory.anchors for place in anchor.places} & by_file.keys():
                if memory.current:
                    by_file[path].append((memory, digest))
        for path, memories in by_file.items():
            await self._while_typing()
            if path in self._open or path in self._loaded_files:
                continue
            judged = partial(self._by_survey, survey, with_ids(memories))
            verdicts = [
                judged(memory, anchor)
                for memory, _ in memories
                for anchor in memory.anchors
                if anchor.place.file == path
            ]
            if any(verdict.stale or verdict.reason is Reason.SCHEME for verdict in verdicts):
                stale.add(path)
                await self.load(path)
            else:
                # It is looked at once; kept trees of a whole repository are most of what a server would weigh.
                self.files.forget(path)
            await asyncio.sleep(0)
        await self.index.keep_judged(survey.news())
        return stale


def with_ids(memories: Iterable[tuple[Memory, str]]) -> dict[str, tuple[Memory, str]]:
    return {memory.id: (memory, digest) for memory, digest in memories}


async def guarded(work: Coroutine[None, None, None], name: str) -> None:
    try:
        await work
    except asyncio.CancelledError:
        raise
    except Exception:
        log.exception("%s failed; the server goes on", name)


def faulty_states(memory: Memory) -> frozenset[str]:
    """States of a memory in which its code was accepted as faulty (see `Kind.faulty_states`)."""
    return kind_of(memory.kind).faulty_states(memory.state)


def shown_in(verdict: Verdict | None) -> set[str]:
    return {verdict.now.file} if verdict is not None and verdict.now is not None else set()


def now() -> str:
    """The time as events write it: RFC 3339, UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
