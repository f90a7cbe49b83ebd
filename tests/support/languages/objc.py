"""Objective-C: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
#import "Shop.h"

@implementation Shop

- (NSInteger)pay:(NSInteger)amount rate:(NSInteger)rate {
    if (amount > 3) {
        [self log:@"a" amount:amount];
    }
    NSArray *rates = @[rate, amount];
    $0return [rates[1] by:amount];
}

@end
"""

SELECTORS = """\
@implementation Shop
- (void)pay:(int)a { total = total + a; [self log:@"int$0" with:a]; }
- (void)pay:(int)a by:(int)b { total = total + b; [self log:@"both" with:b]; }
@end
"""

CATEGORY = """\
@implementation Order
- (int)go:(int)n { return [self second:n]; }
@end

@implementation Order (Billing)
- (int)go:(int)n { return [self first:n] + 1$0; }
@end
"""

DECLARED = """\
@interface Order : Base
- (int)go:(int)n;
@end

@implementation Order
- (int)go:(int)n { return [self first:n] + 1$0; }
@end
"""

CONTAINER = """\
@interface Order$0 : Base <Priced> {
    int _count;
}
@property (nonatomic) int total;
- (int)go:(int)n;
@end
"""

HEADER = """\
NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSInteger, Level) {
    LevelLow = 1$0,
};

@interface Order : Base
- (int)go:(int)n;
@end

NS_ASSUME_NONNULL_END
"""

CASES = LanguageCases(
    file="a.m",
    comment="//",
    sample=SAMPLE,
    style_edits=(
        ("@[rate, amount]", "@[rate, amount,]"),
        ("return [rates[1] by:amount];", "return ([rates[1] by:amount]);"),
    ),
    same=(
        # C11, 6.4.5: strings side by side are one, of the kind of the one that says so.
        ('id x = @"a" @"b" @"c";', 'id x = @"a" "b" "c";'),
        ('void f(void) { [a b:@"c d" e:g]; }', 'void f(void) { [a b:@"c " @"d" e:g]; }'),
        ("void f(void) { a(@selector(b)); }", "void f(void) { a(@selector(\n    b)); }"),
        ("id x = @[@1, @2,];", "id x = @[@1, @2];"),
        ('id x = @{@"a": @1,};', 'id x = @{@"a": @1};'),
        ("int f(int a) { return (a); }", "int f(int a) { return a; }"),
        ('id x = @"a" @"b";', 'id x = @"ab";'),
        ("#pragma mark - A\nint x;", "int x;"),
        ("#define F(x) (x) + \\\n    1 /* a */\n", "#define F(x) (x) + 1\n"),
        (
            "@implementation A\n- (void)f { [self go:1  to:2]; }\n@end",
            "@implementation A\n-(void)f{[self go:1 to:2];}\n@end",
        ),
        ("/** a */ int x; // b", "int x;"),
    ),
    different=(
        ('void f(void) { [a b:@"c " @"d" e:g]; }', 'void f(void) { [a b:@"c " @"d" h:g]; }'),
        ('void f(void) { [a b:@"c" e:g]; }', 'void f(void) { [a b:@"c" @"d" e:g]; }'),
        ('id x = @"a";', 'id x = @"a ";'),
        ('id x = @"a";', 'char *x = "a";'),
        ('id x = @"a" @" b";', 'id x = @"a" @"  b";'),
        ("#pragma once\nint x;", "int x;"),
        ("#import <A/A.h>\n", "#import <A/B.h>\n"),
        ("NS_ASSUME_NONNULL_BEGIN\nint x;", "int x;"),
        ("typedef NS_ENUM(NSInteger, A) { B };", "typedef NS_ENUM(NSUInteger, A) { B };"),
        ("typedef NS_ENUM(NSInteger, A) { B };", "typedef NS_OPTIONS(NSInteger, A) { B };"),
        ("int x = (a + b) * c;", "int x = a + b * c;"),
        ("@interface A : B\n@end", "@interface A : C\n@end"),
        ("@interface A : B <C>\n@end", "@interface A : B <D>\n@end"),
        ("@interface A (B)\n@end", "@interface A (C)\n@end"),
        ("@interface A : B\n- (void)f;\n@end", "@interface A : B\n+ (void)f;\n@end"),
        ("@interface A : B\n- (void)f:(int)a;\n@end", "@interface A : B\n- (void)g:(int)a;\n@end"),
        ("@interface A : B\n@property (copy) id a;\n@end", "@interface A : B\n@property (strong) id a;\n@end"),
        (
            "@interface A : B\n- (void)f NS_UNAVAILABLE;\n@end",
            "@interface A : B\n- (void)f;\n@end",
        ),
        ("void f(void) { [a b:c d:e]; }", "void f(void) { [a b:e d:c]; }"),
        ("void f(void) { if (a) b(); c(); }", "void f(void) { if (a) { b(); c(); } }"),
        ("void f(void) { @autoreleasepool { a(); } }", "void f(void) { { a(); } }"),
    ),
    silent=("// clang-format off", "/** a */", "#pragma mark - A"),
    edits=(
        ("amount > 3", "amount >= 3", "changed body"),
        ('@"a"', '@"b"', "changed body"),
        ("- (NSInteger)pay", "+ (NSInteger)pay", "changed interface"),
        ("- (NSInteger)pay", "- (int)pay", "changed interface"),
        ("(NSInteger)amount", "(int)amount", "changed interface"),
        ("    if", "    // why\n\n    if", "reformatted"),
        ('#import "Shop.h"', '#import "Shop.h"\n#import "B.h"', "fresh"),
        # A method that moves into a category keeps its place.
        ("@implementation Shop\n", "@implementation Shop\n@end\n\n@implementation Shop (Paying)\n", "fresh"),
    ),
    verdicts=(
        (SELECTORS, SELECTORS.replace('"both"', '"more"'), "fresh"),
        (SELECTORS, SELECTORS.replace("total + a", "total - a"), "changed body"),
        (SELECTORS, SELECTORS.replace("pay:(int)a {", "settle:(int)a {"), "moved"),
        (CATEGORY, CATEGORY.replace("second:n", "second:1"), "fresh"),
        (CATEGORY, CATEGORY.replace("first:n", "first:1"), "changed body"),
        (DECLARED, DECLARED.replace("go:(int)n;", "go:(int)n; // why"), "fresh"),
        (DECLARED, DECLARED.replace("first:n", "first:1"), "changed body"),
        (CONTAINER, CONTAINER.replace("go:(int)n;", "go:(long)n;"), "changed members"),
        (CONTAINER, CONTAINER.replace("int _count", "long _count"), "changed body"),
        (CONTAINER, CONTAINER.replace("Base", "Other"), "changed interface"),
        (HEADER, HEADER.replace("go:(int)n", "go:(long)n"), "fresh"),
        (HEADER, HEADER.replace("LevelLow = 1", "LevelLow = 2"), "changed body"),
    ),
)
