"""Perl: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
package Shop;

my $limit = 3;

sub pay {
    my ($amount, $rate) = @_;
    if ($amount > $limit) {
        note("a", $amount);
    }
    my @rates = ($rate, $amount);
    $0return total(@rates) * $amount;
}
"""

PACKAGES = """\
package Shop::A;
sub new { my $class = shift; return bless { rate => $01 }, $class }

package Shop::B;
sub new { my $class = shift; return bless { rate => 2 }, $class }
"""

CASES = LanguageCases(
    file="a.pl",
    comment="#",
    sample=SAMPLE,
    style_edits=(
        ("$rate, $amount)", "$rate, $amount,)"),
        ('note("a", $amount);', 'note("a", $amount)'),
        ("* $amount;", "* $amount"),
    ),
    same=(
        ("f(1, 2,);", "f(1, 2);"),
        ("my @x = (1, 2,);", "my @x = (1, 2);"),
        ("my $x = [1, 2,];", "my $x = [1, 2];"),
        ("my $x = {a => 1, b => 2,};", "my $x = {\n    a => 1,\n    b => 2\n};"),
        ("if ($x) { a(); }", "if ($x) { a() }"),
        ("a();; b();", "a(); b();"),
        ("my @x = qw(a b);", "my @x = qw(\n    a\n    b\n);"),
        ("my @x = qw(a b);", "my @x = qw/a b/;"),
        ("my $x = 1; # why", "my $x = 1;"),
        ("=pod\n\nText.\n\n=cut\n\nmy $x = 1;", "my $x = 1;"),
        ("sub f{return 1}", "sub f {\n    return 1;\n}"),
    ),
    different=(
        ("my $x = ($y + $z) * 2;", "my $x = $y + $z * 2;"),
        # Brackets ask for a list.
        ("my ($x) = f();", "my $x = f();"),
        ('my $x = "a b";', 'my $x = "a  b";'),
        ('my $x = "$y $z";', 'my $x = "$y  $z";'),
        ('my $x = "$y";', "my $x = '$y';"),
        ("my @x = qw(a b);", "my @x = qw(b a);"),
        ("my $x = m/a b/;", "my $x = m/a  b/;"),
        ("my $x = m/a/i;", "my $x = m/a/;"),
        ("$x =~ s/a/b/;", "$x =~ s/a/c/;"),
        ("$x =~ tr/a/b/;", "$x =~ tr/a/c/;"),
        ("$x = <<A;\na b\nA\n", "$x = <<A;\na  b\nA\n"),
        ("use strict;", "no strict;"),
        ("use A 1.10;", "use A 1.1;"),
        ("my $x = 1;", "our $x = 1;"),
        ("my @x = f();", "my %x = f();"),
        ("sub f($x) { }", "sub f($x, $y) { }"),
        ("sub f($x = 1) { }", "sub f($x = 2) { }"),
        ("sub f : lvalue { }", "sub f { }"),
        ("a() if $x;", "a() unless $x;"),
        ("$x and $y;", "$x && $y;"),
        ("$x == 1;", "$x eq 1;"),
        ("@$x;", "%$x;"),
        ("$x->{a};", "$x->[0];"),
        ("f(\\@x);", "f(@x);"),
        ("my $x = sub { 1 };", "my $x = do { 1 };"),
        ("for my $x (@y) { a(); b(); }", "for my $x (@y) { a(); } b();"),
        ("$x . $y;", "$y . $x;"),
        ("local $_ = 1;", "my $_ = 1;"),
        ("$x //= 1;", "$x ||= 1;"),
        ("package A; sub f { }", "package B; sub f { }"),
    ),
    counting=("#!/usr/bin/perl -w", "# line 3"),
    silent=("## no critic", "# a"),
    edits=(
        ("$amount > $limit", "$amount >= $limit", "changed body"),
        ('"a"', '"b"', "changed body"),
        ("($amount, $rate) = @_", "($rate, $amount) = @_", "changed body"),
        ("sub pay", "sub settle", "moved"),
        ("sub pay {", "sub pay($x, $y) {", "changed interface"),
        ("    if", "    # why\n\n    if", "reformatted"),
        ("$limit = 3", "$limit = 4", "fresh"),
    ),
    verdicts=(
        (PACKAGES, PACKAGES.replace("rate => 2", "rate => 3"), "fresh"),
        (PACKAGES, PACKAGES.replace("rate => $01", "rate => $04"), "changed body"),
        (PACKAGES, PACKAGES.replace("Shop::A", "Shop::C"), "moved"),
        (PACKAGES, PACKAGES.partition("\n\n")[2] + "\n" + PACKAGES.partition("\n\n")[0] + "\n", "fresh"),
        (
            "package $0A {\n    our $limit = 3;\n    sub f { return 1 }\n}\n",
            "package $0A {\n    our $limit = 3;\n    sub f { return 2 }\n}\n",
            "changed members",
        ),
        (
            "package $0A {\n    our $limit = 3;\n    sub f { return 1 }\n}\n",
            "package $0A {\n    our $limit = 4;\n    sub f { return 1 }\n}\n",
            "changed body",
        ),
        (
            "use constant {\n    RATE => $02,\n    STEP => 1,\n};\n",
            "use constant {\n    RATE => $03,\n    STEP => 1,\n};\n",
            "changed body",
        ),
        (
            "my $text = <<END . f($01, 2, 3);\na b\nEND\n\nsub g { 1 }\n",
            "my $text = <<END . f($01, 2, 3);\na c\nEND\n\nsub g { 1 }\n",
            "changed body",
        ),
        (
            "has name => (is => 'ro', default => sub { build($01) });\n",
            "has name => (is => 'rw', default => sub { build($01) });\n",
            "changed body",
        ),
    ),
)
