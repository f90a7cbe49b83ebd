; Facts of Kotlin that checks ask for. The captures are described in core/check_facts.py.

(call_expression
  .
  (_) @call)

(import
  (qualified_identifier) @import
  "*"? @wild)

(annotation
  [
    (user_type) @decorator
    (constructor_invocation
      (user_type) @decorator)
  ])

(class_declaration
  (delegation_specifiers
    (delegation_specifier
      [
        (user_type) @base
        (constructor_invocation
          (user_type) @base)
        (explicit_delegation
          .
          (user_type) @base)
      ]))) @subject

(object_declaration
  (delegation_specifiers
    (delegation_specifier
      [
        (user_type) @base
        (constructor_invocation
          (user_type) @base)
        (explicit_delegation
          .
          (user_type) @base)
      ]))) @subject

(function_value_parameters
  (parameter
    .
    (identifier) @parameter))

(function_value_parameters
  (parameter
    .
    (identifier) @parameter)
  .
  "="
  .
  (_) @default)

(class_parameter
  (identifier) @parameter)

(class_parameter
  (identifier) @parameter
  "="
  .
  (_) @default)
