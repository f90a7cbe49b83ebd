"""TOML: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
title = "shop"

[server]$0
host = "local"
ports = [80, 443]
limits = { burst = 10, rate = 2.5 }
level = 'debug'

[client]
retries = 3
"""

PRODUCTS = """\
[[product]]
name = "hammer"
price = 10$0
tags = ["tool", "steel", "heavy"]

[[product]]
name = "nail"
price = 20
tags = ["small"]
"""

SECOND = PRODUCTS.replace("$0", "").replace('[[product]]\nname = "nail"', '[[product]]$0\nname = "nail"')

CASES = LanguageCases(
    file="a.toml",
    comment="#",
    sample=SAMPLE,
    style_edits=(
        ('"local"', "'local'"),
        ("'debug'", '"""debug"""'),
        ("[80, 443]", "[\n  80,\n  443,\n]"),
        ("{ burst", "{burst"),
    ),
    same=(
        ("a = 'b'", 'a = "b"'),
        ("a = 'b\\d'", 'a = "b\\\\d"'),
        ('a = "\\u00e9"', 'a = "é"'),
        ('a = """\nb"""', "a = 'b'"),
        ("a = '''\nb\nc'''", 'a = "b\\nc"'),
        ('a = """b\\\n   c"""', 'a = "bc"'),
        ("a = [1, 2,]", "a = [1, 2]"),
        ("a = [ # why\n 1,\n 2\n]", "a = [1, 2]"),
        ("a = 1_000", "a = 1000"),
        ("a = 0xFF", "a = 0xff"),
        ("a = 1E5", "a = 1e5"),
        ("[a.b]\nc = 1", "[ a . b ]\nc=1"),
    ),
    different=(
        ("a = '1'", "a = 1"),
        ("a = 1", "a = 1.0"),
        ("a = 'b c'", "a = 'b  c'"),
        ("a = 'b\\n'", 'a = "b\\n"'),
        ('a = """\n\nb"""', 'a = """\nb"""'),
        ("a = [1, 2]", "a = [2, 1]"),
        ("a = [[1], 2]", "a = [[1, 2]]"),
        ("[a]\nb = 1", "[[a]]\nb = 1"),
        ("[a]\nb = 1\n[c]\nd = 2", "[a]\n[c]\nb = 1\nd = 2"),
        ("a.b = 1", '"a.b" = 1'),
        ("a = 1979-05-27", "a = 1979-05-28"),
        ("a = true", "a = false"),
        ("a = 'b' # c", "a = 'b # c'"),
    ),
    silent=("# a", "#:schema a.json"),
    edits=(
        ("2.5", "2.6", "changed body"),
        ("'debug'", "'info'", "changed body"),
        ("80, 443", "443, 80", "changed body"),
        ("[server]", "[service]", "moved"),
        ("[server]", "[[server]]", "changed interface"),
        ("host", "# why\n\nhost", "reformatted"),
        ("retries = 3", "retries = 4", "fresh"),
        ("[server]", "[other]\nx = 1\n\n[server]", "fresh"),
    ),
    verdicts=(
        # The tables of a list are told apart by what they hold.
        (SECOND, SECOND.replace("10", "11"), "fresh"),
        (SECOND, SECOND.replace("20", "21"), "changed body"),
        (SECOND, '[[product]]\nname = "saw"\n\n' + SECOND, "fresh"),
        (SECOND, SECOND[: SECOND.index("\n\n")] + "\n", "missing symbol_gone"),
        (PRODUCTS, PRODUCTS.replace("20", "21"), "fresh"),
        (PRODUCTS, PRODUCTS.replace("10", "11"), "changed body"),
        ('[a."b.c"]\nd = $01\n', '[a."b.c"]\nd = $02\n', "changed body"),
        ('a."b.c".d = $01\n', 'x = 1\na."b.c".d = $01\n', "fresh"),
    ),
)
