"""Recall on a small workspace of hand-made notes: people's words against the words that the notes use."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stage import Stage

from lsp_server.features import operations
from lsp_server.features.search import Question

NOTES = {
    "retry": "Exponential backoff: a failed request is retried three times, then the error goes up.",
    "pool": "The connection pool holds ten connections; more of them deadlock the migration.",
    "cache": "Cache entries expire after an hour, since prices change at most that often.",
    "utc": "All timestamps are stored in UTC and shown in the timezone of the user.",
    "flags": "Feature flags are read once at startup; changing one needs a restart.",
    "auth": "verifyJwt checks the signature before it looks at the payload.",
    "csv": "The CSV export writes a byte order mark, because Excel reads it as Latin-1 otherwise.",
    "money": "Amounts are integers in cents. Floating point lost a cent in the invoice of March.",
    "分页": "分页查询必须带上稳定的排序字段,否则会出现重复数据。",
    "锁": "更新库存前先加行锁,防止并发超卖。",
    "日志": "日志里不允许输出密码和令牌。",
    "k8s": "Kubernetes kills the pod when the health check takes longer than five seconds.",
}

QUESTIONS = {
    "what happens when a request fails": "retry",
    "does it try again": "retry",
    "how many connections can be open": "pool",
    "the app hangs while it migrates": "pool",
    "when do cached prices expire": "cache",
    "wrong time shown": "utc",
    "time zone": "utc",
    "turn off a feature": "flags",
    "verify_jwt": "auth",
    "jwt signature": "auth",
    "login token check": "auth",
    "garbled characters in excel": "csv",
    "why are amounts integers": "money",
    "rounding of money": "money",
    "排序 重复": "分页",
    "pagination duplicates": "分页",
    "并发扣减库存": "锁",
    "lock stock": "锁",
    "令牌可以打印吗": "日志",
    "签名校验": "auth",
    "时区": "utc",
    "缓存过期": "cache",
    "健康检查 pod": "k8s",
    "k8s restarts": "k8s",
}


async def check_recall(stage: Stage, question: str, wanted: str) -> None:
    """The wanted note is among the first three."""
    answer = await operations.search_memories(stage.session, Question(question, limit=3))
    texts = [memory["text"] for memory in answer["memories"]]
    assert NOTES[wanted] in texts, (question, texts)


@pytest.fixture
async def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path, {})


async def test_people_find_what_they_ask_for(stage: Stage) -> None:
    async with stage:
        for text in NOTES.values():
            await stage.record(kind="note", text=text)
        for question, wanted in QUESTIONS.items():
            await check_recall(stage, question, wanted)
        answer = await operations.search_memories(stage.session, Question("zeppelin"))
        assert answer["memories"] == []
