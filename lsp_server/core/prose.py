"""What a stretch of text says in languages whose grammar gives it as one leaf: prose, scalars, commands.

Each rule takes the letters of a node, with LF for every line end, and gives what of them counts; two texts with one
result mean the same. Refuses to know syntax trees and which node follows which rule: that is in `core.style`. Where a
rule is not certain, it gives the text as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from lsp_server.core import commonmark
from lsp_server.core.literals import flow_folded


def written(text: str) -> str:
    """Every letter but line ends around it."""
    return text.strip("\n")


def unindented(text: str) -> str:
    """Lines without the white space before them: what a mark at the start of each line keeps from being content, as
    `\\\\` does in Zig (Zig language reference, "Multiline String Literals")."""
    return "\n".join(line.lstrip(" \t") for line in text.split("\n"))


def quoted_words(text: str) -> str:
    """Perl's `qw(a b)`: its words, whatever brackets and white space are around them (perlop, "qw/STRING/")."""
    letters = text.removeprefix("qw").strip()
    if not text.startswith("qw") or len(letters) < 2 or "\\" in letters:
        return text
    return " ".join(["qw", *letters[1:-1].split()])


def indented_code(text: str, column: int) -> str:
    """Indented code of Markdown without its indentation: four columns more than the `column` that it begins at, after
    what is around it. Blank lines after it are no part of it (CommonMark 0.31.2, section 4.4)."""
    first, *rest = _BLANK_END.sub("", text).split("\n")
    indents = [(first, 4), *((line, column + 4) for line in rest)]
    return "\n".join(line[min(most, len(line) - len(line.lstrip(" "))) :] for line, most in indents)


def shown_code(text: str) -> str:
    """Code as it is shown to people: every letter but white space that ends a line, and blank lines around it."""
    return "\n".join(line.rstrip(" \t") for line in text.split("\n")).strip("\n")


def item_number(text: str) -> str:
    """The number of a list's first item; what stands behind it says only where another list begins (CommonMark
    0.31.2, section 5.3)."""
    return f"{int(digits)}." if (digits := text.strip()[:-1]).isdigit() else text.strip()


def delimiter_cell(text: str) -> str:
    """A cell of the row below a table's head: its colons, and that there are dashes (GitHub Flavored Markdown 0.29,
    section 4.10)."""
    return _DASHES.sub("-", text.strip())


def closed_heading(text: str) -> str:
    """A heading without the `#`s that may close it (CommonMark 0.31.2, section 4.2), in one spelling."""
    return commonmark.spelled(_CLOSING.sub("", text))


def words(text: str) -> str:
    """Any white space as one space, as HTML shows it (HTML standard, "space characters"; CSS Text 3, section 4.1.1)."""
    return " ".join(text.split())


def tag_name(text: str) -> str:
    """The name of an element: of those that HTML has, case says nothing (HTML standard, 13.1.2)."""
    return text.lower() if _ELEMENT.fullmatch(text) else text


_ELEMENT = re.compile(
    r"a|abbr|acronym|address|applet|area|article|aside|audio|b|base|bdi|bdo|big|blockquote|body|br|button|canvas"
    r"|caption|center|cite|code|col|colgroup|data|datalist|dd|del|details|dfn|dialog|dir|div|dl|dt|em|embed"
    r"|fieldset|figcaption|figure|font|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hgroup|hr|html|i"
    r"|iframe|img|input|ins|kbd|label|legend|li|link|main|map|mark|menu|meta|meter|nav|noframes|noscript|object|ol"
    r"|optgroup|option|output|p|param|picture|pre|progress|q|rp|rt|ruby|s|samp|script|search|section|select|small"
    r"|source|span|strike|strong|style|sub|summary|sup|table|tbody|td|template|textarea|tfoot|th|thead|time|title"
    r"|tr|track|tt|u|ul|var|video|wbr",
    re.IGNORECASE,
)
"""Elements of HTML, those that are obsolete among them (HTML standard, 4 and 16.2)."""


def attribute_name(text: str) -> str:
    """The name of an attribute: of those that elements of HTML have, case says nothing (HTML standard, 13.1.2.3)."""
    return text.lower() if _ATTRIBUTE.fullmatch(text) else text


_ATTRIBUTE = re.compile(
    r"abbr|accept|accesskey|action|align|alink|allow|alt|async|autocomplete|autofocus|autoplay|background|bgcolor|border"
    r"|cellpadding|cellspacing|charset|checked|cite|class|clear|color|cols|colspan|compact|content|controls|coords|data"
    r"|datetime|default|defer|dir|disabled|download|draggable|enctype|face|for|form|frame|frameborder|headers|height"
    r"|hidden|high|href|hreflang|hspace|http-equiv|id|integrity|ismap|kind|label|lang|language|link|list|loading|loop"
    r"|low|max|maxlength|media|method|min|minlength|multiple|muted|name|noshade|novalidate|nowrap|open|optimum|pattern"
    r"|ping|placeholder|poster|preload|readonly|rel|required|reversed|role|rows|rowspan|rules|sandbox|scope|selected"
    r"|shape|size|sizes|span|spellcheck|src|srcset|start|step|style|summary|tabindex|target|text|title|translate|type"
    r"|usemap|valign|value|vlink|vspace|width|wrap",
    re.IGNORECASE,
)
"""Attributes of HTML, those that are obsolete among them (HTML standard, "List of attributes" and 16.2)."""


def block_scalar(text: str) -> str:
    """A YAML block scalar: its header and its lines without the indentation that they share.

    YAML 1.2.2, section 8.1. With an indentation indicator in the header, the letters count as they are, because it is
    relative to something that is not seen from here.
    """
    first, _, rest = text.partition("\n")
    header = first.partition(" #")[0].strip()
    if any(letter.isdigit() for letter in header):
        return text
    lines = rest.split("\n")
    # Lines of spaces alone are content where they are longer than the indentation, which the first other line sets.
    indent = next((len(line) - len(line.lstrip(" ")) for line in lines if line.strip(" ")), None)
    if indent is None:
        return header if "+" not in header else text
    if any(len(line) - len(line.lstrip(" ")) < indent and line.strip(" ") for line in lines):
        return text
    kept = "\n".join(line[indent:] for line in lines)
    return header + "\n" + (kept if "+" in header else kept.rstrip("\n"))


def make_value(text: str) -> str:
    """A value in a makefile: without a comment, with a space for a continued line end and the white space around it.

    GNU make manual, section 3.1.1 (splitting lines). White space before a comment, and at the end, is part of it. Where
    a `#` may stand in a function's arguments, the text counts as written.
    """
    at = _MAKE_COMMENT.search(text)
    if at is not None:
        before, after = text[: at.start()], text[at.start() :]
        if "\n" in after or any(before.count(one) != before.count(other) for one, other in ("()", "{}")):
            return text
        text = before
    return _MAKE_JOINT.sub(" ", text)


def recipe_line(text: str) -> str:
    """A line of a recipe as the shell gets it: of a continued one, make takes out the tab (GNU make, section 5.1.1)."""
    return text.replace("\\\n\t", "\\\n")


_MAKE_COMMENT = re.compile(r"(?<!\\)#")
_MAKE_JOINT = re.compile(r"[ \t]*(?<!\\)\\\n[ \t]*")


def shell_words(text: str) -> str:
    """A command of a Dockerfile: continued lines joined, white space between words as one space.

    Dockerfile reference, "escape" (a line end after a backslash is taken out before the shell sees it) and POSIX shell
    command language, section 2.3 (token recognition). What may hold quotes in quotes counts as written.
    """
    joined = text.replace("\\\n", "")
    if _NESTED.search(joined):
        return joined
    return _WORDS.sub(lambda found: found[1] or " ", joined).strip(" \t")


_NESTED = re.compile(r"<<|`|#|\$[({][^)}]*[\s(\"']")
_WORDS = re.compile(r"('[^']*'|\"(?:\\.|[^\"\\])*\"|\\.)|[ \t\n]+", re.DOTALL)


def css_number(text: str) -> str:
    """A number of CSS with its unit: case and zeros that say nothing left out (CSS Values 4, section 5.2)."""
    found = _NUMBER.fullmatch(text.lower())
    if found is None or not (found[2] or found[3]):
        return text
    sign, whole, fraction, rest = found.groups()
    fraction = (fraction or "").rstrip("0")
    return f"{sign}{whole.lstrip('0') or '0'}{'.' if fraction else ''}{fraction}{rest}"


def regular_expression(text: str) -> str:
    """A regular expression of JavaScript; its flags may stand in any order (ECMAScript 2025, 22.2.3.2)."""
    pattern, slash, flags = text.rpartition("/")
    return pattern + slash + "".join(sorted(flags))


def selectors(text: str) -> str:
    """Selectors of CSS in one spelling: white space says nothing but between two of them, and the value of an attribute
    may have either quotes or none (Selectors 4, sections 6.1 and 17)."""
    return _SELECTOR.sub(_spelled, text).strip()


_QUOTED = r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'"
_SELECTOR = re.compile(
    rf"(?P<comment>\s*/\*.*?\*/\s*)|\[\s*(?P<name>[^\s=~|^$*\]]+)\s*(?:(?P<is>[~|^$*]?=)\s*(?P<value>{_QUOTED}|[^\s\]\"']+)\s*(?P<flag>\w?)\s*)?\]"
    rf"|(?P<string>{_QUOTED})|\s*(?P<between>[>+~,])\s*|(?P<open>\()\s*|\s*(?P<close>\))|(?P<space>\s+)",
    re.DOTALL,
)


def _spelled(found: re.Match[str]) -> str:
    if found["name"]:
        value = _quoted(found["value"] or "")
        return f"[{found['name']}{found['is'] or ''}{value}{' ' if found['flag'] else ''}{found['flag'] or ''}]"
    if found["string"]:
        return _quoted(found["string"])
    if found["between"]:
        return ", " if found["between"] == "," else f" {found['between']} "
    return found["open"] or found["close"] or " "


def _quoted(text: str) -> str:
    """A string of CSS in double quotes, where that is sure to be the same."""
    if not text or "\\" in text or '"' in text[1:-1]:
        return text
    return f'"{text[1:-1]}"' if text[0] in "\"'" else f'"{text}"'


def media_query(text: str) -> str:
    """What stands before the block of an at-rule of CSS, in one spelling of white space and quotes."""
    return _QUERY.sub(_asked, selectors(text)).strip()


_QUERY = re.compile(rf"(?P<string>{_QUOTED})|\s*(?P<operator>:|[<>=](?:\s*=)?)\s*")


def _asked(found: re.Match[str]) -> str:
    if found["string"]:
        return found["string"]
    return ": " if found["operator"] == ":" else f" {''.join(found['operator'].split())} "


_NUMBER = re.compile(r"([+-]?)(\d*)(?:\.(\d+))?((?:e[+-]?\d+)?[a-z%]*)")


def here_document(text: str) -> str:
    """A here-document of PHP without the white space before its closing label, which every line of it loses
    (https://www.php.net/manual/language.types.string.php, heredoc)."""
    found = _HERE_DOCUMENT.fullmatch(text)
    if found is None or _CODE_OVER_LINES.search(text):
        return text
    indent, lines = found["indent"], found["inner"].split("\n")
    if not all(line.startswith(indent) or not line for line in lines):
        return text
    quote = found["quote"].strip('"')
    return "\n".join([f"<<<{quote}{found['label']}", *[line[len(indent) :] for line in lines]])


def ruby_here_document(text: str, before: str, code: bool) -> str:
    """A here-document of Ruby, from the end of the line that it is begun on (`before` is what stands there before it)
    to its closing label, without the white space that is no part of it: that before the label, and of `<<~` what all
    lines have (https://docs.ruby-lang.org/en/3.3/syntax/literals_rdoc.html, here documents). With `code` over several
    lines in it, with tabs and with joined lines, only the former."""
    body, _, end = text.rpartition("\n")
    label = end.strip(" \t")
    begun = [found for found in _RUBY_BEGIN.finditer(before) if found["label"] == label]
    if not any(found["kind"] for found in begun):
        return text
    lines = body.split("\n")[1:]
    indents = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip(" ")]
    plain = not code and "\t" not in body and not any(line.endswith("\\") for line in lines)
    if len(begun) == 1 and begun[0]["kind"] == "~" and indents and plain:
        lines = [line[min(indents) :] for line in lines]
    return "\n".join(["", *lines, label])


_RUBY_BEGIN = re.compile(r"<<(?P<kind>[~-]?)(?P<quote>[\"'`]?)(?P<label>\w+)(?P=quote)")

_HERE_DOCUMENT = re.compile(
    r"<<<[ \t]*(?P<quote>['\"]?)(?P<label>\w+)(?P=quote)\n(?P<inner>.*)\n(?P<indent>[ \t]*)(?P=label)", re.DOTALL
)
_CODE_OVER_LINES = re.compile(r"(?:\{\$|\$\{)[^}\n]*\n")

_BLANK_END = re.compile(r"(?:\n[ \t]*)+\Z")
_DASHES = re.compile("-+")
_CLOSING = re.compile(r"(?:^|(?<=[ \t]))#+[ \t]*\Z")

RULES: Mapping[str, Callable[[str], str]] = {
    "written": written,
    "delimiter cell": delimiter_cell,
    "shown code": shown_code,
    "item number": item_number,
    "heading": closed_heading,
    "words": words,
    "tag name": tag_name,
    "attribute name": attribute_name,
    "paragraph": commonmark.spelled,
    "folded": flow_folded,
    "block scalar": block_scalar,
    "make value": make_value,
    "recipe line": recipe_line,
    "shell words": shell_words,
    "css number": css_number,
    "regular expression": regular_expression,
    "selectors": selectors,
    "media query": media_query,
    "unindented": unindented,
    "quoted words": quoted_words,
    "here-document": here_document,
}
"""By the name that a style table gives."""
