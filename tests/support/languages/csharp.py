"""C#: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
class Shop
{
    [Auth]
    public int Pay(int amount, int rate = 2)
    {
        if (amount > 3)
        {
            Log("a", amount);
        }
        var rates = new[] { rate, amount };
        Func<int, int> twice = x => x * 2;
        $0return rates[1] * twice(amount);
    }
}
"""

OVERLOADS = """\
class Shop
{
    void Pay(int a) { total = total + a; Log("int$0", a); }
    void Pay(string a) { total = total + Parse(a); Log("text", a); }
}
"""

PARTIAL = """\
partial class Order { int Go(int n) { return First(n) + 1$0; } }
partial class Order { int Stop(int n) { return Second(n); } }
"""

PROPERTY = """\
class Order
{
    public string Name
    {
        get { return first + glue$0 + last; }
        set { first = Check(value, 1); }
    }
}
"""

BRANCHES = """\
class A {
#if X
    int Go(int n) { return First($0n) + 1; }
#else
    int Go(int n) { return n; }
#endif
}
"""

CONTAINER = """\
sealed class Order : Base$0
{
    const int Limit = 3;
    public int Total(int amount) { return amount * 2; }
}
"""

CASES = LanguageCases(
    file="a.cs",
    comment="//",
    sample=SAMPLE,
    style_edits=(
        ('"a"', '@"a"'),
        ("rate, amount }", "rate, amount, }"),
        ("x => x", "(x) => x"),
        ("return rates[1] * twice(amount);", "return (rates[1] * twice(amount));"),
    ),
    before="class A {\n",
    after="\n}",
    same=(
        ('string s = "a" + "b";', 'string s = "ab";'),
        ('string s = "a" + "b" + c;', 'string s = "ab" + c;'),
        ('string s = c + ("a" + "b");', 'string s = c + "ab";'),
        ('[A("a" + "b")] int f;', '[A("ab")] int f;'),
        ('string x = "a\\\\d";', 'string x = @"a\\d";'),
        ('string x = "a\\nb";', 'string x = @"a\nb";'),
        ('string x = "\\u0041";', 'string x = "A";'),
        ('string x = "\\ud83d\\ude00";', 'string x = "😀";'),
        ("int[] x = { 1, 2, };", "int[] x = { 1, 2 };"),
        ("object x = new { A = 1, };", "object x = new { A = 1 };"),
        ("int[] x = [1, 2,];", "int[] x = [1, 2];"),
        ("int F(int a) => a switch { 1 => 2, _ => 3, };", "int F(int a) => a switch { 1 => 2, _ => 3 };"),
        ("enum E { A, B, }", "enum E { A, B }"),
        ("[A, B,] int x;", "[A, B] int x;"),
        ("F f = x => x;", "F f = (x) => x;"),
        ("F f = async x => x;", "F f = async (x) => x;"),
        ("int F() { return (x); }", "int F() { return x; }"),
        ("int F() => (x + y);", "int F() => x + y;"),
        ("void F() { x = (y); int z = (y); }", "void F() { x = y; int z = y; }"),
        ("long x = 0XFF + 1_000L;", "long x = 0xff + 1000l;"),
        ("#region a\nint x;\n#endregion\nint y;", "int x;\nint y;"),
        ("/// <summary>a</summary>\nint x;", "int x; // b"),
    ),
    different=(
        # `c` may have an operator of its own.
        ('string s = c + "a" + "b";', 'string s = c + "ab";'),
        ('string s = "a" + "b";', 'string s = "ba";'),
        ('string x = "a";', 'string x = "a ";'),
        ('string x = @"a""b";', 'string x = @"ab";'),
        ('string x = @"a\\n";', 'string x = "a\\n";'),
        ('object x = "a"u8;', 'object x = "a";'),
        ('string x = "{a}";', 'string x = $"{a}";'),
        ('string x = $"{a} b";', 'string x = $"{a}  b";'),
        ('string x = $"{{a}}";', 'string x = $"{a}";'),
        ('string x = $"{a:N2}";', 'string x = $"{a:N3}";'),
        ('string x = $"{a: 0}";', 'string x = $"{a:0}";'),
        ('string x = $"{a,1}";', 'string x = $"{a,2}";'),
        ('string x = $@"a {b}";', 'string x = $@"a  {b}";'),
        ('string x = """\n    a\n    """;', 'string x = """\n    a\n  """;'),
        ('string x = $"""\n    {a}\n    """;', 'string x = $"""\n    {a}\n  """;'),
        ("char x = ' ';", "char x = '\t';"),
        ("F f = (x, y) => x;", "F f = (y, x) => x;"),
        ("F f = (int x) => x;", "F f = x => x;"),
        ("void F() { G((a)); }", "void F() { G(a); }"),
        ("int x = (a + b) * c;", "int x = a + b * c;"),
        ("object x = (a, b);", "object x = (b, a);"),
        ("void F() { while (a); b(); }", "void F() { while (a) b(); }"),
        ("record R(int A);", "record R(long A);"),
        ("public int x;", "private int x;"),
        ("readonly int x;", "int x;"),
        ("[A] int x;", "int x;"),
        ("int X { get; set; }", "int X { get; init; }"),
        ("void F(ref int a) {}", "void F(int a) {}"),
        ("static int F(this int a) => a;", "static int F(int a) => a;"),
        ("class B : C {}", "class B : D {}"),
        ("class B<T> where T : class {}", "class B<T> where T : struct {}"),
        ("async Task F() {}", "Task F() {}"),
        ("#if A\nint x;\n#endif", "#if B\nint x;\n#endif"),
        ("#nullable enable\nint x;", "#nullable disable\nint x;"),
        ("object x = a?.b;", "object x = a.b;"),
        ("object x = a ?? b;", "object x = a;"),
        ("double x = 1f;", "double x = 1d;"),
    ),
    silent=("// resharper disable all", "/// <summary>a</summary>", "/* a */"),
    edits=(
        ("amount > 3", "amount >= 3", "changed body"),
        ('"a"', '"b"', "changed body"),
        ("rate = 2", "rate = 3", "changed interface"),
        ("    [Auth]\n", "", "changed interface"),
        ("public", "private", "changed interface"),
        ("(int amount, int rate = 2)", "(int rate, int amount = 2)", "changed interface"),
        ("Pay", "Settle", "moved"),
        ("        if", "        // why\n\n        if", "reformatted"),
        ("class Shop", "using System;\n\nclass Shop : Base", "fresh"),
        ("class Shop", "class Store", "moved"),
    ),
    verdicts=(
        (OVERLOADS, OVERLOADS.replace("class Shop\n{\n", "class Shop\n{\n    void Pay(long a) { x(a); }\n"), "fresh"),
        (OVERLOADS, OVERLOADS.replace('"text"', '"more"'), "fresh"),
        (OVERLOADS, OVERLOADS.replace("total + a", "total - a"), "changed body"),
        (OVERLOADS, OVERLOADS.replace("int a", "int a, int b"), "changed interface"),
        (
            OVERLOADS,
            "class Shop\n{\n" + OVERLOADS[OVERLOADS.index("    void Pay(string") :],
            "missing symbol_gone",
        ),
        (PARTIAL, PARTIAL.replace("Second(n)", "Second(1)"), "fresh"),
        (PARTIAL, PARTIAL.replace("First(n)", "First(1)"), "changed body"),
        # The other part of a partial class takes the member over.
        (
            PARTIAL,
            "partial class Order { }\npartial class Order { int Go(int n) { return First(n) + 1$0; } }\n",
            "fresh",
        ),
        (PROPERTY, PROPERTY.replace("value, 1", "value, 2"), "fresh"),
        (PROPERTY, PROPERTY.replace("last", "name"), "changed body"),
        (CONTAINER, CONTAINER.replace("* 2", "* 3"), "changed members"),
        (CONTAINER, CONTAINER.replace("Limit = 3", "Limit = 4"), "changed body"),
        (CONTAINER, CONTAINER.replace("Base", "Other"), "changed interface"),
        (CONTAINER, CONTAINER.replace("sealed ", ""), "changed interface"),
        (
            BRANCHES,
            BRANCHES.replace("return n;", "return 1;"),
            "fresh",
        ),
    ),
)
