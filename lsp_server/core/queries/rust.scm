; Definitions of Rust. The captures are described in core/definitions.py.

(function_item
  name: [
    (identifier)
    (metavariable)
  ] @name
  body: (_) @body) @definition.function

(function_signature_item
  name: [
    (identifier)
    (metavariable)
  ] @name) @definition.function

; let f = |x| x;
(let_declaration
  pattern: (identifier) @name
  value: (closure_expression
    body: (_) @body)) @definition.function

(struct_item
  name: (type_identifier) @name
  body: (_)? @body) @definition.struct

(union_item
  name: (type_identifier) @name
  body: (_) @body) @definition.union

(enum_item
  name: (type_identifier) @name
  body: (_) @body) @definition.enum

((enum_variant
  name: (identifier) @name
  body: (field_declaration_list) @body) @definition.enum_member
  (#set! container "true"))

(enum_variant
  name: (identifier) @name
  body: (_)? @body) @definition.enum_member

(field_declaration
  name: (field_identifier) @name) @definition.field

(trait_item
  name: (type_identifier) @name
  body: (_) @body) @definition.trait

; Members are found under the type: `X.next`. The block itself is `impl X` or `impl Iterator for X`.
((impl_item
  trait: (_) @trait
  type: [
    (type_identifier) @owner @type
    (generic_type
      type: [
        (type_identifier) @owner
        (scoped_type_identifier
          name: (type_identifier) @owner)
      ]) @type
    (scoped_type_identifier
      name: (type_identifier) @owner) @type
    (reference_type
      type: [
        (type_identifier) @owner
        (generic_type
          type: (type_identifier) @owner)
        (scoped_type_identifier
          name: (type_identifier) @owner)
      ]) @type
  ]
  body: (_) @body) @definition.impl
  (#set! name "impl @trait for @type")
  (#set! members "owner"))

((impl_item
  trait: (_) @trait
  type: (_) @owner @type
  body: (_) @body) @definition.impl
  (#set! name "impl @trait for @type")
  (#set! members "owner"))

((impl_item
  type: [
    (type_identifier) @owner @type
    (generic_type
      type: [
        (type_identifier) @owner
        (scoped_type_identifier
          name: (type_identifier) @owner)
      ]) @type
    (scoped_type_identifier
      name: (type_identifier) @owner) @type
  ]
  body: (_) @body) @definition.impl
  (#set! name "impl @type")
  (#set! members "owner"))

((impl_item
  type: (_) @owner @type
  body: (_) @body) @definition.impl
  (#set! name "impl @type")
  (#set! members "owner"))

(mod_item
  name: (identifier) @name
  body: (_)? @body) @definition.module

(macro_definition
  name: (identifier) @name) @definition.macro

(const_item
  name: (identifier) @name
  value: (_)? @body) @definition.constant

(static_item
  name: (identifier) @name
  value: (_)? @body) @definition.variable

(type_item
  name: (type_identifier) @name
  type: (_) @body) @definition.type

(associated_type
  name: (type_identifier) @name) @definition.type
