; Definitions of C#. The captures are described in core/definitions.py.

; namespace A.B { }; a file's own namespace has nothing inside.
(namespace_declaration
  name: (identifier) @name
  body: (_) @body) @definition.namespace

(namespace_declaration
  name: (qualified_name) @path
  body: (_) @body) @definition.namespace

(class_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.class

(struct_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.struct

(interface_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.interface

(record_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.record

(enum_declaration
  name: (identifier) @name
  body: (_) @body) @definition.enum

(enum_member_declaration
  name: (identifier) @name
  value: (_)? @body) @definition.enum_member

(delegate_declaration
  name: (identifier) @name) @definition.type

; record A(int B)
(record_declaration
  (parameter_list
    (parameter
      name: (identifier) @name) @definition.property))

; void IOrder.Close() { }
(method_declaration
  (explicit_interface_specifier
    (_) @owner)
  name: (identifier) @name
  body: (_)? @body) @definition.method

(method_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.method

(local_function_statement
  name: (identifier) @name
  body: (_) @body) @definition.function

(constructor_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.constructor

((destructor_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.method
  (#set! name "~@name"))

((operator_declaration
  operator: _ @name
  body: (_)? @body) @definition.method
  (#set! name "operator @name"))

((conversion_operator_declaration
  type: (_) @name
  body: (_)? @body) @definition.method
  (#set! name "operator @name"))

(indexer_declaration
  "this" @name
  value: (_) @body) @definition.property

(indexer_declaration
  "this" @name
  accessors: (_) @body) @definition.property

(property_declaration
  (explicit_interface_specifier
    (_) @owner)
  name: (identifier) @name
  value: (_)? @body
  accessors: (_)? @body) @definition.property

; int A { get; set; } = 3
(property_declaration
  name: (identifier) @name
  value: (_) @body) @definition.property

(property_declaration
  name: (identifier) @name
  accessors: (_) @body) @definition.property

(event_declaration
  name: (identifier) @name
  accessors: (_)? @body) @definition.property

; get { ... }
(accessor_declaration
  name: _ @name
  body: (_) @body) @definition.method

; int a = 1, b;
([
  (field_declaration
    (variable_declaration
      (variable_declarator
        name: (identifier) @name
        "="
        (_) @body)))
  (event_field_declaration
    (variable_declaration
      (variable_declarator
        name: (identifier) @name
        "="
        (_) @body)))
] @definition.field)

([
  (field_declaration
    (variable_declaration
      (variable_declarator
        name: (identifier) @name)))
  (event_field_declaration
    (variable_declaration
      (variable_declarator
        name: (identifier) @name)))
] @definition.field)

; Func<int, int> f = x => x;
(local_declaration_statement
  (variable_declaration
    (variable_declarator
      name: (identifier) @name
      "="
      [
        (lambda_expression
          body: (_) @body)
        (anonymous_method_expression
          (block) @body)
      ]))) @definition.function

(local_declaration_statement
  (variable_declaration
    (variable_declarator
      name: (identifier) @name
      "="
      (_) @body))) @definition.variable

(local_declaration_statement
  (variable_declaration
    (variable_declarator
      name: (identifier) @name))) @definition.variable
