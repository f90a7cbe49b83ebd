"""What a kind asks for beside the text of a memory, and whether what was given is that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lsp_server.core.evidence import TYPES
from lsp_server.core.ids import normal_body
from lsp_server.core.kinds import Kind
from lsp_server.core.model import Evidence
from lsp_server.features.errors import Refused
from lsp_server.features.words import a_kind


def kind_fields(row: Kind, given: Mapping[str, str], evidence: Iterable[Evidence] = ()) -> dict[str, str]:
    """The fields as they are kept, in the order of the kind's row, empty ones left out.

    `evidence` is what the memory will rest on. Raises Refused, naming the mend, where one is not among the kind's, says
    what it cannot say, or rests on evidence that is not there.
    """
    if unknown := [name for name in given if name not in row.fields]:
        known = ", ".join(row.fields) or "it has none"
        raise Refused(f"{a_kind(row.name)} has no field {unknown[0]!r}; its fields: {known}")
    kept = {name: text for name in row.fields if (text := normal_body(given.get(name, "")).strip())}
    types = {piece.type for piece in evidence}
    for name, field in row.fields.items():
        text = kept.get(name, "")
        if field.required and not text:
            raise Refused(f"{a_kind(row.name)} needs a {name}; give it with --field {name}=...")
        if text and field.choices and text not in field.choices:
            raise Refused(f"{name} is one of {', '.join(field.choices)}, not {text[:40]!r}")
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > field.cap:
            raise Refused(f"{name} has {size} bytes, it holds at most {field.cap}; shorten it")
        if (needed := field.rests_on.get(text)) and needed not in types:
            raise Refused(f"{name}={text} needs evidence: {TYPES[needed]}")
        for other, allowed in field.allowed_by.items():
            may = allowed.get(kept.get(other, ""))
            if text and may is not None and text not in may:
                said = f"{other}={kept[other]}" if other in kept else f"no {other} said"
                raise Refused(
                    f"with {said}, {name} can be {' or '.join(may)}, not {text}; for more, give --field {other}=..."
                )
    return kept


def first_state(row: Kind, fields: Mapping[str, str], asked: str | None = None) -> str:
    """The state that a record begins in: the one asked for, that of a field which has one, else the kind's own.

    Raises Refused where a record cannot begin in the state asked for.
    """
    if asked is not None:
        if asked not in row.starts:
            raise Refused(f"a new {row.name} starts as {' or '.join(row.starts)}, not {asked}; it gets there later")
        return asked
    return next((row.fields[name].starts for name in fields if row.fields[name].starts), row.initial)
