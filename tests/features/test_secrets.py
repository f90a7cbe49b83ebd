"""What looks like a secret is found, in whatever is written; prose and code are not taken for one.

Every secret is put together here when the test runs, of random letters, so that nothing in the repository looks like
one to anybody's scanner.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.stage import Stage

from lsp_server.features import operations
from lsp_server.features.errors import Refused
from lsp_server.features.evidence import read_evidence
from lsp_server.features.operations import Grounds
from lsp_server.features.secrets import secret_in, thorough

ROOT = Path(__file__).parents[2]
UPPER, LOWER = string.ascii_uppercase + string.digits, string.ascii_lowercase + string.digits
ANY = string.ascii_letters + string.digits
HEX = "0123456789abcdef"

seed = random.Random(7)


def some(alphabet: str, length: int) -> str:
    """Random letters with a digit and a letter among them."""
    found = [seed.choice(alphabet) for _ in range(length)]
    found[1], found[2] = seed.choice("23456789"), seed.choice([one for one in alphabet if one.isalpha()])
    return "".join(found)


def token() -> str:
    parts = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
        for part in ({"alg": "HS256", "typ": "JWT"}, {"sub": some(LOWER, 12)})
    ]
    return ".".join([*parts, some(ANY, 43)])


SECRETS: dict[str, Callable[[], str]] = {
    "AWS Access Key": lambda: "AK" + "IA" + some(UPPER, 16),
    "AWS Access Key, secret half": lambda: "aws_secret_access_" + "key = " + some(ANY, 40),
    "GitHub Token": lambda: "gh" + "p_" + some(ANY, 36),
    "GitHub Token, fine-grained": lambda: "github" + "_pat_" + some(ANY, 22) + "_" + some(ANY, 59),
    "GitLab Token": lambda: "gl" + "pat-" + some(ANY, 20),
    "PyPI Token": lambda: "pypi-" + "AgEI" + some(ANY, 70),
    "NPM tokens": lambda: "npm" + "_" + some(ANY, 36),
    "RubyGems Key": lambda: "rubygems" + "_" + some(HEX, 48),
    "Docker Token": lambda: "dckr" + "_pat_" + some(ANY, 27),
    "Slack Token": lambda: "xox" + "b-" + "".join(seed.choices(string.digits, k=12)) + "-" + some(LOWER, 24),
    "Slack Token, of an app": lambda: "xa" + "pp-1-" + some(UPPER, 11) + "-1234567890-" + some(HEX, 64),
    "Stripe Access Key": lambda: "sk" + "_live_" + some(ANY, 24),
    "SendGrid API Key": lambda: "SG" + "." + some(ANY, 22) + "." + some(ANY, 43),
    "Twilio API Key": lambda: "S" + "K" + some(HEX, 32),
    "Mailchimp Access Key": lambda: some(HEX, 32) + "-us" + "12",
    "Square OAuth Secret": lambda: "sq0" + "csp-" + some(ANY, 43),
    "Discord Bot Token": lambda: "M" + some(ANY, 23) + "." + some(ANY, 6) + "." + some(ANY, 27),
    "Telegram Bot Token": lambda: "123456789" + ":AA" + some(ANY, 33),
    "OpenAI Key": lambda: "sk-" + "proj-" + some(ANY, 30) + "T3Blbk" + "FJ" + some(ANY, 30),
    "Anthropic Key": lambda: "sk-" + "ant-api03-" + some(ANY, 90),
    "Hugging Face Token": lambda: "hf" + "_" + some(ANY, 34),
    "Google API Key": lambda: "AI" + "za" + some(ANY, 35),
    "Google OAuth Secret": lambda: "GOC" + "SPX-" + some(ANY, 28),
    "DigitalOcean Token": lambda: "dop" + "_v1_" + some(HEX, 64),
    "Shopify Token": lambda: "shp" + "at_" + some(HEX, 32),
    "Stripe Webhook Secret": lambda: "whs" + "ec_" + some(ANY, 32),
    "Vault Token": lambda: "hv" + "s." + some(ANY, 30),
    "Azure Storage Account access key": lambda: "AccountKey=" + some(ANY, 86) + "==",
    "JSON Web Token": token,
    "Basic Auth Credentials": lambda: "https://robot:" + some(ANY, 12) + "@ci.internal/build",
    "Private Key": lambda: "-----BEGIN RSA " + "PRIVATE KEY-----\n" + some(ANY, 64),
    "Private Key, of OpenSSH": lambda: "-----BEGIN OPENSSH " + "PRIVATE KEY-----\n" + some(ANY, 70),
    "Private Key, of PGP": lambda: "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----\n\n" + some(ANY, 64),
    "Private Key, of PuTTY": lambda: "PuTTY-User-" + "Key-File-3: ssh-ed25519",
    "age Secret Key": lambda: "AGE-SECRET-" + "KEY-1" + some(UPPER, 58),
    "Secret Keyword": lambda: 'api_key = "' + some(ANY, 32) + '"',
    "Secret Keyword, a password": lambda: "password: '" + some(ANY, 20) + "'",
}
"""A secret of each kind."""

HARMLESS = [
    "The token is checked before the body is read; a secret never reaches the log.",
    "password = get_password()",
    'password = "hunter2" is what the test signs in with',
    'token = "the-token-of-the-test"',
    "secret: none",
    "We sign with AWS keys, see `AWS_SECRET_ACCESS_KEY` in the vault.",
    "postgres://user:password@localhost/db",
    "https://user:****@host/path",
    f"sha256 {'ab12' * 16}",
    f"fixed at {'c0ffee12' * 5}",
    "550e8400-e29b-41d4-a716-446655440000",
    "a BEGIN RSA PRIVATE KEY heading is what the scanner looks for",
    "sk-learn, sk_live and AKIA are beginnings of names",
    "eyJ is how a token begins",
    "APDocumentStoreFactory, ACCESS_CONTROL_LIST_BUILDER",
    "file:src/auth/provider_of_tokens_and_keys.py:40-52",
    "![x](data:image/png;base64," + "iVBORw0KGgo" * 20 + ")",
]
"""What is no secret, though words of it are about them."""


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_found_and_named(kind: str) -> None:
    for secret in (SECRETS[kind]() for _ in range(5)):
        for text in (secret, f"It is\n{secret}\nas of today.", f"x {secret}"):
            assert secret_in(text) == kind.partition(",")[0], text


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret(text: str) -> None:
    assert thorough(text) is None


def documents() -> list[Path]:
    """Prose and code of this project, which has no secrets."""
    kinds = (
        "README.md",
        "CHANGELOG.md",
        "docs/**/*.md",
        "lsp_server/core/*.py",
        "editors/**/*.lua",
        "editors/**/*.txt",
    )
    found = [path for kind in kinds for path in sorted(ROOT.glob(kind)) if "node_modules" not in path.parts]
    return [path for path in found if path.is_file()]


def test_prose_and_code_are_no_secrets() -> None:
    found = documents()
    assert len(found) > 50
    assert {path: kind for path in found if (kind := secret_in(path.read_text(encoding="utf-8")))} == {}


def test_a_secret_deep_in_one_long_line_is_found() -> None:
    secret = SECRETS["GitHub Token"]()
    for start in (0, 2000, 2040, 4090, 30_000, 64_000):
        assert secret_in("word " * (start // 5) + secret + " word" * 900) == "GitHub Token"


LETTERS = st.sampled_from(
    [*"aZ9_-=.:/@ \n'\"", "key", "token", "password", "AKIA", "ghp_", "://", "BEGIN", "PRIVATE KEY"]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(LETTERS, st.sampled_from(sorted(SECRETS)).map(lambda kind: SECRETS[kind]())), max_size=30))
def test_the_look_ahead_equals_the_thorough_look(words: list[str]) -> None:
    text = "".join(words)
    assert secret_in(text) == thorough(text)


# -- wherever something is written -------------------------------------------------------------------------------------

CODE = "#- a.py\ndef login(user):\n    return check(user, 30)\n"


@pytest.mark.parametrize(
    ("what", "facts"),
    [
        ("text", lambda secret: {"text": f"Use {secret}."}),
        ("field symptom", lambda secret: {"fields": {"symptom": secret}}),
        ("tags", lambda secret: {"tags": (secret,)}),
        ("evidence", lambda secret: {"evidence": read_evidence([f"quote:{secret}"])}),
    ],
)
async def test_nothing_is_recorded_with_a_secret_unless_it_is_allowed(
    tmp_path: Path, what: str, facts: Callable[[str], dict[str, Any]]
) -> None:
    secret = SECRETS["GitHub Token"]()
    async with Stage(tmp_path, CODE) as stage:
        given_facts = facts(secret)
        with pytest.raises(Refused, match=rf"^the {what} holds what looks like a secret \(GitHub Token\)") as caught:
            await stage.record("a.py#login", kind="finding", **given_facts)
        assert secret not in str(caught.value) and "\n" not in str(caught.value)
        assert not list(tmp_path.glob(".moorline/memories/*"))
        assert (await stage.record("a.py#login", kind="finding", allow_secret=True, **given_facts))["created"]


async def test_nothing_else_is_written_with_a_secret_unless_it_is_allowed(tmp_path: Path) -> None:
    secret = SECRETS["OpenAI Key"]()
    async with Stage(tmp_path, CODE) as stage:
        made = await stage.record("a.py#login", kind="note")

        def calls(identifier: str, allow: bool) -> list[Callable[[], Any]]:
            session = stage.session
            why, proof = Grounds(secret, allow_secret=allow), Grounds("x", (f"quote:{secret}",), allow_secret=allow)
            return [
                lambda: operations.clear_staleness(session, identifier, None, secret, allow_secret=allow),
                lambda: operations.add_evidence(session, identifier, proof),
                lambda: operations.transition(session, identifier, "follow_up", why),
                lambda: operations.undo(session, identifier, secret, allow_secret=allow),
                lambda: operations.retire(session, identifier, why),
                lambda: operations.restore(session, identifier, why),
                lambda: operations.supersede(session, identifier, secret, Grounds(allow_secret=allow)),
            ]

        before = sorted(tmp_path.glob(".moorline/memories/*/*"))
        for call in calls(made["id"], False):
            with pytest.raises(Refused, match="looks like a secret"):
                await call()
        assert sorted(tmp_path.glob(".moorline/memories/*/*")) == before
        for call in calls(made["id"], True):
            await call()


async def test_an_author_is_no_secret_and_a_reason_no_document(tmp_path: Path) -> None:
    secret, long = SECRETS["GitHub Token"](), "w " * (operations.REASON_CAP // 2 + 1)
    async with Stage(tmp_path, CODE) as stage:
        session, identifier = stage.session, (await stage.record("a.py#login", kind="note"))["id"]
        before = sorted(tmp_path.glob(".moorline/memories/*/*"))
        by_secret, at_length = Grounds("x", author=secret), Grounds(long)
        refused: list[tuple[str, Callable[[], Any]]] = [
            ("the author looks like a secret", lambda: stage.record("a.py#login", kind="finding", author=secret)),
            ("the author looks like a secret", lambda: operations.pin(session, identifier, author=secret)),
            ("the author looks like a secret", lambda: operations.retire(session, identifier, by_secret)),
            ("the reason has 4098 bytes", lambda: operations.retire(session, identifier, at_length)),
            ("the reason has 4098 bytes", lambda: operations.undo(session, identifier, long)),
            ("the note has 4098 bytes", lambda: operations.clear_staleness(session, identifier, None, long)),
        ]
        for says, call in refused:
            with pytest.raises(Refused, match=f"^{says}") as caught:
                await call()
            assert secret not in str(caught.value)
        assert sorted(tmp_path.glob(".moorline/memories/*/*")) == before
        await operations.pin(session, identifier, author="Nina Neu <nina.longname@example.org>")
        await operations.retire(session, identifier, Grounds(long[:-2]))


def test_nothing_is_loaded_before_something_is_written() -> None:
    import subprocess
    import sys

    code = (
        "import sys, lsp_server.lsp.server, lsp_server.cli.settling, lsp_server.features.secrets as s;"
        "s.refuse_secrets({'text': 'Short words, and nothing that is long.'});"
        "print([name for name in sys.modules if name.startswith(('detect_secrets', 'requests'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
