"""Zig: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
const limit = 3;

pub fn pay(amount: u32, rate: u32) !u32 {
    if (amount > limit) {
        log("a", amount);
    }
    const rates = [_]u32{ rate, amount };
    $0return total(rates) * amount;
}
"""

BASKET = """\
pub const $0Basket = struct {
    items: u32,
    const step = 1;

    pub fn add(self: *Basket, n: u32) void {
        self.items += n;
    }
};
"""

LIST = """\
pub fn $0List(comptime T: type) type {
    return struct {
        items: []T,

        pub fn len(self: @This()) usize {
            return self.items.len;
        }
    };
}
"""

CASES = LanguageCases(
    file="a.zig",
    comment="//",
    sample=SAMPLE,
    style_edits=(
        ("rate: u32)", "rate: u32,)"),
        ('log("a", amount)', 'log("a", (amount),)'),
        ("rate, amount }", "rate, amount, }"),
        ("return total(rates) * amount;", "return (total(rates) * amount);"),
        ("pub fn", "/// Takes money.\npub fn"),
    ),
    same=(
        ("const x = .{ 1, 2, };", "const x = .{ 1, 2 };"),
        ("const x = .{ 1, };", "const x = .{1};"),
        ("const x = f(a, b,);", "const x = f(a, b);"),
        ("fn f(a: A, b: B,) void {}", "fn f(a: A, b: B) void {}"),
        ("const E = error{ A, B, };", "const E = error{ A, B };"),
        ("const E = enum { a, b, };", "const E = enum { a, b };"),
        ("const S = struct { a: A, };", "const S = struct { a: A };"),
        ("const x = (a);", "const x = a;"),
        ("const x = (a + b);", "const x = a + b;"),
        ("const x = a + (b);", "const x = a + b;"),
        ("const x = 1_000 + 0xFF;", "const x = 1000 + 0xff;"),
        ("const x =\n    \\\\a\n    \\\\ b\n;", "const x =\n  \\\\a\n      \\\\ b\n;"),
        ("const x = a; // why", "const x = a;"),
        ("/// Text.\nconst x = a;", "const x = a;"),
        ("//! Text.\nconst x = a;", "const x = a;"),
    ),
    different=(
        ("const x = (a + b) * c;", "const x = a + b * c;"),
        ("const x = a - (b - c);", "const x = a - b - c;"),
        ("const x = .{ 1, 2 };", "const x = .{ 2, 1 };"),
        ("const x = .{};", "const x = {};"),
        ('const x = "a b";', 'const x = "a  b";'),
        ("const x = 'a';", "const x = 'b';"),
        ("const x =\n    \\\\a\n;", "const x =\n    \\\\ a\n;"),
        ("const x =\n    \\\\a\n    \\\\b\n;", "const x =\n    \\\\a\n;"),
        ("const x = 1;", "var x = 1;"),
        ("pub const x = 1;", "const x = 1;"),
        ("const x: u8 = 1;", "const x: u16 = 1;"),
        ("const x: *A = a;", "const x: *const A = a;"),
        ("const x: ?A = a;", "const x: A = a;"),
        ("fn f(a: A) void {}", "fn f(comptime a: A) void {}"),
        ("fn f() !void {}", "fn f() void {}"),
        ("inline fn f() void {}", "fn f() void {}"),
        ("export fn f() void {}", "fn f() void {}"),
        ("const S = packed struct { a: A };", "const S = struct { a: A };"),
        ("const S = struct { a: A = 1 };", "const S = struct { a: A = 2 };"),
        ("const E = enum { a, b };", "const E = enum { b, a };"),
        ("const E = enum(u8) { a };", "const E = enum(u16) { a };"),
        ("fn f() void { try a(); }", "fn f() void { a(); }"),
        ("fn f() void { defer a(); }", "fn f() void { errdefer a(); }"),
        ("fn f() void { a() catch b(); }", "fn f() void { a() catch c(); }"),
        ("const x = a +% b;", "const x = a + b;"),
        ("const x = a orelse b;", "const x = b orelse a;"),
        ("const x = a.?;", "const x = a;"),
        ("const x = a.*;", "const x = a;"),
        ("const x = &a;", "const x = a;"),
        ("fn f() void { if (a) { b(); c(); } }", "fn f() void { if (a) { b(); } c(); }"),
        ("fn f() void { while (a) : (b) {} }", "fn f() void { while (a) : (c) {} }"),
        ("fn f() void { for (a) |b| { c(b); } }", "fn f() void { for (a) |*b| { c(b); } }"),
        ("const x = switch (a) { 1 => 2, else => 3 };", "const x = switch (a) { 1 => 3, else => 2 };"),
        ('test "a" {}', 'test "b" {}'),
        ("const x = @as(u8, 1);", "const x = @as(u16, 1);"),
        ("fn f(a: A) align(4) void {}", "fn f(a: A) void {}"),
    ),
    silent=("// zig fmt: off", "// a"),
    edits=(
        ("amount > limit", "amount >= limit", "changed body"),
        ('"a"', '"b"', "changed body"),
        ("rate: u32)", "rate: u64)", "changed interface"),
        ("!u32", "u32", "changed interface"),
        ("pub fn", "fn", "changed interface"),
        ("pay(amount", "settle(amount", "moved"),
        ("    if", "    // why\n\n    if", "reformatted"),
        ("limit = 3", "limit = 4", "fresh"),
    ),
    verdicts=(
        (BASKET, BASKET.replace("+= n", "-= n"), "changed members"),
        (BASKET, BASKET.replace("items: u32", "items: u64"), "changed body"),
        (BASKET, BASKET.replace("step = 1", "step = 2"), "changed body"),
        (BASKET, BASKET.replace("pub const", "const"), "changed interface"),
        (LIST, LIST.replace("self.items.len", "self.items.len + 1"), "changed members"),
        (LIST, LIST.replace("items: []T", "items: []const T"), "changed body"),
        (LIST, LIST.replace("comptime T: type", "comptime T: type, n: u8"), "changed interface"),
        (
            "const A = struct {\n    fn f(x: u8) u8 { return x + $01; }\n};\n"
            "const B = struct {\n    fn f(x: u8) u8 { return x + 2; }\n};\n",
            "const B = struct {\n    fn f(x: u8) u8 { return x + 3; }\n};\n"
            "const A = struct {\n    fn f(x: u8) u8 { return x + $01; }\n};\n",
            "fresh",
        ),
        (
            'test "a" {\n    try check(pay(1, 2), $03);\n}\n\ntest {\n    _ = pay;\n}\n',
            'test "a" {\n    try check(pay(1, 2), $03);\n}\n\ntest {\n    _ = Basket;\n}\n',
            "fresh",
        ),
        ("test {\n    try check(pay(1, 2), $03);\n}\n", "test {\n    try check(pay(1, 2), $04);\n}\n", "changed body"),
        ("comptime {\n    check(pay(1, 2), $03);\n}\n", "comptime {\n    check(pay(1, 2), $04);\n}\n", "changed body"),
    ),
)
