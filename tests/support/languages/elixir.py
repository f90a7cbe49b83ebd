"""Elixir: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
defmodule Shop do
  @limit 3

  @spec pay(integer, map) :: integer
  def pay(amount, rates) when amount > 1 do
    if amount > 3 do
      log("a", amount)
    end

    total = [rates, amount]
    $0Enum.sum(total) * rates.base
  end
end
"""

CLAUSES = """\
defmodule Shop do
  def handle(:open, state), do: {:ok, state.a + $01}
  def handle(:close, state), do: {:ok, state.b + 2}
  def handle(state), do: handle(:open, state)
end
"""

PRICED = """\
defprotocol $0Priced do
  @doc "What it costs."
  def price(thing)
end
"""

CASES = LanguageCases(
    file="a.ex",
    comment="#",
    sample=SAMPLE,
    style_edits=(
        ('log("a", amount)', 'log "a", amount'),
        ("if amount > 3 do", "if (amount > 3) do"),
        ("rates, amount]", "rates, amount,]"),
        ("  @spec", '  @doc "Takes money."\n  @spec'),
    ),
    same=(
        ("f a, b: 1", "f(a, b: 1)"),
        ("f a, b:\n  1", "f(a, b: 1)"),
        ("x = [1, 2,]", "x = [1, 2]"),
        ("x = {1, 2,}", "x = {1, 2}"),
        ("x = %{a: 1,}", "x = %{a: 1}"),
        ('x = %{"a" => 1,}', 'x = %{"a" => 1}'),
        ("a(); b()", "a()\nb()"),
        ("f = fn a -> b(); a end", "f = fn a ->\n  b()\n  a\nend"),
        ("f = fn (a, b) -> a end", "f = fn a, b -> a end"),
        ("f = & &1 + 1", "f = &(&1 + 1)"),
        ("x = (a)", "x = a"),
        ("x = (a + b)", "x = a + b"),
        ("x = 0xFF + 1_000", "x = 0xff + 1000"),
        ("x = a # why\ny = b", "x = a\ny = b"),
        ("defmodule A do\n  @moduledoc false\n  def f, do: 1\nend", "defmodule A do\n  def f, do: 1\nend"),
        ('@doc """\nText.\n"""\ndef f, do: 1', "def f, do: 1"),
    ),
    different=(
        ("x = (a + b) * c", "x = a + b * c"),
        ("x = a - (b - c)", "x = a - b - c"),
        ('x = "a"', "x = 'a'"),
        ('x = "a b"', 'x = "a  b"'),
        ('x = "a#{b}"', 'x = "a#{c}"'),
        ("x = :a", 'x = "a"'),
        ("x = ~r/a b/", "x = ~r/a  b/"),
        ("x = {1}", "x = [1]"),
        ("x = [a | b]", "x = [a, b]"),
        ("f(a, [b: 1])", "f(a, {:b, 1})"),
        ("f(g(a, b))", "f(g(a), b)"),
        ("f (a), b", "f (a + b)"),
        ("def f(a), do: a", "defp f(a), do: a"),
        ("def f(a), do: a", "def f(a) when a > 1, do: a"),
        ("def f(a \\\\ 1), do: a", "def f(a \\\\ 2), do: a"),
        ("@impl true\ndef f(a), do: a", "def f(a), do: a"),
        ("@timeout 5", "@timeout 6"),
        ("@spec f(a) :: b", "@spec f(a) :: c"),
        ("a |> b() |> c()", "a |> c() |> b()"),
        ("with {:ok, a} <- b, do: a", "with {:ok, a} = b, do: a"),
        ("case a do\n  1 -> 2\nend", "case a do\n  2 -> 2\nend"),
        ("x = ?a", "x = ?b"),
        ("x = %{a | b: 1}", "x = %{b: 1}"),
        ("if a do\n  b()\n  c()\nend", "if a do\n  b()\nend\nc()"),
    ),
    silent=("# credo:disable-for-next-line", "# a"),
    edits=(
        ("amount > 3", "amount >= 3", "changed body"),
        ('"a"', '"b"', "changed body"),
        ("when amount > 1", "when amount > 2", "changed interface"),
        ("(integer, map)", "(float, map)", "changed interface"),
        ("def pay(amount, rates)", "def pay(amount, rates \\\\ %{})", "changed interface"),
        ("  @spec", '  @doc "Takes money."\n  @spec', "reformatted"),
        ("    if", "    # why\n\n    if", "reformatted"),
        ("@limit 3", "@limit 4", "fresh"),
        ("def pay", "defp pay", "changed interface"),
    ),
    verdicts=(
        (
            SAMPLE,
            SAMPLE.replace("pay(", "settle("),
            "moved",
        ),
        (CLAUSES, CLAUSES.replace("b + 2", "b + 3"), "fresh"),
        (CLAUSES, CLAUSES.replace("a + $01", "a + $02"), "changed body"),
        (
            CLAUSES,
            CLAUSES.replace("  def handle(:open", "  def handle(:wait, state), do: {:wait, state}\n  def handle(:open"),
            "fresh",
        ),
        (CLAUSES, CLAUSES.replace("  def handle(:open, state), do: {:ok, state.a + $01}\n", ""), "missing symbol_gone"),
        (PRICED, PRICED.replace("price(thing)", "price(thing, rate)"), "changed members"),
        (PRICED, PRICED.replace("What it costs", "Its price"), "reformatted"),
        (
            "defimpl P, for: A do\n  def f(x), do: x.a + $01\nend\n\ndefimpl P, for: B do\n  def f(x), do: x.b\nend\n",
            "defimpl P, for: A do\n  def f(x), do: x.a + $01\nend\n\ndefimpl P, for: B do\n  def f(x), do: x.c\nend\n",
            "fresh",
        ),
        (
            "defmodule A do\n  def f(x), do: x.a + $01\nend\n\ndefmodule B do\n  def f(x), do: x.b\nend\n",
            "defmodule B do\n  def f(x), do: x.b\nend\n\ndefmodule A do\n  def f(x), do: x.a + $01\nend\n",
            "fresh",
        ),
    ),
)
