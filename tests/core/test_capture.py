"""What is told of a text, in English and Chinese: every proposal that is expected was written by hand, and no other may
be there. What is refused is told apart by why."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.capture import Proposal, builtin, captured, plainly, says_enough, without_comments
from lsp_server.core.kinds import KINDS

CHAT = """
    User: Hi there!
    Assistant: Hello! How can I help?
    User: We've decided to verify tokens before the body is read. Because a large body must not cost anything.
    Assistant: Got it. I prefer to add a test too. Should we also cache the keys?
    User: Maybe later. From now on, please run the linter before you commit.
    User: No, actually the timeout is 30 seconds, not 60.
    Assistant: You're right, thanks!
    User: There's a race condition in `SessionStore.refresh` when two requests renew the same session.
    User: I'm a backend engineer on the payments team.
    User: can you fix the login page?
    """

COMMIT = """
    fix(auth): reject expired tokens before the body is read

    The root cause was that `verify` looked at the signature alone. We fixed
    it by comparing `exp` with the clock first, e.g. in `src/auth.py`.
    We use a monotonic clock instead of wall time because NTP may step it.

    Signed-off-by: Ann <ann@example.org>
    """

PULL_REQUEST = """
    ## Summary
    This adds a cache.
    <!-- we decided to keep this template -->

    ## Decisions
    - Keep entries for 5 minutes; longer ones were stale too often.
    - None

    ## Known issues
    1. Entries are lost when the process restarts.

    ## How to test
    - Run the tests.

    Lesson learned: measure before adding a cache.
    Note that the cache must be warmed before the first request, otherwise p99 doubles.
    """

CHINESE = """
    用户：你好！
    助手：你好，有什么可以帮你？
    用户：我们决定把令牌校验放在读取请求体之前。因为大的请求体不应该产生任何开销。
    用户：以后请一律用中文写提交信息。
    用户：不对，超时时间应该是30秒，而不是60秒。
    用户：这个项目使用 PostgreSQL 15，不支持 MySQL。
    用户：发现一个死锁：两个请求同时刷新会话时会卡死。
    用户：根本原因是 `refresh` 里拿锁的顺序不一致。
    用户：我们是否要换成 Redis？
    用户：下次要先看锁的顺序再改代码。
    用户：我是支付团队的后端工程师。
    用户：好的，谢谢
    """

MEETING = """
    [10:02] Ann: morning all
    [10:03] Bo: Let's go with Postgres for the queue, since we run it anyway.
    [10:04] Ann: sounds good
    [10:05] Bo: We haven't decided on the retention yet.
    [10:06] Ann: The retry limit is 5 requests per minute.
    [10:07] Bo: The build is failing again.
    [10:08] Ann: I never want mocks in integration tests.
    """

MIXED = """
    会议纪要

    ## 决定
    1. 队列使用 Postgres，不再单独部署 Redis。
    2. 日志保留 30 天。

    ## 待办
    - 更新文档

    记住：发布前必须先运行迁移脚本，否则旧版本会报错。
    """

EXPECTED = {
    "a chat": (
        CHAT,
        [
            (
                "decision",
                "We've decided to verify tokens before the body is read. Because a large body must not cost anything.",
            ),
            ("preference", "From now on, please run the linter before you commit."),
            ("claim", "The timeout is 30 seconds, not 60."),
            (
                "finding",
                "There's a race condition in `SessionStore.refresh` when two requests renew the same session.",
            ),
            ("profile", "I'm a backend engineer on the payments team."),
        ],
    ),
    "a commit message": (
        COMMIT,
        [
            ("case", "fix(auth): reject expired tokens before the body is read"),
            (
                "case",
                "The root cause was that `verify` looked at the signature alone. We fixed it by comparing `exp` with"
                " the clock first, e.g. in `src/auth.py`.",
            ),
            ("decision", "We use a monotonic clock instead of wall time because NTP may step it."),
        ],
    ),
    "a pull request": (
        PULL_REQUEST,
        [
            ("decision", "Keep entries for 5 minutes; longer ones were stale too often."),
            ("finding", "Entries are lost when the process restarts."),
            ("lesson", "Measure before adding a cache."),
            ("note", "The cache must be warmed before the first request, otherwise p99 doubles."),
        ],
    ),
    "a chat in Chinese": (
        CHINESE,
        [
            ("decision", "我们决定把令牌校验放在读取请求体之前。因为大的请求体不应该产生任何开销。"),
            ("preference", "以后请一律用中文写提交信息。"),
            ("claim", "超时时间应该是30秒，而不是60秒。"),
            ("claim", "这个项目使用 PostgreSQL 15，不支持 MySQL。"),
            ("finding", "发现一个死锁：两个请求同时刷新会话时会卡死。"),
            ("case", "根本原因是 `refresh` 里拿锁的顺序不一致。"),
            ("lesson", "下次要先看锁的顺序再改代码。"),
            ("profile", "我是支付团队的后端工程师。"),
        ],
    ),
    "a meeting with times and names": (
        MEETING,
        [
            ("decision", "Let's go with Postgres for the queue, since we run it anyway."),
            ("claim", "The retry limit is 5 requests per minute."),
            ("preference", "I never want mocks in integration tests."),
        ],
    ),
    "minutes in both": (
        MIXED,
        [
            ("decision", "队列使用 Postgres，不再单独部署 Redis。"),
            ("decision", "日志保留 30 天。"),
            ("note", "发布前必须先运行迁移脚本，否则旧版本会报错。"),
        ],
    ),
}


@pytest.mark.parametrize(("text", "expected"), EXPECTED.values(), ids=EXPECTED)
def test_what_is_worth_keeping(text: str, expected: list[tuple[str, str]]) -> None:
    check_told(dedent(text).lstrip("\n"), expected)


def check_told(text: str, expected: list[tuple[str, str]]) -> tuple[Proposal, ...]:
    found = captured(text).proposals
    assert [(one.kind, one.text) for one in found] == expected
    return found


ONE = {
    "We agreed on UTC for every stored time.": "decision",
    "It was decided that ids are never reused.": "decision",
    "The team picked SQLite over LMDB.": "decision",
    "We deliberately leave the socket open.": "decision",
    "团队最终选择了 gRPC。": "decision",
    "这里故意不加锁，读者很多。": "decision",
    "I prefer small commits with one reason each.": "preference",
    "Please never push to main directly.": "preference",
    "Don't add new dependencies in this repo without telling me.": "preference",
    "我更喜欢简短的函数。": "preference",
    "请不要再使用全局变量。": "preference",
    "The id is a UUID, not an integer.": "claim",
    "这个接口返回的不是列表，而是生成器。": "claim",
    "Our API requires an idempotency key on every write.": "claim",
    "The default timeout is 30 seconds.": "claim",
    "Migrations must be applied before the workers start, because they read the new column.": "claim",
    "默认端口是 8080。": "claim",
    "The parser crashes on files without a final newline.": "finding",
    "Messages are silently dropped when the queue is full.": "finding",
    "文件为空的时候会崩溃。": "finding",
    "We fixed the flaky login test by freezing the clock.": "case",
    "The leak was caused by an unclosed cursor.": "case",
    "fix(Modal):Watermark crashes when wrapping Modal with modalRender": "case",
    "fix: no longer drop the last line": "case",
    "修复了并发写入时丢失更新的问题。": "case",
    "超时是由连接池耗尽引起的。": "case",
    "We learned that retries without jitter make outages longer.": "lesson",
    "教训：上线前先做压测。": "lesson",
    "My time zone is UTC+8.": "profile",
    "Keep in mind that the staging database is wiped every night.": "note",
}


@pytest.mark.parametrize(("text", "kind"), ONE.items(), ids=ONE)
def test_one_sentence(text: str, kind: str) -> None:
    assert [one.kind for one in captured(text).proposals] == [kind]


NOTHING = {
    "Hello everyone": "greeting",
    "Good morning, team!": "greeting",
    "大家好！": "greeting",
    "Thanks a lot!": "acknowledgement",
    "OK, sounds good.": "acknowledgement",
    "LGTM": "acknowledgement",
    "👍": "acknowledgement",
    "好的，收到": "acknowledgement",
    "明白了。": "acknowledgement",
    "2026-03-01 10:22:31,123 ERROR worker: we decided to retry because the connection was reset": "log",
    "[INFO] We will use the cache instead of the disk": "log",
    "Mar  1 10:22:31 host app[12]: we agreed to use TLS": "log",
    "WARN: The default timeout is 30 seconds.": "log",
    "ValueError: we decided to stop": "trace",
    "java.lang.IllegalStateException: the parser crashes on input": "trace",
    "+    timeout = 30  # we decided to use 30(s)": "diff",
    "Reviewed-by: Bo <bo@example.org>": "trailer",
    "Should we use Redis instead of Postgres because it is faster?": "question",
    "我们决定用 Redis 了吗": "question",
    "Maybe we will use Redis instead of Postgres.": "undecided",
    "If we decided to use Redis, the queue would be simpler.": "undecided",
    "也许我们决定用 Redis。": "undecided",
    "We decided to do that.": "too little",
    "我们决定这样做。": "too little",
    "I'll have a look at the login page.": "",
    "We have not decided on the retention yet.": "",
    "The build is broken again.": "",
    "This repo needs a rebase.": "",
    "The parser no longer crashes on empty files.": "",
    "fix: typo in the readme": "",
    "fix: add type annotations in test to satisfy mypy": "",
    "Durations from now on are written as days.": "",
    "Errors are looked for once, not once for each of the anchors at each key.": "",
    "| We decided to | use a table |": "table",
    "今天天气不错，我们去吃饭。": "",
    "会话模块还没决定由谁维护。": "",
    "Run the tests and send me the output.": "",
}


@pytest.mark.parametrize(("text", "why"), NOTHING.items(), ids=NOTHING)
def test_what_is_refused(text: str, why: str) -> None:
    found = captured(text)
    assert found.proposals == ()
    assert [one.why for one in found.passed] == ([why] if why else [])


LEFT_OUT = {
    "code": "```python\n# We decided to use tabs instead of spaces.\n```\n",
    "code that is not closed": "~~~\nWe decided to use tabs instead of spaces.\n",
    "a quote": "> We decided to use tabs instead of spaces.\n",
    "a comment of a template": "<!--\nWe decided to use tabs instead of spaces.\n-->\n",
    "a trace": (
        "Traceback (most recent call last):\n"
        '  File "a.py", line 3, in <module>\n'
        '    raise ValueError("we decided to stop")\n'
        "ValueError: we decided to stop\n"
        "    at Object.<anonymous> (/app/index.js:10:5)\n"
    ),
    "a wish of a program": "Assistant: I prefer tabs to spaces in every file.\n",
    "data": "We decided to " + "x1 " * 400,
}


@pytest.mark.parametrize("text", LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_is_nobody_s_sentence(text: str) -> None:
    assert captured(text).proposals == ()
    assert captured(f"{text}\n").proposals == ()


MARKED = {
    "in the sentence": (
        "We decided to check first @anchor(file=a.py, symbol=f). Fine.",
        [("decision", "We decided to check first.", ["a.py#f"])],
    ),
    "two, and one over two lines": (
        "We decided to check first. @anchor(file=a.py, symbol=f) @anchor(file=b.py,\n  symbol=C.g)",
        [("decision", "We decided to check first.", ["a.py#f", "b.py#C.g"])],
    ),
    "right below": (
        "We decided to check first.\n\n@anchor(file=a.py)\n",
        [("decision", "We decided to check first.", ["a.py"])],
    ),
    "above": (
        "@anchor(file=a.py)\n\nWe decided to check first.",
        [("decision", "We decided to check first.", ["a.py"])],
    ),
    "a sentence that no pattern knows": (
        "The order of these two calls matters here. @anchor(file=a.py, symbol=f)",
        [("note", "The order of these two calls matters here.", ["a.py#f"])],
    ),
    "in code": (
        "We decided to check first.\n\n```\n@anchor(file=a.py)\n```\n",
        [("decision", "We decided to check first.", ["a.py"])],
    ),
    "in Chinese": ("我们决定先检查再写入。@anchor(file=a.py)", [("decision", "我们决定先检查再写入。", ["a.py"])]),
}


@pytest.mark.parametrize(("text", "expected"), MARKED.values(), ids=MARKED)
def test_markers_go_with_what_they_stand_at(text: str, expected: list[tuple[str, str, list[str]]]) -> None:
    found = captured(text)
    assert [(one.kind, one.text, [marker.target for marker in one.markers]) for one in found.proposals] == expected
    assert found.loose == ()


def test_a_marker_beside_nothing_is_told() -> None:
    found = captured("Thanks!\n\n@anchor(file=a.py, symbol=f)\n")
    assert found.proposals == () and [one.target for one in found.loose] == ["a.py#f"]


def test_what_stands_in_backticks() -> None:
    (one,) = captured(
        "We decided to call `verify` of `src/auth.py` first. Because `verify` is cheap, see `f(x)`."
    ).proposals
    assert one.mentions == ("verify", "src/auth.py", "f(x)")


def test_the_same_twice_is_proposed_once_and_lines_are_told() -> None:
    text = "Hi!\n\nWe decided to use tabs\neverywhere.\n\nOk.\n\nwe decided to use  tabs everywhere.\n"
    (one,) = captured(text).proposals
    assert (one.line, one.text) == (3, "We decided to use tabs everywhere.")


def test_every_rule_and_label_is_of_a_kind() -> None:
    known = builtin()
    assert {rule.kind for rule in known.rules} | set(known.labels.values()) <= set(KINDS)
    assert known.joining


@given(st.text(max_size=300), st.sampled_from([text for text, _ in EXPECTED.values()]), st.integers(0, 400))
def test_no_text_is_an_error(other: str, text: str, at: int) -> None:
    whole = text[:at] + other + text[at:]
    known = builtin()
    for one in captured(whole).proposals:
        assert one.text.strip() and says_enough(one.text, known)
        assert 1 <= one.line <= len(whole.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


@given(st.lists(st.sampled_from(["<!--", "-->", "a", "\n", "-", ">"]), max_size=12).map("".join))
def test_comments_go_and_their_lines_stay(text: str) -> None:
    slow = re.sub("<!--.*?-->", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    assert without_comments(text) == slow
    assert without_comments(text).count("\n") == text.count("\n")


HOSTILE = {
    "comments that never end": "<!--" * 20_000,
    "a line of signs": "=" * 80_000 + "x",
    "a heading of spaces": "# " + " " * 3_900 + "x",
    "many such headings": ("# " + " " * 3_900 + "x #\n") * 20,
    "backticks": "`a` b. " * 10_000,
    "one sentence of many words": "we use a " * 10_000,
    "a paragraph of many lines": "We decided to go on with line after line of this.\n" * 2_000,
    "markers that never close": "@anchor(file=" * 3_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_text_that_is_made_to_be_slow_is_read_like_any_other(text: str) -> None:
    found = captured(text + "\n\nWe agreed on UTC for every stored time.\n")
    assert found.proposals[-1].text == "We agreed on UTC for every stored time."
    assert len(found.proposals) <= 2


@given(st.text(max_size=80))
def test_what_patterns_search_is_one_line_in_small_letters(text: str) -> None:
    plain = plainly(text)
    assert plain == " ".join(plain.split()) and not set(plain) & set("`'*_") and plain == plain.lower()
