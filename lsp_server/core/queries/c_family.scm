; Definitions of C that C++ has too. The captures are described in core/definitions.py.

; A function is what its declarator names, however deep in pointers and parentheses that is.
(function_definition
  body: (_)? @body) @carrier

([
  (declaration)
  (field_declaration)
] @carrier
  (#set! nested "false"))

[
  (pointer_declarator
    declarator: [
      (function_declarator)
      (pointer_declarator)
    ])
  (parenthesized_declarator)
  (function_declarator
    declarator: (parenthesized_declarator))
] @carrier.between

((function_declarator
  declarator: [
    (identifier) @name
    (field_identifier) @name
    (parenthesized_declarator
      (identifier) @name)
  ]) @definition.function
  (#set! carried "true"))

; `struct A { ... } a;` names two things in one extent.
[
  (type_definition
    type: [
      (struct_specifier
        body: (_))
      (union_specifier
        body: (_))
      (enum_specifier
        body: (_))
    ])
  (declaration
    type: [
      (struct_specifier
        body: (_))
      (union_specifier
        body: (_))
      (enum_specifier
        body: (_))
    ])
  (field_declaration
    type: [
      (struct_specifier
        body: (_))
      (union_specifier
        body: (_))
      (enum_specifier
        body: (_))
    ])
] @extent

(struct_specifier
  name: (type_identifier) @name
  body: (_) @body) @definition.struct

(union_specifier
  name: (type_identifier) @name
  body: (_) @body) @definition.union

(enum_specifier
  name: (type_identifier) @name
  body: (_) @body) @definition.enum

(enumerator
  name: (identifier) @name
  value: (_)? @body) @definition.enum_member

; typedef struct { ... } A;
(type_definition
  type: (struct_specifier
    body: (_) @body)
  declarator: (type_identifier) @name) @definition.struct

(type_definition
  type: (union_specifier
    body: (_) @body)
  declarator: (type_identifier) @name) @definition.union

(type_definition
  type: (enum_specifier
    body: (_) @body)
  declarator: (type_identifier) @name) @definition.enum

(type_definition
  declarator: [
    (type_identifier) @name
    (pointer_declarator
      declarator: (type_identifier) @name)
    (array_declarator
      declarator: (type_identifier) @name)
    (function_declarator
      declarator: [
        (type_identifier) @name
        (parenthesized_declarator
          (pointer_declarator
            declarator: (type_identifier) @name))
      ])
  ]) @definition.type

; struct { union { int a; } u; }
((field_declaration
  type: [
    (struct_specifier
      body: (_) @body)
    (union_specifier
      body: (_) @body)
  ]
  declarator: (field_identifier) @name) @definition.field
  (#set! container "true"))

(field_declaration
  declarator: [
    (field_identifier) @name
    (pointer_declarator
      declarator: [
        (field_identifier) @name
        (pointer_declarator
          declarator: (field_identifier) @name)
      ])
    (array_declarator
      declarator: (field_identifier) @name)
    (function_declarator
      declarator: (parenthesized_declarator
        (pointer_declarator
          declarator: (field_identifier) @name)))
  ]) @definition.field

(declaration
  declarator: [
    (identifier) @name
    (pointer_declarator
      declarator: [
        (identifier) @name
        (pointer_declarator
          declarator: (identifier) @name)
      ])
    (array_declarator
      declarator: (identifier) @name)
    (function_declarator
      declarator: (parenthesized_declarator
        (pointer_declarator
          declarator: (identifier) @name)))
    (init_declarator
      declarator: [
        (identifier) @name
        (pointer_declarator
          declarator: (identifier) @name)
        (array_declarator
          declarator: [
            (identifier) @name
            (pointer_declarator
              declarator: (identifier) @name)
            (array_declarator
              declarator: (identifier) @name)
          ])
        (function_declarator
          declarator: (parenthesized_declarator
            (pointer_declarator
              declarator: (identifier) @name)))
      ]
      value: (_) @body)
  ]) @definition.variable

(preproc_def
  name: (identifier) @name
  value: (_)? @body) @definition.macro

(preproc_function_def
  name: (identifier) @name
  value: (_)? @body) @definition.macro
