"""Markdown: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
# Shop

Preface.

## Setup

Install$0 the tool and run it once.

- first
- second *thing*

| key | value |
| --- | ----- |
| one | 1     |

## Usage

Use it.
"""

LINUX = """\
# One

## Linux

Take the$0 first package and unpack it.

# Two

## Linux

Take the second one.
"""

DEEP = """\
# Guide

Intro.$0

## First

One.

## Second

Two.
"""

CODE = """\
# Run

```py
if a:
    b()$0
```
"""

CASES = LanguageCases(
    file="a.md",
    comment="",
    sample=SAMPLE,
    layout=(0,),
    style_edits=(
        ("- first\n- second", "* first\n* second"),
        ("and run", "and\nrun"),
        ("| one | 1     |", "| one | 1 |"),
        ("| ----- |", "| --- |"),
        ("## Setup\n", "## Setup\n\n"),
    ),
    after="\n",
    same=(
        # CommonMark 0.31.2, 6.8: a soft line end shows as a space does.
        ("a b c", "a\nb c"),
        ("a\n   b", "a\nb"),
        # And so does more than one space; 6.2: emphasis of words is the same with both marks.
        ("a.  b", "a. b"),
        ("a *b c* d", "a _b c_ d"),
        ("__a__, b", "**a**, b"),
        ("    a\n    \n    \n\nb", "    a\n\nb"),
        ("| *a* |\n|---|\n| 1 |", "| _a_ |\n|---|\n| 1 |"),
        ("- a\n- b", "* a\n* b"),
        ("-  a\n-  b", "- a\n- b"),
        ("- a\n  b", "-   a\n    b"),
        ("***", "---"),
        ("```\na\n```", "~~~\na\n~~~"),
        ("- ```\n  a\n    b\n  ```", "-   ```\n    a\n      b\n    ```"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "|a|b  |\n|-|:--|\n|1|2|".replace(":--", "---")),
        ("# a\n\n\n\nb", "# a\n\nb"),
        ("1. a\n2. b", "1.  a\n2.  b"),
        # 5.3: only the first number counts, and what is behind it only where it begins another list.
        ("1. a\n2. b\n3. c", "1. a\n1. b\n1. c"),
        ("1. a\n2. b", "1) a\n2) b"),
        ("3. a\n4. b", "03. a\n03. b"),
        # 4.2: up to three spaces before a heading, and any number of `#` behind it.
        ("## a", "   ##   a"),
        ("## a", "## a ####"),
        # 4.4: indented code is code without an info string.
        ("a\n\n    b\n      c\n\n    d\n\ne", "a\n\n```\nb\n  c\n\nd\n```\n\ne"),
        ("- a\n\n      b\n        c", "- a\n\n  ```\n  b\n    c\n  ```"),
        ("```\na  \nb\n```", "```\na\nb\n```"),
        ("a\\_b \\* c", "a_b * c"),
        ("a  \nb", "a\\\nb"),
        ("```js\nf('a')\n```", '```js\nf("a");\n```'),
        ("```js\nf(a) // b  c\n\ng(\n  a,\n)\n```", "```js\nf(a); // b c\ng(a);\n```"),
    ),
    different=(
        ("`a b`", "`a  b`"),
        ("a `b` c", "a b c"),
        ("*a b*", "a b"),
        ("a*b*c", "a_b_c"),
        ("*a*", "__a__"),
        # Two spaces at the end of a line break it.
        ("a  \nb", "a\nb"),
        ("a\\\nb", "a\nb"),
        ("a\n\nb", "a\nb"),
        ("# a", "## a"),
        ("*a*", "**a**"),
        ("```\na  b\n```", "```\na b\n```"),
        ("```\n  a\n```", "```\na\n```"),
        ("```py\na\n```", "```js\na\n```"),
        ("    a  b", "    a b"),
        ("- a\n  - b", "- a\n- b"),
        ("- a\n- b", "1. a\n2. b"),
        ("1. a\n\n1) b", "1. a\n1. b"),
        ("## a", "## a#"),
        ("a\n\n    b", "a\n\n   b"),
        ("a\n\n    b\n      c", "a\n\n```\nb\nc\n```"),
        ("```js\nf('a')\n```", "```js\nf('b')\n```"),
        ("```js\nf(a) // b\n```", "```js\nf(a) // c\n```"),
        ("````md\n- a\n````", "````md\n* a\n````"),
        ("```js\nf(a)\n```", "```\nf(a)\n```"),
        ("1. a", "2. a"),
        ("> a", "a"),
        ("[a](b)", "[a](c)"),
        ("| a |\n|---|\n| 1 |", "| a |\n|:-:|\n| 1 |"),
        ("- a\n\n* b", "- a\n- b"),
        ("- [ ] a", "- [x] a"),
        ("a <b\nc>", "a <b c>"),
    ),
    edits=(
        ("once", "twice", "changed body"),
        ("*thing*", "thing", "changed body"),
        ("1     |", "2     |", "changed body"),
        # Without its dashes there is no table.
        ("| ----- |", "|  |", "unverifiable syntax"),
        ("second", "third", "changed body"),
        ("Setup", "Install", "moved"),
        ("Use it", "Call it", "fresh"),
        ("Preface.", "Another preface.\n\n## New\n\nText.", "fresh"),
    ),
    verdicts=(
        (LINUX, LINUX.replace("second one", "other one"), "fresh"),
        (LINUX, LINUX.replace("first package", "other package"), "changed body"),
        (LINUX, LINUX[LINUX.index("# Two") :], "missing symbol_gone"),
        (DEEP, DEEP.replace("Two.", "Three."), "changed members"),
        (DEEP, DEEP.replace("Intro.", "Preface."), "changed body"),
        # Code of a language that is read is judged as code is, but that its comments count.
        (CODE, CODE.replace("    b()", "  b()"), "reformatted"),
        (CODE, CODE.replace("    b()", "b()"), "changed body"),
        (CODE, CODE.replace("    b()", "    b()  # why"), "changed body"),
        (CODE.replace("py", "text"), CODE.replace("py", "text").replace("    b()", "  b()"), "changed body"),
        (CODE, CODE.replace("```\n", "```\n\n"), "fresh"),
    ),
)
