"""YAML: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
name: ci
jobs:
  build:$0
    runs-on: ubuntu
    timeout: 30
    needs: ['lint', "types"]
    env:
      CC: gcc
    steps:
      - uses: checkout
      - run: make all
        shell: bash
"""

DOCUMENTS = """\
kind: Service
spec:
  ports: [80, 443]
  name: front$0
  policy: local
---
kind: Deployment
spec:
  replicas: 3
  image: shop
"""

SCRIPT = """\
steps:
  - run: |
      make$0 all

      if true; then
        echo done
      fi
"""

MERGED = """\
defaults: &base
  retries: 3
build:
  <<: *base
  target: a$0ll
  options: [fast, small, warm]
"""

WHOLE = MERGED.replace("$0", "").replace("build:", "build:$0")

CASES = LanguageCases(
    file="a.yaml",
    comment="#",
    sample=SAMPLE,
    indented=True,
    style_edits=(
        ("'lint'", '"lint"'),
        ('"types"', "'types'"),
        ("needs: [", "needs: [ "),
        (
            "      - uses: checkout\n      - run: make all\n        shell: bash",
            "    - uses: checkout\n    - run: make all\n      shell: bash",
        ),
    ),
    same=(
        ("a: 'b'", 'a: "b"'),
        ("a: 'it''s'", 'a: "it\'s"'),
        ('a: "\\x41\\u00e9"', 'a: "Aé"'),
        ("a: [b, c,]", "a: [b, c]"),
        ("a: {b: 1,}", "a: { b: 1 }"),
        ("a:\n- b\n- c", "a:\n    -   b\n    -   c"),
        ("a:\n  b: 1", "a:\n      b: 1"),
        ("a: b  # why", "a: b"),
        # YAML 1.2.2, 8.1: the indentation of a block scalar is no part of it.
        ("a: |\n  b\n    c\n\n  d\n", "a: |\n      b\n        c\n\n      d\n"),
        ("a: |\n  b", "a: |\n  b\n\n"),
        ("a: |  # why\n  b", "a: |\n  b"),
        # 7.3: lines are folded, and white space around them says nothing.
        ("a: b\n  c", "a: b\n     c"),
        ("a: b\n  c", "a: b c"),
        ('a: "b\n  c\n\n  d"', 'a: "b c\\nd"'),
        ('a: "b\\\n  c"', 'a: "bc"'),
        ("a: 'b\n\n  c'", "a: 'b\n\n      c'"),
        ("a: b\n\n\nc: d", "a: b\nc: d"),
    ),
    different=(
        ("a: 'b'", "a: b"),
        ("a: '1'", "a: 1"),
        ("a: 'b\\n'", 'a: "b\\n"'),
        ("a: b c", "a: b  c"),
        ("a: |\n  b\n", "a: >\n  b\n"),
        ("a: |\n  b\n", "a: |-\n  b\n"),
        ("a: |\n  b\n  c\n", "a: |\n  b\n    c\n"),
        ("a: |\n  b\n  c\n", "a: |\n  b\n\n  c\n"),
        ("a: |\n  b # c\n", "a: |\n  b\n"),
        ("a: |2\n    b\n", "a: |2\n   b\n"),
        ("a:\n  b: 1\n  c: 2", "a:\n  b: 1\nc: 2"),
        ("a: b\n\n  c", "a: b\n  c"),
        ("a: &x b", "a: b"),
        ("a: *x", "a: x"),
        ("a: !!str 1", "a: 1"),
        ("a: [b, c]", "a: [c, b]"),
        ("a: [b]", "a: {b}"),
        ("a: ~", "a:"),
        ("a: 1\n---\nb: 2", "a: 1\nb: 2"),
        ("a: b#c", "a: b"),
        ('a: "b\\tc"', 'a: "b c"'),
        ("- - a\n  - b", "- - a\n- - b"),
    ),
    counting=("#cloud-config",),
    silent=("# a", "# yaml-language-server: $schema=a.json"),
    edits=(
        ("timeout: 30", "timeout: 31", "changed body"),
        ("make all", "make all  # why", "reformatted"),
        ("build:", "compile:", "moved"),
        ("    env", "    # why\n\n    env", "reformatted"),
        ("      CC", "    CC", "changed body"),
        ("bash", '"bash"', "changed body"),
        ("name: ci", "name: main", "fresh"),
        ("jobs:\n", "jobs:\n  lint: {runs-on: ubuntu}\n", "fresh"),
    ),
    verdicts=(
        # Each document has keys of its own.
        (DOCUMENTS, DOCUMENTS.replace("replicas: 3", "replicas: 4"), "fresh"),
        (DOCUMENTS, DOCUMENTS.replace("front", "back"), "changed body"),
        (DOCUMENTS, "kind: Role\nspec:\n  rules: [get, list, watch]\n---\n" + DOCUMENTS, "fresh"),
        (SCRIPT, SCRIPT.replace("      ", "          "), "reformatted"),
        (SCRIPT, SCRIPT.replace("        echo", "          echo"), "changed body"),
        (SCRIPT, SCRIPT.replace("\n\n", "\n"), "changed body"),
        (MERGED, MERGED.replace("retries: 3", "retries: 4"), "fresh"),
        (MERGED, MERGED.replace("*base", "*other"), "fresh"),
        (WHOLE, WHOLE.replace("*base", "*other"), "changed body"),
    ),
)
