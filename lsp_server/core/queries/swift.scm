; Definitions of Swift. The captures are described in core/definitions.py.

(class_declaration
  declaration_kind: [
    "class"
    "actor"
  ]
  name: (type_identifier) @name
  body: (_) @body) @definition.class

(class_declaration
  declaration_kind: "struct"
  name: (type_identifier) @name
  body: (_) @body) @definition.struct

(class_declaration
  declaration_kind: "enum"
  name: (type_identifier) @name
  body: (_) @body) @definition.enum

; extension A: B { }: its members are found under the type, as `A.f`.
((class_declaration
  declaration_kind: "extension"
  name: (_) @owner
  body: (_) @body) @definition.extension
  (#set! name "extension @owner")
  (#set! members "owner"))

(protocol_declaration
  name: (type_identifier) @name
  body: (_) @body) @definition.interface

(enum_entry
  name: (simple_identifier) @name
  .
  "="
  .
  raw_value: (_) @body) @definition.enum_member

(enum_entry
  name: (simple_identifier) @name
  .
  data_contents: (_) @body) @definition.enum_member

(enum_entry
  name: (simple_identifier) @name) @definition.enum_member

(function_declaration
  "func"
  .
  name: _ @name
  body: (_)? @body) @definition.function

(protocol_function_declaration
  "func"
  .
  name: _ @name) @definition.method

(init_declaration
  name: "init" @name
  body: (_)? @body) @definition.constructor

(deinit_declaration
  "deinit" @name
  body: (_)? @body) @definition.method

(subscript_declaration
  "subscript" @name
  (computed_property) @body) @definition.property

; let f = { (x: Int) in x }
(property_declaration
  name: (pattern
    bound_identifier: (simple_identifier) @name)
  value: (lambda_literal) @body) @definition.function

; var a: Int { 1 }
(property_declaration
  name: (pattern
    bound_identifier: (simple_identifier) @name)
  computed_value: (_) @body) @definition.property

; let a = 1, b = 2
(property_declaration
  name: (pattern
    bound_identifier: (simple_identifier) @name)
  value: (_) @body) @definition.variable

(property_declaration
  name: (pattern
    bound_identifier: (simple_identifier) @name)
  (willset_didset_block)? @body) @definition.variable

; let (a, b) = c
(property_declaration
  name: (pattern
    (pattern
      (simple_identifier) @name))
  value: (_)? @body) @definition.variable

(protocol_property_declaration
  name: (pattern
    bound_identifier: (simple_identifier) @name)) @definition.property

(computed_getter
  (getter_specifier
    "get" @name)
  (statements)? @body) @definition.method

(computed_setter
  (setter_specifier
    "set" @name)
  (statements)? @body) @definition.method

(willset_clause
  "willSet" @name
  (statements)? @body) @definition.method

(didset_clause
  "didSet" @name
  (statements)? @body) @definition.method

(typealias_declaration
  name: (type_identifier) @name
  "="
  .
  (_) @body) @definition.type

(associatedtype_declaration
  name: (type_identifier) @name) @definition.type

(macro_declaration
  "macro"
  .
  (simple_identifier) @name
  definition: (_)? @body) @definition.macro

; What Sourcery generates from the definition below.
((comment) @leading
  (#match? @leading "^//\\s*sourcery:"))
