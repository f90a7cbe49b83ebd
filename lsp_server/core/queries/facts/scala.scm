; Facts of Scala that checks ask for. The captures are described in core/check_facts.py.

(call_expression
  function: (_) @call)

(instance_expression
  .
  (_) @call)

(infix_expression
  left: (_) @owner
  operator: (identifier) @call)

(import_declaration) @import

(annotation
  name: (_) @decorator)

([
  (class_definition
    extend: (extends_clause
      [
        (type_identifier)
        (stable_type_identifier)
        (generic_type)
      ] @base))
  (trait_definition
    extend: (extends_clause
      [
        (type_identifier)
        (stable_type_identifier)
        (generic_type)
      ] @base))
  (object_definition
    extend: (extends_clause
      [
        (type_identifier)
        (stable_type_identifier)
        (generic_type)
      ] @base))
] @subject)

(parameter
  name: (identifier) @parameter)

(parameter
  name: (identifier) @parameter
  default_value: (_) @default)

(class_parameter
  name: (identifier) @parameter
  default_value: (_) @default)
