; Facts of Python that checks ask for. The captures are described in core/check_facts.py.

(call
  function: (_) @call)

(import_statement
  name: [
    (dotted_name) @import
    (aliased_import
      name: (_) @import)
  ])

(import_from_statement
  module_name: (_) @import
  name: [
    (dotted_name) @item
    (aliased_import
      name: (_) @item)
  ])

(import_from_statement
  module_name: (_) @import
  (wildcard_import) @wild)

(future_import_statement
  "__future__" @import)

(decorator
  [
    (call
      function: (_) @decorator)
    (identifier) @decorator
    (attribute) @decorator
  ])

(class_definition
  superclasses: (argument_list
    [
      (identifier)
      (attribute)
      (subscript)
      (call)
      (list_splat)
    ] @base)) @subject

(default_parameter
  name: (_) @parameter
  value: (_) @default)

(typed_default_parameter
  name: (_) @parameter
  value: (_) @default)

(parameters
  (identifier) @parameter)

(typed_parameter
  .
  (identifier) @parameter)
