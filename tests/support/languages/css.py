"""CSS: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
a { top: 0 }

nav {$0
  color: #ffaa00;
  margin: 1px 2.5em;
  background: url("a.png") no-repeat;
  content: 'x';
  width: calc(1px + 2px)
}

b { top: 0 }
"""

MEDIA = """\
@media (max-width: 600px) {
  .btn { color: red$0; margin: 1px; padding: 2px }
}
@media print {
  .btn { color: blue }
}
"""

WHOLE = MEDIA.replace("$0", "").replace("600px) {", "600px) {$0")

CASES = LanguageCases(
    file="a.css",
    comment="/*",
    comment_end=" */",
    sample=SAMPLE,
    style_edits=(
        ("'x'", '"x"'),
        ("#ffaa00", "#FFAA00"),
        ("2.5em", "2.50em"),
        ("2px)", "2px);"),
        ("nav {", "nav{"),
    ),
    same=(
        ("a[b='c'] { d: e }", "a[b=c] { d: e }"),
        ("a{b:c}", "a {\n  b: c;\n}"),
        ("a { b: 'c' }", 'a { b: "c" }'),
        ("a { b: #FFF }", "a { b: #fff }"),
        ("a { b: .5em }", "a { b: 0.50EM }"),
        ("a { b: c /* why */ }", "a { b: c }"),
        ("a,b{c:d}", "a,\nb { c: d }"),
        ("a>b{c:d}", "a > b { c: d }"),
        ("a[b=c]{d:e}", 'a[ b = "c" ] { d: e }'),
        ("a[b='c']{d:e}", 'a[b="c"]{d:e}'),
        ("a:not( .b , c ){d:e}", "a:not(.b, c) { d: e }"),
        ("@media (a:b){c{d:e}}", "@media (a: b) {\n  c { d: e }\n}"),
    ),
    different=(
        ("a { b: c }", "a { b: d }"),
        ("a { b: c d }", "a { b: d c }"),
        ("a { b: c; d: e }", "a { d: e; b: c }"),
        ("a { b: 1px }", "a { b: 1em }"),
        ("a { b: 1.5px }", "a { b: 15px }"),
        ("a { b: -1px }", "a { b: 1px }"),
        ("a { b: 'c d' }", "a { b: 'c  d' }"),
        ("a { b: c !important }", "a { b: c }"),
        ("a b { c: d }", "ab { c: d }"),
        ("a .b { c: d }", "a.b { c: d }"),
        ("a :b { c: d }", "a:b { c: d }"),
        ("a[b='c d'] { e: f }", "a[b='c  d'] { e: f }"),
        ("a[b=c] { e: f }", "a[b~=c] { e: f }"),
        ("a > b { c: d }", "a b { c: d }"),
        ("a:hover { c: d }", "a { c: d }"),
        ("a, b { c: d }", "b, a { c: d }"),
        ("a { b: c; &:hover { d: e } }", "a { b: c } &:hover { d: e }"),
        ("@media a { b { c: d } }", "@media e { b { c: d } }"),
        ("a { b: url(c) }", "a { b: url(d) }"),
        ("a { --b: c }", "a { b: c }"),
    ),
    silent=("/* a */", "/* stylelint-disable */"),
    edits=(
        ("#ffaa00", "#ffaa01", "changed body"),
        ("2.5em", "2.5px", "changed body"),
        ("no-repeat", "repeat", "changed body"),
        ("1px + 2px", "1px - 2px", "changed body"),
        ("nav", "header", "moved"),
        ("  margin", "  /* why */\n\n  margin", "reformatted"),
        ("a { top: 0 }", "a { top: 1px }", "fresh"),
        ("a { top", "i { top: 0 }\na { top", "fresh"),
    ),
    verdicts=(
        (MEDIA, MEDIA.replace("blue", "green"), "fresh"),
        (WHOLE, WHOLE.replace("red", "green"), "changed members"),
        (WHOLE, WHOLE.replace("blue", "green"), "fresh"),
        (
            ".a { b: c }\n.a { d$0: e; f: g; h: i; j: k }\n",
            ".a { b: x }\n.a { d$0: e; f: g; h: i; j: k }\n",
            "fresh",
        ),
        # The name of a rule is its selectors, however they are spelled.
        ("a>b[c=d],e { f$0: g; h: i }", 'a > b[c="d"],\ne {\n  f$0: g;\n  h: i;\n}', "fresh"),
        ("@media (a:b){ c { d$0: e; f: g } }", "@media (a: b) {\n  c { d$0: e; f: g }\n}", "fresh"),
        (":root { --brand$0: #fff }", ":root { --brand$0: #eee }", "changed body"),
    ),
)
