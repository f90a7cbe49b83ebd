; Definitions of Go. The captures are described in core/definitions.py.

; `type X struct {}` and the like; what stands in a group `type ( ... )` has its own part of it.
[
  (type_declaration)
  (const_declaration)
  (var_declaration)
] @extent.sole

(function_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.function

(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @owner
        (generic_type
          type: (type_identifier) @owner)
        (pointer_type
          [
            (type_identifier) @owner
            (generic_type
              type: (type_identifier) @owner)
          ])
        (parenthesized_type
          [
            (type_identifier) @owner
            (pointer_type
              [
                (type_identifier) @owner
                (generic_type
                  type: (type_identifier) @owner)
              ])
          ])
      ]))
  name: (field_identifier) @name
  body: (_)? @body) @definition.method

(type_spec
  name: (type_identifier) @name
  type: (struct_type
    (field_declaration_list) @body)) @definition.struct

(type_spec
  name: (type_identifier) @name
  type: (interface_type) @body) @definition.interface

(type_spec
  name: (type_identifier) @name
  type: (_) @body) @definition.type

(type_alias
  name: (type_identifier) @name
  type: (_) @body) @definition.type

(field_declaration
  name: (field_identifier) @name) @definition.field

((method_elem
  name: (field_identifier) @name) @definition.method
  (#set! nested "false"))

; var f = func() {}
(var_spec
  .
  name: (identifier) @name
  value: (expression_list
    .
    (func_literal
      body: (_) @body)
    .)) @definition.function

(short_var_declaration
  left: (expression_list
    .
    (identifier) @name
    .)
  right: (expression_list
    .
    (func_literal
      body: (_) @body)
    .)) @definition.function

; Without the field `name`, by which only the first of several is found in this version of the grammar.
(const_spec
  (identifier) @name
  value: (_)? @body) @definition.constant

(var_spec
  (identifier) @name
  value: (_)? @body) @definition.variable

; What directs the compiler about the definition below it; what is about the whole file does not belong to one.
((comment) @leading
  (#match? @leading "^//(go:(?!build|generate)|export |extern )"))
