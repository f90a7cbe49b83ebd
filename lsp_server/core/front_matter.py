"""YAML front matter as text, lists and keys, within limits, and written in one way.

Knows a safe part of YAML: no tag builds anything, no alias is followed, no date or `no` turns into another value. Reads
from PyYAML's event stream, which needs no recursion; refuses to know which keys mean what.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import yaml

_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_DEPTH_LIMIT = 24
_NODE_LIMIT = 20_000


class FrontMatterError(ValueError):
    """Front matter that cannot be read: `message` names the mend, `line` counts from 1 within it."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


@dataclass(slots=True)
class Node:
    """A value of front matter: one of `text`, `items` (a list) and `pairs` (a mapping). `line` counts from 0."""

    line: int
    text: str | None = None
    plain: bool = False
    """A text without quotes, which may stand for a number, a truth value or nothing."""
    items: list[Node] | None = None
    pairs: dict[str, Node] = field(default_factory=dict)
    mapping: bool = False
    key: str | None = None
    """While reading a mapping: the key whose value comes next."""

    @property
    def empty(self) -> bool:
        """Nothing was written after the key."""
        return self.plain and self.text in ("", "~", "null")


def load_front_matter(text: str) -> Node:
    """Reads the text between the `---` lines as a mapping. Raises FrontMatterError."""
    root: Node | None = None
    stack: list[Node] = []
    count = 0
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            line = event.start_mark.line if event.start_mark else 0
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise FrontMatterError("has a YAML anchor or alias (& or *), which is not read: write it out", line + 1)
            if isinstance(event, yaml.ScalarEvent):
                node = Node(line, event.value, bool(event.implicit[0]) and event.style in (None, ""))
            elif isinstance(event, yaml.SequenceStartEvent):
                node = Node(line, items=[])
            elif isinstance(event, yaml.MappingStartEvent):
                node = Node(line, mapping=True)
            else:
                if isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
                    stack.pop()
                elif isinstance(event, yaml.DocumentStartEvent) and root is not None:
                    raise FrontMatterError("has two YAML documents in its front matter: keep one", line + 1)
                continue
            count += 1
            if count > _NODE_LIMIT or len(stack) >= _DEPTH_LIMIT:
                raise FrontMatterError(
                    "has front matter that is nested too deep or too long: make it simpler", line + 1
                )
            if stack:
                _add(stack[-1], node)
            else:
                root = node
            if node.text is None:
                stack.append(node)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).split("\n", 1)[0]
        message = (
            f"has front matter that is not YAML ({problem}): put a text with a colon, # or quotes in double quotes"
        )
        raise FrontMatterError(message, (mark.line if mark else 0) + 1) from None
    if root is None or not root.mapping:
        raise FrontMatterError("has front matter that is no list of keys: write id: and kind: on lines of their own", 1)
    return root


def plain_value(node: Node) -> Any:
    """A node as JSON values. A plain text is a number, truth value or null only where it is spelt as JSON spells it."""
    if node.items is not None:
        return [plain_value(item) for item in node.items]
    if node.mapping:
        return {key: plain_value(item) for key, item in node.pairs.items()}
    text = node.text or ""
    if not node.plain:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text) and repr(float(text)) == text:
        return float(text)
    return text


def dump_front_matter(data: dict[str, Any]) -> str:
    """YAML of JSON values, keys in the order they come, lists as blocks, `plain_value` reads it back.

    Always by PyYAML's own emitter, never libyaml's, so that the bytes are the same wherever it is written.
    Raises ValueError for a value that is no JSON.
    """
    text: str = yaml.dump(
        data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False, width=1 << 30, indent=2
    )
    return text


def _add(parent: Node, node: Node) -> None:
    if parent.items is not None:
        parent.items.append(node)
    elif parent.key is None:
        if node.text is None:
            raise FrontMatterError("has a list or mapping for a key in its front matter: make it a word", node.line + 1)
        if node.text in parent.pairs:
            raise FrontMatterError(f"has the key {node.text!r} twice in its front matter: keep one", node.line + 1)
        parent.key = node.text
    else:
        parent.pairs[parent.key] = node
        parent.key = None


_WORDS: dict[str, Any] = {"": None, "null": None, "~": None, "true": True, "false": False}
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
_FLOAT = re.compile(r"-?[0-9]{1,24}(?:\.[0-9]{1,24})?(?:e[+-]?[0-9]{1,3})?")
_QUOTED = re.compile(r"(?:|~|=|<<|null|true|false|yes|no|on|off|y|n|[-+.]?[0-9][0-9_.eE+-]*)", re.IGNORECASE)
"""Texts that some reader of YAML takes for another value, and so are quoted. Dates are not: they are text here."""
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class _Dumper(yaml.SafeDumper):
    """Block lists indented under their key; texts plain, or in double quotes where anybody might misread them."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.yaml_implicit_resolvers = {}


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    misread = _QUOTED.fullmatch(value) is not None and _DATE.fullmatch(value) is None
    awkward = any(character < " " or character == "\x7f" for character in value)
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style='"' if misread or awkward else None)


def _word(dumper: yaml.SafeDumper, value: object) -> yaml.ScalarNode:
    spelt = {None: "null", True: "true", False: "false"}[value]  # type: ignore[index]
    return dumper.represent_scalar("tag:yaml.org,2002:str", spelt)


def _number(dumper: yaml.SafeDumper, value: float) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", repr(value))


def _refused(dumper: yaml.SafeDumper, value: object) -> yaml.ScalarNode:
    raise ValueError(f"{type(value).__name__} has no place in front matter")


_REPRESENTERS: Iterable[tuple[Any, Any]] = (
    (str, _text),
    (type(None), _word),
    (bool, _word),
    (int, _number),
    (float, _number),
    (None, _refused),
)
for _type, _represent in _REPRESENTERS:
    _Dumper.add_representer(_type, _represent)
