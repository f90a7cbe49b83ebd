; Facts of PHP that checks ask for. The captures are described in core/check_facts.py.

(function_call_expression
  function: (_) @call)

(member_call_expression
  object: (_) @owner
  name: (_) @call)

(nullsafe_member_call_expression
  object: (_) @owner
  name: (_) @call)

(scoped_call_expression
  scope: (_) @owner
  name: (_) @call)

(object_creation_expression
  "new"
  .
  [
    (name)
    (qualified_name)
  ] @call)

(namespace_use_declaration
  .
  (namespace_use_clause
    .
    [
      (name)
      (qualified_name)
    ] @import))

(namespace_use_declaration
  (namespace_name) @import
  body: (namespace_use_group
    (namespace_use_clause
      .
      [
        (name)
        (qualified_name)
        (namespace_name)
      ] @item)))

[
  (require_expression
    (_) @import)
  (require_once_expression
    (_) @import)
  (include_expression
    (_) @import)
  (include_once_expression
    (_) @import)
]

(attribute
  .
  (_) @decorator)

(class_declaration
  (base_clause
    (_) @base)) @subject

(class_declaration
  (class_interface_clause
    (_) @base)) @subject

(class_declaration
  body: (declaration_list
    (use_declaration
      [
        (name)
        (qualified_name)
      ] @base))) @subject

(interface_declaration
  (base_clause
    (_) @base)) @subject

(enum_declaration
  (class_interface_clause
    (_) @base)) @subject

(simple_parameter
  name: (_) @parameter
  default_value: (_) @default)

(simple_parameter
  name: (_) @parameter
  !default_value)

(property_promotion_parameter
  name: (_) @parameter
  default_value: (_) @default)
