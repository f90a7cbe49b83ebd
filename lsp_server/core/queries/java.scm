; Definitions of Java. The captures are described in core/definitions.py.

(class_declaration
  name: (identifier) @name
  body: (_) @body) @definition.class

(interface_declaration
  name: (identifier) @name
  body: (_) @body) @definition.interface

(enum_declaration
  name: (identifier) @name
  body: (_) @body) @definition.enum

(record_declaration
  name: (identifier) @name
  body: (_) @body) @definition.record

(annotation_type_declaration
  name: (identifier) @name
  body: (_) @body) @definition.annotation

((enum_constant
  name: (identifier) @name
  body: (_) @body) @definition.enum_member
  (#set! container "true"))

(enum_constant
  name: (identifier) @name) @definition.enum_member

(method_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.method

(constructor_declaration
  name: (identifier) @name
  body: (_) @body) @definition.constructor

(compact_constructor_declaration
  name: (identifier) @name
  body: (_) @body) @definition.constructor

(annotation_type_element_declaration
  name: (identifier) @name
  value: (_)? @body) @definition.method

; int a = 1, b;
(field_declaration
  declarator: (variable_declarator
    name: (identifier) @name
    value: (_)? @body)) @definition.field

(constant_declaration
  declarator: (variable_declarator
    name: (identifier) @name
    value: (_)? @body)) @definition.constant
