#!/usr/bin/perl
use strict;
use warnings;

package Shop::Payments;

use parent -norequire, 'Shop::Base';
use constant LIMIT => 3;
use constant { RATE => 2, STEP => 1 };

our $VERSION = '1.02';
our (@EXPORT, %seen);
my $rate = 2;
my ($low, $high) = (1, 10);

=head1 NAME

Takes money.

=cut

sub pay {
    my ($self, $amount) = @_;
    my $total = $amount * $rate;
    my $inner = sub { return $_[0] * 2 };
    return $inner->($total);
}

sub with_prototype($$) { $_[0] + $_[1] }
sub signature($self, $amount, $rate = 2) { $amount }
sub attributed :lvalue { my $x }
sub forward;
sub Other::Package::helper { 1 }
my sub lexical { 2 }
*alias = \&pay;
*generated = sub { 1 };
has 'name' => (is => 'rw');
has size => (is => 'ro', default => 3);
around pay => sub { my $orig = shift; $orig->(@_) };
before 'pay', sub { 1 };

BEGIN { $rate = 3 }
END { }

my $handler = sub {
    my $x = shift;
    return $x;
};
our $table = { on_key => sub { 1 }, limit => 3 };

package Shop::Basket {
    sub new { my $class = shift; return bless {}, $class }
    sub add { 1 }
}

package Shop::Versioned 1.2;
sub only { 1 }

class Point {
    field $x = 0;
    field $y;
    method move($dx) { $x += $dx }
}

{
    package Shop::Hidden;
    sub peek { 1 }
}

package main;
if ($ENV{TEST}) {
    sub mode { 'test' }
}

subtest 'takes money' => sub {
    is pay(1), 2;
};

format STDOUT =
@<<<
$rate
.

my $text = <<"END";
text $rate
END
print <<"END";
text $rate
END

1;
__END__

sub not_code { }
