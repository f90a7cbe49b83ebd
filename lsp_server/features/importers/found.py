"""Importers, found by what a file holds. A new format is one file here and one line in the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from lsp_server.features.importers import (
    adr,
    agent_files,
    agentmemory,
    basic_memory,
    batch,
    bookmarks,
    codetour,
    drift,
    limpet,
    mcp_memory,
    mem0,
    memofs,
    memory_bank,
    moorline,
    openlore,
    serena,
    yigraf,
)
from lsp_server.features.importers.entry import Arrived, Given, Importer, joined

IMPORTERS: Mapping[str, Importer] = MappingProxyType(
    {
        importer.name: importer
        for importer in (
            moorline.IMPORTER,
            codetour.IMPORTER,
            memofs.IMPORTER,
            bookmarks.IMPORTER,
            limpet.IMPORTER,
            openlore.IMPORTER,
            agentmemory.IMPORTER,
            mcp_memory.IMPORTER,
            mem0.IMPORTER,
            batch.IMPORTER,
            yigraf.IMPORTER,
            basic_memory.IMPORTER,
            adr.IMPORTER,
            drift.IMPORTER,
            serena.IMPORTER,
            memory_bank.IMPORTER,
            agent_files.IMPORTER,
        )
    }
)
"""Every importer by its name. The first that recognises a file gets it, so the stricter shapes come first."""


def importer_of(given: Given) -> Importer | None:
    """The importer that recognises a file, None where it is of no known format."""
    return next((importer for importer in IMPORTERS.values() if importer.recognises(given)), None)


def read(importer: Importer, files: Sequence[Given]) -> Arrived:
    """What files of one format hold, each entry once."""
    found = importer.read(files)
    once = joined(found.entries)
    return Arrived(once.entries, found.problems + once.problems)
