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

(reference_declarator) @carrier.between

((function_declarator
  declarator: [
    (destructor_name)
    (operator_name)
  ] @name) @definition.function
  (#set! carried "true"))

; A::f, A<T>::f, a::b::A::f, f<int>
((function_declarator
  declarator: [
    (qualified_identifier)
    (template_function)
  ] @path) @definition.function
  (#set! carried "true"))

; operator bool(), A::operator bool()
((operator_cast
  type: (_) @type) @name @definition.function
  (#set! carried "true")
  (#set! name "operator @type"))

((qualified_identifier
  scope: (_) @owner
  name: (operator_cast
    type: (_) @type) @name) @definition.function
  (#set! carried "true")
  (#set! name "operator @type"))

; auto f = [](int x) { return x; };
((init_declarator
  declarator: (identifier) @name @definition.function
  value: (lambda_expression))
  (#set! carried "true")
  (#set! nested "true"))

; int A::limit = 3;
([
  (declaration
    declarator: (qualified_identifier) @path @definition.variable)
  (init_declarator
    declarator: (qualified_identifier) @path @definition.variable)
  (pointer_declarator
    declarator: (qualified_identifier) @path @definition.variable)
  (array_declarator
    declarator: (qualified_identifier) @path @definition.variable)
]
  (#set! carried "true"))

([
  (reference_declarator
    (identifier) @name @definition.variable)
  (reference_declarator
    (field_identifier) @name @definition.field)
]
  (#set! carried "true"))

(class_specifier
  name: (type_identifier) @name
  body: (_) @body) @definition.class

(class_specifier
  name: [
    (template_type)
    (qualified_identifier)
  ] @path
  body: (_) @body) @definition.class

(struct_specifier
  name: [
    (template_type)
    (qualified_identifier)
  ] @path
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
  name: (nested_namespace_specifier) @path
  body: (_) @body) @definition.namespace

(alias_declaration
  name: (type_identifier) @name
  type: (_) @body) @definition.type

(concept_definition
  name: (identifier) @name) @definition.type
