"""Bash: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
set -e

pay() {
  local amount=$1 rate=2
  if [ "$amount" -gt 3 ]; then
    log 'seen it' "$amount"
  fi
  $0echo "$amount,$rate" | bc
}

pay 3
"""

RETRY = """\
if [ -n "$CI" ]; then
  retry() { "$@" || sleep$0 3 && "$@"; }
else
  retry() { "$@"; }
fi
"""

USAGE = """\
usage() {
  cat <<EOF$0
Usage: pay AMOUNT
  -v  say more
EOF
}
"""

CASES = LanguageCases(
    file="a.sh",
    comment="#",
    sample=SAMPLE,
    style_edits=(
        ("'seen it'", '"seen it"'),
        ("]; then", "]\n  then"),
        ("  fi\n", "  fi;\n"),
    ),
    same=(
        ("a 'b'", 'a "b"'),
        ("a 'b\"c'", 'a "b\\"c"'),
        ("a '$b'", 'a "\\$b"'),
        ("a; b", "a\nb"),
        ("a \\\n  b", "a b"),
        ("if a; then b; fi", "if a\nthen\n  b\nfi"),
        ("while a; do b; done", "while a\ndo\n  b\ndone"),
        ("for a in b c; do d; done", "for a in b c\ndo\n  d\ndone"),
        ("f() { a; }", "f() {\n  a\n}"),
        ("f() { a; }", "f()\n{\n  a\n}"),
        ("a | b", "a |\n  b"),
        ("a && b", "a &&\n  b"),
        ("case a in b) c ;; esac", "case a in\n  b)\n    c\n    ;;\nesac"),
        ("a # why", "a"),
        ("A=(b c)", "A=(\n  b\n  c\n)"),
    ),
    different=(
        ("a b", "ab"),
        ("a 'b c'", "a b c"),
        ("a 'b c'", "a 'b  c'"),
        ('a "$b c"', 'a "$b  c"'),
        ('a "  $b"', 'a " $b"'),
        ('a "$b"', "a '$b'"),
        ('a "$b"', "a $b"),
        ('a "${b:-c  d}"', 'a "${b:-c d}"'),
        ("a <<E\n b\nE\n", "a <<E\nb\nE\n"),
        ("a <<E\n$b  c\nE\n", "a <<E\n$b c\nE\n"),
        ("a <<E\nb\nE\n", "a <<'E'\nb\nE\n"),
        ("a & b", "a; b"),
        ("a && b", "a || b"),
        ("a > b", "a >> b"),
        ("A=b", "A= b"),
        ("[ a = b ]", "[ a != b ]"),
        ("a; (b; c)", "(a; b); c"),
        ("if a; then b; c; fi", "if a; then b; fi; c"),
        ("f() { a; }", "f() ( a )"),
        ("export A=b", "A=b"),
        ("local a=1", "readonly a=1"),
        ("a=$((1 + 2))", "a=$((1 - 2))"),
        ("! a", "a"),
    ),
    counting=("#!/bin/sh",),
    silent=("# a", "# shellcheck disable=SC2086"),
    edits=(
        ("-gt 3", "-ge 3", "changed body"),
        ("'seen it'", "'seen'", "changed body"),
        ("$amount,$rate", "$amount, $rate", "changed body"),
        ("pay() {", "settle() {", "moved"),
        ("  if [", "  # why\n\n  if [", "reformatted"),
        ("set -e", "set -eu", "fresh"),
        ("pay 3", "pay 4", "fresh"),
    ),
    verdicts=(
        (RETRY, RETRY.replace('{ "$@"; }', '{ "$@" || true; }'), "fresh"),
        (RETRY, RETRY.replace("3", "4"), "changed body"),
        (USAGE, USAGE.replace("  -v", " -v"), "changed body"),
        (USAGE, USAGE.replace("  cat", "\tcat"), "reformatted"),
        ("readonly LIMIT$0=3\n", "LIMIT$0=3\n", "changed interface"),
        ("LIMIT$0=3\n", "LIMIT$0=4\n", "changed body"),
    ),
)
