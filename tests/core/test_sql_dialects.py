"""SQL: what counts as the same is the same statement, by a parser of many dialects that is not ours, and to SQLite."""

from __future__ import annotations

import sqlite3

import pytest
from support.language_cases import LANGUAGE_CASES

sqlglot = pytest.importorskip("sqlglot")

DIALECTS = ("", "postgres", "mysql", "bigquery", "clickhouse", "tsql", "sqlite", "snowflake", "oracle")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("one", "other"), LANGUAGE_CASES["a.sql"].same)
def test_what_counts_as_the_same_is_the_same_statement(one: str, other: str, dialect: str) -> None:
    found = sqlglot.parse(one, dialect=dialect)
    assert found == sqlglot.parse(other, dialect=dialect)
    assert found != sqlglot.parse(f"{other} LIMIT 3", dialect=dialect)


@pytest.mark.parametrize(
    "call", ["count(a)", "sum(a)", "min(a)", "coalesce(a, 3)", "nullif(a, 2)", "abs(a)", "upper(a)"]
)
def test_functions_of_the_standard_have_no_case(call: str) -> None:
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE b (a INT)")
        database.executemany("INSERT INTO b VALUES (?)", [(1,), (2,), (-3,)])
        name = call.partition("(")[0]
        found = [
            database.execute(f"SELECT {call.replace(name, cased)} FROM b").fetchall() for cased in (name, name.upper())
        ]
    assert found[0] == found[1]
