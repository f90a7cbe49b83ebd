"""The table of languages: which file is of which, and where its grammar and its outline query come from.

A new language is a row here, a query in `queries/` and a fixture under `tests/core/outlines/`: no code. Grammars are
imported and queries compiled when their language is first met. Refuses to know what a query's captures mean
(`core.definitions`) and what is style in a language (`core.style`).
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import re
import threading
import warnings
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath

import tree_sitter

from lsp_server.core.predicates import lax


@dataclass(frozen=True, slots=True)
class Language:
    """One row. `name` is also the name of its query file, unless `query` says another, and of its style table.

    `module` and `entry` say where the grammar is, `distribution` which package to ask for its version. `extensions`
    have their dot and are compared without case, `filenames` are whole names, `ids` are LSP language identifiers.
    `leading` are the types of sibling nodes that belong to the definition after them (Rust's attributes, Go's
    directives; where the query captures `@leading`, those alone that it does), `trailing`
    of those that belong to the definition before them (the bodies of Ruby's here-documents, and of Dart's functions).
    `extra` is the optional extra that brings the grammar, where it does not come with Moorline. `anew` says that its
    texts are parsed from scratch after each edit, because its grammar makes another tree by edits than at once.

    `joints` says that a backslash joins lines and that the grammar knows it before a LF alone, `ended` that it wants a
    line end at the end of a text. `unread` is a pattern of macros that the grammar stumbles over: what a group of it
    matches is white space to the parser, and the group's name in place of it where it has one.
    """

    name: str
    module: str
    distribution: str
    extensions: tuple[str, ...]
    ids: tuple[str, ...]
    entry: str = "language"
    filenames: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    style: str = ""
    leading: tuple[str, ...] = ()
    trailing: tuple[str, ...] = ()
    extra: str = ""
    anew: bool = False
    joints: bool = False
    ended: bool = False
    unread: re.Pattern[bytes] | None = None

    @property
    def grammar(self) -> tree_sitter.Language:
        """The loaded grammar. Raises ImportError where its package is not installed."""
        return _grammar(self.module, self.entry)

    @property
    def outline_query(self) -> tree_sitter.Query:
        """The compiled outline query."""
        return _query(self)

    @property
    def lax_query(self) -> tree_sitter.Query:
        """The same query with predicates that are to be answered by `core.predicates`, for texts that are no UTF-8."""
        return _lax_query(self)

    @property
    def parser(self) -> tree_sitter.Parser:
        """This thread's parser; it gives up after `SECONDS` with ValueError, and is then to be `reset`."""
        return _of_this_thread(self).parser

    @property
    def outline_cursor(self) -> tree_sitter.QueryCursor:
        """This thread's cursor of the outline query, which stops after `SECONDS` and answers what it has by then."""
        return _of_this_thread(self).cursor

    @property
    def style_table(self) -> str:
        """Name of the table of what does not change meaning."""
        return self.style or self.name

    @property
    def mend(self) -> str:
        """What to do where the grammar cannot be loaded."""
        if not self.extra:
            return f"install {self.distribution}"
        python = " (Python 3.12 at the latest)" if self.module == _BUNDLE else ""
        return f"install moorline[{self.extra}]{python}, or anchor to lines or to the whole file"

    @property
    def version(self) -> str:
        """Like "python 0.23.6"; without a number where the package cannot be asked."""
        return f"{self.name} {_version(self.distribution)}".rstrip()


SECONDS = 5.0
"""How long parsing may take, and how long the outline query. Few files of 8 MiB take that long."""


def _row(name: str, extensions: str, ids: str = "", **more: object) -> Language:
    package = str(more.pop("package", name))
    return Language(
        name=name,
        module=f"tree_sitter_{package}",
        distribution=f"tree-sitter-{package}".replace("_", "-"),
        extensions=tuple(extensions.split()),
        ids=tuple((ids or name).split()),
        **more,  # type: ignore[arg-type]
    )


_COMMENTS, _PRAGMAS = ("comment",), ("preproc_call",)
"""Comments and pragmas that direct what stands below them: the queries say which ones do."""

LANGUAGES: tuple[Language, ...] = (
    _row("python", ".py .pyi .pyw", filenames=("SConstruct", "SConscript")),
    _row(
        "javascript",
        ".js .jsx .mjs .cjs",
        "javascript javascriptreact",
        query=("javascript", "ecmascript"),
        leading=_COMMENTS,
    ),
    _row(
        "typescript",
        ".ts .mts .cts",
        entry="language_typescript",
        query=("typescript", "ecmascript"),
        leading=("decorator", *_COMMENTS),
    ),
    _row(
        "tsx",
        ".tsx",
        "typescriptreact tsx",
        package="typescript",
        entry="language_tsx",
        query=("typescript", "ecmascript"),
        style="typescript",
        leading=("decorator", *_COMMENTS),
    ),
    _row("go", ".go", leading=_COMMENTS),
    _row("rust", ".rs", leading=("attribute_item",)),
    _row("java", ".java"),
    _row("c", ".c .h", query=("c_family",), leading=_PRAGMAS),
    _row(
        "cpp",
        ".cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .ipp .tpp .inl .cu .cuh",
        "cpp c++ cuda-cpp",
        query=("cpp", "c_family"),
        leading=_PRAGMAS,
    ),
    _row(
        "objc",
        ".m .mm",
        "objective-c objc objective-cpp",
        query=("objc", "c_family"),
        leading=_PRAGMAS,
        unread=re.compile(
            rb"\b(NS_ASSUME_NONNULL_(?:BEGIN|END)|CF_EXTERN_C_(?:BEGIN|END)|NS_DESIGNATED_INITIALIZER"
            rb"|NS_REQUIRES_SUPER|NS_UNAVAILABLE|UI_APPEARANCE_SELECTOR|NS_SWIFT_UI_ACTOR|DEPRECATED_ATTRIBUTE)\b"
            rb"|\b(typedef\s+)(?P<enum>(?:NS|CF)_(?:CLOSED_ENUM|ENUM|OPTIONS|ERROR_ENUM))"
            rb"(\s*\([^(){};,]*,\s*)\w+(\s*\))"
        ),
    ),
    _row("csharp", ".cs .csx", "csharp cs c#", package="c_sharp"),
    _row("kotlin", ".kt .kts"),
    _row("swift", ".swift", leading=_COMMENTS),
    _row("scala", ".scala .sc .sbt .mill"),
    _row(
        "dart",
        ".dart",
        # A variable of a file has no node around its parts.
        leading=(
            *("annotation", "const_builtin", "final_builtin", "inferred_type", "late", "external", "type_identifier"),
            *("nullable_type", "type_arguments", "function_type", "record_type", "void_type", "."),
        ),
        trailing=("function_body",),
    ),
    _row("php", ".php .phtml .php5 .php7 .phps", entry="language_php", leading=_COMMENTS),
    _row(
        "bash",
        ".sh .bash .bats .ebuild .eclass",
        "shellscript bash sh",
        filenames=(
            *(".bashrc", ".bash_profile", ".bash_aliases", ".bash_login", ".bash_logout", ".profile", ".envrc"),
            *("PKGBUILD", "APKBUILD"),
        ),
    ),
    _row("sql", ".sql .ddl .dml .pgsql", "sql postgres mysql"),
    _row("graphql", ".graphql .gql .graphqls", extra="graphql"),
    _row("html", ".html .htm .xhtml"),
    _row("css", ".css"),
    _row("markdown", ".md .markdown .mdown .mkd .mdc", ended=True),
    _row(
        "json",
        ".json .jsonc .webmanifest .geojson .topojson .avsc .har .code-workspace .code-snippets",
        "json jsonc",
        filenames=(
            *(".babelrc", ".eslintrc", ".swcrc", ".jshintrc", ".jscsrc", ".nycrc", ".lintstagedrc", ".bowerrc"),
            *(".watchmanconfig", ".arcconfig", ".all-contributorsrc"),
            *("composer.lock", "Pipfile.lock", "flake.lock", "deno.lock"),
        ),
    ),
    _row(
        "yaml",
        ".yaml .yml .cff .sublime-syntax",
        "yaml yml dockercompose github-actions-workflow",
        # Some tools take JSON in these too, of which YAML is a superset.
        filenames=(
            *(".clang-format", ".clang-tidy", ".clangd", ".prettierrc", ".stylelintrc", ".yamllint", ".gemrc"),
            *("pubspec.lock", "Podfile.lock"),
        ),
    ),
    _row("toml", ".toml", filenames=("Pipfile", "Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "Gopkg.lock")),
    _row("hcl", ".hcl .tf .tfvars .tofu .nomad", "hcl terraform terraform-vars opentofu"),
    _row(
        "dockerfile", ".dockerfile .containerfile", filenames=("Dockerfile", "Containerfile"), joints=True, ended=True
    ),
    _row(
        "make",
        ".mk .mak .make",
        "makefile make",
        filenames=("Makefile", "makefile", "GNUmakefile", "Kbuild", "Makevars"),
        ended=True,
    ),
    _row("lua", ".lua"),
    _row(
        "ruby",
        ".rb .rbw .rake .gemspec .ru .podspec .jbuilder .thor .rabl",
        filenames=("Gemfile", "Rakefile", "Guardfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile", "Capfile"),
        leading=_COMMENTS,
        trailing=("heredoc_body",),
    ),
    _row("elixir", ".ex .exs", leading=("unary_operator",)),
    _row("haskell", ".hs .hs-boot"),
    _row("ocaml", ".ml", entry="language_ocaml"),
    _row(
        "ocaml_interface",
        ".mli",
        "ocaml.interface",
        package="ocaml",
        entry="language_ocaml_interface",
        query=("ocaml",),
        style="ocaml",
    ),
    _row("julia", ".jl"),
    _row("zig", ".zig"),
    _row("perl", ".pl .pm .t .psgi .cgi", filenames=("cpanfile",), trailing=("heredoc_content",)),
    _row("powershell", ".ps1 .psm1 .psd1"),
    _row(
        "erlang",
        ".erl .hrl .escript",
        package="languages",
        entry="tree_sitter_erlang",
        leading=("spec", "wild_attribute"),
        extra="more-languages",
    ),
    _row(
        "r",
        ".r",
        package="languages",
        entry="tree_sitter_r",
        filenames=(".Rprofile",),
        leading=_COMMENTS,
        extra="more-languages",
        anew=True,
    ),
)


def language_for(path: str, language_id: str | None = None, text: bytes = b"") -> Language | None:
    """The language of a file, None where there is no grammar for it.

    `path` is a POSIX path of which the last part counts, `language_id` what an editor says it is: it counts where the
    path says nothing, and before it does what stands before the first dot of a name (`Dockerfile.dev`). A `.h` is C,
    unless `text` (its beginning is enough) holds what only Objective-C or C++ has; a `.m` is Objective-C, unless it
    holds what MATLAB has, and nothing that only C has.
    """
    name = PurePosixPath(path).name
    found = (
        _BY_NAME.get(name)
        or _BY_EXTENSION.get(_extension(name))
        or _BY_NAME.get(name.partition(".")[0])
        or _BY_ID.get((language_id or "").lower())
    )
    if found is None or not depends_on_text(path):
        return found
    if path.endswith((".m", ".M")):
        return None if _MATLAB.search(text) and not _C_AT_ALL.search(text) else found
    if _OBJC.search(text):
        return _BY_ID["objective-c"]
    return _BY_ID["cpp"] if _CPP.search(text) else found


def akin(path: str, other: str) -> bool:
    """Whether what is defined in a file may move to another one as it is: both are of one language, or of languages
    that share definitions, as JavaScript and TypeScript do. Where the path does not say the first one's language, to
    any."""
    one, two = language_for(path), language_for(other)
    if one is None or two is None:
        return two is not None
    return one == two or not set(one.query).isdisjoint(two.query)


def depends_on_text(path: str) -> bool:
    """Whether the text of a file takes part in the choice of its language."""
    return path.endswith((".h", ".H", ".m", ".M"))


def _extension(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


# What no C header says: outside of comments is not asked for, because a wrong guess still gives an outline.
_CPP = re.compile(
    rb"^[ \t]*(?:class\s+\w+[^;]*?[{:]|namespace\b[^;]*?\{|template\s*<|(?:public|private|protected)\s*:"
    rb"|using\s+(?:namespace\s+)?\w+|constexpr\b|enum\s+class\b)",
    re.MULTILINE,
)

# What no C and no C++ header says.
_OBJC = re.compile(
    rb"^[ \t]*(?:@(?:end\b|(?:interface|protocol)\s+\w+\s*(?:$|[:(<{,;])|(?:class|import)\s+[\w, ]+;)|#[ \t]*import\b)",
    re.MULTILINE,
)

# What a MATLAB file says, and one of Objective-C may.
_MATLAB = re.compile(rb"^[ \t]*(?:function\b[^;{]*$|classdef\b|%)", re.MULTILINE)

_C_AT_ALL = re.compile(rb"^[ \t]*(?:#[ \t]*[a-z]+\b|@(?:interface|implementation|protocol|class|import)\b|/[/*])", re.M)

_BY_EXTENSION = {extension: language for language in LANGUAGES for extension in language.extensions}
_BY_NAME = {name: language for language in LANGUAGES for name in language.filenames}
_BY_ID = {identifier: language for language in LANGUAGES for identifier in language.ids}


@cache
def _grammar(module: str, entry: str) -> tree_sitter.Language:
    found = _bundled(entry) if module == _BUNDLE else getattr(importlib.import_module(module), entry)()
    return tree_sitter.Language(_capsule(found) if isinstance(found, int) else found)


_BUNDLE = "tree_sitter_languages"
"""The package of the extra `more-languages`. Its own loader needs a tree-sitter before 0.22, its grammars do not."""


def _bundled(entry: str) -> int:
    """Where a grammar of the bundle is. Raises ImportError where the bundle is not installed or has no such grammar."""
    import ctypes

    spec = importlib.util.find_spec(_BUNDLE)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"No module named {_BUNDLE!r}")
    library = Path(spec.submodule_search_locations[0]) / ("languages.dll" if os.name == "nt" else "languages.so")
    try:
        function = getattr(ctypes.CDLL(str(library)), entry)
    except (OSError, AttributeError) as error:
        raise ImportError(str(error)) from error
    function.restype = ctypes.c_void_p
    return int(function())


def _capsule(pointer: int) -> object:
    """A grammar's address as py-tree-sitter takes it: plain numbers, as older packages give them, are on their way
    out."""
    import ctypes

    make = ctypes.pythonapi.PyCapsule_New
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return make(pointer, b"tree_sitter.Language", None)


class _Tools:
    """A parser and a cursor. Both are costly to make with a time limit, and must not be used by two threads at once."""

    def __init__(self, language: Language) -> None:
        limit = int(SECONDS * 1_000_000)
        with warnings.catch_warnings():
            # Deprecated in 0.25 in favour of a progress callback, which crashes the process in that version.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.parser = tree_sitter.Parser(language.grammar, timeout_micros=limit)
            self.cursor = tree_sitter.QueryCursor(language.outline_query, timeout_micros=limit)


_local = threading.local()


def _of_this_thread(language: Language) -> _Tools:
    tools: dict[str, _Tools] | None = getattr(_local, "tools", None)
    if tools is None:
        tools = _local.tools = {}
    found = tools.get(language.name)
    if found is None:
        found = tools[language.name] = _Tools(language)
    return found


@cache
def _query(language: Language) -> tree_sitter.Query:
    return tree_sitter.Query(language.grammar, _query_text(language))


@cache
def _lax_query(language: Language) -> tree_sitter.Query:
    return tree_sitter.Query(language.grammar, lax(_query_text(language)))


def _query_text(language: Language) -> str:
    folder = resources.files("lsp_server.core") / "queries"
    parts = [(folder / f"{name}.scm").read_text(encoding="utf-8") for name in language.query or (language.name,)]
    return "\n".join(parts)


@cache
def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""
