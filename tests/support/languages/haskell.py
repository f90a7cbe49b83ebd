"""Haskell: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
module Shop (pay) where

limit = 3

pay :: Int -> Rate -> Int
pay 0 _ = none
pay amount rate
  | amount > limit = total + 1
  | otherwise = amount * 2
  where
    total = $0amount * rate
"""

PRICED = """\
class Eq a => $0Priced a where
  price :: a -> Int
  label :: a -> Text
  label x = pack (show x)
"""

INSTANCES = """\
instance Priced Basket where
  price (Basket items) = sum items + $01

instance Priced Item where
  price (Item cost) = cost
"""

SHAPE = """\
data $0Shape
  = Circle { radius :: Double }
  | Square Double
  deriving (Show)
"""

CASES = LanguageCases(
    file="a.hs",
    comment="--",
    sample=SAMPLE,
    indented=True,
    # The grammar's scanner takes a tab at the end of a line for an error.
    blank="   ",
    style_edits=(
        ("= total + 1", "= (total + 1)"),
        ("= none", "= (none)"),
        ("amount * rate", "(amount) * rate"),
        ("= amount * 2", "= {- why -} amount * 2"),
    ),
    same=(
        ("f x = (x + 1)", "f x = x + 1"),
        ("f x = g (x)", "f x = g x"),
        ('f = g ("a")', 'f = g "a"'),
        ("f :: (Int) -> Int", "f :: Int -> Int"),
        ("f :: (Eq a) => a", "f :: Eq a => a"),
        ("f = do { a; b }", "f = do\n  a\n  b"),
        ("f x = case x of { 1 -> a; _ -> b }", "f x = case x of\n  1 -> a\n  _ -> b"),
        ("f = a where { b = 1; c = 2 }", "f = a\n  where\n    b = 1\n    c = 2"),
        ("instance A B where { f = 1; g = 2 }", "instance A B where\n  f = 1\n  g = 2"),
        ("data A = A { b :: Int, c :: Int }", "data A = A\n  { b :: Int\n  , c :: Int\n  }"),
        ("data A = B deriving (Show)", "data A = B deriving Show"),
        ("f = 0XFF + 1_000", "f = 0xff + 1000"),
        ("f = a -- why\ng = b", "f = a\ng = b"),
        ("-- | Text.\nf = a", "f = a"),
        ("f = a -- ^ Text.", "f = a"),
        ("f x\n  | x = a\n  | otherwise = b", "f x | x = a\n    | otherwise = b"),
    ),
    different=(
        # What a tree shows of operators says nothing of how they bind.
        ("f = a * (b + c)", "f = a * b + c"),
        ("f = (a + b) * c", "f = a + b * c"),
        ("f = g (h x)", "f = g h x"),
        ("f = (a, b)", "f = [a, b]"),
        ("f = (+ 1)", "f = (1 +)"),
        ("f = (- 1)", "f = (subtract 1)"),
        ('f = "a b"', 'f = "a  b"'),
        ("f = 'a'", "f = 'b'"),
        ("f :: (a -> b) -> c", "f :: a -> b -> c"),
        ("f :: Eq a => a", "f :: Ord a => a"),
        ("f :: Int", "f :: Integer"),
        ("f 0 = a\nf n = b", "f n = b\nf 0 = a"),
        ("f x | x > 1 = a", "f x | x > 2 = a"),
        ("f = a `g` b", "f = b `g` a"),
        ("f !x = x", "f x = x"),
        ("f ~x = x", "f x = x"),
        ("data A = B !Int", "data A = B Int"),
        ("data A = B deriving (Show, Eq)", "data A = B deriving (Show)"),
        ("newtype A = B Int", "data A = B Int"),
        ("f = do\n  a\n  b", "f = do\n  b\n  a"),
        ("f = do\n  when x $ do\n    a\n    b", "f = do\n  when x $ do\n    a\n  b"),
        ("f = let a = 1 in a", "f = let a = 2 in a"),
        ("f = \\x -> x", "f = \\y -> y"),
        ("import A (b)", "import A hiding (b)"),
        ("import qualified A", "import A"),
        ("infixl 6 +++", "infixr 6 +++"),
        ("infixl 6 +++", "infixl 7 +++"),
        ("{-# INLINE f #-}\nf = a", "f = a"),
    ),
    counting=("{-# LANGUAGE Strict #-}", "{-# OPTIONS_GHC -O2 #-}"),
    silent=("-- hlint", "{- a -}", "-- | a"),
    edits=(
        ("total + 1", "total + 2", "changed body"),
        ("amount * rate", "amount + rate", "changed body"),
        ("= none", "= one", "changed body"),
        ("pay 0 _", "pay 1 _", "changed interface"),
        ("Int -> Rate -> Int", "Int -> Rate -> Integer", "changed interface"),
        ("pay amount rate\n", "-- why\npay amount rate\n", "reformatted"),
        ("limit = 3", "limit = 4", "fresh"),
        ("pay 0 _ = none\n", "", "changed interface"),
        ("  | otherwise = amount * 2\n", "", "changed body"),
    ),
    verdicts=(
        (SAMPLE, SAMPLE.replace("pay", "settle"), "moved"),
        (PRICED, PRICED.replace("show x", "show y"), "changed members"),
        (PRICED, PRICED.replace("Eq a", "Ord a"), "changed interface"),
        (PRICED, PRICED.replace("a -> Int", "a -> Integer"), "changed members"),
        (INSTANCES, INSTANCES.replace("(Item cost) = cost", "(Item cost) = cost + 1"), "fresh"),
        (
            INSTANCES,
            INSTANCES.replace(
                "instance Priced Basket", "instance Priced Bag where\n  price _ = 1\n\ninstance Priced Basket"
            ),
            "fresh",
        ),
        (
            "instance Priced $0Basket where\n  price (Basket items) = sum items + 1\n",
            "instance Show a => Priced $0Basket where\n  price (Basket items) = sum items + 1\n",
            "changed interface",
        ),
        (SHAPE, SHAPE.replace("Square Double", "Square Int"), "changed body"),
        (SHAPE, SHAPE.replace("(Show)", "(Show, Eq)"), "changed interface"),
        (SHAPE, SHAPE.replace("radius :: Double", "radius :: Double {- In metres. -}"), "reformatted"),
        (
            "f x = g x + h x + $01\n\nk x = g x + h x + 2\n",
            "k x = g x + h x + 2\n\nf x = g x + h x + $01\n",
            "fresh",
        ),
        (
            "f x = g x + h x + $01\n",
            "f :: Int -> Int\nf x = g x + h x + $01\n",
            "changed interface",
        ),
    ),
)
