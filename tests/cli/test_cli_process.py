"""The real program: how it starts, what it loads, how it behaves in a terminal and in a pipe."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lsp_server.cli import printing

if TYPE_CHECKING:
    from conftest import Repository

PROGRAM = (sys.executable, "-m", "lsp_server")
ROOT = Path(__file__).parents[2]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "COLUMNS": "100", **more}


def program(*words: str, cwd: Path, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *words],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment(**more),
        timeout=60,
    )


def terminal(*words: str, cwd: Path, **more: str) -> str:
    """What a command prints where both of its outputs are a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*PROGRAM, *words], cwd=cwd, stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**more)
    ) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # Linux answers so when the other side is closed.
                break
            if not piece:
                break
            said += piece
        process.wait(timeout=60)
    os.close(ours)
    return said.decode()


def loaded_by(code: str) -> set[str]:
    """The top-level modules and our own that some code leaves loaded."""
    told = f"import sys, json; {code}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, env=environment(), check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


HEAVY = {"rich", "sqlite3", "aiosqlite", "tree_sitter", "yaml", "lsprotocol.types", "pygls", "lsp_server.features"}


@pytest.mark.parametrize(
    ("code", "may"),
    [
        ("from lsp_server.cli.main import main; main(['--version'])", set()),
        ("from lsp_server.cli.main import main; main(['--help'])", set()),
        ("from lsp_server.cli.main import load; load('lsp')", set()),
        ("from lsp_server.cli.main import main; main(['lsp', '--help'])", set()),
    ],
)
def test_what_must_start_fast_loads_little(code: str, may: set[str]) -> None:
    assert loaded_by(code) & HEAVY == may


def test_a_pipe_needs_no_rich(repo: Repository) -> None:
    repo("record", "src/auth.py#login", "--kind", "note", "--text", "x")
    go = f"import os; os.chdir({str(repo.path)!r})"
    assert "rich" not in loaded_by(f"{go}; from lsp_server.cli.main import main; main(['check']); main(['list'])")


def test_the_whole_way(repo: Repository) -> None:
    assert program("--version", cwd=repo.path).stdout.startswith("moorline ")
    done = program(
        "record", "src/auth.py#login", "--kind", "note", "--text", "-", "--json", cwd=repo.path, stdin="Über uns ◆\n"
    )
    assert done.returncode == 0, done
    assert json.loads(done.stdout)["text"].strip() == "Über uns ◆"
    assert "made" in done.stderr
    done = program("show", "nope", cwd=repo.path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_a_terminal_gets_colours_and_a_pipe_none(repo: Repository) -> None:
    repo("record", "src/auth.py#login", "--kind", "note", "--text", "Keep this one in mind.")
    repo.edit("src/auth.py", 'name + ":"', 'name + "/"')
    for words in (("list",), ("check",), ("show", repo("list").out[:8]), ("diff", repo("list").out[:8])):
        coloured = terminal(*words, cwd=repo.path)
        assert "\x1b[" in coloured and "login" in coloured
        assert "\x1b" not in terminal(*words, cwd=repo.path, NO_COLOR="1")
        assert "\x1b" not in terminal(*words, cwd=repo.path, TERM="dumb")
        assert "\x1b" not in program(*words, cwd=repo.path).stdout
    assert json.loads(terminal("list", "--json", cwd=repo.path))["version"] == 1


def test_commands_to_copy_are_never_broken(repo: Repository) -> None:
    repo("record", "src/auth.py#Provider.verify", "--kind", "note", "--text", "Keep this one in mind. " * 20)
    repo.edit("src/auth.py", "limit=3", "limit=4")
    identifier = repo("list").out[:8]
    said = terminal("check", cwd=repo.path, NO_COLOR="1", COLUMNS="50").splitlines()
    assert any(line.rstrip().endswith(f"moorline clear {identifier}") for line in said)


def test_standard_output_of_a_batch_is_its_own_while_progress_shows(repo: Repository) -> None:
    """Progress is drawn on a terminal that is standard error, while standard output is a pipe."""
    lines = [json.dumps({"anchors": [], "kind": "note", "text": f"note {number}"}) for number in range(700)]
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [*PROGRAM, "record", "--batch", "-"],
        cwd=repo.path,
        input="\n".join(lines).encode(),
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=environment(),
        timeout=120,
    )
    os.close(theirs)
    os.close(ours)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["text"].strip() for one in answers] == [f"note {number}" for number in range(700)]


def test_a_reader_that_leaves_early_is_no_fault(repo: Repository) -> None:
    lines = [json.dumps({"kind": "note", "text": f"note {number} " + "x" * 500}) for number in range(300)]
    program("record", "--batch", "-", cwd=repo.path, stdin="\n".join(lines))
    with subprocess.Popen(
        [*PROGRAM, "list", "--json"], cwd=repo.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        said = process.stderr.read().decode()
        assert process.wait(timeout=60) == 0
    assert "Traceback" not in said and "BrokenPipe" not in said


def test_a_terminal_that_knows_no_unicode(repo: Repository) -> None:
    done = program(
        "record", "src/auth.py#login", "--kind", "note", "--text", "Über ◆", cwd=repo.path, PYTHONIOENCODING="ascii"
    )
    assert done.returncode == 0 and "\\xdcber" in done.stdout
    as_json = program("list", "--json", cwd=repo.path, PYTHONIOENCODING="ascii")
    assert json.loads(as_json.stdout)["memories"][0]["text"].strip() == "Über ◆"


def test_two_processes_record_at_once(repo: Repository) -> None:
    program("init", cwd=repo.path)
    words = [("record", "src/auth.py#login", "--kind", "note", "--text", f"note {number}") for number in range(6)]
    pipe, around = subprocess.PIPE, environment()
    running = [subprocess.Popen([*PROGRAM, *one], cwd=repo.path, stdout=pipe, stderr=pipe, env=around) for one in words]
    for process in running:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    assert len(repo("list", "--json").json["memories"]) == 6


def test_progress_appears_by_itself_and_only_when_work_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    for wait, shown in ((0.0, False), (printing.SHOW_AFTER + 0.6, True)):
        ours, theirs = pty.openpty()
        with open(theirs, "w", encoding="utf-8") as err:
            with printing.Printer(io.StringIO(), err).progress("Counting sheep") as progress:
                progress(3, 10)
                time.sleep(wait)
            err.write("end")
            err.flush()
            said = os.read(ours, 65536).decode()
        os.close(ours)
        assert ("Counting sheep" in said and "3/10" in said) == shown, said
