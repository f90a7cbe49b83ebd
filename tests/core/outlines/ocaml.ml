(* Payments. *)
open Printf
module Map = Stdlib.Map

(** Takes money. *)
let limit = 3

let pay ?(rate = 2) ~currency amount =
  let total = amount * rate in
  let rec go n = if n = 0 then total else go (n - 1) in
  go amount

let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0 && even (n - 1)

let ( <+> ) a b = a + b
let (first, second) = (1, 2)
let classify = function
  | 0 -> "zero"
  | n when n > 0 -> "more"
  | _ -> "less"
let handler = fun x -> x
let () = print_endline "start"
let _ = ignore limit

type money = { amount : int; mutable currency : string }
type 'a shape =
  | Circle of float
  | Square of { side : 'a }
type tree = Leaf | Node of forest
and forest = tree list
type alias = int
exception Refused of string
external c_sin : float -> float = "sin"

module Basket = struct
  type t = int list
  let add x b = x :: b
  module Inner = struct
    let deep = 1
  end
end

module type PRICED = sig
  type t
  val price : t -> int
  exception No_price
  module Sub : sig val x : int end
end

module Make (P : PRICED) : PRICED = struct
  let price x = P.price x
end

module rec A : sig end = struct let a = 1 end
and B : sig end = struct let b = 1 end

class counter init = object (self)
  inherit base as super
  val mutable n = init
  method get = n
  method private step by = n <- n + by
  method virtual name : string
  initializer n <- 1
end

class type printable = object
  method print : unit
end

let%expect_test "takes money" = print_int 3; [%expect {| 3 |}]
let[@inline] fast x = x
include Basket
;;
let x = 1;;
