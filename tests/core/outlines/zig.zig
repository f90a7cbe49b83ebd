//! Payments.
const std = @import("std");
const Allocator = std.mem.Allocator;

/// The most that is taken.
pub const limit: u32 = 3;
var rate: u32 = 2;
threadlocal var calls: usize = 0;
extern var shared: c_int;

/// Takes money.
pub fn pay(amount: u32, comptime T: type) !T {
    const total = amount * rate;
    const helper = struct {
        fn twice(x: u32) u32 {
            return x * 2;
        }
    }.twice;
    return helper(total);
}

pub extern "c" fn getpid() c_int;
export fn exported(a: i32) callconv(.C) i32 { return a; }
inline fn fast() void {}
pub fn List(comptime T: type) type {
    return struct {
        items: []T,
        const Self = @This();

        pub fn init() Self {
            return .{ .items = &.{} };
        }
    };
}

pub const Basket = struct {
    items: []const u8 = "",
    owner: ?*Owner,
    comptime step: u32 = 1,

    pub const empty: Basket = .{};

    pub fn init(allocator: Allocator) Basket {
        _ = allocator;
        return empty;
    }

    const Inner = packed struct(u8) {
        a: u4,
    };

    test "inside" {
        try std.testing.expect(true);
    }
};

pub const Color = enum(u8) {
    red,
    green = 2,
    _,

    pub fn isRed(self: Color) bool {
        return self == .red;
    }
};

const Value = union(enum) {
    int: i32,
    none,
};

const Handle = opaque {
    pub fn close(self: *Handle) void { _ = self; }
};

pub const Error = error{ Refused, Broke };
const callback = *const fn (u32) void;
pub usingnamespace @import("more.zig");

comptime {
    if (limit > 4) @compileError("too much");
}

test "takes money" {
    try std.testing.expectEqual(1, pay(1));
}

test pay {
    _ = pay;
}

test {
    _ = Basket;
}
