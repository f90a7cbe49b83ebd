//! Crate text.
#![allow(dead_code)]

use std::fmt;

pub const LIMIT: usize = 10;
static mut COUNT: u8 = 0;

/// Documentation is not part of it.
#[derive(Debug)]
// but what stands between attributes is
#[cfg(feature = "x")]
pub struct Parser<'a, T> {
    input: &'a str,
    #[allow(unused)]
    pub rest: T,
}

struct Unit;
struct Pair(i32, i32);

enum Token {
    Word(String),
    Span { from: usize, to: usize },
    End,
}

union Bits {
    f: f32,
    u: u32,
}

pub trait Visit {
    const DEPTH: usize;
    type Output;
    fn visit(&self) -> Self::Output;
    fn twice(&self) {
        self.visit();
    }
}

impl<'a, T> Parser<'a, T> {
    pub const START: usize = 0;

    pub fn new(input: &'a str) -> Self {
        fn check(x: &str) {}
        let twice = |x: u8| x * 2;
        todo!()
    }
}

impl<'a, T> Iterator for Parser<'a, T> {
    type Item = Token;

    #[inline]
    fn next(&mut self) -> Option<Token> {
        None
    }
}

impl From<i32> for Pair {
    fn from(x: i32) -> Self {
        Pair(x, x)
    }
}

impl From<u8> for Pair {
    fn from(x: u8) -> Self {
        Pair(0, 0)
    }
}

impl fmt::Display for self::tokens::Token {
    fn fmt(&self) {}
}

impl Visit for [u8] {
    fn visit(&self) {}
}

impl<'a> Visit for &'a mut Unit {}

mod a {
    struct Inner;
    impl Inner {
        fn m(&self) {}
    }
    mod deep {
        pub(crate) async fn run() {}
    }
}

mod b {
    impl Inner {
        fn m(&self) {}
    }
}

macro_rules! square {
    ($x:expr) => {
        $x * $x
    };
}

extern "C" {
    fn abs(x: i32) -> i32;
}

type Grid<T> = Vec<Vec<T>>;

#[test]
fn works() {}
