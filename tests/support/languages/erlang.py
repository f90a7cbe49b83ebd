"""Erlang: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
-module(shop).

-define(LIMIT, 3).

-spec pay(integer(), integer()) -> integer().
pay(0, _) ->
    none;
pay(Amount, Rate) when Amount > ?LIMIT ->
    log("a", Amount),
    Rates = [Rate, Amount],
    $0total(Rates) * Amount.
"""

ARITIES = """\
area(S) -> area(S, 1) + $01.

area({circle, R}, F) -> R * R * F;
area({square, A}, F) -> A * A * F.
"""

STATE = """\
-record($0state, {
    total = 0 :: integer(),
    name
}).
"""

CASES = LanguageCases(
    file="a.erl",
    comment="%",
    sample=SAMPLE,
    style_edits=(
        ('log("a", Amount)', 'log("\\x61", (Amount))'),
        ("Rates = [Rate", "Rates = [(Rate)"),
        ("total(Rates) * Amount.", "(total(Rates) * Amount)."),
        ("-spec pay", '-doc "Takes money.".\n-spec pay'),
    ),
    same=(
        ('f() -> "ab".', 'f() -> "a" "b".'),
        ('f() -> "a\\x62".', 'f() -> "ab".'),
        ("f() -> (X).", "f() -> X."),
        ("f() -> X = (Y + 1).", "f() -> X = Y + 1."),
        ("f() -> g((X + 1), Y).", "f() -> g(X + 1, Y)."),
        ("f() -> 16#FF + 1_000.", "f() -> 16#ff + 1000."),
        ("f() -> a. % why", "f() -> a."),
        ("%% @doc Text.\nf() -> a.", "f() -> a."),
        ('-doc "Text.".\nf() -> a.', "f() -> a."),
        ("f() ->\n    a,\n    b.", "f() -> a, b."),
    ),
    different=(
        ("f() -> (A + B) * C.", "f() -> A + B * C."),
        ("f() -> A - (B - C).", "f() -> A - B - C."),
        ('f() -> "a b".', 'f() -> "a  b".'),
        ('f() -> "a".', 'f() -> <<"a">>.'),
        ("f() -> 'a'.", "f() -> A."),
        ("f() -> $a.", "f() -> $b."),
        ("f() -> {a, b}.", "f() -> [a, b]."),
        ("f() -> [a | B].", "f() -> [a, B]."),
        ("f(0) -> a;\nf(_) -> b.", "f(_) -> b;\nf(0) -> a."),
        ("f(0) -> a;\nf(_) -> b.", "f(0) -> a.\nf(_) -> b."),
        ("f(X) when X > 1 -> a.", "f(X) when X > 2 -> a."),
        ("f() -> a, b.", "f() -> b, a."),
        ("f() -> A =:= B.", "f() -> A == B."),
        ("f() -> A ! B.", "f() -> B ! A."),
        ("f() -> g(A, B).", "f() -> g(B, A)."),
        ("f() -> m:g(A).", "f() -> g(A)."),
        ("f() -> fun g/1.", "f() -> fun g/2."),
        ("f() -> catch a.", "f() -> a."),
        ("f() -> case A of 1 -> b; _ -> c end.", "f() -> case A of _ -> c; 1 -> b end."),
        ("f() -> [X || X <- L].", "f() -> [X || X <- M]."),
        ("f() -> <<X:8>>.", "f() -> <<X:16>>."),
        ("f() -> #{a => 1}.", "f() -> #{a := 1}."),
        ("f() -> ?A.", "f() -> ?B."),
        ("-define(A, 1).", "-define(A, 2)."),
        ("-record(a, {b = 1}).", "-record(a, {b = 2})."),
        ("-export([f/1]).", "-export([f/2])."),
        ("-spec f(a()) -> b().", "-spec f(a()) -> c()."),
        ("-type a() :: b.", "-opaque a() :: b."),
        ("-ifdef(A).\nf() -> a.\n-endif.", "-ifndef(A).\nf() -> a.\n-endif."),
        ("f() -> receive a -> b after 1 -> c end.", "f() -> receive a -> b after 2 -> c end."),
        ("f() -> 1.0.", "f() -> 1."),
    ),
    silent=("% a", "%% @doc a"),
    edits=(
        ("none;", "one;", "changed body"),
        ('"a"', '"b"', "changed body"),
        ("Amount > ?LIMIT", "Amount >= ?LIMIT", "changed interface"),
        ("pay(0, _)", "pay(1, _)", "changed interface"),
        ("-> integer().", "-> float().", "changed interface"),
        ("    log", "    % why\n\n    log", "reformatted"),
        ("LIMIT, 3", "LIMIT, 4", "fresh"),
    ),
    verdicts=(
        (SAMPLE, SAMPLE.replace("pay", "settle"), "moved"),
        (ARITIES, ARITIES.replace("A * A * F", "A * F"), "fresh"),
        (ARITIES, ARITIES.replace("+ $01", "+ $02"), "changed body"),
        (ARITIES, "area() -> 0.\n\n" + ARITIES, "fresh"),
        (
            ARITIES.replace("$0", "").replace("R * R", "R * $0R"),
            ARITIES.replace("$0", "").replace("R * R", "R * $0R").replace("A * A * F", "A * F"),
            "changed body",
        ),
        (STATE, STATE.replace("= 0", "= 1"), "changed body"),
        (STATE, STATE.replace("name\n", "name, step\n"), "changed body"),
        (
            "-ifdef(TEST).\nmode(X) -> g(X) + $01.\n-else.\nmode(X) -> h(X).\n-endif.\n",
            "-ifdef(TEST).\nmode(X) -> g(X) + $01.\n-else.\nmode(X) -> k(X).\n-endif.\n",
            "fresh",
        ),
    ),
)
