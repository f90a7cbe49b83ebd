"""Julia: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
module Shop

const LIMIT = 3

function pay(amount::Int, rate = 2)
    if amount > LIMIT
        log("a", amount)
    end
    rates = [rate, amount]
    $0return sum(rates) * amount
end

end
"""

METHODS = """\
area(s::Circle) = s.radius * s.radius + $01
area(s::Square) = s.side * s.side
area(s) = 0
"""

BASKET = """\
struct $0Basket
    items::Vector
    Basket(items) = new(check(items))
end
"""

CASES = LanguageCases(
    file="a.jl",
    comment="#",
    sample=SAMPLE,
    style_edits=(
        ("if amount > LIMIT", "if (amount > LIMIT)"),
        ('log("a", amount)', 'log("a", amount,)'),
        ("[rate, amount]", "[rate, (amount),]"),
        ("sum(rates) * amount", "sum(rates) * (amount)"),
        ("rate = 2)", "rate = 2,)"),
        ("function pay", '"""\n    pay(amount)\n"""\nfunction pay'),
    ),
    same=(
        ("f(a, b,)", "f(a, b)"),
        ("f(a; b = 1,)", "f(a; b = 1)"),
        ("x = [1, 2,]", "x = [1, 2]"),
        ("x = (1, 2,)", "x = (1, 2)"),
        ("x = (a)", "x = a"),
        ("x = (a + b)", "x = a + b"),
        ("if (a == b) c() end", "if a == b\n    c()\nend"),
        ("while (a) b() end", "while a\n    b()\nend"),
        ("f(x) = (x)", "f(x) = x"),
        ("a(); b()", "a()\nb()"),
        ("function f(x) x + 1; end", "function f(x)\n    x + 1\nend"),
        ("x = 0xFF + 1_000", "x = 0xff + 1000"),
        ("x = 1 # why\ny = 2", "x = 1\ny = 2"),
        ("x = 1 #= why =#\ny = 2", "x = 1\ny = 2"),
        ('"""\n    f(x)\n"""\nf(x) = x', "f(x) = x"),
        ('"Text."\nstruct A end', '"Other."\nstruct A end'),
        ("f(a,\n  b)", "f(a, b)"),
    ),
    different=(
        ("x = (1,)", "x = (1)"),
        ("x = (a + b) * c", "x = a + b * c"),
        ("x = f((a, b))", "x = f(a, b)"),
        ("x = -(a ^ b)", "x = (-a) ^ b"),
        ("x = [1, 2]", "x = [1 2]"),
        ("x = [1 2; 3 4]", "x = [1 2 3 4]"),
        ("x = [a; b]", "x = [a, b]"),
        ("f(a; b)", "f(a, b)"),
        ('x = "a"', "x = 'a'"),
        ('x = "a b"', 'x = "a  b"'),
        ('x = "a$b"', 'x = "a$c"'),
        ('x = r"a b"', 'x = r"a  b"'),
        ('x = ("a", y)', "x = (y)"),
        ('@m "a" x = 1', "@m x = 1"),
        ("f(x::Int) = x", "f(x::Float64) = x"),
        ("f(x::T) where {T} = x", "f(x) = x"),
        ("f(x; y = 1) = x", "f(x; y = 2) = x"),
        ("f!(x) = x", "f(x) = x"),
        ("f.(x)", "f(x)"),
        ("x .+ y", "x + y"),
        ("x = a'", "x = a"),
        ("const x = 1", "x = 1"),
        ("global x = 1", "local x = 1"),
        ("mutable struct A\n    x\nend", "struct A\n    x\nend"),
        ("struct A <: B end", "struct A end"),
        ("@inline f(x) = x", "f(x) = x"),
        ("x = :a", "x = a"),
        ("x = a ? b : c", "x = a ? c : b"),
        ("x = 1:2:3", "x = 1:3"),
        ("for i in a\n    b()\n    c()\nend", "for i in a\n    b()\nend\nc()"),
        ("x -> x + 1", "x -> x + 2"),
        ("x = 1.0", "x = 1"),
        ("x = 1f0", "x = 1e0"),
        ("using A: b", "import A: b"),
        ("x = a |> b |> c", "x = a |> c |> b"),
        ("try\n    a()\ncatch e\n    b()\nend", "try\n    a()\nfinally\n    b()\nend"),
    ),
    silent=("# a", "#= a =#"),
    edits=(
        ("amount > LIMIT", "amount >= LIMIT", "changed body"),
        ('"a"', '"b"', "changed body"),
        ("amount::Int", "amount::Float64", "changed interface"),
        ("rate = 2", "rate = 3", "changed interface"),
        ("pay(amount::Int, rate = 2)", "settle(amount::Int, rate = 2)", "moved"),
        ("    if", "    # why\n\n    if", "reformatted"),
        ("LIMIT = 3", "LIMIT = 4", "fresh"),
    ),
    verdicts=(
        (METHODS, METHODS.replace("s.side * s.side", "s.side ^ 2"), "fresh"),
        (METHODS, METHODS.replace("area(s::Circle)", "area(s::Ring) = s.outer - s.inner\narea(s::Circle)"), "fresh"),
        (METHODS, METHODS.replace("area(s::Circle) = s.radius * s.radius + $01\n", ""), "missing symbol_gone"),
        (METHODS, METHODS.replace("s.radius + $01", "s.radius + $02"), "changed body"),
        (BASKET, BASKET.replace("check(items)", "clean(items)"), "changed members"),
        (BASKET, BASKET.replace("items::Vector", "items::Tuple"), "changed body"),
        (BASKET, BASKET.replace("Basket\n", "Basket <: Priced\n", 1), "changed interface"),
        (
            "module A\nf(x) = x + b + $01\nend\n\nmodule B\nf(x) = x + c\nend\n",
            "module B\nf(x) = x + d\nend\n\nmodule A\nf(x) = x + b + $01\nend\n",
            "fresh",
        ),
        (
            'if VERSION > v"1"\n    mode(x) = x + b + $01\nelse\n    mode(x) = x\nend\n',
            'if VERSION > v"1"\n    mode(x) = x + b + $01\nelse\n    mode(x) = x + 2\nend\n',
            "fresh",
        ),
    ),
)
