"""Ruby: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
class Shop
  def pay(amount, rate = 2)
    if amount > 3
      log('a', amount)
    end
    rates = [rate, amount]
    $0rates[1] * amount
  end
end
"""

TWICE = """\
class Order
  def total(amount)
    log('first', amount)$0
    amount * 2 + fee
  end
end

class Order
  def total(amount)
    amount * 3
  end
end
"""

SINGLETON = """\
class Order
  class << self
    def build(name)
      check(name)$0
      new(name, 1)
    end
  end

  def build(name)
    name
  end
end
"""

QUERY = """\
class Order
  SQL = <<~SQL.freeze
    select $0 1
  SQL

  def all
    run(SQL, 1, 2)
  end
end
"""

CONTAINER = """\
class Order < Base$0
  LIMIT = 3

  def total(amount)
    amount * 2
  end
end
"""

CASES = LanguageCases(
    file="a.rb",
    comment="#",
    sample=SAMPLE,
    style_edits=(
        ("log('a', amount)", 'log "a", amount'),
        ("(amount, rate = 2)", " amount, rate = 2"),
        ("if amount > 3", "if (amount > 3) then"),
        ("rate, amount]", "rate, amount,];"),
    ),
    same=(
        ("x = 'a'", 'x = "a"'),
        ("x = 'it\\'s'", 'x = "it\'s"'),
        ("x = 'a\\d'", 'x = "a\\\\d"'),
        ("x = 'a\nb'", 'x = "a\\nb"'),
        ('x = "a\\\nb"', "x = 'ab'"),
        ("x = 'a#b'", 'x = "a#b"'),
        ("x = '#{a}'", 'x = "\\#{a}"'),
        ('x = "a#{b}c"', 'x = "a#{ b }c"'),
        ("f a, b", "f(a, b)"),
        ("f(a) do |x| x end", "f a do |x|\n  x\nend"),
        ("return(a)" + "\n", "return a\n"),
        ("yield a", "yield(a)"),
        ("def f a, b\n  a\nend", "def f(a, b) a end"),
        ("def f(a); a; end", "def f(a)\n  a\nend"),
        ("f(a, b,)", "f(a, b)"),
        ("x = [1, 2,]", "x = [1, 2]"),
        ("x = {a: 1,}", "x = { a: 1 }"),
        ("x = %w[a  b]", "x = %w[\n  a\n  b\n]"),
        ("if (a == b)\n  c\nend", "if a == b then c end"),
        ("c if (a)", "c if a"),
        ("while (a) do b end", "while a\n  b\nend"),
        ("case a when 1 then b end", "case a\nwhen 1\n  b\nend"),
        ("x = (a + b)", "x = a + b"),
        ("x = a \\\n  + b", "x = a + b"),
        ("a\n  .b\n  .c", "a.b.c"),
        ("a; b", "a\nb"),
        ("begin; a; rescue E; b; end", "begin\n  a\nrescue E\n  b\nend"),
        ("x = 1_000 + 0XfF", "x = 1000 + 0xff"),
        ("x = <<~A\n  b\n    c\n\nA", "x = <<~A\n      b\n        c\n\n  A"),
        ("x = <<-A.b(1)\n  c\nA", "x = <<-A.b(1)\n  c\n  A"),
        ('x = <<~"A"\n  b #{c}\nA', 'x = <<~"A"\n    b #{c}\nA'),
        ("=begin\na\n=end\nx = 1", "x = 1"),
    ),
    different=(
        ("x = 'a'", "x = 'a '"),
        ("x = 'a\\n'", 'x = "a\\n"'),
        ("x = '#{a}'", 'x = "#{a}"'),
        ('x = "#{a} b"', 'x = "#{a}  b"'),
        ('x = "#{a}"', 'x = "#{b}"'),
        ("x = :a", "x = 'a'"),
        ("x = `a b`", "x = `a  b`"),
        ("x = /a b/", "x = /a  b/"),
        ("x = <<~A\n  a b\nA", "x = <<~A\n  a  b\nA"),
        ("x = <<~A\n  a\nA", "x = <<-A\n  a\nA"),
        ("x = <<-A\n  a\nA", "x = <<-A\n    a\nA"),
        ("x = <<~A\n  a\n  b\nA", "x = <<~A\n  a\n    b\nA"),
        ("x = <<~A\n  a \\\n  b\nA", "x = <<~A\n    a \\\n    b\nA"),
        ("x = <<-A # <<~A\n  a\nA", "x = <<-A # <<~A\n    a\nA"),
        ("x = [<<~A, <<-A]\n  a\nA\n  b\nA", "x = [<<~A, <<-A]\n  a\nA\n    b\nA"),
        ("x = <<~A\n  #{a}\nA", "x = <<~A\n  #{b}\nA"),
        ("x = %w[a b]", "x = %w[ab]"),
        ("f { |a,| a }", "f { |a| a }"),
        ("a, = x", "a = x"),
        ("f()", "f"),
        ("def f\n  super()\nend", "def f\n  super\nend"),
        ("f (a).b", "f(a).b"),
        ("f a { b }", "f(a) { b }"),
        ("x = (a; b)", "x = a; b"),
        ("x = (a + b) * c", "x = a + b * c"),
        ("x = (a rescue b)", "x = a and b"),
        ("a&.b", "a.b"),
        ("a ||= b", "a = b"),
        ("def f(a) end", "def f(*a) end"),
        ("def f(a: 1) end", "def f(a = 1) end"),
        ("def self.f; end", "def f; end"),
        ("class A < B; end", "class A < C; end"),
        ("class A; private; def f; end; end", "class A; public; def f; end; end"),
        ("private def f; end", "def f; end"),
        ("a if b", "a unless b"),
        ("if a\n  b\n  c\nend", "if a\n  b\nend\nc"),
        ("a ... b", "a .. b"),
        ("attr_reader :a", "attr_accessor :a"),
    ),
    counting=(
        "# frozen_string_literal: true",
        "# typed: strict",
        "# -*- coding: latin-1 -*-",
        "#: (Integer) -> String",
    ),
    silent=("# rubocop:disable all", "#:nodoc:", "# frozen", "=begin\nx\n=end"),
    edits=(
        ("amount > 3", "amount >= 3", "changed body"),
        ("'a'", "'b'", "changed body"),
        ("rate = 2", "rate = 3", "changed interface"),
        ("(amount, rate = 2)", "(rate = 2, amount)", "changed interface"),
        ("  def pay", "  private def pay", "changed interface"),
        ("pay", "settle", "moved"),
        ("    if", "    # why\n\n    if", "reformatted"),
        ("class Shop", "require 'set'\n\nclass Shop", "fresh"),
        ("class Shop", "class Shop < Base", "fresh"),
        ("class Shop", "class Store", "moved"),
    ),
    verdicts=(
        (TWICE, TWICE.replace("* 3", "* 4"), "fresh"),
        (TWICE, TWICE.replace("* 2", "* 4"), "changed body"),
        (TWICE, TWICE[TWICE.index("\n\nclass") + 2 :], "missing symbol_gone"),
        (SINGLETON, SINGLETON.replace("    name\n", "    name + 1\n"), "fresh"),
        (SINGLETON, SINGLETON.replace("name, 1", "name, 2"), "changed body"),
        # `class << self` and `def self.` say the same in two ways; the place is one, the code is not.
        (
            SINGLETON,
            "class Order\n  def self.build(name)\n    check(name)$0\n    new(name, 1)\n  end\nend\n",
            "changed interface",
        ),
        # The text of a here-document stands behind the definition that it is part of.
        (QUERY, QUERY, "fresh"),
        (QUERY, QUERY.replace(" 1\n", " 2\n"), "changed body"),
        (QUERY, QUERY.replace("run(SQL, 1", "run(SQL, 2"), "fresh"),
        (QUERY, QUERY.replace(".freeze", ".freeze # why"), "reformatted"),
        (CONTAINER, CONTAINER.replace("* 2", "* 3"), "changed members"),
        (CONTAINER, CONTAINER.replace("LIMIT = 3", "LIMIT = 4"), "changed body"),
        (CONTAINER, CONTAINER.replace("Base", "Other"), "changed interface"),
        (
            "class A\n  def x = 1\n  def x=(v)\n    @x = check(v, 2)$0\n  end\nend\n",
            "class A\n  def x = 2\n  def x=(v)\n    @x = check(v, 2)$0\n  end\nend\n",
            "fresh",
        ),
        (
            "if A\n  def load(p) = fast($0p, 1, 2)\nelse\n  def load(p) = slow(p)\nend\n",
            "if A\n  def load(p) = fast($0p, 1, 2)\nelse\n  def load(p) = slow(p, 2)\nend\n",
            "fresh",
        ),
    ),
)
