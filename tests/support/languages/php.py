"""PHP: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
<?php
class Shop {
    #[Auth]
    public function pay(int $amount, $rate = 2): int {
        if ($amount > 3) {
            log('a', $amount);
        }
        $rates = [$rate, $amount];
        $0return $rates[1] * $amount;
    }
}
"""

LOAD = """\
<?php
if (PHP_VERSION_ID > 80000) {
    function load($path) { return fast($0$path, 1, 2); }
} else {
    function load($path) { return slow($path); }
}
"""

TWO = """\
<?php
namespace A { class Order { function go($n) { return $this->first($n) + 1$0; } } }
namespace B { class Order { function go($n) { return $this->second($n); } } }
"""

CONTAINER = """\
<?php
final class Order$0 extends Base {
    use Loggable;
    const LIMIT = 3;
    public function total($amount) { return $amount * 2; }
}
"""

HOOKS = """\
<?php
class Order {
    public string $full {
        get => $this->first . $this->glue$0 . $this->last;
        set(string $value) { $this->first = check($value, 1); }
    }
}
"""

CONFIG = """\
<?php
return [
    'debug' => false,
    'limits' => ['rate' => $03, 'burst' => 10],
];
"""

CASES = LanguageCases(
    file="a.php",
    comment="//",
    sample=SAMPLE,
    style_edits=(
        ("'a'", '"a"'),
        ("$rate = 2)", "$rate = 2,)"),
        ("[$rate, $amount]", "array($rate, $amount,)"),
        ("$amount);", "$amount,);"),
        ("    }\n}", "    ;}\n}"),
    ),
    before="<?php\n",
    same=(
        ("$x = 'a';", '$x = "a";'),
        ("$x = 'it\\'s';", '$x = "it\'s";'),
        ("$x = 'a\\d';", '$x = "a\\\\d";'),
        ("$x = 'a\nb';", '$x = "a\\nb";'),
        ("$x = '$a';", '$x = "\\$a";'),
        ("$x = 'AB';", '$x = "\\x41\\102";'),
        ("$x = 'é';", '$x = "\\u{e9}";'),
        ('$x = "a $b";', '$x =   "a $b"  ;'),
        ('$x = "{$a->b( 1 )}";', '$x = "{$a->b(1)}";'),
        ("f($a, $b,);", "f($a, $b);"),
        ("function f($a, $b,) {}", "function f($a, $b) {}"),
        ("$x = [1, 2,];", "$x = [1, 2];"),
        ("$x = array(1, 'a' => 2);", "$x = [1, 'a' => 2,];"),
        ("list($a, $b) = $x;", "[$a, $b] = $x;"),
        ("$x = match($a) { 1 => 2, };", "$x = match($a) { 1 => 2 };"),
        ("$f = function () use ($a,) {};", "$f = function () use ($a) {};"),
        ("$x = ($a + $b);", "$x = $a + $b;"),
        ("if (($a)) {}", "if ($a) {}"),
        ("$x = TRUE; $y = Null;", "$x = true; $y = null;"),
        ("$x = 0XFF + 1_000;", "$x = 0xff + 1000;"),
        ("function f() {};", "function f() {}"),
        ("$x = new A;", "$x = new A();"),
        ("$x = ($a && $b) || !($c);", "$x = $a && $b || !($c);"),
        ("$x = <<<A\n  b $c\n    d\n\n  A;", '$x = <<<"A"\nb $c\n  d\n\nA;'),
        ("$x = <<<'A'\n    b\n    A;", "$x = <<<'A'\n  b\n  A;"),
        ("# a\n$x = 1; // b", "/* c */ $x = 1;"),
        ("/** @param int $a */ function f($a) {}", "function f($a) {}"),
    ),
    different=(
        ("$x = 'a';", "$x = 'a ';"),
        ("$x = 'a\\n';", '$x = "a\\n";'),
        ("$x = '$a';", '$x = "$a";'),
        ("$x = '{$a}';", '$x = "{$a}";'),
        ('$x = "$a b";', '$x = "$a  b";'),
        ('$x = "$a";', '$x = "$b";'),
        ('$x = "$a[0]";', '$x = "$a" . [0];'),
        ('$x = "\\$a->b";', '$x = "$a->b";'),
        ("$x = <<<A\n  b\n  A;", "$x = <<<A\n  b\nA;"),
        ("$x = <<<A\n  b\n   c\n  A;", "$x = <<<A\nb\nc\nA;"),
        ("$x = <<<A\n  {$a['\n  b']}\n  A;", "$x = <<<A\n{$a['\nb']}\nA;"),
        ("$x = ($a - $b) - $c;", "$x = $a - ($b - $c);"),
        ("$x = ($a and $b);", "$x = $a and $b;"),
        ("$x = !($a instanceof B);", "$x = (!$a) instanceof B;"),
        ("f((g()));", "f(g());"),
        ("$x = (new A)->b;", "$x = new (A->b);"),
        ("$x = <<<A\n  b $c\n  A;", "$x = <<<A\n  b $c\n A;"),
        ("$x = <<<'A'\n  b\n  A;", "$x = <<<'A'\n  b\n A;"),
        ("$x = <<<'A'\n$b\nA;", "$x = <<<A\n$b\nA;"),
        ("$x = `a b`;", "$x = `a  b`;"),
        # In brackets a variable is no reference.
        ("function &f($a) { return ($a); }", "function &f($a) { return $a; }"),
        ("f(($a));", "f($a);"),
        ("[, $a] = $x;", "[$a] = $x;"),
        ("$x = ($a + $b) * $c;", "$x = $a + $b * $c;"),
        ("$x = -($a ** 2);", "$x = (-$a) ** 2;"),
        ("$x = [$a];", "$x = [[$a]];"),
        ("$x = $a == $b;", "$x = $a === $b;"),
        ("$a?->b;", "$a->b;"),
        ("class A { public $b; }", "class A { private $b; }"),
        ("class A { use B; }", "class A { use C; }"),
        ("class A { use B; }", "class A { }"),
        ("#[A]\nfunction f() {}", "function f() {}"),
        ("function f(int $a) {}", "function f(?int $a) {}"),
        ("function f(&$a) {}", "function f($a) {}"),
        ("declare(strict_types=1);", "declare(strict_types=0);"),
        ("namespace A; f();", "namespace B; f();"),
        ("if ($a) { b(); } c();", "if ($a) { b(); c(); }"),
        ("?><a> b</a><?php f();", "?><a>b</a><?php f();"),
        ("while ($a); f();", "while ($a) f();"),
        ("echo 1;", "print 1;"),
    ),
    # Before the opening tag a comment is text, so comments are tried in `same` and `different` alone.
    edits=(
        ("$amount > 3", "$amount >= 3", "changed body"),
        ("'a'", "'b'", "changed body"),
        ("$rate = 2", "$rate = 3", "changed interface"),
        ("(int $amount, $rate = 2)", "($rate = 2, int $amount = 1)", "changed interface"),
        ("    #[Auth]\n", "", "changed interface"),
        ("public", "private", "changed interface"),
        ("): int", "): float", "changed interface"),
        ("pay", "settle", "moved"),
        ("        if", "        // why\n\n        if", "reformatted"),
        ("<?php\n", "<?php\nnamespace A;\n\nuse B\\C;\n", "fresh"),
        ("class Shop", "class Shop extends Base", "fresh"),
    ),
    verdicts=(
        (LOAD, LOAD.replace("slow($path)", "slow($path, 1)"), "fresh"),
        (LOAD, LOAD.replace("path, 1", "path, 3"), "changed body"),
        (TWO, TWO.replace("second($n)", "second(1)"), "fresh"),
        (TWO, TWO.replace("first($n)", "first(1)"), "changed body"),
        (TWO, TWO.replace("return $this->second($n)", "return $this->first($n) + 1"), "fresh"),
        (CONTAINER, CONTAINER.replace("* 2", "* 3"), "changed members"),
        (CONTAINER, CONTAINER.replace("use Loggable", "use Traced"), "changed body"),
        (CONTAINER, CONTAINER.replace("LIMIT = 3", "LIMIT = 4"), "changed body"),
        (CONTAINER, CONTAINER.replace("final ", ""), "changed interface"),
        (HOOKS, HOOKS.replace("$value, 1", "$value, 2"), "fresh"),
        (HOOKS, HOOKS.replace("->last", "->name"), "changed body"),
        (CONFIG, CONFIG.replace("false", "true"), "fresh"),
        (CONFIG, CONFIG.replace("=> 10", "=> 20"), "fresh"),
        (CONFIG, CONFIG.replace("$03", "$04"), "changed body"),
    ),
)
