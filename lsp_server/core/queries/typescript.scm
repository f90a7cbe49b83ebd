; Definitions of TypeScript alone, before ecmascript.scm.

[
  (ambient_declaration)
  (expression_statement
    (internal_module))
] @extent

[
  (class_declaration
    name: (type_identifier) @name
    body: (_) @body)
  (abstract_class_declaration
    name: (type_identifier) @name
    body: (_) @body)
] @definition.class

(interface_declaration
  name: (type_identifier) @name
  body: (_) @body) @definition.interface

(enum_declaration
  name: (identifier) @name
  body: (_) @body) @definition.enum

(enum_body
  [
    (property_identifier) @name
    (string
      (string_fragment) @name)
  ] @definition.enum_member)

(enum_assignment
  name: [
    (property_identifier) @name
    (string
      (string_fragment) @name)
  ]
  value: (_) @body) @definition.enum_member

((type_alias_declaration
  name: (type_identifier) @name
  value: (object_type) @body) @definition.type
  (#set! container "true"))

(type_alias_declaration
  name: (type_identifier) @name
  value: (_) @body) @definition.type

[
  (internal_module
    name: (identifier) @name
    body: (_) @body)
  (internal_module
    name: (nested_identifier
      object: (_) @owner
      property: (_) @name)
    body: (_) @body)
] @definition.namespace

[
  (module
    name: (identifier) @name
    body: (_)? @body)
  (module
    name: (nested_identifier
      object: (_) @owner
      property: (_) @name)
    body: (_)? @body)
  (module
    name: (string
      (string_fragment) @name)
    body: (_)? @body)
] @definition.module

; Overload heads and declared functions.
(function_signature
  name: (identifier) @name) @definition.function

([
  (method_signature
    name: [
      (property_identifier)
      (private_property_identifier)
      (number)
      (computed_property_name)
    ] @name)
  (method_signature
    name: (string
      (string_fragment) @name))
  (abstract_method_signature
    name: (_) @name)
] @definition.method
  (#set! nested "false"))

([
  (property_signature
    name: [
      (property_identifier)
      (number)
      (computed_property_name)
    ] @name)
  (property_signature
    name: (string
      (string_fragment) @name))
] @definition.field)

(public_field_definition
  name: [
    (property_identifier)
    (private_property_identifier)
    (computed_property_name)
  ] @name
  value: [
    (arrow_function
      body: (_) @body)
    (function_expression
      body: (_) @body)
  ]) @definition.method

(public_field_definition
  name: [
    (property_identifier)
    (private_property_identifier)
    (computed_property_name)
  ] @name
  value: (_)? @body) @definition.field

((variable_declarator
  name: (identifier) @name
  value: [
    (as_expression
      .
      (object) @body)
    (satisfies_expression
      .
      (object) @body)
  ]) @definition.variable
  (#set! container "true"))

(decorator) @leading
