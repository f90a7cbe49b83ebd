"""Work off the event loop in threads that never keep the process alive. Knows nothing of what is done in them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


async def in_thread(work: Callable[[], _T]) -> _T:
    """Run `work` in a thread of its own and give what it gives, or raise what it raises.

    Unlike `asyncio.to_thread` the thread is a daemon: a disk that hangs delays no exit. When the caller is cancelled
    the work runs on and its result is dropped, so it must change nothing that others see.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[_T] = loop.create_future()

    def settle(result: _T | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result: _T | None = None
        error: BaseException | None = None
        try:
            result = work()
        except BaseException as raised:
            error = raised
        with contextlib.suppress(RuntimeError):  # The loop was closed meanwhile.
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, name="moorline-work", daemon=True).start()
    return await done
