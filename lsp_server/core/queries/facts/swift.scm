; Facts of Swift that checks ask for. The captures are described in core/check_facts.py.

(call_expression
  .
  (_) @call)

; a.b<Int>(), which the grammar takes for a type being made.
(constructor_expression
  constructed_type: (_) @call)

(import_declaration
  (identifier) @import)

(attribute
  (user_type) @decorator)

(class_declaration
  name: (type_identifier)
  (inheritance_specifier
    inherits_from: (_) @base)) @subject

; extension A: B {}
(class_declaration
  name: (user_type) @named
  (inheritance_specifier
    inherits_from: (_) @base))

(protocol_declaration
  (inheritance_specifier
    inherits_from: (_) @base)) @subject

(parameter
  name: (simple_identifier) @parameter)

((parameter
  name: (simple_identifier) @parameter)
  .
  "="
  .
  (_) @default)
