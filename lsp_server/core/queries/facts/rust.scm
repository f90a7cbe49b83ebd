; Facts of Rust that checks ask for. The captures are described in core/check_facts.py.

(call_expression
  function: (_) @call)

(macro_invocation
  macro: (_) @call)

(use_declaration
  argument: (_) @import)

(extern_crate_declaration
  name: (_) @import)

(attribute_item
  (attribute
    .
    [
      (identifier)
      (scoped_identifier)
    ] @decorator))

; #[derive(Debug)]
((attribute_item
  (attribute
    .
    (identifier) @outer
    arguments: (token_tree
      (identifier) @decorator)))
  (#set! within "derive"))

(impl_item
  trait: (_) @base
  type: (_) @named)

(trait_item
  bounds: (trait_bounds
    (_) @base)) @subject
