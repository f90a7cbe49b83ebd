"""JSON, with the comments that many tools allow: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
{
  "name": "shop",
  "compilerOptions": {$0
    "strict": true,
    "target": "es2022",
    "paths": { "@/*": ["src/*", "lib/*"], "limit": 30 },
    "types": ["node", "vite"]
  }
}
"""

TWICE = """\
{
  "steps": [
    { "run": "lint --fix src lib tests docs && format $0--check src" },
    { "run": "test --all" }
  ]
}
"""

LEAF = '{\n  "engine": "node",\n  "limit": $030\n}\n'

CASES = LanguageCases(
    file="a.json",
    comment="//",
    sample=SAMPLE,
    style_edits=(
        ('"node"', '"n\\u006fde"'),
        ('["src/*", "lib/*"]', '[\n"src/*" ,"lib/*" ]'),
        ("src/*", "src\\/*"),
    ),
    same=(
        ('{"a": 1}', '{\n  "a" : 1\n}'),
        ('["\\u0041\\n"]', '["A\\u000a"]'),
        ('["\\ud83d\\ude00"]', '["😀"]'),
        ("[1E5]", "[1e5]"),
        ('{"a": 1 /* why */}', '{"a": 1}'),
    ),
    different=(
        ('{"a": 1}', '{"a": "1"}'),
        ('{"a": 1}', '{"a": 1.0}'),
        ('{"a": ""}', '{"a": " "}'),
        ('{"a": "x y"}', '{"a": "x  y"}'),
        ('{"a": "\\\\n"}', '{"a": "\\n"}'),
        ('{"a": null}', "{}"),
        ('{"a": [1, 2]}', '{"a": [2, 1]}'),
        ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}'),
        ('{"a": {"b": 1}}', '{"a": {}, "b": 1}'),
        ("[[1], 2]", "[[1, 2]]"),
        ("[true]", "[false]"),
    ),
    silent=("// a", "/* eslint-disable */"),
    edits=(
        ('"es2022"', '"es2023"', "changed body"),
        ("30", "31", "changed body"),
        ('"src/*", "lib/*"', '"lib/*", "src/*"', "changed body"),
        ("compilerOptions", "options", "moved"),
        ('"strict"', '// why\n\n    "strict"', "reformatted"),
        ('"name"', '"private": true,\n  "name"', "fresh"),
        ('"shop"', '"store"', "fresh"),
    ),
    verdicts=(
        # Which of several keys of one path it is goes by what they hold.
        (TWICE, TWICE.replace("--all", "--some"), "fresh"),
        (TWICE, TWICE.replace("src lib", "src"), "changed body"),
        (TWICE, TWICE.replace("[\n", '[\n    { "run": "install" },\n'), "fresh"),
        (TWICE, '{\n  "steps": [\n    { "run": "test --all" }\n  ]\n}\n', "missing symbol_gone"),
        (LEAF, LEAF.replace("30", "30 // why"), "fresh"),
        (LEAF, LEAF.replace("30", "31"), "changed body"),
        # One value says too little to be known again under another key.
        (LEAF, LEAF.replace("limit", "bound").replace("$0", ""), "missing trivial"),
        ('{"": {"a": $01}}', '{"": {"a": $02}}', "changed body"),
        ('{"a.b": {"c": $01}}', '{"a.b": {"c": $02}}', "changed body"),
    ),
)
