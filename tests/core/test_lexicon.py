"""The lexicon: which words may stand for those of a question."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from lsp_server.core.lexicon import Lexicon, builtin, extended
from lsp_server.core.terms import is_chinese, stem, terms

OWN = Lexicon(
    {
        "slow": "performance latency",
        "does not work": "bug",
        "分页": "pagination",
        "分页查询": "paging",
        "超时": "timeout",
    },
    {"k8s": "kubernetes", "ts": "typescript"},
)


def check_expanded(question: str, wanted: Collection[str], lexicon: Lexicon = OWN) -> None:
    assert set(lexicon.expanded(question)) == {stem(word) for word in wanted}, question


EXPANDED = {
    "slow": ["performance", "latency"],
    "Slow and slower": ["performance", "latency"],
    "slowly": [],
    "slowness": ["performance", "latency"],
    "it does  not work": ["bug"],
    "it does not workshop": [],
    "slow performance": ["latency"],
    "请求超时": ["timeout"],
    "分页查询慢": ["paging"],
    "分页 慢": ["pagination"],
    "timeout": ["超时"],
    "timeouts of pagination": ["超时", "分页"],
    "nothing": [],
}


@pytest.mark.parametrize("question", EXPANDED)
def test_expressions_of_a_question_are_met(question: str) -> None:
    check_expanded(question, EXPANDED[question])


def test_aliases_are_of_whole_words() -> None:
    assert OWN.alike("K8s, or tsx and TS") == ["kubernet", "typescript"]


def test_a_workspace_adds_and_takes_away() -> None:
    lexicon = extended(OWN, {"Slow": "crawl", "does not work": ""}, {"TS": "", "obs": "observability"})
    check_expanded("slow", ["crawl"], lexicon)
    check_expanded("does not work", [], lexicon)
    assert lexicon.alike("ts obs") == terms("observability")


def test_the_digest_is_of_aliases_alone() -> None:
    assert OWN.digest == extended(OWN, {"new": "words"}, {}).digest == extended(OWN, {}, {"K8S": "kubernetes"}).digest
    assert OWN.digest != extended(OWN, {}, {"obs": "observability"}).digest


def test_ours_has_both_languages_and_no_entry_in_vain() -> None:
    lexicon = builtin()
    chinese = [one for one in lexicon.expansions if is_chinese(one)]
    assert len(chinese) > 200 and len(lexicon.expansions) - len(chinese) > 40
    for expression, words in lexicon.expansions.items():
        assert expression == expression.lower().strip() and terms(words), expression
        assert set(terms(words)) - set(terms(expression)), expression
    for name, other in lexicon.aliases.items():
        assert name == name.lower() and terms(other) and terms(other) != terms(name), name
    check_expanded("鉴权", ["auth", "authorization", "authentication"], lexicon)
    assert {"kubernet"} <= set(lexicon.alike("k8s")) and {"typescript"} <= set(lexicon.alike("TS"))
