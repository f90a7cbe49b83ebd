"""Dart: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
class Shop {
  @override
  int pay(int amount, {int rate = 2}) {
    if (amount > 3) {
      log('a', amount);
    }
    var rates = [rate, amount];
    $0return rates[1] * amount;
  }
}
"""

PROPERTY = """\
class Order {
  String get name => first + glue$0 + last;
  set name(String value) { first = check(value, 1); }
}
"""

CONSTRUCTORS = """\
class Order {
  Order(int n) : total = first(n) { log('plain', n); }
  Order.made(int n) : total = second(n) { log('made$0', n); }
}
"""

EXTENSIONS = """\
extension on String {
  int tidy(int n) => first(n) + 1$0;
}

extension on int {
  int tidy(int n) => second(n);
}
"""

TOP = """\
@Since('2')
final Map<String, int> $0prices = {'a': 1, 'b': 2};
int total = 3;
"""

FUNCTION = """\
@pragma('vm:entry-point')
int load(String path) async {
  final data = await read($0path);
  return parse(data, 1);
}

int other() => 2;
"""

CONTAINER = """\
class Order$0 extends Base {
  final limit = 3;
  int total(int amount) { return amount * 2; }
}
"""


def inside(code: str) -> str:
    return "void f() {\n  " + code + "\n}"


CASES = LanguageCases(
    file="a.dart",
    comment="//",
    sample=SAMPLE,
    style_edits=(
        ("'a'", '"a"'),
        ("{int rate = 2})", "{int rate = 2,})"),
        ("[rate, amount]", "[rate, amount,]"),
        ("amount);", "amount,);"),
    ),
    same=(
        ("var x = 'a';", 'var x = "a";'),
        ("var x = 'a\\\\d';", "var x = r'a\\d';"),
        ("var x = 'a\\nb';", "var x = '''a\nb''';"),
        ("var x = '\\x41\\u0042\\u{43}';", "var x = 'ABC';"),
        ("var x = 'a $b c';", 'var x = "a $b c";'),
        ("var x = 'a ${ b } c';", "var x = 'a ${b} c';"),
        ("var x = 'a $b' 'c\"';", "var x = 'a $b'\n    'c\"';"),
        ("var x = [1, 2,];", "var x = [1, 2];"),
        ("var x = {'a': 1,};", "var x = {'a': 1};"),
        ("int f(int a, int b,) => 1;", "int f(int a, int b) => 1;"),
        ("int f({int a = 1,}) => 1;", "int f({int a = 1}) => 1;"),
        (inside("g(a, b: 1,);"), inside("g(a, b: 1);")),
        ("enum E { a, b, }", "enum E { a, b }"),
        ("var x = 0XFF + 1_000;", "var x = 0xff + 1000;"),
        ("/// a\nvar x = 1; // b", "var x = 1;"),
    ),
    different=(
        ("var x = 'a';", "var x = 'a ';"),
        ("var x = '$a $b';", "var x = '$a  $b';"),
        ("var x = ' $a';", "var x = '$a';"),
        ("var x = '$a \"';", "var x = '$a  \"';"),
        ("var x = '$a' ' \"';", "var x = '$a' '  \"';"),
        ("var x = 'a' 'b\"';", "var x = 'a b\"';"),
        ("var x = \"a' 'b\";", "var x = 'a' 'b';"),
        ("var x = '$a';", "var x = '$b';"),
        ("var x = '\\$a';", "var x = '$a';"),
        ("var x = r'$a';", "var x = '$a';"),
        ("var x = '''a b''';", "var x = '''a  b''';"),
        ("var x = (a?.b).c;", "var x = a?.b.c;"),
        ("var x = (a + b) * c;", "var x = a + b * c;"),
        ("var x = (a,);", "var x = (a);"),
        ("var x = 1;", "final x = 1;"),
        ("final x = 1;", "const x = 1;"),
        ("int x = 1;", "int? x = 1;"),
        ("late int x;", "int x;"),
        ("@a int f() => 1;", "int f() => 1;"),
        ("int f() async => 1;", "int f() => 1;"),
        ("int f() sync* {}", "int f() async* {}"),
        ("int f(int a) => 1;", "int f([int a = 1]) => 1;"),
        ("int f({required int a}) => 1;", "int f({int a}) => 1;"),
        ("class A extends B {}", "class A extends C {}"),
        ("class A with B {}", "class A implements B {}"),
        ("sealed class A {}", "base class A {}"),
        ("class A { static int f() => 1; }", "class A { int f() => 1; }"),
        ("class A { int get f => 1; }", "class A { int f() => 1; }"),
        ("class A { A(this.b); }", "class A { A(b); }"),
        ("extension A on B {}", "extension A on C {}"),
        (inside("if (a) { b(); } c();"), inside("if (a) { b(); c(); }")),
        (inside("a..b()..c();"), inside("a.b().c();")),
        (inside("while (a); b();"), inside("while (a) b();")),
        (inside("x ??= a;"), inside("x = a;")),
    ),
    counting=("// @dart=2.9",),
    silent=("// ignore: unused", "/// a", "/* a */", "// dart format off"),
    edits=(
        ("amount > 3", "amount >= 3", "changed body"),
        ("'a'", "'b'", "changed body"),
        ("rate = 2", "rate = 3", "changed interface"),
        ("  @override\n", "", "changed interface"),
        ("  int pay", "  static int pay", "changed interface"),
        ("  int pay", "  int? pay", "changed interface"),
        ("pay", "settle", "moved"),
        ("    if", "    // why\n\n    if", "reformatted"),
        ("rates[1] * amount;", "rates[1] * amount", "unverifiable syntax"),
        ("class Shop", "import 'a.dart';\n\nclass Shop extends Base", "fresh"),
    ),
    verdicts=(
        (PROPERTY, PROPERTY.replace("value, 1", "value, 2"), "fresh"),
        (PROPERTY, PROPERTY.replace("last", "more"), "changed body"),
        (CONSTRUCTORS, CONSTRUCTORS.replace("'plain', n", "'plain'"), "fresh"),
        (CONSTRUCTORS, CONSTRUCTORS.replace("', n); }\n}", "'); }\n}"), "changed body"),
        (CONSTRUCTORS, CONSTRUCTORS.replace("second(n)", "second(1)"), "changed interface"),
        (EXTENSIONS, EXTENSIONS.replace("second(n)", "second(1)"), "fresh"),
        (EXTENSIONS, EXTENSIONS.replace("first(n)", "first(1)"), "changed body"),
        (TOP, TOP.replace("total = 3", "total = 4"), "fresh"),
        (TOP, TOP.replace("'b': 2", "'b': 3"), "changed body"),
        (TOP, TOP.replace("String, int", "String, num"), "changed interface"),
        (TOP, TOP.replace("final", "const"), "changed interface"),
        (TOP, TOP.replace("@Since('2')\n", ""), "changed interface"),
        (FUNCTION, FUNCTION.replace("data, 1", "data, 2"), "changed body"),
        (FUNCTION, FUNCTION.replace("=> 2", "=> 3"), "fresh"),
        (FUNCTION, FUNCTION.replace("@pragma('vm:entry-point')\n", ""), "changed interface"),
        (FUNCTION, FUNCTION.replace("int other", "/// new\nint other"), "fresh"),
        (FUNCTION, "int other() => 2;\n", "missing symbol_gone"),
        (FUNCTION, FUNCTION.replace("load", "fetch"), "moved"),
        (CONTAINER, CONTAINER.replace("* 2", "* 3"), "changed members"),
        (CONTAINER, CONTAINER.replace("limit = 3", "limit = 4"), "changed body"),
        (CONTAINER, CONTAINER.replace("Base", "Other"), "changed interface"),
    ),
)
