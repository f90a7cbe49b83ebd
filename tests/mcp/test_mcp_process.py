"""`moorline mcp` as clients start it: a process of its own, whose standard output is the protocol alone (case 40)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters

from lsp_server.cli.main import main

ROOT = Path(__file__).parents[2]
START = [sys.executable, "-c", "import sys; from lsp_server.cli.main import main; sys.exit(main())", "mcp"]

NOISY = """
import atexit, logging, os, sys, warnings
import lsp_server.features.operations as operations

def noisy(*args, **kwargs):
    print("a banner")
    os.write(1, b"a library in C\\n")
    os.system("echo a child")
    warnings.warn("old", DeprecationWarning)
    logging.getLogger("x").debug("debug")
    raise RuntimeError("a tool that fails")

operations.check = noisy
atexit.register(lambda: sys.stdout.flush())
logging.basicConfig(level=logging.DEBUG)
from lsp_server.cli.main import main
sys.exit(main())
"""


def environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "MOORLINE_"))}
    return kept | {
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "default",
        "HOME": str(tmp_path / "home"),
        "MOORLINE_DATA": str(tmp_path / "data"),
        "GIT_CONFIG_GLOBAL": os.devnull,
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A git repository that no moorline has seen."""
    path = tmp_path / "proj"
    path.mkdir()
    (path / "a.py").write_text("def login(user):\n    return check(user, 30)\n")
    (path / "closed.py").write_text("x = 1\n")
    subprocess.run(["git", "init", "-q", path], check=True)
    return path


async def test_the_official_client_starts_it(tmp_path: Path, folder: Path) -> None:
    server = StdioServerParameters(command=START[0], args=START[1:], env=environment(tmp_path), cwd=folder)
    who = types.Implementation(name="robot", version="1")
    async with Client(server, client_info=who, read_timeout_seconds=60) as client:
        assert client.server_info is not None and client.server_info.name == "moorline"
        made = await client.call_tool("record", {"kind": "note", "text": "It waits.", "places": ["a.py#login"]})
        assert not made.is_error
        found = await client.call_tool("recall", {"query": "waits"})
        answer = json.loads(found.content[0].text)
        assert answer["sections"]["memories"]["items"][0]["source"]["author"] == "agent:robot"
    events = [json.loads(path.read_text()) for path in folder.glob(".moorline/memories/*/*.json")]
    assert events and {event["author"] for event in events} == {"agent:robot"}


def talk(tmp_path: Path, folder: Path, command: list[str], *messages: dict[str, Any]) -> tuple[list[Any], str]:
    """Every line of standard output, as JSON, and what standard error says. Waits for the answer to each request."""
    answers: list[Any] = []
    with (
        open(tmp_path / "err", "wb") as err,
        subprocess.Popen(
            command, cwd=folder, env=environment(tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err
        ) as process,
    ):
        assert process.stdin is not None and process.stdout is not None
        for message in messages:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            process.stdin.flush()
            while "id" in message and message["id"] not in [answer.get("id") for answer in answers]:
                line = process.stdout.readline()
                assert line, (tmp_path / "err").read_text()
                answers.append(json.loads(line))
        process.stdin.close()
        answers += [json.loads(line) for line in process.stdout]
    assert process.returncode == 0
    return answers, (tmp_path / "err").read_text(errors="replace")


def hello() -> list[dict[str, Any]]:
    params = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    }
    return [{"id": 1, "method": "initialize", "params": params}, {"method": "notifications/initialized"}]


def call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    return {"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def test_case_40_every_line_is_protocol(tmp_path: Path, folder: Path) -> None:
    os.chmod(folder / "closed.py", 0)
    (folder / ".moorline").mkdir()
    (folder / ".moorline" / "index.db").write_bytes(b"no database" * 100)  # It is set aside and made anew.
    (folder / ".moorline" / "config.toml").write_text("colour = 3\n")
    answers, err = talk(
        tmp_path,
        folder,
        [sys.executable, "-c", NOISY, "mcp"],
        *hello(),
        call(2, "check"),
        call(3, "describe", place="closed.py"),
        call(4, "no_such"),
        call(5, "record", kind="note", text="Still there.", places=["a.py#login"]),
    )
    by_id = {answer["id"]: answer for answer in answers if "id" in answer}
    assert set(by_id) == {1, 2, 3, 4, 5} and all(answer["jsonrpc"] == "2.0" for answer in answers)
    assert by_id[2]["result"]["isError"] and by_id[4]["result"]["isError"]
    assert not by_id[5]["result"].get("isError")
    for said in ("a banner", "a library in C", "a child", "a tool that fails", "colour"):
        assert said in err
    # What went wrong inside is for the log, not for an agent.
    assert "a tool that fails" not in json.dumps(by_id[2])


def test_bad_bytes_on_standard_input_end_nothing(tmp_path: Path, folder: Path) -> None:
    first = b"\n".join(json.dumps({"jsonrpc": "2.0", **one}).encode() for one in hello())
    last = json.dumps({"jsonrpc": "2.0", **call(9, "check")}).encode()
    done = subprocess.run(
        START,
        cwd=folder,
        env=environment(tmp_path),
        input=first + b'\n\xff\xfe\x00\n{"jsonrpc": \n' + last + b"\n",
        capture_output=True,
        timeout=120,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert 9 in [answer.get("id") for answer in answers]


def test_without_the_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    for name in [name for name in sys.modules if name.startswith("lsp_server.mcp.server")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    assert main(["mcp", "--root", str(folder)]) == 2
    said = capsys.readouterr()
    assert said.out == "" and "pip install 'moorline[mcp]'" in said.err and said.err.count("\n") == 1


def test_no_other_command_imports_the_sdk() -> None:
    code = (
        "import sys, lsp_server.cli.main as main;"
        "[main.load(name) for name in main.COMMANDS];"
        "sys.exit('mcp' in sys.modules or 'pydantic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=120).returncode == 0


def test_outside_of_a_workspace_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["mcp"]) == 2
    assert "moorline init" in capsys.readouterr().err
