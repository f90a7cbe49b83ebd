; Definitions of OCaml, in structures and in signatures. The captures are described in core/definitions.py.

; `let f = ...`; of `let f = ... and g = ...` each has its own part.
[
  (value_definition)
  (type_definition)
  (module_definition)
  (class_definition)
  (class_type_definition)
  (exception_definition)
] @extent.sole

(let_binding
  pattern: [
    (value_name) @name
    (parenthesized_operator
      .
      "("
      .
      (_) @name)
    (string
      (string_content) @name)
  ]
  [
    (parameter)
    (function_expression)
    (fun_expression)
  ]
  body: (_) @body) @definition.function

; let%expect_test "name" = ...
(let_binding
  pattern: (string
    (string_content) @name)
  body: (_) @body) @definition.function

(let_binding
  pattern: [
    (value_name) @name
    (parenthesized_operator
      .
      "("
      .
      (_) @name)
    (typed_pattern
      pattern: (value_name) @name)
    (parenthesized_pattern
      [
        (value_name) @name
        (tuple_pattern
          (value_name) @name)
        (typed_pattern
          pattern: (value_name) @name)
      ])
    (tuple_pattern
      (value_name) @name)
  ]
  body: (_) @body) @definition.variable

(value_specification
  [
    (value_name) @name
    (parenthesized_operator
      .
      "("
      .
      (_) @name)
  ]
  type: (function_type)) @definition.function

(value_specification
  [
    (value_name) @name
    (parenthesized_operator
      .
      "("
      .
      (_) @name)
  ]) @definition.variable

(external
  [
    (value_name) @name
    (parenthesized_operator
      .
      "("
      .
      (_) @name)
  ]) @definition.function

((type_binding
  name: (type_constructor) @name
  body: [
    (variant_declaration)
    (record_declaration)
  ] @body) @definition.type
  (#set! container "true"))

(type_binding
  name: [
    (type_constructor) @name
    (type_constructor_path) @name
  ]
  body: (_)? @body) @definition.type

; Constructors and fields stand right under their type.
(variant_declaration
  (constructor_declaration
    (constructor_name) @name) @definition.enum_member)

(type_binding
  body: (record_declaration
    (field_declaration
      (field_name) @name) @definition.field))

(exception_definition
  (constructor_declaration
    (constructor_name) @name) @definition.type)

(module_binding
  (module_name) @name
  body: (_) @body) @definition.module

(module_binding
  (module_name) @name
  module_type: (_) @body) @definition.module

(module_type_definition
  (module_type_name) @name
  body: (_)? @body) @definition.interface

(class_binding
  (class_name) @name
  body: (_)? @body) @definition.class

(class_type_binding
  (class_type_name) @name
  body: (_)? @body) @definition.interface

(method_definition
  (method_name) @name
  body: (_)? @body) @definition.method

(method_specification
  (method_name) @name) @definition.method

(instance_variable_definition
  (instance_variable_name) @name
  body: (_)? @body) @definition.field

(instance_variable_specification
  (instance_variable_name) @name) @definition.field
