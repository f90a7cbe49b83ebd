"""The protocol layer through a real pipe: bytes in, messages and an exit code out.

Expected values are the specification's (JSON-RPC 2.0, LSP 3.17), not the server's.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsp_server.lsp import codec
from lsp_server.lsp.client import Client, read_client
from lsp_server.lsp.encoding import choose_encoding
from lsp_server.lsp.errors import InvalidParams
from lsp_server.lsp.framing import Damage, Framer, frame
from lsp_server.lsp.shapes import SHAPES, check_shape

ROOT = Path(__file__).parents[2]
DEMO = Path(__file__).with_name("demo_server.py")
LIMIT = 20.0  # Seconds after which a test is hung; generous, for loaded machines.
URI = "file:///w/a.py"
J = {"jsonrpc": "2.0"}


# ---- talking to the demo server


def body(message: Any) -> bytes:
    return json.dumps(message).encode()


def ask(number: Any, method: str, params: Any = None) -> bytes:
    return frame(body({**J, "id": number, "method": method, **({} if params is None else {"params": params})}))


def tell(method: str, params: Any = None) -> bytes:
    return frame(body({**J, "method": method, **({} if params is None else {"params": params})}))


def initialize(capabilities: Mapping[str, Any] | None = None, pid: int | None = None, **more: Any) -> bytes:
    return ask("init", "initialize", {"processId": pid, "capabilities": capabilities or {}, **more})


AT = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
HOVER = {"contents": {"kind": "markdown", "value": "**note**: hello"}}
SHUTDOWN, EXIT = ask("down", "shutdown"), tell("exit")
PROBE = ask("probe", "textDocument/hover", AT)


@dataclass
class Peer:
    """The client's end of a running demo server."""

    process: asyncio.subprocess.Process
    rest: bytes = b""
    notes: list[dict[str, Any]] = field(default_factory=list)

    def send(self, *data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(data))

    async def message(self) -> dict[str, Any]:
        """The next message; raises EOFError at the end. Anything that is no message fails the test."""
        assert self.process.stdout is not None
        while True:
            head = re.match(rb"Content-Length: (\d+)\r\n\r\n", self.rest)
            if head and len(self.rest) >= head.end() + int(head[1]):
                end = head.end() + int(head[1])
                text, self.rest = self.rest[head.end() : end], self.rest[end:]
                message: dict[str, Any] = json.loads(text)
                return message
            assert head or b"Content-Length: ".startswith(self.rest[:16]) or len(self.rest) < 64, self.rest[:200]
            chunk = await asyncio.wait_for(self.process.stdout.read(1 << 16), LIMIT)
            if not chunk:
                assert not self.rest, self.rest
                raise EOFError
            self.rest += chunk

    async def answer(self, number: Any) -> dict[str, Any]:
        """The answer with this id; what comes before it is kept in `notes`."""
        while True:
            message = await self.message()
            if "method" not in message and message["id"] == number:
                return message
            self.notes.append(message)

    async def result(self, number: Any) -> Any:
        return (await self.answer(number))["result"]

    async def request_of_server(self, method: str) -> dict[str, Any]:
        while True:
            message = await self.message()
            if message.get("method") == method:
                return message
            self.notes.append(message)

    async def end(self, within: float = LIMIT) -> tuple[int, str]:
        """The exit code and what was said on standard error."""
        assert self.process.stderr is not None
        said = await asyncio.wait_for(self.process.stderr.read(), within)
        code = await asyncio.wait_for(self.process.wait(), within)
        return code, said.decode()


@contextlib.asynccontextmanager
async def served(*, start: bytes | None = b"", environment: Mapping[str, str] | None = None) -> AsyncIterator[Peer]:
    """A demo server that has answered `start` (by default a plain `initialize`; None: nothing is sent)."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(DEMO),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
    )
    peer = Peer(process)
    try:
        if start is not None:
            peer.send(start or initialize(), tell("initialized", {}))
            await peer.result("init")
        yield peer
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(work(), 3 * LIMIT))


def short(message: Mapping[str, Any]) -> Any:
    """(id, result), (id, error code) as an integer in a list, or the method of a notification."""
    if "method" in message:
        return message["method"]
    if "error" in message:
        assert "\n" not in message["error"]["message"]
        assert message["error"]["message"]
        return message["id"], [message["error"]["code"]]
    return message["id"], message["result"]


# ---- one message (or what should have been one), and what is answered

PARSE, INVALID, UNKNOWN, PARAMS, INTERNAL, EARLY = -32700, -32600, -32601, -32602, -32603, -32002
CANCELLED, FAILED = -32800, -32803
DEEP = b'{"jsonrpc":"2.0","method":"x/y","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
IGNORED = body({**J, "method": "$/x", "a": "b"})

EXCHANGES: dict[str, tuple[bytes, list[Any]]] = {
    "body is no JSON": (frame(b"{nope"), [(None, [PARSE])]),
    "body is empty": (frame(b""), [(None, [PARSE])]),
    "body is no UTF-8": (frame(b'{"jsonrpc":"2.0","method":"\xff\xfe"}'), [(None, [PARSE])]),
    "body with a byte order mark": (
        frame(b"\xef\xbb\xbf" + body({**J, "id": 1, "method": "no/such"})),
        [(1, [UNKNOWN])],
    ),
    "nested deeply": (frame(DEEP), [(None, [PARSE])]),
    "empty batch": (frame(b"[]"), [(None, [INVALID])]),
    "batch": (frame(body([{**J, "id": 1, "method": "demo/state"}])), [(None, [INVALID])]),
    "a string": (frame(b'"initialize"'), [(None, [INVALID])]),
    "null": (frame(b"null"), [(None, [INVALID])]),
    "no version, request": (frame(body({"id": 7, "method": "demo/state"})), [(7, [INVALID])]),
    "no version, notification": (frame(body({"method": "demo/apply", "params": {"value": 1}})), []),
    "wrong version": (frame(body({"jsonrpc": "1.0", "id": "a", "method": "demo/state"})), [("a", [INVALID])]),
    "no method": (frame(body({**J, "id": 3})), [(3, [INVALID])]),
    "no method, no id": (frame(body({**J, "params": {}})), [(None, [INVALID])]),
    "method is a number": (frame(body({**J, "id": 3, "method": 5})), [(3, [INVALID])]),
    "id is null": (ask(None, "demo/state"), [(None, [INVALID])]),
    "id is an object": (ask({}, "demo/state"), [(None, [INVALID])]),
    "id is true": (ask(True, "demo/state"), [(None, [INVALID])]),
    "id is 0": (ask(0, "demo/state"), [(0, [])]),
    "id is empty": (ask("", "demo/state"), [("", [])]),
    "id is large": (ask(2**70, "demo/state"), [(2**70, [])]),
    "1 and '1' are two ids": (ask(1, "demo/state") + ask("1", "demo/state"), [(1, []), ("1", [])]),
    "id used again once answered": (ask(1, "demo/state") + ask(1, "demo/state"), [(1, []), (1, [])]),
    "id used again meanwhile": (
        ask(1, "demo/slow", {"seconds": 60}) + ask(1, "demo/state"),
        [(1, [INVALID])],
    ),
    "unknown request": (ask(1, "made/up", {}), [(1, [UNKNOWN])]),
    "unknown $/ request": (ask(1, "$/madeUp", {}), [(1, [UNKNOWN])]),
    "unknown notification": (tell("made/up", {}), []),
    "unknown $/ notification": (tell("$/madeUp", [1]), []),
    "answer to nothing": (frame(body({**J, "id": 424242, "result": None})), []),
    "error to nothing": (frame(body({**J, "id": None, "error": {"code": 1, "message": "?"}})), []),
    "cancel of nothing": (tell("$/cancelRequest", {"id": 987654}), []),
    "cancel without params": (tell("$/cancelRequest"), []),
    "cancel with a list": (tell("$/cancelRequest", {"id": [1]}), []),
    "initialize again": (initialize(), [("init", [INVALID])]),
    "params left out": (ask(1, "textDocument/hover"), [(1, [PARAMS])]),
    "params of the wrong type": (ask(1, "textDocument/hover", {"textDocument": 3, "position": "x"}), [(1, [PARAMS])]),
    "params are a list": (ask(1, "textDocument/hover", [1]), [(1, [PARAMS])]),
    "params are a string": (ask(1, "textDocument/hover", "x"), [(1, [PARAMS])]),
    "line is a fraction": (
        ask(1, "textDocument/hover", {**AT, "position": {"line": 0.5, "character": 0}}),
        [(1, [PARAMS])],
    ),
    "hover far outside": (
        ask(1, "textDocument/hover", {**AT, "position": {"line": 10**9, "character": 10**9}}),
        [(1, HOVER)],
    ),
    "typed params of the wrong type": (ask(1, "textDocument/definition", {"textDocument": 3}), [(1, [PARAMS])]),
    "typed": (
        ask(1, "textDocument/definition", AT),
        [(1, [{"uri": URI, "range": {"start": AT["position"], "end": AT["position"]}}])],
    ),
    "change without params": (tell("textDocument/didChange"), []),
    "change with a wrong range": (
        tell(
            "textDocument/didChange",
            {"textDocument": {"uri": URI, "version": 1}, "contentChanges": [{"text": "", "range": {"start": 1}}]},
        ),
        [],
    ),
    "change": (
        tell("textDocument/didChange", {"textDocument": {"uri": URI, "version": 1}, "contentChanges": []}),
        ["textDocument/publishDiagnostics"],
    ),
    "lone surrogate": (
        tell(
            "textDocument/didOpen",
            {"textDocument": {"uri": URI + "\ud800", "languageId": "python", "version": 1, "text": "\ud800" * 2000}},
        ),
        ["textDocument/publishDiagnostics"],
    ),
    "a notification with an id": (ask(1, "demo/apply", {"value": 1}), [(1, [INVALID])]),
    "a request without an id": (tell("demo/state", {}), []),
    "a function that raises": (ask(1, "demo/crash"), [(1, [INTERNAL])]),
    "a task that raises": (
        ask(1, "demo/crashLate") + ask(2, "demo/slow", {"seconds": 0}),
        [(1, [INTERNAL]), (2, "slept")],
    ),
    "a notification that raises": (tell("demo/crashQuietly"), []),
    "a background task that raises": (tell("demo/failing"), []),
    "a function that refuses": (ask(1, "demo/refuse"), [(1, [FAILED])]),
    "a refusal with data that cannot be sent": (ask(1, "demo/refuseOddly"), [(1, [FAILED])]),
    "a result that cannot be sent": (ask(1, "demo/unsendable"), [(1, [INTERNAL])]),
    "a result with lone surrogates": (ask(1, "demo/surrogate"), [(1, ["\ud800"] * 6)]),
    "header in lower case": (b"content-length: %d\r\n\r\n" % len(IGNORED) + IGNORED, []),
    "header spelled oddly": (b"CONTENT-length :%d \r\n\r\n" % len(IGNORED) + IGNORED, []),
    "bare line feeds": (b"Content-Length: %d\n\n" % len(IGNORED) + IGNORED, []),
    "other headers too": (
        b"Content-Type: application/vscode-jsonrpc; charset=utf8\r\nX-A: b\r\nContent-Length: %d\r\nX: y\r\n\r\n"
        % len(IGNORED)
        + IGNORED,
        [],
    ),
    "blank lines between": (b"\r\n\r\n\n" + frame(IGNORED) + b"\r\n", []),
    "no length": (b"Content-Type: x\r\n\r\n" + IGNORED, [(None, [PARSE])]),
    "length is no number": (b"Content-Length: many\r\n\r\n" + IGNORED, [(None, [PARSE])]),
    "length is negative": (b"Content-Length: -5\r\n\r\n" + IGNORED, [(None, [PARSE])]),
    "length is absurd": (b"Content-Length: 99999999999999\r\n\r\n" + IGNORED, [(None, [PARSE])]),
    "length has 5,000 digits": (b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n" + IGNORED, [(None, [PARSE])]),
    "length is too small": (b"Content-Length: 5\r\n\r\n" + body({**J, "method": "$/x"}), [(None, [PARSE])]),
    "length is 0 but there is a body": (b"Content-Length: 0\r\n\r\n{}", [(None, [PARSE])]),
    "length is a little too large": (
        b"Content-Length: %d\r\n\r\n" % (len(IGNORED) + 3) + IGNORED + ask(1, "demo/state"),
        [(None, [PARSE]), (1, [])],
    ),
    "length is far too large": (
        b"Content-Length: 1000000\r\n\r\n" + IGNORED + ask(1, "demo/state"),
        [(None, [PARSE]), (1, [])],
    ),
    "not the protocol at all": (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", [(None, [PARSE])]),
    "a megabyte of nothing": (b"x" * 1_000_000 + b"\r\n\r\n", [(None, [PARSE])]),
    "100,000 line breaks": (b"\n" * 100_000, []),
}


@pytest.mark.parametrize("name", EXCHANGES)
def test_exchange(name: str) -> None:
    sent, expected = EXCHANGES[name]

    async def work() -> None:
        async with served() as peer:
            # The second probe answers late, after what tasks have to say.
            peer.send(sent, PROBE, ask("late", "demo/slow", {"seconds": 0.02}))
            assert (await peer.result("late")) == "slept"
            assert sorted(map(repr, map(short, peer.notes))) == sorted(map(repr, [*expected, ("probe", HOVER)]))
            peer.send(SHUTDOWN, EXIT)
            code, said = await peer.end()
            assert code == 0
            assert said.count("the session is closed") == 1

    run(work)


def test_one_server_survives_all_of_it_in_small_pieces() -> None:
    async def work() -> None:
        async with served() as peer:
            seen = 0
            for name, (sent, expected) in EXCHANGES.items():
                if name == "id used again meanwhile" or len(sent) > 50_000:
                    continue
                for at in range(0, len(sent), 7):
                    peer.send(sent[at : at + 7])
                    await asyncio.sleep(0)
                peer.send(ask("late", "demo/slow", {"seconds": 0.02}))
                assert (await peer.result("late")) == "slept", name
                assert [short(note) for note in peer.notes[seen:]] == expected, name
                seen = len(peer.notes)

    run(work)


@pytest.mark.parametrize(("name", "traces"), [("demo/crash", 1), ("demo/crashLate", 1), ("demo/refuse", 0)])
def test_what_nobody_foresaw_is_logged_with_its_trace(name: str, traces: int) -> None:
    async def work() -> None:
        async with served() as peer:
            peer.send(ask(1, name))
            await peer.answer(1)
            peer.send(SHUTDOWN, EXIT)
            _, said = await peer.end()
            assert said.count("Traceback") == traces

    run(work)


# ---- the order of things


def test_a_slow_request_blocks_nothing_and_is_cancelled() -> None:
    async def work() -> None:
        async with served() as peer:
            peer.send(ask(1, "demo/slow", {"seconds": 60}), ask(2, "demo/slow", {"seconds": 0}), PROBE)
            await peer.answer("probe")
            await peer.answer(2)
            peer.send(tell("$/cancelRequest", {"id": 1}))
            assert short(await peer.answer(1)) == (1, [CANCELLED])

    run(work)


def test_a_request_is_cancelled_before_it_began() -> None:
    async def work() -> None:
        async with served() as peer:
            peer.send(ask(1, "demo/slow", {"seconds": 60}) + tell("$/cancelRequest", {"id": 1}))
            assert short(await peer.answer(1)) == (1, [CANCELLED])
            peer.send(SHUTDOWN, EXIT)
            assert "never awaited" not in (await peer.end())[1]

    run(work)


def test_requests_see_the_notifications_before_them_and_only_those() -> None:
    async def work() -> None:
        async with served() as peer:
            peer.send(
                tell("demo/apply", {"value": 1})
                + tell("demo/applyLate", {"value": 2})
                + tell("demo/apply", {"value": 3})
                + ask(1, "demo/state")
                + ask(2, "demo/slow", {"seconds": 60})
                + tell("$/cancelRequest", {"id": 2})
                + tell("demo/apply", {"value": 4})
                + ask(3, "demo/state")
            )
            assert (await peer.result(3)) == [1, 2, 3, 4]
            # The cancelled one was still waiting for its turn, so its answer comes first.
            assert [short(note) for note in peer.notes] == [(2, [CANCELLED]), (1, [1, 2, 3])]

    run(work)


def test_a_notification_may_ask_the_client() -> None:
    async def work() -> None:
        async with served(start=initialize({"workspace": {"configuration": True}})) as peer:
            peer.send(tell("demo/applyAfterAsking", {}), ask(1, "demo/state"))
            question = await peer.request_of_server("workspace/configuration")
            peer.send(frame(body({**J, "id": question["id"], "result": [5]})))
            assert (await peer.result(1)) == [[5]]

    run(work)


def test_messages_wait_for_an_initialize_that_takes_long() -> None:
    async def work() -> None:
        async with served(start=None, environment={"DEMO_LATE": "1"}) as peer:
            peer.send(initialize() + tell("initialized", {}) + tell("demo/apply", {"value": 1}) + ask(1, "demo/state"))
            assert (await peer.result(1)) == [1]
            assert [note["id"] for note in peer.notes] == ["init"]

    run(work)


def test_features_that_cannot_load_are_said_and_nothing_hangs() -> None:
    async def work() -> None:
        async with served(environment={"DEMO_BROKEN": "1"}) as peer:
            peer.send(ask(1, "demo/state"))
            assert short(await peer.answer(1)) == (1, [UNKNOWN])
            assert ["no grammar" in note["params"]["message"] for note in peer.notes] == [True]
            peer.send(SHUTDOWN, EXIT)
            assert (await peer.end())[0] == 0

    run(work)


# ---- the life of a server

LIVES: dict[str, tuple[Sequence[bytes], list[Any], int]] = {
    "a proper one": ([initialize(), SHUTDOWN, EXIT], [("down", None)], 0),
    "shutdown with params null": (
        [initialize(), frame(body({**J, "id": 1, "method": "shutdown", "params": None})), EXIT],
        [(1, None)],
        0,
    ),
    "shutdown with params": ([initialize(), ask(1, "shutdown", {"a": [1]}), EXIT], [(1, None)], 0),
    "requests before initialize": (
        [
            ask(1, "textDocument/hover", AT),
            ask(2, "shutdown"),
            tell("demo/apply", {"value": 1}),
            initialize(),
            ask(3, "demo/state"),
            SHUTDOWN,
            EXIT,
        ],
        [(1, [EARLY]), (2, [EARLY]), (3, []), ("down", None)],
        0,
    ),
    "initialize with wrong params, then right ones": (
        [ask(1, "initialize", {"capabilities": 5}), ask(2, "initialize"), initialize(), SHUTDOWN, EXIT],
        [(1, [PARAMS]), (2, [PARAMS]), ("down", None)],
        0,
    ),
    "requests after shutdown": (
        [
            initialize(),
            SHUTDOWN,
            ask(1, "demo/state"),
            ask(2, "shutdown"),
            initialize(),
            tell("demo/apply", {"value": 1}),
            EXIT,
        ],
        [("down", None), (1, [INVALID]), (2, [INVALID]), ("init", [INVALID])],
        0,
    ),
    "exit without shutdown": ([initialize(), EXIT], [], 1),
    "exit before initialize": ([EXIT], [], 1),
    "the input ends": ([initialize()], [], 1),
    "the input ends at once": ([], [], 1),
    "the input ends in a message": ([initialize(), b"Content-Length: 50\r\n\r\n{"], [], 1),
    "the input ends after shutdown": ([initialize(), SHUTDOWN], [("down", None)], 0),
    "shutdown ends what runs": (
        [initialize(), ask(1, "demo/slow", {"seconds": 60}), SHUTDOWN, EXIT],
        [(1, [CANCELLED]), ("down", None)],
        0,
    ),
    "exit ends what runs": ([initialize(), ask(1, "demo/slow", {"seconds": 60}), EXIT], [(1, [CANCELLED])], 1),
    "exit does not wait for a notification": (
        [initialize(), tell("demo/applyLate", {"value": 1, "seconds": 60}), EXIT],
        [],
        1,
    ),
    "what was asked before the input ended is answered": (
        [initialize(), ask(1, "demo/slow", {"seconds": 0.1})],
        [(1, "slept")],
        1,
    ),
    "a thread that blocks": ([initialize(), tell("demo/thread"), SHUTDOWN, EXIT], [("down", None)], 0),
    "a task that will not end": ([initialize(), tell("demo/stubborn"), SHUTDOWN, EXIT], [("down", None)], 0),
}


@pytest.mark.parametrize("name", LIVES)
def test_life(name: str) -> None:
    sent, expected, exit_code = LIVES[name]

    async def work() -> None:
        async with served(start=None) as peer:
            peer.send(*sent)
            assert peer.process.stdin is not None
            peer.process.stdin.close()
            answers = []
            with contextlib.suppress(EOFError):
                while True:
                    answers.append(short(await peer.message()))
            began = any(b'"initialize"' in one for one in sent)
            answers = [one for one in answers if one[0] != "init" or one[1] == [INVALID]]
            assert answers == expected
            code, said = await peer.end()
            assert code == exit_code
            assert "Traceback" not in said
            assert said.count("the session is closed") == 1, began

    run(work)


@pytest.mark.parametrize("wait", [0.0, 0.6], ids=["at once", "when idle"])
def test_the_input_is_closed(wait: float) -> None:
    async def work() -> None:
        async with served() as peer:
            await asyncio.sleep(wait)
            assert peer.process.stdin is not None
            start = time.monotonic()
            peer.process.stdin.close()
            code, said = await peer.end()
            assert time.monotonic() - start < 1.0
            assert (code, "Traceback" in said) == (1, False)

    run(work)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_signal(number: signal.Signals) -> None:
    async def work() -> None:
        async with served() as peer:
            peer.send(ask(1, "demo/slow", {"seconds": 60}), PROBE)
            await peer.answer("probe")
            peer.process.send_signal(number)
            code, said = await peer.end()
            assert code == 1
            assert said == "the session is closed\n"

    run(work)


def test_a_close_that_hangs_is_given_up() -> None:
    async def work() -> None:
        async with served(environment={"DEMO_SLOW_CLOSE": "1"}) as peer:
            peer.send(SHUTDOWN, EXIT)
            assert short(await peer.answer("down")) == ("down", None)
            code, said = await peer.end()
            assert code == 0
            assert "given up" in said

    run(work)


@pytest.mark.skipif(os.name == "nt", reason="the pipe is told apart on POSIX only")
def test_the_output_is_closed() -> None:
    """The reader goes away while the writer stays: seen without a write, and nothing is traced."""

    async def work() -> None:
        source, target = os.pipe()
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(DEMO),
            stdin=subprocess.PIPE,
            stdout=target,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        os.close(target)
        try:
            peer = Peer(process)
            peer.send(initialize())
            await asyncio.get_running_loop().run_in_executor(None, os.read, source, 65536)
            os.close(source)
            peer.send(PROBE * 50)
            code, said = await peer.end()
            assert (code, said) == (1, "the session is closed\n")
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    run(work)


@pytest.mark.parametrize("gone", ["from the start", "later", "later, not waited for"])
def test_the_client_process_is_gone(gone: str) -> None:
    async def work() -> None:
        other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        assert other.stdin is not None
        if gone == "from the start":
            other.communicate(b"\n")
        async with served(start=initialize(pid=other.pid)) as peer:
            if gone != "from the start":
                await asyncio.sleep(1.2)
                assert peer.process.returncode is None
                other.stdin.close()
                if gone == "later":
                    other.wait()
            code, said = await peer.end(within=5)
            assert (code, "Traceback" in said) == (1, False)
        other.stdin.close()
        other.wait()

    run(work)


def test_files_as_streams(tmp_path: Path) -> None:
    """An event loop cannot wait for regular files; the null device is no pipe either."""
    (tmp_path / "in").write_bytes(initialize() + ask(1, "demo/large", {"kilobytes": 300}) + SHUTDOWN + EXIT)
    with (tmp_path / "in").open("rb") as source, (tmp_path / "out").open("wb") as target:
        code = subprocess.run(
            [sys.executable, str(DEMO)],
            stdin=source,
            stdout=target,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            timeout=LIMIT,
        ).returncode
    framer = Framer()
    framer.feed((tmp_path / "out").read_bytes())
    answers = [json.loads(one) for one in framer.frames() if not isinstance(one, Damage)]
    assert code == 0
    assert [one["id"] for one in answers] == ["init", 1, "down"]
    assert len(answers[1]["result"]) == 300
    null = subprocess.run(
        [sys.executable, str(DEMO)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=LIMIT,
    )
    assert null.returncode == 1


# ---- nothing but the protocol on standard output; a client that does not read


def test_stray_output_goes_to_standard_error() -> None:
    async def work() -> None:
        async with served() as peer:
            peer.send(ask(1, "demo/stray"))
            assert (await peer.result(1)) == ""
            peer.send(SHUTDOWN, EXIT)
            _, said = await peer.end()
            assert [line for line in ("a stray line", "another one", "of a child") if line not in said] == []

    run(work)


def test_a_log_that_nobody_reads_stops_nothing() -> None:
    async def work() -> None:
        async with served() as peer:
            transport = peer.process._transport.get_pipe_transport(2)  # type: ignore[attr-defined]
            transport.pause_reading()
            peer.send(ask(1, "demo/noise"))
            assert (await peer.result(1)) == "quiet"
            transport.resume_reading()
            await asyncio.sleep(0.2)
            peer.send(ask(2, "demo/crash"))
            await peer.answer(2)
            peer.send(SHUTDOWN, EXIT)
            _, said = await peer.end()
            assert "log records left out" in said

    run(work)


def test_a_client_that_sends_much_before_it_reads() -> None:
    """Both pipes are full at the same time: a server that waits for its own output would wait for ever."""

    async def work() -> None:
        async with served() as peer:
            transport = peer.process._transport.get_pipe_transport(1)  # type: ignore[attr-defined]
            transport.pause_reading()
            for number in range(400):
                peer.send(ask(number, "demo/large", {"kilobytes": 10}), tell("demo/apply", {"value": "x" * 3000}))
            assert peer.process.stdin is not None
            await asyncio.wait_for(peer.process.stdin.drain(), LIMIT)
            transport.resume_reading()
            assert len(await peer.result(399)) == 10
            assert [note["id"] for note in peer.notes] == list(range(399))

    run(work)


# ---- requests to the client

ALL = {
    "workspace": {
        "configuration": True,
        "applyEdit": True,
        "codeLens": {"refreshSupport": True},
        "diagnostics": {"refreshSupport": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
    },
    "window": {"workDoneProgress": True},
}
QUESTIONS = [
    "workspace/configuration",
    "workspace/applyEdit",
    "workspace/codeLens/refresh",
    "workspace/diagnostic/refresh",
    "window/workDoneProgress/create",
    "client/registerCapability",
]


@pytest.mark.parametrize("method", QUESTIONS)
def test_the_client_is_asked_and_answers(method: str) -> None:
    async def work() -> None:
        async with served(start=initialize(ALL)) as peer:
            for answer, expected in (
                ({"result": {"a": 1}}, {"a": 1}),
                ({"result": None}, None),
                ({}, None),
                ({"error": {"code": -32803, "message": "no"}}, "default"),
                ({"error": "odd"}, "default"),
            ):
                peer.send(ask(9, "demo/ask", {"method": method, "params": {"x": 1}}))
                question = await peer.request_of_server(method)
                assert question["params"] == {"x": 1}
                peer.send(frame(body({**J, "id": question["id"], **answer})))
                assert (await peer.result(9)) == expected
            peer.send(SHUTDOWN, EXIT)
            assert f"the client refused {method}: no (-32803)" in (await peer.end())[1]

    run(work)


@pytest.mark.parametrize("method", [one for one in QUESTIONS if one != "client/registerCapability"])
def test_the_client_is_not_asked_what_it_cannot(method: str) -> None:
    async def work() -> None:
        async with served() as peer:
            peer.send(ask(9, "demo/ask", {"method": method}))
            assert (await peer.result(9)) == "default"
            assert peer.notes == []

    run(work)


def test_a_client_that_does_not_answer() -> None:
    async def work() -> None:
        async with served(start=initialize(ALL)) as peer:
            peer.send(ask(9, "demo/ask", {"method": "workspace/configuration", "timeout": 0.1}))
            assert (await peer.result(9)) == "default"
            question, cancel = peer.notes
            assert cancel == {**J, "method": "$/cancelRequest", "params": {"id": question["id"]}}
            peer.send(frame(body({**J, "id": question["id"], "result": 1})), PROBE)
            assert (await peer.result("probe")) == HOVER

    run(work)


@pytest.mark.parametrize(("capabilities", "answer"), [(ALL, "demo:workspace/didChangeWatchedFiles"), ({}, None)])
def test_registration(capabilities: dict[str, Any], answer: str | None) -> None:
    async def work() -> None:
        async with served(start=initialize(capabilities)) as peer:
            peer.send(ask(9, "demo/register", {"method": "workspace/didChangeWatchedFiles"}))
            if answer:
                question = await peer.request_of_server("client/registerCapability")
                row = question["params"]["registrations"][0]
                assert row == {
                    "id": answer,
                    "method": "workspace/didChangeWatchedFiles",
                    "registerOptions": {"watchers": []},
                }
                peer.send(frame(body({**J, "id": question["id"], "result": None})))
            assert (await peer.result(9)) == answer

    run(work)


def test_typed_requests_through_pygls() -> None:
    async def work() -> None:
        async with served(start=initialize(ALL)) as peer:
            peer.send(ask(9, "demo/typedEdit"))
            question = await peer.request_of_server("workspace/applyEdit")
            assert question["params"] == {"edit": {}}
            peer.send(frame(body({**J, "id": question["id"], "result": {"applied": False, "failureReason": "busy"}})))
            assert (await peer.result(9)) == {"applied": False, "reason": "busy"}
            assert [note["params"] for note in peer.notes] == [{"type": 3, "message": "typed"}]

    run(work)


def test_a_notification_from_another_thread() -> None:
    async def work() -> None:
        async with served() as peer:
            peer.send(ask(1, "demo/fromThread"))
            await peer.answer(1)
            peer.send(PROBE)
            await peer.answer("probe")
            assert [short(note) for note in peer.notes] == ["demo/fromThread"]

    run(work)


# ---- start


def test_nothing_heavy_is_imported_before_the_initialize_answer() -> None:
    """lsprotocol is most of a pygls server's start; SQLite and the parsers are not needed for the answer either."""
    code = (
        "import sys, lsp_server.lsp.connection;"
        "print([name for name in ('lsprotocol', 'pygls', 'attrs', 'cattrs', 'sqlite3', 'tree_sitter', 'orjson') "
        "if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=LIMIT)
    assert done.stdout == "[]\n"


def test_tcp() -> None:
    process = subprocess.Popen(
        [sys.executable, str(DEMO), "0"],
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stderr is not None
    try:
        host, port = process.stderr.readline().decode().split()[-1].split(":")
        assert host == "127.0.0.1"
        with socket.create_connection((host, int(port)), LIMIT) as first:
            first.sendall(initialize())
            framer = Framer()
            framer.feed(first.recv(65536))
            assert [json.loads(one)["id"] for one in framer.frames() if isinstance(one, bytes)] == ["init"]
            with socket.create_connection((host, int(port)), LIMIT) as second:
                second.settimeout(LIMIT)
                assert second.recv(10) == b""
            first.sendall(SHUTDOWN + EXIT)
            first.settimeout(LIMIT)
            while chunk := first.recv(65536):
                framer.feed(chunk)
            assert [json.loads(one)["id"] for one in framer.frames() if isinstance(one, bytes)] == ["down"]
        assert process.wait(LIMIT) == 0
    finally:
        process.kill()
        process.communicate()


def test_tcp_port_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = subprocess.run(
            [sys.executable, str(DEMO), str(taken.getsockname()[1])],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
    assert done.returncode == 2
    assert done.stderr.splitlines()[0].startswith("demo: cannot serve: ")
    assert "Traceback" not in done.stderr


# ---- position encodings

ENCODINGS: list[tuple[Any, str]] = [
    (None, "utf-16"),
    ([], "utf-16"),
    (["utf-16"], "utf-16"),
    (["utf-8", "utf-16"], "utf-8"),
    (["utf-16", "utf-8"], "utf-16"),
    (["utf-32", "utf-8"], "utf-32"),
    (["utf-32"], "utf-32"),
    (["utf-32", "utf-16"], "utf-32"),
    (["utf-7", "utf-8"], "utf-8"),
    (["utf-7"], "utf-16"),
    ("utf-8", "utf-16"),
    ([None, {}], "utf-16"),
]


@pytest.mark.parametrize(("offered", "chosen"), ENCODINGS)
def test_encoding(offered: Any, chosen: str) -> None:
    assert choose_encoding({} if offered is None else {"general": {"positionEncodings": offered}}) == chosen


@pytest.mark.parametrize("general", [None, [], "x", 5])
def test_encoding_of_an_odd_client(general: Any) -> None:
    assert choose_encoding({"general": general}) == "utf-16"


@pytest.mark.parametrize(("offered", "chosen"), [(None, "utf-16"), (["utf-8", "utf-16"], "utf-8")])
def test_encoding_is_announced(offered: Any, chosen: str) -> None:
    async def work() -> None:
        async with served(start=None) as peer:
            peer.send(initialize({} if offered is None else {"general": {"positionEncodings": offered}}))
            assert (await peer.result("init"))["capabilities"]["positionEncoding"] == chosen
            peer.send(ask(1, "demo/client"))
            assert (await peer.result(1))["encoding"] == chosen

    run(work)


# ---- the client

CLIENTS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"rootUri": "file:///r"}, ["file:///r"]),
    (
        {"rootUri": "file:///r", "workspaceFolders": [{"uri": "file:///a", "name": "a"}, {"uri": "file:///b"}]},
        ["file:///a", "file:///b"],
    ),
    ({"rootUri": "file:///r", "workspaceFolders": None}, ["file:///r"]),
    ({"rootUri": "file:///r", "workspaceFolders": []}, []),
    ({"rootUri": None}, []),
]


@pytest.mark.parametrize(("params", "uris"), CLIENTS)
def test_folders(params: dict[str, Any], uris: list[str]) -> None:
    assert [one.uri for one in read_client({"capabilities": {}, **params}).folders] == uris


def test_capabilities_at_a_path() -> None:
    client = Client(capabilities={"a": {"b": True, "c": {}, "d": False, "e": 5}})
    paths = ("a", "a.b", "a.c", "a.d", "a.e", "a.x", "a.b.c", "x")
    assert [path for path in paths if client.can(path)] == ["a", "a.b", "a.c"]


# ---- shapes


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        ("textDocument/hover", {}, "params.textDocument is missing"),
        ("textDocument/hover", {"textDocument": None}, "params.textDocument must be an object, not null"),
        (
            "textDocument/hover",
            {"textDocument": {"uri": 5}},
            "params.textDocument.uri must be a string, not an integer",
        ),
        (
            "textDocument/didChange",
            {"textDocument": {"uri": "x", "version": 1}, "contentChanges": [{"text": ""}, {"text": True}]},
            "params.contentChanges[1].text must be a string, not a boolean",
        ),
        ("$/cancelRequest", {"id": 1.5}, "params.id must be an integer or a string, not a number"),
        (
            "workspace/executeCommand",
            {"command": "x", "arguments": {}},
            "params.arguments must be an array, not an object",
        ),
    ],
)
def test_shape(method: str, params: Any, message: str) -> None:
    with pytest.raises(InvalidParams, match=f"^{re.escape(message)}$"):
        check_shape(params, SHAPES[method])


@pytest.mark.parametrize("method", sorted(set(SHAPES) - {"$/setTrace"}))
def test_shapes_agree_with_the_types(method: str) -> None:
    """A member that a shape asks for exists in lsprotocol's type, and one that the type needs is asked for.

    Members that are optional in the type may not be demanded.
    """
    import attrs
    from lsprotocol import types

    owner = types.METHOD_TO_TYPES[method][2]
    shape = SHAPES[method]
    fields = {re.sub(r"_(\w)", lambda found: found[1].upper(), one.name): one for one in attrs.fields(cast(Any, owner))}
    assert {key.rstrip("?") for key in shape} <= set(fields)
    demanded = {key for key in shape if not key.endswith("?")}
    assert demanded <= {name for name, one in fields.items() if one.default is attrs.NOTHING}


# ---- framing

BODIES = st.lists(st.binary(max_size=30), max_size=6)


@given(bodies=BODIES, data=st.data())
@settings(max_examples=200, deadline=None)
def test_frames_do_not_depend_on_the_pieces(bodies: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(frame(one) for one in bodies)
    framer, got, at = Framer(), [], 0
    while at < len(stream):
        size = data.draw(st.integers(1, 40))
        framer.feed(stream[at : at + size])
        got += list(framer.frames())
        at += size
    # A raw header inside a body is taken for the next message (JSON cannot hold one); these bodies are too short.
    assert got == bodies
    assert framer.kept == 0


@given(garbage=st.binary(max_size=200), size=st.integers(1, 50))
@settings(max_examples=300, deadline=None)
def test_a_message_is_found_after_any_garbage(garbage: bytes, size: int) -> None:
    """A blank line ends what garbage may have begun, as far as it did not promise a longer body."""
    stream = garbage + b"\r\n\r\n" + frame(b'{"id":1}') + frame(b'{"id":2}')
    framer, got = Framer(max_body=1000), []
    for at in range(0, len(stream), size):
        framer.feed(stream[at : at + size])
        got += list(framer.frames())
    assert got[-2:] == [b'{"id":1}', b'{"id":2}']


def test_what_is_kept_is_bounded() -> None:
    framer = Framer(max_body=1000)
    damage = []
    for stream in (b"Content-Length: 1001\r\n\r\n", b"x" * 1_000_000, b"y" * 1_000_000):
        for at in range(0, len(stream), 4096):
            framer.feed(stream[at : at + 4096])
            damage += list(framer.frames())
            assert framer.kept < 64 * 1024
    assert len(damage) == 1
    framer.feed(frame(b"{}"))
    assert list(framer.frames()) == [b"{}"]


def test_ready_tells_of_a_whole_message_only() -> None:
    framer = Framer()
    first, second = frame(b"{}"), frame(b"[1]")
    framer.feed(first + second[:-1])
    frames = framer.frames()
    assert framer.ready
    assert next(frames) == b"{}"
    assert not framer.ready
    framer.feed(second[-1:])
    assert framer.ready
    assert next(frames) == b"[1]"
    assert not framer.ready


# ---- JSON, two ways

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec=None, exclude_categories=[])),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=5),
    max_leaves=30,
)


@given(value=VALUES)
@settings(max_examples=300, deadline=None)
def test_the_fast_encoder_says_what_the_slow_one_says(value: Any) -> None:
    assert codec.decode_slow(codec.encode(value, large=True)) == codec.decode_slow(codec.encode_slow(value)) == value


@given(value=VALUES)
@settings(max_examples=300, deadline=None)
def test_the_fast_decoder_reads_what_the_slow_one_reads(value: Any) -> None:
    padded = codec.encode_slow(value) + b" " * codec.SMALL  # So that it is large enough for the fast way.
    assert codec.decode(padded) == codec.decode_slow(padded) == value


@given(garbage=st.binary(max_size=60))
def test_the_decoders_refuse_the_same(garbage: bytes) -> None:
    padded = garbage + b" " * codec.SMALL
    outcomes = []
    for decode in (codec.decode, codec.decode_slow):
        try:
            outcomes.append(repr(decode(padded)))
        except codec.NotJson as error:
            assert "\n" not in str(error)
            outcomes.append("refused")
    assert outcomes[0] == outcomes[1]


def test_orjson_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "_looked", False)
    monkeypatch.setitem(sys.modules, "orjson", None)
    text = codec.encode({"a": ["b"] * 2000}, large=True)
    assert codec.decode(text) == {"a": ["b"] * 2000}
