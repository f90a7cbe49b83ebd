"""Asks the public command line what became of labelled definitions: `record --batch`, then `check --json`.

Each pair of commits gets a git repository of its own in a temporary folder: the files of commit A are written out,
committed and anchored to, then those of commit B are written over them and what is gone is removed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from drift_corpus import Case, Corpus, Pair, Result, is_symbol

REPOSITORY = Path(__file__).resolve().parents[1]
KIND = "note"
HISTORIES = ("worktree", "committed", "none")
"""What git knows when it is asked: A is committed and B is not; both are; nothing is."""

SECONDS = 600
"""No call takes that long: one that does hangs."""


class Replay:
    """Judges the cases of a pair through the command line. `history` is one of `HISTORIES`."""

    def __init__(self, history: str = HISTORIES[0]) -> None:
        self.history = history
        python_path = [str(REPOSITORY), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            "PYTHONPATH": os.pathsep.join(python_path),
            "PYTHONUTF8": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
        }

    def __call__(self, corpus: Corpus, pair: Pair, cases: Sequence[Case]) -> list[Result]:
        with tempfile.TemporaryDirectory(prefix="moorline-drift-") as name:
            # A reused scratch path would make a result depend on the one before.
            root = Path(name) / "repository"
            root.mkdir()
            self._git(root, "init", "-q")
            _write(root, corpus, pair.before)
            if self.history != "none":
                self._commit(root, "A")
            recorded = self._record(root, cases)
            for path in pair.before:
                if path not in pair.after:
                    (root / path).unlink()
            _write(root, corpus, pair.after)
            if self.history == "committed":
                self._commit(root, "B")
            said = self._check(root)
        return [
            Result(case, said.get(identifier) if identifier else None, listed, error)
            for case, (identifier, listed, error) in zip(cases, recorded, strict=True)
        ]

    def _record(self, root: Path, cases: Sequence[Case]) -> list[tuple[str, str, str]]:
        """(memory id, how it is listed, why it is not) of each case, in order."""
        found: dict[str, tuple[str, str, str]] = {}
        left = list(cases)
        for listed in ("path", "line"):
            lines = [json.dumps(_request(case, listed == "path")) for case in left]
            (root.parent / "batch.jsonl").write_text("\n".join(lines), encoding="utf-8")
            answers = self._moorline(root, "record", "--batch", str(root.parent / "batch.jsonl")) if lines else ""
            refused = []
            for case, line in zip(left, answers.splitlines(), strict=True):
                answer = json.loads(line)
                if "error" not in answer and _is_anchored(case, answer["anchors"][0]["now"]):
                    found[case["id"]] = (answer["id"], listed, "")
                else:
                    found[case["id"]] = ("", "", answer.get("error", "another definition was taken"))
                    refused.append(case)
            left = refused
        return [found[case["id"]] for case in cases]

    def _check(self, root: Path) -> dict[str, dict[str, Any]]:
        """The one anchor of each memory as it is now, by the memory's id."""
        answer = json.loads(self._moorline(root, "check", "--json", "--fail-on", "never"))
        return {memory["id"]: memory["anchors"][0] for memory in answer["memories"]}

    def _moorline(self, root: Path, *arguments: str) -> str:
        call = [sys.executable, "-m", "lsp_server", *arguments]
        done = subprocess.run(call, cwd=root, env=self._environment, capture_output=True, timeout=SECONDS)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"moorline {arguments[0]}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode("utf-8")

    def _commit(self, root: Path, message: str) -> None:
        self._git(root, "add", "--all", ".")
        who = ("-c", "user.name=Replay", "-c", "user.email=replay@example.invalid")
        self._git(root, *who, "commit", "-q", "--allow-empty", "-m", message)

    def _git(self, root: Path, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=root, env=self._environment, check=True, timeout=SECONDS)


def _write(root: Path, corpus: Corpus, files: Mapping[str, str]) -> None:
    for path, digest in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(corpus.content(digest))


def _request(case: Case, by_path: bool) -> dict[str, Any]:
    anchor = {"file": case["file"], "line": case["lines"][0]}
    if by_path:
        anchor["symbol"] = case["symbol"]
    return {"anchors": [anchor], "kind": KIND, "text": f"case {case['id']}"}


def _is_anchored(case: Case, now: Mapping[str, Any] | None) -> bool:
    if now is None or now["symbol"] is None:
        return False
    return is_symbol(case, now["symbol"], now["start_line"], now["end_line"])
