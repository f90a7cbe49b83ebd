"""What can go wrong in a command, as one line that names the mend."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable

from lsp_server.cli.arguments import UsageError
from lsp_server.core.locus import LocusError
from lsp_server.features.errors import Refused
from lsp_server.store.ledger import LedgerRefused
from lsp_server.workspace.paths import PathRefused

TRACE = "MOORLINE_TRACE"
"""Environment variable that, when set, prints the trace of what was not foreseen."""

LONGEST = 500
"""Characters of one message: a message names things that come from arguments and files of any length."""


def said(work: Callable[[], int], complain: Callable[[str], int]) -> int:
    """Runs a command; what it refuses or fails at is said in one line. Answers the exit code."""
    try:
        return work()
    except (Refused, LocusError, PathRefused, LedgerRefused) as error:
        return complain(cut(str(error)))
    except (BrokenPipeError, UsageError):
        raise
    except OSError as error:
        return complain(cut(f"{of_system(error)}; check that it is there and that you may use it"))
    except Exception as error:
        if os.environ.get(TRACE):
            traceback.print_exc()
        what = cut(f"{type(error).__name__}: {error}")
        return complain(f"failed with {what}; this is a fault of moorline: please report it with {TRACE}=1 set")


def of_system(error: OSError) -> str:
    what = error.strerror or str(error)
    return f"{error.filename}: {what}" if error.filename else what


def cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST].rstrip() + "…"
