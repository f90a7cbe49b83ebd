"""OCaml: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
open Money

let limit = 3

let pay ?(rate = 2) amount =
  if amount > limit then log "a" amount;
  let rates = [ rate; amount ] in
  match amount with 0 -> none
  | _ -> $0total rates * amount
"""

MUTUAL = """\
let rec even n = n = 0 || odd (n - $01)
and odd n = n <> 0 && even (n - 1)
"""

MODULE = """\
module $0Basket = struct
  type t = item list
  let add x b = x :: b
end
"""

SHAPE = """\
type $0shape =
  | Circle of float
  | Square of int
"""

CASES = LanguageCases(
    file="a.ml",
    comment="(*",
    comment_end=" *)",
    sample=SAMPLE,
    style_edits=(
        ("rate; amount ]", "rate; amount; ]"),
        (" with 0 -> none", " with\n  | 0 -> (none)"),
        ("* amount\n", "* (amount)\n"),
    ),
    same=(
        ("let x = (a)", "let x = a"),
        ("let x = (a + b)", "let x = a + b"),
        ("let f = g (a) (1)", "let f = g a 1"),
        ("let x = [ 1; 2; ]", "let x = [ 1; 2 ]"),
        ("let x = { a = 1; b = 2; }", "let x = { a = 1; b = 2 }"),
        ("let x = [| 1; 2; |]", "let x = [| 1; 2 |]"),
        ("type a = { b : int; c : int; }", "type a = {\n  b : int;\n  c : int\n}"),
        ("type a = | A | B", "type a = A | B"),
        ("let f x = match x with | A -> 1 | B -> 2", "let f x = match x with\n    A -> 1\n  | B -> 2"),
        ("let f = function | A -> 1", "let f = function A -> 1"),
        ("let f x = begin a; b end", "let f x = (a; b)"),
        ("let x = 1;;\nlet y = 2;;", "let x = 1\nlet y = 2"),
        ("let x = 1 (* why *)\nlet y = 2", "let x = 1\nlet y = 2"),
        ("(** Text. *)\nlet x = 1", "let x = 1"),
        ("let f x = match x with A -> (g x) | B -> 2", "let f x = match x with A -> g x | B -> 2"),
    ),
    different=(
        ("let x = (a + b) * c", "let x = a + b * c"),
        ("let x = f (a b)", "let x = f a b"),
        ("let x = ((a, b), c)", "let x = (a, b, c)"),
        ("let x = (a, b)", "let x = [a; b]"),
        ("let x = f (-1)", "let x = f - 1"),
        ("let f x = if x then (a; b)", "let f x = if x then a; b"),
        (
            "let f x = match x with A -> (match y with B -> 1) | C -> 2",
            "let f x = match x with A -> match y with B -> 1 | C -> 2",
        ),
        # The last letter is the type.
        ("let x = 1L", "let x = 1l"),
        ('let x = "a b"', 'let x = "a  b"'),
        ("let x = 'a'", "let x = 'b'"),
        ("let x = {|a b|}", "let x = {|a  b|}"),
        ("let rec f x = x", "let f x = x"),
        ("let f ~x = x", "let f x = x"),
        ("let f ?x () = x", "let f ~x () = x"),
        ("let f ?(x = 1) () = x", "let f ?(x = 2) () = x"),
        ("let x = !a", "let x = a"),
        ("let x = a := b", "let x = a = b"),
        ("let x = a == b", "let x = a = b"),
        ("type a = { mutable b : int }", "type a = { b : int }"),
        ("type a = A | B", "type a = B | A"),
        ("type a = A of int * int", "type a = A of (int * int)"),
        ("type a = int [@@deriving show]", "type a = int"),
        ("let[@inline] f x = x", "let f x = x"),
        ("let f x = x [@tail]", "let f x = x"),
        ("let f : int -> int = g", "let f : int -> float = g"),
        ("let f x = match x with A when b -> 1 | _ -> 2", "let f x = match x with A -> 1 | _ -> 2"),
        ("let f x = match x with A | B -> 1", "let f x = match x with A -> 1 | B -> 1"),
        ("open A", "open! A"),
        ("module A = B", "module A = C"),
        ("module F (A : S) = struct end", "module F (A : T) = struct end"),
        ("let x = let a = 1 in a", "let x = let a = 2 in a"),
        ("let x = `A", "let x = A"),
        ("exception A of int", "exception A of float"),
    ),
    silent=("(* a *)", "(** a *)"),
    edits=(
        ("amount > limit", "amount >= limit", "changed body"),
        ('"a"', '"b"', "changed body"),
        ("with 0 -> none", "with 1 -> none", "changed body"),
        ("?(rate = 2)", "?(rate = 3)", "changed interface"),
        ("?(rate = 2) amount", "amount ?(rate = 2)", "changed interface"),
        ("  if", "  (* why *)\n\n  if", "reformatted"),
        ("let limit = 3", "let limit = 4", "fresh"),
    ),
    verdicts=(
        (SAMPLE, SAMPLE.replace("pay", "settle"), "moved"),
        (MUTUAL, MUTUAL.replace("n <> 0", "n > 0"), "fresh"),
        (MUTUAL, MUTUAL.replace("n - $01", "n - $02"), "changed body"),
        (MUTUAL, "let rec odd n = n <> 0 && even (n - 1)\nand even n = n = 0 || odd (n - $01)\n", "fresh"),
        (MODULE, MODULE.replace("x :: b", "b @ [ x ]"), "changed members"),
        (MODULE, MODULE.replace("item list", "item array"), "changed body"),
        (MODULE, MODULE.replace("Basket =", "Basket : S ="), "changed interface"),
        (SHAPE, SHAPE.replace("of int", "of float"), "changed body"),
        (SHAPE, SHAPE.replace("=\n  | Circle", "= Circle"), "reformatted"),
        (
            "module A = struct\n  let f x = x + b + $01\nend\n\nmodule B = struct\n  let f x = x + c\nend\n",
            "module B = struct\n  let f x = x + d\nend\n\nmodule A = struct\n  let f x = x + b + $01\nend\n",
            "fresh",
        ),
        # A later `let` of one name hides the first.
        (
            "let f x = g x + h x + $01\n\nlet f x = f x + f x\n",
            "let f x = g x + h x + $01\n\nlet f x = f x - f x\n",
            "fresh",
        ),
    ),
)
