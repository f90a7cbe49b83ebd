"""Importers on the real files of other tools: what each file is told to be, what it holds, and what must be survived.

The expected values come from the files and from the README beside them, counted by hand.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given as given_
from hypothesis import settings
from hypothesis import strategies as st

from lsp_server.core.kinds import KINDS
from lsp_server.features.importers.entry import Arrived, Entry, Given, Spot
from lsp_server.features.importers.found import IMPORTERS, importer_of, read

SAMPLES = Path(__file__).parent.parent / "support" / "import_samples"

COUNTED: dict[str, dict[str, int]] = {
    # The steps that say something or have a place, and one more where the tour is described.
    "codetour": {
        "codetour/LefterisXris__CodeTour/.tours/sampleTour.tour": 7 + 1,
        "codetour/LefterisXris__CodeTour/src/main/resources/tours/projectIntroduction-virtualAssistant.tour": 8 + 1,
        "codetour/NotMyself__vscode-extension-device-code-flow/.tours/intro.tour": 1,
        "codetour/bestia-dev-archived__codetour_export_to_md/.tours/export_to_md.tour": 10,
        "codetour/drguthals__MakeYourMark/.tours/getting-started.tour": 14,
        "codetour/greglamb__gcodetour/.tours/diagram-demo.tour": 7 + 1,
        "codetour/greglamb__gcodetour/skills/gcodetour-author/assets/example.tour": 8 + 1,
        "codetour/greglamb__gcodetour/test-fixtures/workspace/.tours/content-first.tour": 2 + 1,
        "codetour/jacobweinstock__tink/.tours/tink-worker.tour": 0,
        "codetour/made-here/.tours/every-step-type.tour": 13 - 1 + 1,
        "codetour/microsoft__codetour/.tours/foo.tour": 0,
        "codetour/microsoft__codetour/.tours/intro.tour": 3 + 1,
        "codetour/microsoft__codetour/.tours/tree.tour": 7 + 1,
        "codetour/microsoft__component-detection/.tours/getting-started.tour": 9,
        "codetour/oneapi-src__level-zero-tests/.tours/intro.tour": 11,
        "codetour/vscodejp__vscode-language-server-template/.tours/client.tour": 5 + 1,
        "codetour/vscodejp__vscode-language-server-template/.tours/intro.tour": 1 + 1,
        "codetour/vscodejp__vscode-language-server-template/.tours/server.tour": 4 + 1,
    },
    # The README's list of paths, less templates, indexes and READMEs.
    "adr": {
        "adr/adr__madr": 19,
        "adr/alphagov__govuk-aws": 23,
        "adr/aws__aws-parallelcluster-ui": 14,
        "adr/BrighterCommand__Brighter": 6,
        "adr/pod-os__PodOS": 18,
        "adr/theupdateframework__python-tuf": 10,
        "adr/thomvaill__log4brains/docs": 8,
        "adr/thomvaill__log4brains/packages/core/integration-tests/ro-project/docs": 15,
        "adr/thomvaill__log4brains/packages/core/integration-tests/ro-project/packages/package1": 4,
        "adr/thomvaill__log4brains/packages/core/integration-tests/ro-project/packages/package2": 1,
    },
    # One for each document that is bound; the markers in a document complete its entry.
    "drift": {
        "drift/NWACus__web/drift.lock": 23,
        "drift/blightbow__kagi-research-mcp/drift.lock": 1,
        "drift/blightbow__parkour-mcp/drift.lock": 1,
        "drift/bolens__ps-profile/drift.lock": 169,
        "drift/made-here-v0.1/drift.lock": 1,
        "drift/made-here-v0.1/docs/auth.md": 0,
    },
    "bookmarks": {
        "bookmarks/1024daniel__vsc-labeled-bookmarks/.vscode/labeled_bookmarks.json": 51,
        "bookmarks/1024daniel__vsc-labeled-bookmarks/bookmarks.json": 31,
        "bookmarks/134579__thrill/.vscode/bookmarks.json": 15,
        "bookmarks/841660202__vite-plugin-mock/.vscode/bookmarks.json": 3,
        "bookmarks/CadyIO__WordPress-Coding-Standards/.vscode/bookmarks.json": 1,
        "bookmarks/CarlosKlapp__dotenv-encrypt/.vscode/bookmarks.json": 1,
        "bookmarks/Censkh__api-def/.vscode/bookmarks.json": 5,
        "bookmarks/made-here-haunt/v1.json": 1,
        "bookmarks/made-here-haunt/v2.json": 3,
    },
    # The headings with a time; what its template came with says nothing.
    "memofs": {
        "memofs/made-here/.memofs/memory/notes.md": 7,
        "memofs/made-here/.memofs/events/memory-events.jsonl": 0,
        "memofs/memo-fs__memofs/.memofs/memory/notes.md": 2,
        "memofs/memo-fs__memofs/.memofs/memory/core.md": 0,
        "memofs/memo-fs__memofs/.memofs/events/memory-events.jsonl": 0,
        "memofs/memo-fs__memofs/benchmarks/datasets/smoke/memory-records.jsonl": 3,
    },
    "serena": {"agent-memory/oraios__serena/.serena": 6, "agent-memory/7nohe__figdeck/.serena": 4},
    # One for each file, of a decision log one for each decision.
    "memory-bank": {
        "agent-memory/1w2w3y__gpt-image-1-playground/memory-bank": 6,
        "agent-memory/Anu-bhav__google-scholar-research/memory-bank": 4 + 3,
        "agent-memory/BioInfo__threadcraft/memory-bank": 4 + 7,
    },
    # One for the rest of each note, and one for each observation.
    "basic-memory": {
        "agent-memory/Spantree__fluent-toolkit/context/basic-memory/architecture": 1 + 4,
        "agent-memory/Spantree__fluent-toolkit/context/basic-memory/features": 1,
        "agent-memory/Spantree__fluent-toolkit/context/basic-memory/guides": 1 + 4,
        "agent-memory/Spantree__fluent-toolkit/context/basic-memory/issues": 4 + 4 + 4,
        "agent-memory/Spantree__fluent-toolkit/context/basic-memory/project": 1 + 4,
        "agent-memory/Spantree__fluent-toolkit/context/basic-memory/technologies": 1 + 5,
        "agent-memory/made-here/basic-memory-quirks.md": 1 + 1,
    },
    "agents-md": {
        "agent-memory/mansilla__yigraf/AGENTS.md": 1,
        "agent-memory/oraios__serena/CLAUDE.md": 1,
        # Items of lists, and the sections that have none.
        "agent-memory/mansilla__yigraf/CLAUDE.md": 17 + 2,
        "agent-memory/vishnujayvel__hookwise/CLAUDE.md": 31 + 3,
        # The section that the file opens with, then lists of 4, 10, 3 and 3.
        "agent-memory/memo-fs__memofs/AGENTS.md": 1 + 4 + 10 + 4 + 2,
    },
    "mcp-memory": {
        "agent-memory/jasonpaulso__mcp-think-tank/memory.jsonl": 134,
        "agent-memory/made-here/mcp-server-memory.jsonl": 2,
    },
    "mem0": {"agent-memory/AliceLJY__recallnest/eval/continuity/memory-seeds.json": 3},
    # Two memories, an observation, a key decision.
    "agentmemory": {"agent-memory/made-here/agentmemory-export-0.3.0.json": 2 + 1 + 1},
    "limpet": {"code-memory-tools/KSym04__limpet/.limpet/memory.jsonl": 32 + 21},
    "openlore": {
        "code-memory-tools/vishnujayvel__hookwise/.openlore/decisions/pending.json": 12,
        "code-memory-tools/made-here-openlore/.openlore/memory/notes.json": 3,
    },
    # Three memories, an intent, and the five tasks of a plan.
    "yigraf": {"code-memory-tools/mansilla__yigraf/yigraf": 3 + 1 + 5},
}


def sample(path: str) -> Given:
    return Given(path, (SAMPLES / path).read_bytes())


def below(path: str) -> list[Given]:
    """A sample, or all that is in a folder of samples."""
    top = SAMPLES / path
    files = [top] if top.is_file() else sorted(file for file in top.rglob("*") if file.is_file())
    return [sample(file.relative_to(SAMPLES).as_posix()) for file in files]


def arrived(name: str, *paths: str) -> Arrived:
    """What one importer reads of all files below some paths that it recognises."""
    files = [one for path in paths for one in below(path) if IMPORTERS[name].recognises(one)]
    return read(IMPORTERS[name], files)


def entries(name: str, *paths: str) -> dict[str, Entry]:
    return {entry.id: entry for entry in arrived(name, *paths).entries}


@pytest.mark.parametrize("name", COUNTED)
def test_every_entry_of_the_real_files_is_found(name: str) -> None:
    found = arrived(name, *COUNTED[name])
    counted = {
        path: sum(entry.file == path or entry.file.startswith(f"{path}/") for entry in found.entries)
        for path in COUNTED[name]
    }
    assert counted == COUNTED[name]
    assert not [problem for problem in found.problems if problem.lost]
    for entry in found.entries:
        assert entry.kind in KINDS
        assert entry.title.strip() or entry.text.strip()
        assert entry.source and entry.id and "\n" not in entry.id


@pytest.mark.parametrize("name", COUNTED)
def test_files_are_told_by_what_they_hold(name: str) -> None:
    found = [(one.path, importer_of(one)) for path in COUNTED[name] for one in below(path)]
    assert {importer.name for _, importer in found if importer is not None} == {name}


NO_FORMAT = {
    "browser bookmarks": ("bookmarks.json", b'{"checksum": "1", "roots": {"bar": {"children": []}}, "version": 1}'),
    "a lock of another tool": ("drift.lock", b'{"version": 1, "packages": []}'),
    "prose with arrows": ("drift.lock", b"a -> b\nc -> d\n"),
    "package.json": ("package.json", b'{"name": "x", "steps": 3, "title": "t"}'),
    "other steps": (".github/workflow.json", b'{"title": "CI", "steps": [{"run": "make"}]}'),
    "an ordinary page": ("docs/guide.md", b"# Guide\n\n## Context\n\nText.\n"),
    "notes.md of nobody": ("notes.md", b"# Notes\n\n## 2026-01-01\n\n- milk\n"),
    "progress.md of nobody": ("docs/progress.md", b"# Progress\n"),
    "memory.md of nobody": ("memory.md", b"---\ntitle: Memories\n---\nText\n"),
    "an annotation": ("A.md", b"Use `@anchor(id)` and mail me@./x\n"),
    "a list": ("list.json", b"[1, 2, 3]"),
    "an empty list": ("list.json", b"[]"),
    "empty": ("empty.jsonl", b""),
    "binary": ("x.json", b"\x00\x01{"),
    "cut": ("x.tour", b'{"title": "t", "steps": ['),
    "deep": ("x.json", b"[" * 100_000),
    "template": ("adr/template.md", b"# t\n\n## Context\n\n## Decision\n"),
    "a renamed template": ("adr/0000.md", b"# [short title of solved problem]\n\n## Context\n\n## Decision\n"),
}


@pytest.mark.parametrize(("path", "data"), NO_FORMAT.values(), ids=NO_FORMAT)
def test_a_file_of_something_else_is_of_no_format(path: str, data: bytes) -> None:
    assert importer_of(Given(path, data)) is None


def test_samples_that_are_no_entries_are_of_no_format() -> None:
    for path in (
        "adr/adr__madr/template/adr-template.md",
        "adr/theupdateframework__python-tuf/docs/adr/index.md",
        "adr/aws__aws-parallelcluster-ui/decisions/README.md",
        "adr/pod-os__PodOS/docs/decisions/template.md",
        "codetour/microsoft__codetour/schema.json",
        "drift/blightbow__parkour-mcp/docs/frontmatter-standard.md",
        "memofs/memo-fs__memofs/.memofs/manifest.json",
        "memofs/memo-fs__memofs/.memofs/graph/nodes.jsonl",
        "memofs/memo-fs__memofs/.memofs/events/conversations.jsonl",
        "agent-memory/mem0ai__mem0/docs/api-reference/memory/get-memories.mdx",
    ):
        assert importer_of(sample(path)) is None, path


# -- CodeTour ----------------------------------------------------------------------------------------------------------


def test_every_step_type() -> None:
    found = arrived("codetour", "codetour/made-here")
    steps = {entry.where: entry for entry in found.entries}
    assert steps[""].kind == "purpose" and steps["step 1"].kind == "note"
    assert [steps[f"step {number}"].places for number in (1, 4)] == [(), ()]
    assert "https://example.org/spec.html" in steps["step 1"].text and "codetour.tours" in steps["step 4"].text
    assert (
        steps["step 2"].places == (Spot("/srv/elsewhere/a.py", line=3, revision="v1.0.0"),)
        or steps["step 2"].places[0].file == "/srv/elsewhere/a.py"
    )
    assert steps["step 5"].places[0].pattern == "^export function verifyJwt\\("
    assert steps["step 6"].places[0] == Spot("src/auth/provider.ts", line=2, revision="v1.0.0")
    assert steps["step 8"].places[0].lines == (1, 3)
    assert steps["step 9"].places[0] == Spot("src/auth/provider.ts")
    assert "command:workbench.action.tasks.build" in steps["step 12"].text and ">> npm test" in steps["step 12"].text
    assert steps["step 3"].base == "codetour/made-here"
    assert {"codetour", "every-step-type", "primary", "step-003"} == set(steps["step 3"].tags)
    assert [str(problem) for problem in found.problems if "line 0" in str(problem)]
    assert "step 13" not in steps and any(problem.where == "step 13" for problem in found.problems)


def test_a_step_that_is_put_before_others_changes_no_id() -> None:
    tour = json.loads(sample("codetour/microsoft__codetour/.tours/intro.tour").data)
    before = read(IMPORTERS["codetour"], [Given("a.tour", json.dumps(tour).encode())]).entries
    tour["steps"].insert(0, {"description": "Something new."})
    after = read(IMPORTERS["codetour"], [Given("a.tour", json.dumps(tour).encode())]).entries
    assert {entry.id for entry in before} < {entry.id for entry in after}


def test_what_an_ide_wrote() -> None:
    found = entries("codetour", "codetour/LefterisXris__CodeTour/.tours")
    assert any("feature's workflow" in entry.text for entry in found.values())
    assert {spot.file for entry in found.values() for spot in entry.places} == {
        *("plugin.xml", "ToolPaneWindow.java", "TourStepGeneratorAction.java", "Navigator.java"),
        *("StepRenderer.java", "README.md"),
    }


# -- ADR ---------------------------------------------------------------------------------------------------------------

LOG4BRAINS = "adr/thomvaill__log4brains/packages/core/integration-tests/ro-project"
STATED: dict[str, tuple[str, str, str]] = {
    # Path -> state, time, author.
    "adr/alphagov__govuk-aws/docs/architecture/decisions/0003-aws-networking-outline.md": (
        *("Partly superseded", "2017-06-30", ""),
    ),
    "adr/BrighterCommand__Brighter/docs/adr/0065-add-frontmatter-to-adrs.md": ("Proposed", "2026-07-15", "Ian Cooper"),
    "adr/aws__aws-parallelcluster-ui/decisions/20220713-use-github-actions-for-pipelines.md": (
        *("accepted", "2022-07-12", "Mattia Franchetto, Alessandro Menduni, Marco Basile"),
    ),
    "adr/adr__madr/docs/decisions/0003-provide-own-madr-tools.md": ("on hold", "", ""),
    # What stands in a code fence of the body is an example.
    "adr/adr__madr/docs/decisions/0008-add-status-field.md": ("", "", ""),
    "adr/adr__madr/docs/decisions/0013-use-yaml-front-matter-for-meta-data.md": ("", "", ""),
    "adr/theupdateframework__python-tuf/docs/adr/0002-pre-1-0-deprecation-strategy.md": ("", "2020-11-05", ""),
    f"{LOG4BRAINS}/docs/adr/20200102-adr-with-intro.md": ("accepted", "2020-01-02", "John Doe, Foo bar"),
    f"{LOG4BRAINS}/docs/adr/20200102-adr-without-title.md": ("", "2020-01-02", "John Doe, Foo bar"),
    f"{LOG4BRAINS}/docs/adr/20201028-adr-without-date.md": ("accepted", "2020-10-28", "John Doe, Foo bar"),
    f"{LOG4BRAINS}/docs/adr/20201028-adr-with-no-metadata-no-title.md": ("", "2020-10-28", ""),
    f"{LOG4BRAINS}/docs/adr/20201029-rejected-adr.md": ("rejected", "2020-10-29", ""),
    f"{LOG4BRAINS}/docs/adr/20201028-superseded-adr.md": ("superseded by 20201029-superseder", "2020-10-28", ""),
}


@pytest.mark.parametrize("path", STATED)
def test_what_a_record_says_of_itself(path: str) -> None:
    entry = entries("adr", path)[path]
    assert (entry.state, entry.time, entry.author) == STATED[path]


def test_a_record_that_was_superseded_names_the_other_one() -> None:
    found = entries("adr", "adr")
    after = {path.rpartition("/")[2]: entry.after.rpartition("/")[2] for path, entry in found.items() if entry.after}
    assert after == {
        "20201028-superseded-adr.md": "20201029-superseder.md",
        "0004-dns-definitions-for-hosts-and-services.md": "0015-dns-infrastructure.md",
        "20230125-pcui-versioning-strategy.md": "20230222-make-revision-required.md",
        "20200926-use-the-adr-number-as-its-unique-id.md": "20201016-use-the-adr-slug-as-its-unique-id.md",
        "20221107-adopt-github-labels-to-allow-automating-release-changelog-creation.md": (
            "20221129-adopt-releaselabels-to-automate-changelog-generation.md"
        ),
    }


def test_tags_with_commas_and_with_spaces() -> None:
    found = entries("adr", "adr/thomvaill__log4brains/docs", LOG4BRAINS)
    assert found[f"{LOG4BRAINS}/docs/adr/20200101-first-adr.md"].tags == ("adr", "foo", "bar")
    spaced = [entry.tags for entry in found.values() if len(entry.tags) > 1 and "docs/adr" in entry.file]
    assert all(" " not in tag and "," not in tag for tags in spaced for tag in tags)


def test_links_are_only_offered() -> None:
    found = entries("adr", LOG4BRAINS)[f"{LOG4BRAINS}/docs/adr/20201028-links.md"]
    assert found.places and all(spot.offered for spot in found.places)
    assert not any("google" in spot.file for spot in found.places)


# -- drift -------------------------------------------------------------------------------------------------------------


def test_a_document_is_one_entry_with_all_that_it_is_bound_to() -> None:
    found = arrived("drift", "drift/made-here-v0.1")
    (entry,) = found.entries
    assert [str(spot) for spot in entry.places] == [
        *("src/auth/login.ts", "src/auth/provider.ts#AuthConfig", "lib/utils.py"),
    ]
    assert all(spot.unsure for spot in entry.places)
    assert [problem.where for problem in found.problems] == ["line 3"]
    assert "another repository" in found.problems[0].message


def test_the_markers_of_a_document_alone() -> None:
    (entry,) = arrived("drift", "drift/made-here-v0.1/docs/auth.md").entries
    assert entry.title == "Auth"
    assert {str(spot) for spot in entry.places} == {
        *("src/auth/login.ts", "src/auth/provider.ts#AuthConfig", "lib/utils.py"),
    }


def test_a_lock_of_thousands_of_lines() -> None:
    real = sample("drift/bolens__ps-profile/drift.lock").data
    found = read(IMPORTERS["drift"], [Given("drift.lock", real * 38)])
    assert len(found.entries) == 169 and sum(len(entry.places) for entry in found.entries) == 180


# -- bookmarks ---------------------------------------------------------------------------------------------------------


def test_lines_count_from_where_the_tool_counts() -> None:
    thrill = arrived("bookmarks", "bookmarks/134579__thrill").entries
    assert str(thrill[0].places[0]) == "thrill/net/dispatcher_thread.cpp:22" and thrill[0].text == "消息处理线程"
    oldest = arrived("bookmarks", "bookmarks/CadyIO__WordPress-Coding-Standards").entries
    assert str(oldest[0].places[0]) == "WordPress/Sniffs/WhiteSpace/ControlStructureSpacingSniff.php:530"
    middle = arrived("bookmarks", "bookmarks/CarlosKlapp__dotenv-encrypt").entries
    assert str(middle[0].places[0]) == "src/crypto_wrapper.ts:209"
    haunt = arrived("bookmarks", "bookmarks/made-here-haunt/v2.json").entries
    assert [str(entry.places[0]) for entry in haunt] == [
        *("src/auth/provider.ts:2", "lib/utils.py:1", "/usr/include/stdio.h:30"),
    ]


def test_a_file_that_is_not_utf8_is_read_and_it_is_said() -> None:
    found = arrived("bookmarks", "bookmarks/1024daniel__vsc-labeled-bookmarks/bookmarks.json")
    assert len(found.entries) == 31
    (problem,) = found.problems
    assert "not UTF-8 at byte 362" in problem.message and not problem.lost
    first = found.entries[0]
    assert (first.title, first.places[0].quote, first.time) == (
        *("configuration definitions", '"configuration": {', "2024-06-30T15:54:04Z"),
    )
    assert "setting" in first.tags


def test_back_slashes_and_the_mark_of_the_root() -> None:
    data = json.dumps({"bookmarks": [{"fsPath": "$ROOTPATH$\\src\\a.ts", "bookmarks": [4]}]}).encode()
    (entry,) = read(IMPORTERS["bookmarks"], [Given(".vscode/bookmarks.json", data)]).entries
    assert str(entry.places[0]) == "src/a.ts:5" and entry.base == ""


# -- MemoFS ------------------------------------------------------------------------------------------------------------


def test_notes_events_and_anchors() -> None:
    found = entries("memofs", "memofs/made-here")
    assert set(found) == {
        *("mem_a1b2c3d4e5f60718", "mem_py001", "mem_marker01", "mem_marker02", "mem_drift01", "mem_gone01"),
        "mem_evil01",
    }
    first = found["mem_a1b2c3d4e5f60718"]
    assert (first.kind, first.author, first.title) == ("decision", "memofs", "Auth provider")
    assert str(first.places[0]) == "src/auth/provider.ts#verifyJwt" and first.places[0].hash.startswith("177a822c")
    assert found["mem_py001"].state == "archived"
    assert {str(found[f"mem_marker0{number}"].places[0]) for number in (1, 2)} == {"src/auth/provider.ts#verifyJwt"}
    assert found["mem_drift01"].kind == "decision" and found["mem_gone01"].kind == "artifact"
    assert found["mem_evil01"].places[0].file == "../../etc/passwd"
    assert {entry.base for entry in found.values()} == {"memofs/made-here"}


def test_a_note_keeps_its_own_headings_and_escapes() -> None:
    text = (
        '# Notes\n\n## 2026-01-01T00:00:00.000Z\n- kind: goal\n- tags: none\n- metadata: {"id": "m1", "x": 1}\n\n'
        "One.\\n\\nTwo.\n\n## A heading of its own\n\nThree.\n"
    )
    (entry,) = read(IMPORTERS["memofs"], [Given(".memofs/memory/notes.md", text.encode())]).entries
    assert entry.kind == "purpose" and entry.tags == ("memofs",)
    assert entry.text == "One.\\n\\nTwo.\n\n## A heading of its own\n\nThree."
    real = entries("memofs", "memofs/memo-fs__memofs")["mem_b33e8c27403afeac"]
    assert "New strategy" in real.text and [spot.offered for spot in real.places] == [True] * 3


def test_an_event_without_a_note() -> None:
    line = {"id": "e", "type": "memory.created", "projectId": "p", "timestamp": "2026-01-01T00:00:00Z"}
    line |= {"summary": "Only an event.", "metadata": {"id": "m9", "kind": "note"}, "actor": {"id": "a"}}
    silent = {**line, "summary": "", "metadata": {"id": "m10"}}
    data = "\n".join(map(json.dumps, (line, silent))).encode()
    (entry,) = read(IMPORTERS["memofs"], [Given(".memofs/events/memory-events.jsonl", data)]).entries
    assert (entry.id, entry.text) == ("m9", "Only an event.")


# -- agents' memories --------------------------------------------------------------------------------------------------


def test_decision_logs() -> None:
    found = entries("memory-bank", "agent-memory/Anu-bhav__google-scholar-research/memory-bank")
    logged = {entry.time: entry for entry in found.values() if entry.kind == "decision"}
    assert set(logged) == {"2025-05-18T16:12:00", "2025-05-18T16:00:00", "2025-05-17T16:45:00"}
    sticky = logged["2025-05-18T16:00:00"]
    assert sticky.title.startswith("Modified `ProxyManager`")
    assert "**Rationale**" in sticky.text and "blacklisted" in sticky.text and "***" not in sticky.text
    other = entries("memory-bank", "agent-memory/BioInfo__threadcraft/memory-bank")
    times = sorted(entry.time for entry in other.values() if entry.kind == "decision")
    assert times == [
        *("2025-07-31T07:01:19", "2025-07-31T12:08:35", "2025-07-31T14:24:45", "2025-08-02T13:12:45"),
        *("2025-08-02T19:37:55", "2025-08-02T19:37:55", "2025-08-02T20:45:35"),
    ]
    kinds = {Path(entry.file).stem: entry.kind for entry in other.values()}
    assert kinds["systemPatterns"] == "pattern" and kinds["progress"] == "checkpoint"


def test_the_oddities_of_basic_memory() -> None:
    found = entries("basic-memory", "agent-memory/made-here/basic-memory-quirks.md")
    note = found["decisions/critical-deploy-removes-generated-files-1"]
    assert set(note.tags) == {"critical-finding", "deploy"}
    assert "[x] this is a task" in note.text and "second front matter" in note.text
    (observation,) = (entry for entry in found.values() if entry is not note)
    assert observation.kind == "decision" and observation.text.startswith("Generate after the copy step")
    assert {"decision", "deploy", "order"} <= set(observation.tags)
    real = entries("basic-memory", "agent-memory/Spantree__fluent-toolkit")
    dated = real["plans/issue-1-claude-code-installation-and-version-checks"]
    assert dated.time == "2024-10-16T00:00:00+00:00" and dated.state == "complete"
    assert "Semver comparison" not in dated.text and "[x] Created" in dated.text


def test_rules_for_agents_are_one_each() -> None:
    found = arrived("agents-md", "agent-memory/memo-fs__memofs/AGENTS.md").entries
    rules = [entry for entry in found if "behavioral-rules" in entry.tags]
    assert len(rules) == 10 and rules[0].title.startswith("Do not add new npm dependencies")
    (untracked,) = (entry for entry in found if entry.title.startswith("⚠️ Never track internal docs"))
    assert "`docs/adr/`" in untracked.text and "404" in untracked.text


def test_the_graph_of_the_mcp_server() -> None:
    found = arrived("mcp-memory", "agent-memory/made-here/mcp-server-memory.jsonl")
    assert [entry.text for entry in found.entries] == [
        *("verifyJwt: Only place that checks a token", "verifyJwt: Defined in src/auth/provider.ts"),
    ]
    assert [str(spot) for spot in found.entries[1].places] == ["src/auth/provider.ts"]
    assert "1 relations" in found.problems[0].message
    real = arrived("mcp-memory", "agent-memory/jasonpaulso__mcp-think-tank").entries
    assert real[0].time == "2025-05-11T15:54:05.242Z"


def test_the_answer_of_mem0() -> None:
    page = sample("agent-memory/mem0ai__mem0/docs/api-reference/memory/get-memories.mdx").data.decode()
    shown = page.split("```python Output\n")[1].split("```")[0]
    for data in (shown, json.dumps(json.loads(shown)["results"])):
        given = Given("memories.json", data.encode())
        importer = importer_of(given)
        assert importer is IMPORTERS["mem0"]
        trip, food = read(importer, [given]).entries
        assert trip.id == "f4cbdb08-7062-4f3e-8eb2-9f5c80dfe64c" and trip.time == "2024-07-01T12:00:00Z"
        assert (trip.kind, food.kind) == ("note", "preference")


def test_agentmemory() -> None:
    found = entries("agentmemory", "agent-memory/made-here/agentmemory-export-0.3.0.json")
    assert (found["mem_0"].after, found["mem_0"].state, found["mem_0"].expires) == ("mem_1", "superseded", "2026-06-01")
    assert found["mem_1"].kind == "pattern" and all(spot.offered for spot in found["mem_1"].places)
    assert found["obs_1"].kind == "decision" and "- Only verifyJwt checks a token" in found["obs_1"].text


# -- memories of code --------------------------------------------------------------------------------------------------


def test_chains_of_limpet() -> None:
    found = arrived("limpet", "code-memory-tools/KSym04__limpet")
    by_id = {entry.id: entry for entry in found.entries}
    # 29 links, 8 of them to records that are not in the file; one record has two predecessors.
    assert sum(bool(entry.after) for entry in found.entries) == 21
    assert sum("not in the file" in problem.message for problem in found.problems) == 8
    assert sum(entry.state.startswith("active") for entry in found.entries) == 26
    first = by_id["01KWJW4DF80005J0YQAAVVHF1D"]
    assert [str(spot) for spot in first.places] == ["src/memory/recall.rs#recall"] and first.places[0].unsure
    chain = []
    while first.after:
        first = by_id[first.after]
        chain.append(first.state)
    assert len(chain) >= 3 and chain[-1].startswith("active")


MADE_HERE = "code-memory-tools/made-here-openlore"


def test_openlore() -> None:
    decisions = entries("openlore", "code-memory-tools/vishnujayvel__hookwise")
    # What is only an id of its project has the project's folder before it.
    first = decisions["code-memory-tools/vishnujayvel__hookwise/arch1-fail-open"]
    assert first.state == "approved, confidence high" and "**Consequences:**" in first.text
    assert "internal/core/dispatcher.go:20" in map(str, first.places) and all(spot.offered for spot in first.places)
    notes = {entry.id.rpartition("/")[2]: entry for entry in entries("openlore", MADE_HERE).values()}
    assert [str(spot) for spot in notes["147e7c88"].places] == [
        "src/auth/provider.ts",
        "src/auth/provider.ts#verifyJwt",
    ]
    assert notes["147e7c88"].kind == "decision"
    assert (notes["09ab33ef"].state, notes["09ab33ef"].after) == ("invalidated 2026-07-27", f"{MADE_HERE}/5c5c5c5c")


def test_yigraf() -> None:
    project = "code-memory-tools/mansilla__yigraf/"
    found = {entry.id.removeprefix(project): entry for entry in entries("yigraf", project).values()}
    memory = found["mem:001"]
    assert [str(spot) for spot in memory.places] == [
        "src/yigraf/drift.py#compute_drift",
        "src/yigraf/drift.py#resolve_renames",
    ]
    assert "**Rejected:**" in memory.text and "int-memory-family" in memory.tags
    assert found["int:drift-detection"].kind == "purpose"
    task = found["task:phase-3-structure-depth/2"]
    assert (task.kind, task.state, [str(spot) for spot in task.places]) == (
        *("case", "done", ["src/yigraf/retrieval.py#_render"]),
    )


def test_two_entries_with_one_id_are_not_taken_for_one() -> None:
    one, other = ({"results": [{"id": "1", "memory": text}]} for text in ("It is so.", "It is not so."))
    files = [Given(f"{name}.json", json.dumps(data).encode()) for name, data in (("a", one), ("b", other), ("c", one))]
    found = read(IMPORTERS["mem0"], files)
    assert [entry.text for entry in found.entries] == ["It is so."]
    (problem,) = found.problems
    assert problem.lost and problem.file == "b.json" and "in a.json" in problem.message


# -- plain lines -------------------------------------------------------------------------------------------------------


def test_lines_of_a_batch() -> None:
    lines = [
        {"anchors": ["src/a.py#f", {"file": "src/b.py", "line": 3}], "kind": "decision", "text": "One.", "tags": ["x"]},
        {"kind": "nota", "text": "Two."},
        {"kind": "note", "text": " "},
        {"kind": "note", "text": "Three.", "anchors": [7]},
    ]
    data = b"\n\n".join(json.dumps(line).encode() for line in lines) + b"\n{cut\n"
    found = read(IMPORTERS["jsonl"], [Given("notes.jsonl", data)])
    assert [(entry.kind, [str(spot) for spot in entry.places]) for entry in found.entries] == [
        *(("decision", ["src/a.py#f", "src/b.py:3"]), ("note", []), ("note", [])),
    ]
    assert [(problem.where, problem.lost) for problem in found.problems] == [
        *(("line 5", True), ("line 7", False), ("line 8", True)),
    ]


# -- whatever comes ----------------------------------------------------------------------------------------------------

ALL = sorted(
    path.relative_to(SAMPLES).as_posix()
    for path in SAMPLES.rglob("*")
    if path.is_file() and path.suffix in (".json", ".jsonl", ".md", ".lock", ".tour")
)


@settings(max_examples=150, deadline=None)
@given_(
    name=st.sampled_from(sorted(IMPORTERS)),
    path=st.sampled_from(ALL),
    cut=st.integers(0, 4000),
    junk=st.binary(max_size=12),
)
def test_no_importer_breaks_on_damage(name: str, path: str, cut: int, junk: bytes) -> None:
    """Any importer takes any file, whole, cut off and with bytes put in, and says what it lost."""
    data = sample(path).data
    damaged = Given(path, data[: len(data) - cut] if cut % 2 else data[:cut] + junk + data[cut + len(junk) :])
    importer_of(damaged)
    found = read(IMPORTERS[name], [damaged])
    for entry in found.entries:
        assert entry.id and entry.source and entry.file == path
    for problem in found.problems:
        assert problem.message and "\n" not in str(problem)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "title",
                    "steps",
                    "description",
                    "file",
                    "line",
                    "selection",
                    "start",
                    "end",
                    "files",
                    "path",
                    "bookmarks",
                    "memories",
                    "decisions",
                    "rationale",
                    "content",
                    "anchors",
                    "body",
                    "status",
                    "id",
                    "version",
                    "sessions",
                    "observations",
                    "entityType",
                    "name",
                    "results",
                    "memory",
                    "kind",
                    "text",
                    "links",
                    "metadata",
                    "sourceRefs",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given_(name=st.sampled_from(sorted(IMPORTERS)), value=_JSON)
def test_no_importer_breaks_on_odd_values(name: str, value: object) -> None:
    given = Given("x/.memofs/memory/x.json", json.dumps(value).encode())
    importer_of(given)
    read(IMPORTERS[name], [given])
