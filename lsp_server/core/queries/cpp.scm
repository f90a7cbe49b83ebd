; Definitions of C++ alone, before c_family.scm.

[
  (template_declaration)
  (friend_declaration)
  (linkage_specification
    body: [
      (function_definition)
      (declaration)
    ])
] @extent

[
  (type_definition
    type: (class_specifier
      body: (_)))
  (declaration
    type: (class_specifier
      body: (_)))
  (field_declaration
    type: (class_specifier
      body: (_)))
] @extent

(reference_declarator
  [
    (function_declarator)
    (pointer_declarator)
  ]) @carrier.between

((function_declarator
  declarator: [
    (destructor_name) @name
    (operator_name) @name
    (template_function
      name: (identifier) @name)
  ]) @definition.function
  (#set! carried "true"))

; A::f, A<T>::f, a::A::f, a::b::A::f
((function_declarator
  declarator: (qualified_identifier
    scope: [
      (namespace_identifier) @owner
      (template_type
        name: (type_identifier) @owner)
    ]?
    name: [
      (identifier) @name
      (destructor_name) @name
      (operator_name) @name
      (template_function
        name: (identifier) @name)
    ])) @definition.function
  (#set! carried "true"))

((function_declarator
  declarator: (qualified_identifier
    scope: [
      (namespace_identifier) @owner
      (template_type
        name: (type_identifier) @owner)
    ]?
    name: (qualified_identifier
      scope: [
        (namespace_identifier) @owner
        (template_type
          name: (type_identifier) @owner)
      ]
      name: [
        (identifier) @name
        (destructor_name) @name
        (operator_name) @name
        (template_function
          name: (identifier) @name)
      ]))) @definition.function
  (#set! carried "true"))

((function_declarator
  declarator: (qualified_identifier
    scope: [
      (namespace_identifier) @owner
      (template_type
        name: (type_identifier) @owner)
    ]?
    name: (qualified_identifier
      scope: [
        (namespace_identifier) @owner
        (template_type
          name: (type_identifier) @owner)
      ]
      name: (qualified_identifier
        scope: [
          (namespace_identifier) @owner
          (template_type
            name: (type_identifier) @owner)
        ]
        name: [
          (identifier) @name
          (destructor_name) @name
          (operator_name) @name
          (template_function
            name: (identifier) @name)
        ])))) @definition.function
  (#set! carried "true"))

; operator bool(), A::operator bool()
((operator_cast
  type: (_) @type) @name @definition.function
  (#set! carried "true")
  (#set! name "operator @type"))

((qualified_identifier
  scope: [
    (namespace_identifier) @owner
    (template_type
      name: (type_identifier) @owner)
  ]
  name: (operator_cast
    type: (_) @type) @name) @definition.function
  (#set! carried "true")
  (#set! name "operator @type"))

(class_specifier
  name: [
    (type_identifier) @name
    (template_type
      name: (type_identifier) @name)
    (qualified_identifier
      scope: (_) @owner
      name: (type_identifier) @name)
  ]
  body: (_) @body) @definition.class

(struct_specifier
  name: [
    (template_type
      name: (type_identifier) @name)
    (qualified_identifier
      scope: (_) @owner
      name: (type_identifier) @name)
  ]
  body: (_) @body) @definition.struct

; class EXPORT A { ... }; is read as a function A that returns a class EXPORT.
(function_definition
  type: [
    (class_specifier
      !body)
    (struct_specifier
      !body)
  ]
  declarator: (identifier) @name
  body: (_) @body) @definition.class

(namespace_definition
  name: (namespace_identifier) @name
  body: (_) @body) @definition.namespace

(namespace_definition
  name: (nested_namespace_specifier
    (namespace_identifier) @owner
    (namespace_identifier) @name)
  body: (_) @body) @definition.namespace

(namespace_definition
  name: (nested_namespace_specifier
    (namespace_identifier) @owner
    (nested_namespace_specifier
      (namespace_identifier) @owner
      (namespace_identifier) @name))
  body: (_) @body) @definition.namespace

(alias_declaration
  name: (type_identifier) @name
  type: (_) @body) @definition.type

(concept_definition
  name: (identifier) @name) @definition.type

; auto f = [](int x) { return x; };
(declaration
  declarator: (init_declarator
    declarator: (identifier) @name
    value: (lambda_expression
      body: (_) @body))) @definition.function

; int A::limit = 3;
(declaration
  declarator: (init_declarator
    declarator: (qualified_identifier
      scope: [
        (namespace_identifier) @owner
        (template_type
          name: (type_identifier) @owner)
      ]
      name: (identifier) @name)
    value: (_) @body)) @definition.variable

(declaration
  declarator: [
    (reference_declarator
      (identifier) @name)
    (init_declarator
      declarator: (reference_declarator
        (identifier) @name)
      value: (_) @body)
  ]) @definition.variable

(field_declaration
  declarator: (reference_declarator
    (field_identifier) @name)) @definition.field
