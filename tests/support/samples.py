"""The same small code in several languages, and edits as an editor sends them.

Knows what code looks like and how LSP counts lines; it asks nothing of the code under test.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lsp_server.core.text import Encoding, TextChange

BREAK = re.compile(r"\r\n|\r|\n")
"""What ends a line in LSP, and nothing else does."""


@dataclass(frozen=True)
class Sample:
    """One language: `function` is a whole definition with NAME and NUMBER in it, `before` and `after` surround all."""

    name: str
    file: str
    function: str
    comment: str
    before: str = ""
    after: str = ""
    owner: str = ""

    def define(self, name: str, number: int) -> str:
        return self.function.replace("NAME", name).replace("NUMBER", str(number))

    def text(self, *definitions: str, between: str = "\n\n") -> str:
        return self.before + between.join(definitions) + self.after

    def path(self, name: str) -> str:
        return f"{self.owner}.{name}" if self.owner else name

    def locus(self, name: str) -> str:
        return f"{self.file}#{self.path(name)}"


SAMPLES: Mapping[str, Sample] = {
    sample.name: sample
    for sample in (
        Sample(
            "python",
            "code.py",
            "def NAME(user, limit=3):\n    total = check(user, NUMBER)\n    audit('seen', total)\n"
            "    return total * limit\n",
            "# {}\n",
            "import audits\n\n\n",
        ),
        Sample(
            "javascript",
            "code.js",
            "function NAME(user, limit = 3) {\n  const total = check(user, NUMBER);\n  audit('seen', total);\n"
            "  return total * limit;\n}\n",
            "/* {} */\n",
            "import audits from 'audits';\n\n",
        ),
        Sample(
            "typescript",
            "code.ts",
            "export function NAME(user: string, limit = 3): number {\n  const total = check(user, NUMBER);\n"
            "  audit('seen', total);\n  return total * limit;\n}\n",
            "/* {} */\n",
            "import audits from 'audits';\n\n",
        ),
        Sample(
            "go",
            "code.go",
            'func NAME(user string, limit int) int {\n\ttotal := check(user, NUMBER)\n\taudit("seen", total)\n'
            "\treturn total * limit\n}\n",
            "/* {} */\n",
            "package code\n\n",
        ),
        Sample(
            "rust",
            "code.rs",
            "fn NAME(user: &str, limit: i32) -> i32 {\n    let total = check(user, NUMBER);\n"
            '    audit("seen", total);\n    total * limit\n}\n',
            "/* {} */\n",
            "use audits::audit;\n\n",
        ),
        Sample(
            "java",
            "Code.java",
            "  static int NAME(String user, int limit) {\n    int total = check(user, NUMBER);\n"
            '    audit("seen", total);\n    return total * limit;\n  }\n',
            "/* {} */\n",
            "import audits.Audit;\n\nclass Code {\n",
            "}\n",
            "Code",
        ),
        Sample(
            "cpp",
            "code.cpp",
            "int NAME(const char *user, int limit) {\n  int total = check(user, NUMBER);\n"
            '  audit("seen", total);\n  return total * limit;\n}\n',
            "/* {} */\n",
            "#include <audits>\n\nnamespace code {\n",
            "}\n",
            "code",
        ),
    )
}


def lines_of(text: str) -> list[str]:
    """The lines of a text as LSP counts them, without what ends them."""
    return BREAK.split(text)


def units(text: str, encoding: Encoding) -> int:
    """The length of a text in an encoding's units, by Python's own codecs."""
    if encoding == "utf-32":
        return len(text)
    return len(text.encode("utf-8")) if encoding == "utf-8" else len(text.encode("utf-16-le")) // 2


def position(text: str, at: int, encoding: Encoding = "utf-16") -> tuple[int, int]:
    """Line and column of a character of a text, as a client sends them."""
    before = lines_of(text[:at])
    if text[at - 1 : at + 1] == "\r\n":
        before = lines_of(text[: at - 1])
    return len(before) - 1, units(before[-1], encoding)


def replacing(text: str, old: str, new: str, encoding: Encoding = "utf-16") -> TextChange:
    """The ranged change that replaces the first `old` of a text."""
    at = text.index(old)
    return TextChange((position(text, at, encoding), position(text, at + len(old), encoding)), new)
