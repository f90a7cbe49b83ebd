; Facts of Java that checks ask for. The captures are described in core/check_facts.py.

(method_invocation
  object: (_)? @owner
  name: (_) @call)

(object_creation_expression
  type: (_) @call)

(import_declaration
  [
    (identifier)
    (scoped_identifier)
  ] @import
  (asterisk)? @wild)

[
  (marker_annotation
    name: (_) @decorator)
  (annotation
    name: (_) @decorator)
]

(class_declaration
  superclass: (superclass
    (_) @base)) @subject

(class_declaration
  interfaces: (super_interfaces
    (type_list
      (_) @base))) @subject

(interface_declaration
  (extends_interfaces
    (type_list
      (_) @base))) @subject

(enum_declaration
  interfaces: (super_interfaces
    (type_list
      (_) @base))) @subject

(record_declaration
  interfaces: (super_interfaces
    (type_list
      (_) @base))) @subject
