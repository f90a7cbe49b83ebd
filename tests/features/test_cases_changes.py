"""Case 19 from the field: what counts as a real change, one edit at a time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from support.asking import checked, verdict
from support.stage import Stage


def variants(base: str, *changes: tuple[str, str]) -> list[str]:
    found = []
    for old, new in changes:
        assert base.count(old) == 1, (old, base)
        found.append(base.replace(old, new))
    return found


PY = """\
@auth
def pay(user, amount=3):
    # Twice, as agreed.
    total = check(user, amount, mode='a')
    if total < 4:
        log(total)
    return total
"""
JS = """\
@auth
class Shop {
  pay(user, amount = 3) {
    // Twice, as agreed.
    const total = check(user, amount, 'a');
    if (total < 4) {
      log(total);
    }
    return total;
  }
}
"""
TS = JS.replace("user, amount = 3", "user: User, amount = 3")
GO = """\
package shop

func Pay(user string, amount int) int {
	// Twice, as agreed.
	total := check(user, amount, "a")
	if total < 4 {
		log(total)
	}
	return total
}
"""
RS = """\
#[auth]
fn pay(user: &str, amount: i32) -> i32 {
    // Twice, as agreed.
    let total = check(user, amount, "a");
    if total < 4 {
        log(total);
    }
    total
}
"""
JAVA = """\
class Shop {
  @Auth
  int pay(String user, int amount) {
    // Twice, as agreed.
    int total = check(user, amount, "a");
    if (total < 4) {
      log(total);
    }
    return total;
  }
}
"""
CPP = """\
[[nodiscard]] int pay(User user, int amount = 3) {
  // Twice, as agreed.
  int total = check(user, amount, "a");
  if (total < 4) {
    log(total);
  }
  return total;
}
"""
COMMON = (("total < 4", "total <= 4"), ("total < 4", "total < 5"))
REAL: Mapping[str, tuple[str, str, str, list[str], list[str]]] = {
    "python": (
        "a.py",
        "pay",
        PY,
        variants(
            PY,
            ("# Twice, as agreed.", "# Three times, as agreed."),
            ("    # Twice, as agreed.\n", ""),
            ("    return total", "\n\n    return total"),
            ("check(user, amount, mode='a')", "check(\n        user,\n        amount,\n        mode='a',\n    )"),
            ("'a'", '"a"'),
            ("def pay", "\n# Above.\ndef pay"),
            ("    # Twice, as agreed.", '    """Pays twice."""'),
        ),
        variants(
            PY,
            *COMMON,
            ("amount=3", "amount=4"),
            ("'a'", "'b'"),
            ("@auth\n", ""),
            ("@auth", "@auth2"),
            ("amount=3", "amount"),
            ("(user, amount=3)", "(amount, user=3)"),
            ("check(user, amount,", "check(amount, user,"),
            (
                "    if total < 4:\n        log(total)\n    return total",
                "    if total < 4:\n        log(total)\n        return total",
            ),
            ("    if total < 4:\n        log(total)\n", "    if total < 4:\n        pass\n    log(total)\n"),
            ("def pay", "async def pay"),
        ),
    ),
    "javascript": (
        "a.js",
        "Shop.pay",
        JS,
        variants(
            JS,
            ("// Twice, as agreed.", "// Three times."),
            ("    return total", "\n\n    return total"),
            ("check(user, amount, 'a')", "check(\n      user,\n      amount,\n      'a',\n    )"),
            ("'a'", '"a"'),
            ("log(total);", "log(total)"),
        ),
        variants(
            JS,
            *COMMON,
            ("amount = 3", "amount = 4"),
            ("'a'", "'b'"),
            ("amount = 3", "amount"),
            ("user, amount = 3", "amount, user = 3"),
            ("    }\n    return total;\n", "    return total;\n    }\n"),
            (
                "    const total = check(user, amount, 'a');",
                "    if (user) { const total = check(user, amount, 'a'); }",
            ),
            ("  pay(", "  async pay("),
            ("  pay(", "  static pay("),
            ("'a'", "`a${user}`"),
        ),
    ),
    "go": (
        "a.go",
        "Pay",
        GO,
        variants(
            GO,
            ("// Twice, as agreed.", "// Three times."),
            ("\treturn total", "\n\n\treturn total"),
            ('check(user, amount, "a")', 'check(\n\t\tuser,\n\t\tamount,\n\t\t"a",\n\t)'),
        ),
        variants(
            GO,
            *COMMON,
            ('"a"', '"b"'),
            ("user string, amount int", "amount int, user string"),
            ("\t}\n\treturn total\n", "\treturn total\n\t}\n"),
            ("amount int) int", "amount int64) int"),
        ),
    ),
    "rust": (
        "a.rs",
        "pay",
        RS,
        variants(
            RS,
            ("// Twice, as agreed.", "// Three times."),
            ("    total\n}", "\n\n    total\n}"),
            ('check(user, amount, "a")', 'check(\n        user,\n        amount,\n        "a",\n    )'),
        ),
        variants(
            RS,
            *COMMON,
            ('"a"', '"b"'),
            ("#[auth]\n", ""),
            ("user: &str, amount: i32", "amount: i32, user: &str"),
            ("    total\n}", "    total;\n}"),
            ("user: &str", "user: &mut str"),
            ("fn pay", "pub fn pay"),
        ),
    ),
    "java": (
        "Shop.java",
        "Shop.pay",
        JAVA,
        variants(
            JAVA,
            ("// Twice, as agreed.", "// Three times."),
            ("    return total", "\n\n    return total"),
            ('check(user, amount, "a")', 'check(\n        user,\n        amount,\n        "a")'),
        ),
        variants(
            JAVA,
            *COMMON,
            ('"a"', '"b"'),
            ("  @Auth\n", ""),
            ("String user, int amount", "int amount, String user"),
            ("    }\n    return total;\n", "    return total;\n    }\n"),
            ("  int pay", "  static int pay"),
            ("int total", "long total"),
        ),
    ),
    "cpp": (
        "a.cpp",
        "pay",
        CPP,
        variants(
            CPP,
            ("// Twice, as agreed.", "// Three times."),
            ("  return total", "\n\n  return total"),
            ('check(user, amount, "a")', 'check(\n      user,\n      amount,\n      "a")'),
        ),
        variants(
            CPP,
            *COMMON,
            ('"a"', '"b"'),
            ("[[nodiscard]] ", ""),
            ("amount = 3", "amount = 4"),
            ("User user, int amount = 3", "int amount, User user = 3"),
            ("  }\n  return total;\n", "  return total;\n  }\n"),
            ("User user", "User &user"),
        ),
    ),
}
REAL = {**REAL, "typescript": ("a.ts", "Shop.pay", TS, REAL["javascript"][3], REAL["javascript"][4])}


def in_typescript(code: str) -> str:
    return code.replace("user, amount = ", "user: User, amount = ").replace(
        "(user, amount) {", "(user: User, amount) {"
    )


@pytest.mark.parametrize("language", REAL)
async def test_case_19_what_counts_as_a_real_change(tmp_path: Path, language: str) -> None:
    file, symbol, base, same, different = REAL[language]
    if language == "typescript":
        same, different = [in_typescript(code) for code in same], [in_typescript(code) for code in different]
    path = tmp_path / file
    path.write_text(base)
    wrong = []
    async with Stage(tmp_path, {}) as stage:
        memory = await stage.record(f"{file}#{symbol}")
        await stage.open(file)
        for stale, codes in ((False, same), (True, different)):
            for code in codes:
                assert code != base
                stage.edit(file, code)
                found = await verdict(stage, memory)
                path.write_text(code)
                (on_disk,) = await checked(tmp_path)
                shown = {key: found[key] for key in ("verdict", "reason", "now", "stale")}
                if found["stale"] != stale or found["verdict"] not in ("fresh", "reformatted", "changed"):
                    wrong.append((code, found["verdict"], found["reason"]))
                assert shown == {key: on_disk[key] for key in shown}, "the server and the command line differ"
                stage.edit(file, base)
                assert (await verdict(stage, memory))["verdict"] == "fresh"
    assert not wrong, "\n".join(f"{level} ({reason}) for:\n{code}" for code, level, reason in wrong)
