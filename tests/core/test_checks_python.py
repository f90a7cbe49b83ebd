"""Checks of Python against Python's own parser, on modules of the standard library: no check says what `ast` denies."""

from __future__ import annotations

import argparse
import ast
import asyncio.base_events
import configparser
import dataclasses
import email.message
import enum
import fractions
import http.client
import json.decoder
import logging.handlers
import textwrap
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from lsp_server.core.checks import judge_text
from lsp_server.core.source import Source, read_source
from lsp_server.core.text import Text

MODULES: list[ModuleType] = [
    *(argparse, asyncio.base_events, configparser, dataclasses, email.message, enum, http.client, json.decoder),
    *(logging.handlers, textwrap, zipfile, fractions),
]

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
FILE = "m.py"


class Module:
    """A module as both see it."""

    def __init__(self, module: ModuleType) -> None:
        assert module.__file__ is not None
        data = Path(module.__file__).read_bytes()
        self.source: Source = read_source(FILE, Text.of(data))
        self.tree = ast.parse(data)
        self.paths = dict(self.named(self.tree, ""))

    def named(self, node: ast.AST, path: str) -> Iterator[tuple[str, Definition]]:
        """The definitions that alone have their path, as an outline names them."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Definition):
                inner = f"{path}.{child.name}" if path else child.name
                outline = self.source.outline
                if outline is not None and len(outline.by_path(inner)) == 1:
                    yield inner, child
                yield from self.named(child, inner)
            elif not isinstance(child, ast.expr):
                yield from self.named(child, path)

    def says(self, check: str) -> str:
        return judge_text(check, lambda _: self.source).word


def last_name(node: ast.expr) -> str | None:
    """The name that is called or used: `c` of `a.b.c`."""
    node = node.func if isinstance(node, ast.Call) else node
    node = node.value if isinstance(node, ast.Subscript) else node
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


def called(node: ast.AST) -> set[str]:
    return {
        one.func.id if isinstance(one.func, ast.Name) else one.func.attr
        for one in ast.walk(node)
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name | ast.Attribute)
    }


def check_calls(module: Module) -> None:
    everywhere = sorted(called(module.tree))
    for path, node in module.paths.items():
        there = called(node)
        for name in there:
            assert module.says(f"calls {FILE}#{path} {name}") == "holds", (path, name)
            assert module.says(f"not-calls {FILE}#{path} {name}") == "fails", (path, name)
        for name in [name for name in everywhere if name not in there][::7]:
            assert module.says(f"calls {FILE}#{path} {name}") != "holds", (path, name)
            assert module.says(f"not-calls {FILE}#{path} {name}") != "fails", (path, name)


def check_decorators_and_bases(module: Module) -> None:
    for path, node in module.paths.items():
        decorators = {last_name(one) for one in node.decorator_list}
        for name in decorators - {None}:
            assert module.says(f"decorated {FILE}#{path} {name}") == "holds", (path, name)
        assert module.says(f"decorated {FILE}#{path} nobody_says_so") == "fails", path
        if isinstance(node, ast.ClassDef):
            for base in node.bases:
                if (name := last_name(base)) is not None:
                    assert module.says(f"base {FILE}#{path} {name}") == "holds", (path, name)
            plain = all(isinstance(base, ast.Name | ast.Attribute | ast.Subscript) for base in node.bases)
            assert module.says(f"base {FILE}#{path} NobodySaysSo") == ("fails" if plain else "undecidable"), path


def check_defaults(module: Module) -> None:
    for path, node in module.paths.items():
        if isinstance(node, ast.ClassDef):
            continue
        plain = [*node.args.posonlyargs, *node.args.args]
        pairs = [*zip(plain[len(plain) - len(node.args.defaults) :], node.args.defaults, strict=True)]
        pairs += [
            (name, default)
            for name, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if default is not None
        ]
        for name, default in pairs:
            locus = f"{FILE}#{path}({name.arg})"
            if isinstance(default, ast.Constant) and isinstance(default.value, int | str | None):
                assert module.says(f"equals {locus} {default.value!r}") == "holds", (path, name.arg)
                other = "'nobody says so'" if default.value is None else None
                assert module.says(f"equals {locus} {other or [*'ab']!r}") in ("fails", "undecidable")
                assert module.says(f"equals {locus} 987654321") == "fails", (path, name.arg)
            assert module.says(f"exists {locus}") == "holds"
        assert module.says(f"exists {FILE}#{path}(nobody_says_so)") == "fails"


def check_imports(module: Module) -> None:
    for node in ast.walk(module.tree):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module]
        for name in names:
            assert module.says(f"imports {FILE} {name}") == "holds", name
            assert module.says(f"imports {FILE} {name.partition('.')[0]}") == "holds", name
    assert module.says(f"imports {FILE} nobody.says.so") == "fails"


def check_constants(module: Module) -> None:
    outline = module.source.outline
    assert outline is not None
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if len(outline.by_path(name)) == 1 and isinstance(node.value, ast.Constant):
                value = node.value.value
                if isinstance(value, int | str) and "\n" not in repr(value):
                    assert module.says(f"equals {FILE}#{name} {value!r}") == "holds", name
                    assert module.says(f"equals {FILE}#{name} {(not value)!r}") == "fails", name


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_as_python_itself_reads_it(module: ModuleType) -> None:
    both = Module(module)
    assert both.paths
    for check in (check_calls, check_decorators_and_bases, check_defaults, check_imports, check_constants):
        check(both)
