; Definitions of Scala. The captures are described in core/definitions.py.

(package_clause
  name: (package_identifier) @name
  body: (_) @body) @definition.namespace

(package_object
  name: (identifier) @name
  body: (_) @body) @definition.object

(class_definition
  name: (identifier) @name
  body: (_)? @body) @definition.class

(object_definition
  name: (identifier) @name
  body: (_)? @body) @definition.object

(trait_definition
  name: (identifier) @name
  body: (_)? @body) @definition.trait

(enum_definition
  name: (identifier) @name
  body: (_) @body) @definition.enum

; case A, B(c: Int)
(enum_case_definitions) @extent.sole

([
  (simple_enum_case
    name: (identifier) @name)
  (full_enum_case
    name: (identifier) @name)
] @definition.enum_member)

; class A(val b: Int), case class A(b: Int)
(class_definition
  "case"
  class_parameters: (class_parameters
    (class_parameter
      name: (identifier) @name) @definition.field))

(class_parameter
  [
    "val"
    "var"
  ]
  name: (identifier) @name) @definition.field

; extension (s: String): its members are found as `String.f`.
((extension_definition
  parameters: (parameters
    .
    (parameter
      type: (generic_type
        type: (_) @owner)))) @definition.extension
  (#set! name "extension @owner")
  (#set! members "owner"))

((extension_definition
  parameters: (parameters
    .
    (parameter
      type: (_) @owner))) @definition.extension
  (#set! name "extension @owner")
  (#set! members "owner"))

([
  (function_definition
    name: (_) @name
    body: (_) @body)
  (function_declaration
    name: (_) @name)
] @definition.constructor
  (#eq? @name "this"))

(function_definition
  name: (_) @name
  body: (_) @body) @definition.function

(function_declaration
  name: (_) @name) @definition.function

(given_definition
  name: (_) @name
  body: (with_template_body) @body) @definition.object

(given_definition
  name: (_) @name
  body: (_)? @body) @definition.variable

(given_definition
  !name
  return_type: (_) @name
  body: (with_template_body) @body) @definition.object

(given_definition
  !name
  return_type: (_) @name
  body: (_)? @body) @definition.variable

; val f = (x: Int) => x
(val_definition
  pattern: (identifier) @name
  value: (lambda_expression
    (_) @body
    .)) @definition.function

([
  (val_definition
    pattern: (identifier) @name
    value: (instance_expression
      (template_body) @body))
  (var_definition
    pattern: (identifier) @name
    value: (instance_expression
      (template_body) @body))
] @definition.variable
  (#set! container "true"))

[
  (val_definition
    pattern: (identifier) @name
    value: (_) @body)
  (var_definition
    pattern: (identifier) @name
    value: (_) @body)
  (val_declaration
    name: (identifier) @name)
  (var_declaration
    name: (identifier) @name)
] @definition.variable

; val (a, b) = c, val a, b = c
[
  (val_definition
    pattern: (_
      (identifier) @name)
    value: (_) @body)
  (var_definition
    pattern: (_
      (identifier) @name)
    value: (_) @body)
] @definition.variable

(type_definition
  name: (_) @name
  type: (_)? @body) @definition.type
