; Definitions of HCL (Terraform): blocks and attributes. The captures are described in core/definitions.py.

; resource "type" "name" {}
((block
  .
  (identifier) @name
  .
  (block_start)
  (body)? @body) @definition.block
  (#set! container "true"))

((block
  .
  (identifier) @owner
  .
  [
    (identifier)
    (string_lit)
  ] @name
  .
  (block_start)
  (body)? @body) @definition.block
  (#set! quoted "true")
  (#set! container "true"))

((block
  .
  (identifier) @owner
  .
  [
    (identifier)
    (string_lit)
  ] @owner
  .
  [
    (identifier)
    (string_lit)
  ] @name
  .
  (block_start)
  (body)? @body) @definition.block
  (#set! quoted "true")
  (#set! container "true"))

; a = {}
((attribute
  .
  (identifier) @name
  (expression
    (collection_value)) @body) @definition.key
  (#set! container "true"))

(attribute
  .
  (identifier) @name
  (expression) @body) @definition.key

; { "a" = 1, b : 2 }
((object_elem
  key: (expression) @name
  val: (expression
    (collection_value)) @body) @definition.entry
  (#set! quoted "true")
  (#set! container "true"))

((object_elem
  key: (expression) @name
  val: (expression) @body) @definition.entry
  (#set! quoted "true"))
