"""Open buffers: the text a client shows, as frozen documents and the functions from one to the next.

Knows nothing of the disk, of memories or of who is connected. A document keeps the client's spelling of its URI, so
that every answer can use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lsp_server.core.languages import language_for
from lsp_server.core.source import Source, edit_source, read_source, settle_source
from lsp_server.core.text import Edit, Encoding, Text, TextChange, apply_changes, diff_edit


@dataclass(frozen=True, slots=True)
class Document:
    """One open buffer.

    `path` is its key in the workspace (`paths.safe`), `uri` the client's spelling, `language_id` the client's word for
    its language. `source.text` is what the client shows now; `saved_text` is what it showed when it was opened or last
    saved (the two share memory where they are the same).
    """

    path: str
    uri: str
    version: int
    language_id: str
    source: Source
    saved_text: Text

    @property
    def text(self) -> Text:
        """The text the client shows."""
        return self.source.text if self.source.text is not None else self.saved_text

    @property
    def saved(self) -> bool:
        """Whether the text equals what was opened or last saved. Undoing an edit makes it so again."""
        now = self.text
        if now is self.saved_text:
            return True
        return len(now) == len(self.saved_text) and now.sha256() == self.saved_text.sha256()


def open_document(
    path: str, uri: str, version: int, language_id: str, text: str, *, disk: Source | None = None
) -> Document:
    """Open a buffer with the whole text that the client sent.

    `disk` is what was read from the file, if anything: where text and language are equal its tree is used again, so
    that opening a file that was judged already parses nothing.
    """
    new = Text.of(text)
    source = None
    if disk is not None and disk.text is not None and disk.path == path and disk.text.sha256() == new.sha256():
        source = disk
    if source is None or _other_language(source, path, language_id):
        source = read_source(path, new, language_id)
    return Document(path, uri, version, language_id, source, source.text if source.text is not None else new)


def change(document: Document, version: int, changes: Sequence[TextChange], encoding: Encoding) -> Document:
    """Apply one `didChange`, its changes in order; ranges are in `encoding`'s units.

    A replacement of the whole text is narrowed to the window that differs, so that a formatter costs what it changed.
    """
    return changed(document, version, changes, encoding)[0]


def changed(
    document: Document, version: int, changes: Sequence[TextChange], encoding: Encoding
) -> tuple[Document, tuple[Edit, ...]]:
    """The same, with the edits that it came to, each seen from the text that the one before it left."""
    old = document.text
    new, edits = apply_changes(old, changes, encoding)
    if edits is None:
        edits = (diff_edit(old, new),)
    source = edit_source(document.source, new, edits, document.language_id)
    return replace(document, version=version, source=source), edits


def saved(document: Document) -> Document:
    """Take note that the buffer was saved as it is."""
    return replace(document, saved_text=document.text)


def settled(document: Document) -> Document:
    """The same buffer with the tree that its text has from scratch; the document itself where it has that already."""
    source = settle_source(document.source)
    return document if source is document.source else replace(document, source=source)


def renamed(document: Document, path: str, uri: str) -> Document:
    """Give the same buffer under another path, its text and what was saved of it kept."""
    source = read_source(path, document.text, document.language_id)
    return replace(document, path=path, uri=uri, source=source)


def _other_language(source: Source, path: str, language_id: str) -> bool:
    start = source.text.slice(0, 65536) if source.text is not None else b""
    return language_for(path, language_id, start) != source.language
