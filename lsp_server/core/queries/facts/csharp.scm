; Facts of C# that checks ask for. The captures are described in core/check_facts.py.

(invocation_expression
  function: (_) @call)

(object_creation_expression
  type: (_) @call)

(using_directive
  [
    (identifier)
    (qualified_name)
  ] @import .)

(attribute
  name: (_) @decorator)

([
  (class_declaration
    (base_list
      (_) @base))
  (interface_declaration
    (base_list
      (_) @base))
  (struct_declaration
    (base_list
      (_) @base))
  (record_declaration
    (base_list
      (_) @base))
] @subject)

(parameter
  name: (_) @parameter)

(parameter
  name: (_) @parameter
  "="
  .
  (_) @default)
