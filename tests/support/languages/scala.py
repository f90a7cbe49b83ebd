"""Scala: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
class Shop {
  @auth
  def pay(amount: Int, rate: Int = 2): Int = {
    if (amount > 3) {
      log("a", amount)
    }
    val rates = List(rate, amount)
    $0rates(1) * amount
  }
}
"""

OVERLOADS = """\
class Shop {
  def pay(a: Int): Unit = { total = total + a; log("int$0", a) }
  def pay(a: String): Unit = { total = total + parse(a); log("text", a) }
}
"""

COMPANION = """\
class Order {
  def make(n: Int): Int = { second(n) }
}

object Order {
  def make(n: Int): Order = { first(n) + 1$0 }
}
"""

EXTENSIONS = """\
extension (s: String)
  def tidy(n: Int): String = first(s, n) + 1$0

extension (i: Int)
  def tidy(n: Int): Int = second(i, n)
"""

INDENTED = """\
class Shop:
  def pay(a: Int): Int =
    val b = a$0 + 1
    if b > 2 then
      log(b)
      log(a)
    b * 2
"""

CONTAINER = """\
final class Order$0(val id: Int) extends Base {
  val limit = 3
  def total(amount: Int): Int = { amount * 2 }
}
"""

GIVEN = """\
given $0ordering: Ordering[Int] with
  def compare(x: Int, y: Int) = x - y
"""


def inside(code: str) -> str:
    return "class A {\n  def f() = {\n    " + code + "\n  }\n}"


CASES = LanguageCases(
    file="a.scala",
    comment="//",
    sample=SAMPLE,
    indented=True,
    style_edits=(
        ("rate: Int = 2)", "rate: Int = 2,\n  )"),
        ("amount)\n    }", "amount);\n    }"),
        ("rates = List(rate, amount)", "rates = (List(rate, amount));"),
    ),
    same=(
        (inside("f(a, b,\n)"), inside("f(a, b)")),
        ("class A(a: Int, b: Int,\n)", "class A(a: Int, b: Int)"),
        ("import a.{b, c,\n}", "import a.{b, c}"),
        (inside("a(); b()"), inside("a()\n    b()")),
        (inside("return (x)"), inside("return x")),
        (inside("x = ((y + z))"), inside("x = y + z")),
        ("val x = (a + b)", "val x = a + b"),
        ("def f = (a)", "def f = a"),
        ("val x = 0XFF + 1_000L", "val x = 0xff + 1000l"),
        ('val x = s"a ${ b } c"', 'val x = s"a ${b} c"'),
        ("class A:\n  def f = 1\nend A", "class A:\n  def f = 1"),
        ("/** a */ val x = 1 // b", "val x = 1"),
    ),
    different=(
        ('val x = "a"', 'val x = "a "'),
        ('val x = s"$a $b"', 'val x = s"$a  $b"'),
        ('val x = s"$a "', 'val x = s"$a"'),
        ('val x = s" $a"', 'val x = s"$a"'),
        ('val x = s"$a"', 'val x = s"$b"'),
        ('val x = s"a"', 'val x = "a"'),
        ('val x = s"a"', 'val x = f"a"'),
        ('val x = s"$$a"', 'val x = s"$a"'),
        ('val x = """a b"""', 'val x = """a  b"""'),
        ("val x = ' '", "val x = '\t'"),
        ("val x = (a, b)", "val x = (b, a)"),
        ("val x = (a + b) * c", "val x = a + b * c"),
        ("var x: Int = (_)", "var x: Int = _"),
        ("val x = 1", "var x = 1"),
        ("lazy val x = 1", "val x = 1"),
        ("val x: Int = 1", "val x: Long = 1"),
        ("private val x = 1", "val x = 1"),
        ("@a val x = 1", "val x = 1"),
        ("def f(a: Int) = 1", "def f(a: => Int) = 1"),
        ("def f(a: Int = 1) = 1", "def f(a: Int = 2) = 1"),
        ("def f()(implicit a: A) = 1", "def f()(a: A) = 1"),
        ("def f = 1", "def f() = 1"),
        ("class A extends B", "class A extends C"),
        ("class A extends B with C", "class A extends B with D"),
        ("case class A(b: Int)", "class A(b: Int)"),
        ("class A[+B]", "class A[-B]"),
        ("object A", "class A"),
        ("import a.{b => c}", "import a.{b => d}"),
        (inside("if (a) { b() }\n    c()"), inside("if (a) { b()\n    c() }")),
        (inside("for (i <- a) b"), inside("for (i <- a) yield b")),
        (inside("x match { case 1 => a; case _ => b }"), inside("x match { case _ => b; case 1 => a }")),
        (
            "def f =\n  if a then\n    b()\n    c()",
            "def f =\n  if a then\n    b()\n  c()",
        ),
    ),
    counting=("//> using scala 3.3",),
    silent=("// scalafmt: off", "/* a */", "/** a */", "// using scala"),
    edits=(
        ("amount > 3", "amount >= 3", "changed body"),
        ('"a"', '"b"', "changed body"),
        ("rate: Int = 2", "rate: Int = 3", "changed interface"),
        ("  @auth\n", "", "changed interface"),
        ("  def", "  private def", "changed interface"),
        ("): Int", "): Long", "changed interface"),
        ("pay", "settle", "moved"),
        ("    if", "    // why\n\n    if", "reformatted"),
        ("class Shop", "import a.b\n\nclass Shop extends Base", "fresh"),
    ),
    verdicts=(
        (OVERLOADS, OVERLOADS.replace("Shop {", "Shop {\n  def pay(a: Long): Unit = { x(a) }"), "fresh"),
        (OVERLOADS, OVERLOADS.replace('"text"', '"more"'), "fresh"),
        (OVERLOADS, OVERLOADS.replace("total + a;", "total - a;"), "changed body"),
        (OVERLOADS, OVERLOADS.replace("a: Int", "a: Int, b: Int"), "changed interface"),
        (
            OVERLOADS,
            "class Shop {\n" + OVERLOADS[OVERLOADS.index("  def pay(a: String") :],
            "missing symbol_gone",
        ),
        (COMPANION, COMPANION.replace("second(n)", "second(1)"), "fresh"),
        (COMPANION, COMPANION.replace("first(n)", "first(1)"), "changed body"),
        (EXTENSIONS, EXTENSIONS.replace("second(i, n)", "second(i, 1)"), "fresh"),
        (EXTENSIONS, EXTENSIONS.replace("first(s, n)", "first(s, 1)"), "changed body"),
        (INDENTED, INDENTED.replace("      log(a)", "    log(a)"), "changed body"),
        (INDENTED, INDENTED.replace("    b * 2", "\n    // why\n    b * 2"), "reformatted"),
        (CONTAINER, CONTAINER.replace("* 2", "* 3"), "changed members"),
        (CONTAINER, CONTAINER.replace("limit = 3", "limit = 4"), "changed body"),
        (CONTAINER, CONTAINER.replace("val id", "var id"), "changed interface"),
        (CONTAINER, CONTAINER.replace("Base", "Other"), "changed interface"),
        (GIVEN, GIVEN.replace("x - y", "y - x"), "changed members"),
        (GIVEN, GIVEN.replace("Ordering[Int]", "Ordering[Long]"), "changed interface"),
    ),
)
