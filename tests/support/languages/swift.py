"""Swift: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
class Shop {
    @discardableResult
    func pay(_ amount: Int, rate: Int = 2) -> Int {
        if amount > 3 {
            log("a", amount)
        }
        let rates = [rate, amount]
        $0return rates[1] * amount
    }
}
"""

OVERLOADS = """\
class Shop {
    func pay(a: Int) { total = total + a; log("int$0", a) }
    func pay(a: String) { total = total + parse(a); log("text", a) }
}
"""

EXTENSIONS = """\
extension Array where Element == Int {
    func sum(n: Int) -> Int { return first(n) + 1$0 }
}

extension Array where Element == Double {
    func sum(n: Int) -> Double { return second(n) }
}
"""

PROPERTY = """\
class Order {
    var name: String {
        get { return first + glue$0 + last }
        set { first = check(newValue, 1) }
    }
}
"""

CONTAINER = """\
final class Order$0: Base {
    let limit = 3
    func total(_ amount: Int) -> Int { return amount * 2 }
}
"""

EXTENSION = """\
extension Order$0: Priced {
    func total(_ amount: Int) -> Int { return amount * 2 }
}
"""

BRANCHES = """\
#if DEBUG
func load(_ p: String) -> Int { return fast($0p, 1, 2) }
#else
func load(_ p: String) -> Int { return slow(p) }
#endif
"""


def inside(code: str) -> str:
    return "func f() {\n" + code + "\n}"


CASES = LanguageCases(
    file="a.swift",
    comment="//",
    sample=SAMPLE,
    style_edits=(
        ("if amount > 3 {", "if (amount > 3) {"),
        ("[rate, amount]", "[rate, amount,]"),
        ("amount)\n", "amount);\n"),
        ("return rates[1] * amount", "return (rates[1] * amount);"),
    ),
    same=(
        ("let x = [1, 2,]", "let x = [1, 2]"),
        ('let x = ["a": 1,]', 'let x = ["a": 1]'),
        (inside("a(); b()"), inside("a()\nb()")),
        (inside("return (x)"), inside("return x")),
        (inside("if (a == b) { c() }"), inside("if a == b { c() }")),
        (inside("while (a) { c() }"), inside("while a { c() }")),
        (inside("switch (a) { default: b() }"), inside("switch a { default: b() }")),
        (inside("x = (y + z)"), inside("x = y + z")),
        ("let x = ((y))", "let x = y"),
        ("enum E { case a; case b }", "enum E {\n  case a\n  case b\n}"),
        ("let x = 0xFF + 1_000", "let x = 0xff + 1000"),
        ('let x = "a \\( b ) c"', 'let x = "a \\(b) c"'),
        ("/* a /* b */ */ let x = 1 // c", "let x = 1"),
    ),
    different=(
        ('let x = "a"', 'let x = "a "'),
        ('let x = "  \\(a)"', 'let x = " \\(a)"'),
        ('let x = "\\(a) \\(b)"', 'let x = "\\(a)  \\(b)"'),
        ('let x = "\\(a)"', 'let x = "\\(b)"'),
        ('let x = "\\(a)"', 'let x = "(a)"'),
        ('let x = #"\\n"#', 'let x = "\\n"'),
        ('let x = """\n  a\n  """', 'let x = """\n  a\n """'),
        ('let x = """\n  \\(a)\n  """', 'let x = """\n  \\(a)\n """'),
        ("let x = (a, b)", "let x = (b, a)"),
        ("let x = (a: 1, b: 2)", "let x = (1, 2)"),
        ("let x = (a + b) * c", "let x = a + b * c"),
        ("let x = (a?.b).c", "let x = a?.b.c"),
        ("let x = a!", "let x = a"),
        ("let x = 1", "var x = 1"),
        ("let x: Int = 1", "let x: Int? = 1"),
        ("private let x = 1", "let x = 1"),
        ("@A var x = 1", "var x = 1"),
        ("func f(a: Int) {}", "func f(_ a: Int) {}"),
        ("func f(a: Int = 1) {}", "func f(a: Int = 2) {}"),
        ("func f(a: inout Int) {}", "func f(a: Int) {}"),
        ("func f() throws {}", "func f() {}"),
        ("func f() async {}", "func f() {}"),
        ("class A: B {}", "class A: C {}"),
        ("class A { static func f() {} }", "class A { class func f() {} }"),
        ("extension A where B == Int {}", "extension A where B == Double {}"),
        ("struct A {}", "class A {}"),
        ("enum A { case b(Int) }", "enum A { case b(String) }"),
        ("#if A\nlet x = 1\n#endif", "#if B\nlet x = 1\n#endif"),
        (inside("if a { b() }\nc()"), inside("if a { b()\nc() }")),
        (inside("for i in 0..<9 { a() }"), inside("for i in 0...9 { a() }")),
        (inside("try a()"), inside("try! a()")),
        (inside("guard a else { return }"), inside("if a { return }")),
    ),
    counting=("// swift-tools-version:5.9", "// sourcery: AutoMockable"),
    silent=("// swiftlint:disable all", "/// a", "// MARK: - a", "/* a */"),
    edits=(
        ("amount > 3", "amount >= 3", "changed body"),
        ('"a"', '"b"', "changed body"),
        ("rate: Int = 2", "rate: Int = 3", "changed interface"),
        ("    @discardableResult\n", "", "changed interface"),
        ("_ amount", "amount", "changed interface"),
        (") -> Int", ") -> Int?", "changed interface"),
        ("pay", "settle", "moved"),
        ("        if", "        // why\n\n        if", "reformatted"),
        ("class Shop", "import UIKit\n\nclass Shop: Base", "fresh"),
        # A method that moves into an extension of its type keeps its place.
        ("class Shop {", "class Shop {}\n\nextension Shop {", "fresh"),
    ),
    verdicts=(
        (OVERLOADS, OVERLOADS.replace("Shop {", "Shop {\n    func pay(a: Double) { x(a) }"), "fresh"),
        (OVERLOADS, OVERLOADS.replace('"text"', '"more"'), "fresh"),
        (OVERLOADS, OVERLOADS.replace("total + a;", "total - a;"), "changed body"),
        (OVERLOADS, OVERLOADS.replace("a: Int", "a: Int, b: Int"), "changed interface"),
        (
            OVERLOADS,
            "class Shop {\n" + OVERLOADS[OVERLOADS.index("    func pay(a: String") :],
            "missing symbol_gone",
        ),
        (EXTENSIONS, EXTENSIONS.replace("second(n)", "second(1)"), "fresh"),
        (EXTENSIONS, EXTENSIONS.replace("first(n)", "first(1)"), "changed body"),
        (EXTENSIONS, EXTENSIONS[EXTENSIONS.index("extension Array where Element == Double") :], "missing symbol_gone"),
        (PROPERTY, PROPERTY.replace("newValue, 1", "newValue, 2"), "fresh"),
        (PROPERTY, PROPERTY.replace("last", "more"), "changed body"),
        (CONTAINER, CONTAINER.replace("* 2", "* 3"), "changed members"),
        (CONTAINER, CONTAINER.replace("limit = 3", "limit = 4"), "changed body"),
        (CONTAINER, CONTAINER.replace("Base", "Other"), "changed interface"),
        (EXTENSION, EXTENSION.replace("* 2", "* 3"), "changed members"),
        (EXTENSION, EXTENSION.replace("Priced", "Named"), "changed interface"),
        (BRANCHES, BRANCHES.replace("slow(p)", "slow(p, 1)"), "fresh"),
    ),
)
