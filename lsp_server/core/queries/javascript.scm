; Definitions of JavaScript alone, before ecmascript.scm.

(class_declaration
  name: (identifier) @name
  body: (_) @body) @definition.class

(field_definition
  property: [
    (property_identifier)
    (private_property_identifier)
    (computed_property_name)
  ] @name
  value: [
    (arrow_function
      body: (_) @body)
    (function_expression
      body: (_) @body)
  ]) @definition.method

(field_definition
  property: [
    (property_identifier)
    (private_property_identifier)
    (computed_property_name)
  ] @name
  value: (_)? @body) @definition.field
