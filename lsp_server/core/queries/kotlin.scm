; Definitions of Kotlin. The captures are described in core/definitions.py.

(class_declaration
  name: (identifier) @name
  (enum_class_body) @body) @definition.enum

(class_declaration
  (modifiers
    (class_modifier) @_annotation)
  name: (identifier) @name
  (#eq? @_annotation "annotation")) @definition.annotation

(class_declaration
  "interface"
  name: (identifier) @name
  (class_body)? @body) @definition.interface

(class_declaration
  "class"
  name: (identifier) @name
  (class_body)? @body) @definition.class

(object_declaration
  name: (identifier) @name
  (class_body)? @body) @definition.object

(companion_object
  name: (identifier) @name
  (class_body)? @body) @definition.object

(companion_object
  !name
  "companion" @name
  (class_body)? @body) @definition.object

((enum_entry
  (identifier) @name
  (class_body) @body) @definition.enum_member
  (#set! container "true"))

(enum_entry
  .
  (identifier) @name
  (value_arguments)? @body) @definition.enum_member

; class A(val b: Int)
(class_parameter
  [
    "val"
    "var"
  ]
  (identifier) @name) @definition.property

; fun String.f() is found as `String.f`.
(function_declaration
  [
    (user_type) @owner
    (nullable_type
      (_) @owner)
  ]
  .
  "."
  .
  name: (identifier) @name
  (function_body)? @body) @definition.function

(function_declaration
  name: (identifier) @name
  (function_body)? @body) @definition.function

(secondary_constructor
  "constructor" @name
  (block)? @body) @definition.constructor

(anonymous_initializer
  "init" @name
  (block) @body) @definition.constructor

; val f = { x: Int -> x }
(property_declaration
  (variable_declaration
    (identifier) @name)
  "="
  [
    (lambda_literal) @body
    (anonymous_function
      (function_body) @body)
  ]) @definition.function

((property_declaration
  (variable_declaration
    (identifier) @name)
  "="
  (object_literal
    (class_body) @body)) @definition.property
  (#set! container "true"))

; val String.f: Int
(property_declaration
  [
    (user_type) @owner
    (nullable_type
      (_) @owner)
  ]
  .
  "."
  .
  (variable_declaration
    .
    (identifier) @name)
  (getter)? @body) @definition.property

(property_declaration
  (variable_declaration
    .
    (identifier) @name)
  "="
  .
  (_) @body) @definition.property

(property_declaration
  (variable_declaration
    .
    (identifier) @name)
  [
    (property_delegate)
    (getter)
  ] @body) @definition.property

(property_declaration
  (variable_declaration
    .
    (identifier) @name)) @definition.property

; val (a, b) = c
(property_declaration
  (multi_variable_declaration
    (variable_declaration
      .
      (identifier) @name))
  "="
  .
  (_) @body) @definition.property

(getter
  "get" @name
  (function_body) @body) @definition.method

(setter
  "set" @name
  (function_body) @body) @definition.method

(type_alias
  type: (identifier) @name
  "="
  .
  (_) @body) @definition.type
