; Definitions of GraphQL, of schemas and of operations. The captures are described in core/definitions.py.

[
  (object_type_definition
    (name) @name
    (fields_definition)? @body)
  (object_type_extension
    (name) @name
    (fields_definition)? @body)
] @definition.class

[
  (interface_type_definition
    (name) @name
    (fields_definition)? @body)
  (interface_type_extension
    (name) @name
    (fields_definition)? @body)
] @definition.interface

[
  (input_object_type_definition
    (name) @name
    (input_fields_definition)? @body)
  (input_object_type_extension
    (name) @name
    (input_fields_definition)? @body)
] @definition.struct

[
  (enum_type_definition
    (name) @name
    (enum_values_definition)? @body)
  (enum_type_extension
    (name) @name
    (enum_values_definition)? @body)
] @definition.enum

[
  (union_type_definition
    (name) @name
    (union_member_types)? @body)
  (union_type_extension
    (name) @name
    (union_member_types)? @body)
] @definition.union

[
  (scalar_type_definition
    (name) @name)
  (scalar_type_extension
    (name) @name)
] @definition.type

(directive_definition
  (name) @name) @definition.macro

(schema_definition
  "schema" @name @head) @definition.schema

(schema_extension
  "schema" @name @head) @definition.schema

(field_definition
  (name) @name) @definition.field

(input_fields_definition
  (input_value_definition
    (name) @name) @definition.input_field)

(enum_value_definition
  (enum_value) @name) @definition.enum_member

(operation_definition
  (name) @name
  (selection_set) @body) @definition.function

(fragment_definition
  (fragment_name) @name
  (selection_set) @body) @definition.function
