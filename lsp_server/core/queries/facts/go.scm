; Facts of Go that checks ask for. The captures are described in core/check_facts.py.

(call_expression
  function: (_) @call)

; f[int](x), which the grammar takes for a conversion.
(type_conversion_expression
  type: (_) @call)

(import_spec
  path: (_) @import)

; An embedded field has no name.
(type_spec
  type: (struct_type
    (field_declaration_list
      (field_declaration
        !name
        type: (_) @base)))) @subject

(type_spec
  type: (interface_type
    (type_elem
      (_) @base))) @subject
