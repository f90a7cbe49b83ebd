"""Makefiles: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
CFLAGS = -O2

.PHONY: all build

build: main.o util.o$0
	$(CC) $(CFLAGS) -o app main.o
	@echo "a  b"
	strip --all app && cp app $(DESTDIR)/bin/app

%.o: %.c
	cc -c $<
"""

RULES = """\
ifdef DEBUG
test: all
	./run --verbose --trace$0 --log=all tests
else
test: all
	./run tests
endif
"""

PATTERNS = """\
%.o: %.c
	$(CC) $(CFLAGS) -c $< -o $@$0
%.o: %.s
	$(AS) $< -o $@
"""

CASES = LanguageCases(
    file="a.mk",
    comment="#",
    sample=SAMPLE,
    layout=(0, 1),
    style_edits=(("main.o util.o", "main.o   util.o"), ("build: main", "build : main")),
    after="\n",
    same=(
        ("A = b \\\n  c", "A = b c"),
        ("A = b \\\n\t\tc", "A = b \\\n  c"),
        ("A = b# why", "A = b"),
        ("A=b", "A  =  b"),
        ("a: b c", "a:   b \\\n  c"),
        ("# why\na: b", "a: b"),
        ("a: b\n\tc \\\n\td", "a: b\n\tc \\\nd"),
    ),
    different=(
        # White space at the end, or before a comment, is part of a value (GNU make, 6.2).
        ("A = b ", "A = b"),
        ("A = b # why", "A = b"),
        ("A = b", "A := b"),
        ("A = b  c", "A = b c"),
        ("A = $(subst a, b,c)", "A = $(subst a,b,c)"),
        ("A = b\\#c", "A = b"),
        ("a:\n\tb  c", "a:\n\tb c"),
        ("a:\n\tb\n\tc", "a:\n\tb; c"),
        ("a:\n\t@b", "a:\n\tb"),
        ("a:\n\tb # why", "a:\n\tb"),
        ("a:\n\tb \\\n\t c", "a:\n\tb \\\n\tc"),
        ("a: b", "a:: b"),
        ("a: b | c", "a: b c"),
        ("a: b c", "a: c b"),
        ("export A = b", "A = b"),
        ("define A\nb\nendef", "define A\n b\nendef"),
        ("ifdef A\nB = c\nendif", "ifndef A\nB = c\nendif"),
        ("ifdef A\nB = c\nendif", "ifdef A\nendif\nB = c"),
    ),
    silent=("# a",),
    edits=(
        ("-o app", "-o bin", "changed body"),
        ('"a  b"', '"a b"', "changed body"),
        ("@echo", "echo", "changed body"),
        ("util.o", "util.o log.o", "changed interface"),
        ("build: ", "compile: ", "moved"),
        ("CFLAGS = -O2", "CFLAGS = -O3", "fresh"),
        ("all build", "all", "fresh"),
        ("cc -c", "gcc -c", "fresh"),
    ),
    verdicts=(
        (RULES, RULES.replace("./run tests", "./run all"), "fresh"),
        (RULES, RULES.replace("--trace", "--quiet"), "changed body"),
        (RULES, RULES[RULES.rindex("test: all") :].replace("endif\n", ""), "missing symbol_gone"),
        (PATTERNS, PATTERNS.replace("$(AS)", "as"), "fresh"),
        (PATTERNS, PATTERNS.replace("-c $<", "-g -c $<"), "changed body"),
        ("A = b$0 c\n", "A = b$0 c # why\n", "changed body"),
        ("A = b$0 c\n", "A = b$0 c  \n", "changed body"),
        ("A = b$0 c# why\n", "A = b$0 c# why not\n", "reformatted"),
    ),
)
