(** What shops offer. *)

type t

type 'a basket = {
  items : 'a list;  (** What is in it. *)
  owner : string;
}
[@@deriving show]

(** Takes money. *)
val pay : ?rate:int -> amount:int -> t -> (int, error) result

val limit : int
val ( <+> ) : t -> t -> t
external now : unit -> float = "shop_now"

exception Refused of string

module Rate : sig
  type t = Fixed of int | Open

  val of_string : string -> t option
end

module type STORE = sig
  val get : string -> t
  val get : int -> t
end

module Make (S : STORE) : STORE with type t = S.t

class counter : int -> object
  method get : int
  val mutable n : int
end
