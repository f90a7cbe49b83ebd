; Definitions of Dart. The captures are described in core/definitions.py.

; The body of a function stands behind its signature: `Language.trailing`.
[
  (method_signature)
  (declaration)
] @extent

(class_definition
  name: (identifier) @name
  body: (_)? @body) @definition.class

; class A = B with C;
(class_definition
  (mixin_application_class
    (identifier) @name
    (_) @body)) @definition.class

(mixin_declaration
  (identifier) @name
  (class_body) @body) @definition.class

; extension A on B; without a name, its members are found under the type.
(extension_declaration
  name: (identifier) @name
  body: (_) @body) @definition.extension

((extension_declaration
  !name
  class: (_) @owner
  body: (_) @body) @definition.extension
  (#set! name "extension @owner")
  (#set! members "owner"))

(extension_type_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.class

(enum_declaration
  name: (identifier) @name
  body: (_) @body) @definition.enum

(enum_constant
  name: (identifier) @name
  (argument_part)? @body) @definition.enum_member

(type_alias
  "typedef"
  .
  (type_identifier) @name
  "="
  .
  (_) @body) @definition.type

(type_alias
  (type_identifier) @name
  .
  (formal_parameter_list)) @definition.type

((method_signature
  [
    (function_signature
      name: (identifier) @name)
    (getter_signature
      name: (identifier) @name)
    (setter_signature
      name: (identifier) @name)
    (operator_signature
      "operator"
      .
      _ @name)
  ] @definition.function)
  .
  (function_body) @body)

(([
  (function_signature
    name: (identifier) @name)
  (getter_signature
    name: (identifier) @name)
  (setter_signature
    name: (identifier) @name)
] @definition.function)
  .
  (function_body) @body)

((method_signature
  [
    (constructor_signature
      name: (identifier) @name
      .
      parameters: (formal_parameter_list))
    (factory_constructor_signature
      (identifier) @name
      .
      (formal_parameter_list))
  ] @definition.constructor)
  .
  (function_body) @body)

[
  (function_signature
    name: (identifier) @name)
  (getter_signature
    name: (identifier) @name)
  (setter_signature
    name: (identifier) @name)
  (operator_signature
    "operator"
    .
    _ @name)
] @definition.function

[
  (constructor_signature
    name: (identifier) @name
    .
    parameters: (formal_parameter_list))
  (constant_constructor_signature
    (identifier) @name
    .
    (formal_parameter_list))
  (factory_constructor_signature
    (identifier) @name
    .
    (formal_parameter_list))
  (redirecting_factory_constructor_signature
    (identifier) @name
    .
    (formal_parameter_list))
] @definition.constructor

; final f = (int x) => x;
(initialized_variable_definition
  name: (identifier) @name
  value: (function_expression
    body: (_) @body)) @definition.function

; int a = 1, b;
(declaration
  [
    (initialized_identifier_list
      (initialized_identifier
        .
        (identifier) @name
        "="
        .
        (_) @body))
    (static_final_declaration_list
      (static_final_declaration
        .
        (identifier) @name
        "="
        .
        (_) @body))
  ]) @definition.variable

(declaration
  (initialized_identifier_list
    (initialized_identifier
      .
      (identifier) @name))) @definition.variable

(initialized_identifier_list
  (initialized_identifier
    .
    (identifier) @name
    "="
    .
    (_) @body)) @definition.variable

(static_final_declaration_list
  (static_final_declaration
    .
    (identifier) @name
    "="
    .
    (_) @body)) @definition.variable

(initialized_identifier_list
  (initialized_identifier
    .
    (identifier) @name)) @definition.variable
