"""Texts that hold what looks like a secret: they would be committed with the code, and git forgets nothing.

Knows keys and tokens that can be told by their shape, by a kept detector (bc-detect-secrets) and, for services that it
does not know, by a table; and what is called a secret and looks random. Entropy alone is not asked: words, hashes and
paths have as much of it. Nothing is loaded until a text is looked at, and nothing is ever asked over a network.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from types import MappingProxyType

from lsp_server.features.errors import Refused

DETECTORS: Mapping[str, str] = MappingProxyType(
    {
        "aws": "AWSKeyDetector",
        "azure_storage_key": "AzureStorageKeyDetector",
        "basic_auth": "BasicAuthDetector",
        "discord": "DiscordBotTokenDetector",
        "github_token": "GitHubTokenDetector",
        "jwt": "JwtTokenDetector",
        "mailchimp": "MailchimpDetector",
        "npm": "NpmDetector",
        "sendgrid": "SendGridDetector",
        "slack": "SlackDetector",
        "square_oauth": "SquareOAuthDetector",
        "stripe": "StripeDetector",
        "twilio": "TwilioKeyDetector",
    }
)
"""The detector's modules that find nothing in prose, with the class of each. Left out are those that go by entropy, by
public addresses, and by a few letters with which names in code begin as well (Artifactory, Cloudant, IBM). A private
key is told by its heading alone, whatever comes after it."""

SHAPES: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "Private Key": re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[23]:"),
        "age Secret Key": re.compile(r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
        "GitHub Token": re.compile(r"github_pat_[0-9A-Za-z_]{60,}"),
        "GitLab Token": re.compile(r"\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[0-9A-Za-z_-]{20,}"),
        "PyPI Token": re.compile(r"\bpypi-AgEI[0-9A-Za-z_-]{50,}"),
        "RubyGems Key": re.compile(r"\brubygems_[0-9a-f]{48}"),
        "Docker Token": re.compile(r"\bdckr_pat_[0-9A-Za-z_-]{27}"),
        "OpenAI Key": re.compile(r"\bsk-[0-9A-Za-z_-]{20,}T3BlbkFJ[0-9A-Za-z_-]{20,}"),
        "Anthropic Key": re.compile(r"\bsk-ant-[0-9a-z]+-[0-9A-Za-z_-]{40,}"),
        "Hugging Face Token": re.compile(r"\bhf_[0-9A-Za-z]{34}\b"),
        "Google API Key": re.compile(r"\bAIza[0-9A-Za-z_-]{35}"),
        "Google OAuth Secret": re.compile(r"\bGOCSPX-[0-9A-Za-z_-]{28}"),
        "DigitalOcean Token": re.compile(r"\bdo[opr]_v1_[0-9a-f]{64}"),
        "Shopify Token": re.compile(r"\bshp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}"),
        "Slack Token": re.compile(r"\bxapp-[0-9]-[0-9A-Z]+-[0-9]+-[0-9a-z]{30,}"),
        "Stripe Webhook Secret": re.compile(r"\bwhsec_[0-9A-Za-z]{32,}"),
        "Telegram Bot Token": re.compile(r"\b[0-9]{8,10}:AA[0-9A-Za-z_-]{33}\b"),
        "Vault Token": re.compile(r"\bhv[sbr]\.[0-9A-Za-z_-]{24,}"),
    }
)
"""Tokens whose makers gave them a beginning of their own so that they can be found, as their documentation has them."""

KEYWORD = "keyword"
"""The module that goes by what a value is called. It counts only where the value looks random besides."""

RANDOM = 16
"""Characters from which on a value can look random; 3 bits a character and more, letters and digits mixed: words,
version numbers, names of settings and places in code have less or are not mixed."""

PLACEHOLDERS = frozenset({"pass", "password", "passwd", "pwd", "secret", "token", "key", "xxx", "changeme"})
"""What stands for a password in an address where none is meant."""

_MAY_BE = re.compile(r"\S{16}|://\S+@|PRIVATE KEY|PuTTY")
_LINE = 4096
"""Characters of one line that are looked at in one piece; longer ones are cut with half of it in common."""

Finder = Callable[[str], Iterable[str]]


def refuse_secrets(texts: Mapping[str, str], allow: bool = False) -> None:
    """Raises Refused where one of some texts holds what looks like a secret, unless that is allowed.

    `texts` are by what each is, which the message names with the kind of secret; it never repeats the secret.
    """
    if allow:
        return
    for what, text in texts.items():
        found = secret_in(text)
        if found is not None:
            raise Refused(
                f"the {what} holds what looks like a secret ({found}): leave it out, and say where it is kept; where it"
                " is none, --allow-secret (in a request allowSecret) lets it pass"
            )


def secret_in(text: str) -> str | None:
    """The kind of secret that a text seems to hold; None for nearly every text."""
    return thorough(text) if _MAY_BE.search(text) else None


def thorough(text: str) -> str | None:
    """`secret_in`, which it equals, without its look at whether there is anything long enough."""
    for kind, shape in SHAPES.items():
        if shape.search(text):
            return kind
    detectors = loaded()
    for piece in pieces(text):
        for kind, find in detectors:
            if any(True for _ in find(piece)):
                return kind
    return None


def pieces(text: str) -> Iterator[str]:
    """The lines of a text, a very long one in parts."""
    for line in text.split("\n"):
        for start in range(0, max(1, len(line) - _LINE // 2), _LINE // 2):
            yield line[start : start + _LINE]


@lru_cache(maxsize=1)
def loaded() -> tuple[tuple[str, Finder], ...]:
    """What finds secrets in a line, with the kind that each is for."""
    found: list[tuple[str, Finder]] = []
    for name, class_ in DETECTORS.items():
        detector = getattr(import_module(f"detect_secrets.plugins.{name}"), class_)()
        find: Finder = detector.analyze_string
        found.append((detector.secret_type, only(find, is_meant) if name == "basic_auth" else find))
    keyword = import_module(f"detect_secrets.plugins.{KEYWORD}").KeywordDetector()
    return (*found, (keyword.secret_type, only(keyword.analyze_string, looks_random)))


def only(find: Finder, counts: Callable[[str], bool]) -> Finder:
    return lambda text: (value for value in find(text) if counts(value))


def is_meant(password: str) -> bool:
    """Whether the password of an address is one, and not what stands for one."""
    return password.lower() not in PLACEHOLDERS and not set(password) <= set("*.xX") and "example" not in password


def looks_random(value: str) -> bool:
    """Whether a value can hardly be a word, a name or a path."""
    if len(value) < RANDOM or any(letter.isspace() for letter in value):
        return False
    kinds = (str.isdigit, str.isalpha)
    if not all(any(kind(letter) for letter in value) for kind in kinds):
        return False
    return entropy(value) >= 3.0


def entropy(text: str) -> float:
    """Bits a character (Shannon)."""
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts)
