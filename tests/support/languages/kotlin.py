"""Kotlin: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
class Shop {
    @Auth
    fun pay(amount: Int, rate: Int = 2): Int {
        if (amount > 3) {
            log("a", amount)
        }
        val rates = listOf(rate, amount)
        $0return rates[1] * amount
    }
}
"""

OVERLOADS = """\
class Shop {
    fun pay(a: Int) {
        total = total + a
        log("int$0", a)
    }

    fun pay(a: String) {
        total = total + parse(a)
        log("text", a)
    }
}
"""

EXTENSIONS = """\
fun String.tidy(n: Int): String {
    return trim(n).take(1$0)
}

fun Int.tidy(n: Int): Int {
    return n
}
"""

COMPANION = """\
class Order {
    companion object {
        fun make(n: Int): Order {
            return build(n, 1$0)
        }
    }

    fun make(n: Int): Int {
        return n
    }
}
"""

PROPERTY = """\
class Order {
    var name: String = "a"
        get() = first + glue$0 + last
        set(value) {
            first = check(value, 1)
        }
}
"""

CONTAINER = """\
open class Order$0(val id: Int) : Base() {
    val limit = 3

    fun total(amount: Int): Int {
        return amount * 2
    }
}
"""


def inside(code: str) -> str:
    """Statements, where the grammar knows all of them."""
    return "fun f() {\n    " + code + "\n}"


CASES = LanguageCases(
    file="a.kt",
    comment="//",
    sample=SAMPLE,
    style_edits=(
        ('"a"', '"""a"""'),
        ("rate: Int = 2)", "rate: Int = 2,)"),
        ("listOf(rate, amount)", "listOf(rate, amount,);"),
        ("return rates[1] * amount", "return (rates[1] * amount)"),
    ),
    same=(
        # Kotlin specification, "Function declaration", "Control structure bodies", "String interpolation".
        ("fun f(): Int { return 1 }", "fun f(): Int = 1"),
        ("fun f(): Int {\n    // why\n    return (1)\n}", "fun f(): Int = 1"),
        ("fun f(): Int { throw A() }", "fun f(): Int = throw A()"),
        ("fun f(): Unit { g() }", "fun f() { g() }"),
        ("fun f(): Unit = throw A()", "fun f() { throw A() }"),
        ("val a: Int\n    get() { return 1 }", "val a: Int\n    get() = 1"),
        ("fun f() { if (a) b() else c() }", "fun f() { if (a) { b() } else { c() } }"),
        ("val x = when (a) { 1 -> b\n else -> c }", "val x = when (a) { 1 -> { b }\n else -> { c } }"),
        ("fun f() { for (i in a) b(i) }", "fun f() { for (i in a) { b(i) } }"),
        ("fun f() { while (a) b() }", "fun f() { while (a) { b() } }"),
        ('val x = "${a} b"', 'val x = "$a b"'),
        ('val x = "a${b}${c.d}"', 'val x = "a$b${c.d}"'),
        ('val x = """${a} b"""', 'val x = """$a b"""'),
        ("class A {\n    override internal fun f() = 1\n}", "class A {\n    internal override fun f() = 1\n}"),
        ("class A {}", "class A"),
        ("class A constructor(x: B)", "class A(x: B)"),
        ("class A private constructor(x: B)", "class A private constructor(\n    x: B,\n)"),
        ('val x = "a\\\\d"', 'val x = """a\\d"""'),
        ('val x = "a\\nb"', 'val x = """a\nb"""'),
        ('val x = "\\u0041"', 'val x = "A"'),
        ('val x = "${a + 1} b"', 'val x = "${ a + 1 } b"'),
        (inside("f(a, b,)"), inside("f(a, b)")),
        ("fun f(a: Int, b: Int,) = 1", "fun f(a: Int, b: Int) = 1"),
        ("class A(val a: Int,)", "class A(val a: Int)"),
        ("val f = { x, y, -> x }", "val f = { x, y -> x }"),
        ("enum class E {\n    A, B,\n}", "enum class E {\n    A, B\n}"),
        (inside("a; b"), inside("a\n    b")),
        (inside("a();"), inside("a()")),
        (inside("return (x)"), inside("return x")),
        ("val x = (a + b)", "val x = a + b"),
        ("fun f() = (a)", "fun f() = a"),
        (inside("x = ((y))"), inside("x = y")),
        ("val x = 0XFF + 1_000", "val x = 0xff + 1000"),
        ("enum class E {\n    A, B,\n    ;\n    fun f() = 1\n}", "enum class E {\n    A, B;\n    fun f() = 1\n}"),
        (
            inside("when (x) {\n        1, 2, -> a\n        else -> b\n    }"),
            inside("when (x) { 1, 2 -> a\n else -> b }"),
        ),
        ("/** a */ val x = 1 // b", "val x = 1"),
    ),
    different=(
        ("fun f() { throw A() }", "fun f() = throw A()"),
        ("fun f() { g() }", "fun f() = g()"),
        ("fun f() { return g() }", "fun f() = g()"),
        ("fun f(): Unit { return Unit() }", "fun f() { return Unit() }"),
        ("fun f(): Int { return@f 1 }", "fun f(): Int = 2"),
        ("fun f(): Int { g()\n return 1 }", "fun f(): Int = 1"),
        ("fun f(): Int { return 1 }", "fun f(): Int { 1 }"),
        ("fun f(): A { b() }", "fun f() { b() }"),
        ("fun f() { if (a) { b() ; c() } }", "fun f() { if (a) b() ; c() }"),
        ("fun f() { if (a) { if (b) c() } else d() }", "fun f() { if (a) if (b) c() else d() }"),
        ("val x = when (a) { 1 -> { b }\n else -> c }", "val x = when (a) { 1 -> { { b } }\n else -> c }"),
        ('val x = "${a}b"', 'val x = "$ab"'),
        ('val x = "$a"', 'val x = "$b"'),
        ('val x = "$a"', 'val x = "\\$a"'),
        ('val x = "${a.b}"', 'val x = "$a.b"'),
        ('val x = "a"', 'val x = "a "'),
        ('val x = "${a} b"', 'val x = "${a}  b"'),
        ('val x = "${a}"', 'val x = "${b}"'),
        # A plain `$a` is a variable, and the grammar takes it for text.
        ('val x = "\\$a"', 'val x = "$a"'),
        ('val x = """\\$a"""', 'val x = "\\$a"'),
        ("val x = ' '", "val x = '\t'"),
        ("val x = (a + b) * c", "val x = a + b * c"),
        ("val x = (a?.b).c", "val x = a?.b.c"),
        (inside("while (x); y()"), inside("while (x) y()")),
        ("val x = 1", "var x = 1"),
        ("val x = 1", "val x by 1"),
        ("val x: Int = 1", "val x: Int? = 1"),
        ("val x = a ?: b", "val x = b"),
        (inside("when (x) { 1, 2 -> a\n else -> b }"), inside("when (x) { 1 -> a\n 2 -> a\n else -> b }")),
        ("enum class E {\n    A, B(1)\n}", "enum class E {\n    A, B\n}"),
        ("val x = a!!", "val x = a"),
        ("val x = a == b", "val x = a === b"),
        ("private val x = 1", "val x = 1"),
        ("@A val x = 1", "val x = 1"),
        ("suspend fun f() = 1", "fun f() = 1"),
        ("fun f(a: Int = 1) = 1", "fun f(a: Int = 2) = 1"),
        ("fun f(vararg a: Int) = 1", "fun f(a: Int) = 1"),
        ("fun String.f() = 1", "fun Int.f() = 1"),
        ("fun <reified T> f() = 1", "fun <T> f() = 1"),
        ("data class A(val a: Int)", "class A(val a: Int)"),
        ("class A(val a: Int)", "class A(var a: Int)"),
        ("class A : B()", "class A : C()"),
        ("class A : B by c", "class A : B by d"),
        ("object A", "class A"),
        (inside("if (a) { b() }\n    c()"), inside("if (a) { b()\n    c() }")),
        (inside("for (i in 0..9) { a() }"), inside("for (i in 0 until 9) { a() }")),
    ),
    counting=(),
    silent=("// ktlint-disable", "/* a */", "/** a */", "//noinspection All"),
    edits=(
        ("amount > 3", "amount >= 3", "changed body"),
        ('"a"', '"b"', "changed body"),
        ("rate: Int = 2", "rate: Int = 3", "changed interface"),
        ("    @Auth\n", "", "changed interface"),
        ("    fun", "    private fun", "changed interface"),
        ("): Int", "): Long", "changed interface"),
        ("pay", "settle", "moved"),
        ("        if", "        // why\n\n        if", "reformatted"),
        ("class Shop", "import a.b\n\nopen class Shop : Base()", "fresh"),
    ),
    verdicts=(
        (OVERLOADS, OVERLOADS.replace("Shop {", "Shop {\n    fun pay(a: Long) {\n        x(a)\n    }\n"), "fresh"),
        (OVERLOADS, OVERLOADS.replace('"text"', '"more"'), "fresh"),
        (OVERLOADS, OVERLOADS.replace("total + a\n", "total - a\n"), "changed body"),
        (OVERLOADS, OVERLOADS.replace("a: Int", "a: Int, b: Int"), "changed interface"),
        (
            OVERLOADS,
            "class Shop {\n" + OVERLOADS[OVERLOADS.index("    fun pay(a: String") :],
            "missing symbol_gone",
        ),
        (EXTENSIONS, EXTENSIONS.replace("return n", "return n + 1"), "fresh"),
        (EXTENSIONS, EXTENSIONS.replace("take(1", "take(2"), "changed body"),
        (EXTENSIONS, EXTENSIONS.replace("fun String", "fun String?"), "changed interface"),
        (COMPANION, COMPANION.replace("return n\n", "return n + 1\n"), "fresh"),
        (COMPANION, COMPANION.replace("n, 1", "n, 2"), "changed body"),
        (PROPERTY, PROPERTY.replace("value, 1", "value, 2"), "fresh"),
        (PROPERTY, PROPERTY.replace("last", "more"), "changed body"),
        (CONTAINER, CONTAINER.replace("* 2", "* 3"), "changed members"),
        (CONTAINER, CONTAINER.replace("limit = 3", "limit = 4"), "changed body"),
        (CONTAINER, CONTAINER.replace("val id", "var id"), "changed interface"),
        (CONTAINER, CONTAINER.replace("Base()", "Other()"), "changed interface"),
    ),
)
