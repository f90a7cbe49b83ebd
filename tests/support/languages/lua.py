"""Lua: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
local M = {}

function M.pay(amount, rate)
  if amount > 3 then
    log('a', amount)
  end
  local rates = { rate, amount }
  $0return rates[1] * amount
end

return M
"""

LOAD = """\
if jit then
  function load(p) return fast($0p, 1, 2) end
else
  function load(p) return slow(p) end
end
"""

CASES = LanguageCases(
    file="a.lua",
    comment="--",
    sample=SAMPLE,
    style_edits=(
        ("'a'", '"a"'),
        ("if amount > 3 then", "if (amount > 3) then"),
        ("rate, amount }", "rate; amount, }"),
        ("amount)\n  end", "amount);\n  end"),
        ("* amount\n", "* (amount);\n"),
    ),
    same=(
        ("x = 'a'", 'x = "a"'),
        ("x = 'it\\'s'", 'x = "it\'s"'),
        ('x = "a\\nb"', "x = [[a\nb]]"),
        ('x = "a\\\nb"', 'x = "a\\nb"'),
        # Lua 5.4, 3.1: the first line end of a long string is not part of it.
        ("x = [[\na]]", "x = 'a'"),
        ("x = [==[a]=]b]==]", "x = 'a]=]b'"),
        ('x = [["a"]]', "x = '\"a\"'"),
        ("f('a')", "f'a'"),
        ("f({ a = 1 })", "f{ a = 1 }"),
        ("f('a')", "f[[a]]"),
        ("x = { 1, 2, }", "x = { 1; 2 }"),
        ("x = { a = 1; b = 2; }", "x = {\n  a = 1,\n  b = 2,\n}"),
        ("a(); b()", "a()\nb()"),
        ("do return 1; end", "do return 1 end"),
        ("if (a == b) then c() end", "if a == b then c() end"),
        ("while (a()) do b() end", "while a() do b() end"),
        ("repeat a() until (b)", "repeat a() until b"),
        ("x = (a)", "x = a"),
        ("x = ((a + b)) * c", "x = (a + b) * c"),
        ("x = 0XfF + 1E5", "x = 0xff + 1e5"),
        ("x = 1 --[[ a\nb ]] y = 2", "x = 1\ny = 2"),
        ("---@param a number\nfunction f(a) end", "function f(a) end"),
    ),
    different=(
        ("x = 'a'", "x = 'a '"),
        ("x = [[\n\na]]", "x = 'a'"),
        ("x = [[a\\n]]", "x = 'a\\n'"),
        ("x = '\\x41'", "x = 'A'"),
        # Brackets cut several values to one.
        ("return (f())", "return f()"),
        ("x = { (f()) }", "x = { f() }"),
        ("g((...))", "g(...)"),
        ("x = (a + b) * c", "x = a + b * c"),
        ("x = -(a ^ b)", "x = (-a) ^ b"),
        ("x = { a }", "x = { a = a }"),
        ("x = { {}, }", "x = { }"),
        ("f()()", "f()"),
        ("a = b; (c)()", "a = b(c)()"),
        ("local x = 1", "x = 1"),
        ("local x <const> = 1", "local x = 1"),
        ("function M.f() end", "function M:f() end"),
        ("if a then b() end c()", "if a then b() c() end"),
        ("x = a == b", "x = a ~= b"),
        ("x = a // b", "x = a / b"),
        ("x = a .. b", "x = b .. a"),
        ("goto a ::a:: ::b::", "goto b ::a:: ::b::"),
        ("for i = 1, 2 do a() end", "for i = 1, 2, 3 do a() end"),
    ),
    counting=("--!strict",),
    silent=("-- luacheck: ignore", "--- a", "---@class Shop", "--[[ a ]]"),
    edits=(
        ("amount > 3", "amount >= 3", "changed body"),
        ("'a'", "'b'", "changed body"),
        ("(amount, rate)", "(rate, amount)", "changed interface"),
        ("M.pay", "M:pay", "changed interface"),
        ("M.pay", "M.settle", "moved"),
        ("  if", "  -- why\n\n  if", "reformatted"),
        ("local M = {}", "local N = {}", "fresh"),
    ),
    verdicts=(
        (
            LOAD,
            LOAD.replace("slow(p)", "slow(p, 1)"),
            "fresh",
        ),
        (
            LOAD,
            "if jit then\n  x = 1\nelse\n  function load(p) return slow(p) end\nend\n",
            "missing symbol_gone",
        ),
        (
            "local A, B = {}, {}\nfunction A:go() return self.x + $0self.y end\nfunction B:go() return self.z end\n",
            "local A, B = {}, {}\nfunction A:go() return self.x + $0self.y end\nfunction B:go() return self.w end\n",
            "fresh",
        ),
        (
            "local M = {}\nfunction M.walk(n, f) $0f(n.left) f(n.right) return count(n) + 1 end\n",
            "local M = {}\nM.walk = function(n, f) $0f(n.left) f(n.right) return count(n) + 1 end\n",
            "changed interface",
        ),
        (
            "local $0M = {\n  limit = 3,\n  go = function(a) return a + 1 end,\n}\n",
            "local $0M = {\n  limit = 3,\n  go = function(a) return a + 2 end,\n}\n",
            "changed members",
        ),
        (
            "local $0M = {\n  limit = 3,\n  go = function(a) return a + 1 end,\n}\n",
            "local $0M = {\n  limit = 4,\n  go = function(a) return a + 1 end,\n}\n",
            "changed body",
        ),
    ),
)
