; Definitions of JavaScript that TypeScript has too. The captures are described in core/definitions.py.

(export_statement) @extent

; A declaration of one name is the name's extent; of `const a = 1, b = 2` each has its own part.
[
  (lexical_declaration)
  (variable_declaration)
] @extent.sole

[
  (function_declaration
    name: (identifier) @name
    body: (_) @body)
  (generator_function_declaration
    name: (identifier) @name
    body: (_) @body)
] @definition.function

(method_definition
  name: [
    (property_identifier)
    (private_property_identifier)
    (number)
    (computed_property_name)
  ] @name
  body: (_) @body) @definition.method

(method_definition
  name: (string
    (string_fragment) @name)
  body: (_) @body) @definition.method

; const f = () => {}
(variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function
      body: (_) @body)
    (function_expression
      body: (_) @body)
    (generator_function
      body: (_) @body)
  ]) @definition.function

(variable_declarator
  name: (identifier) @name
  value: (class
    body: (_) @body)) @definition.class

((variable_declarator
  name: (identifier) @name
  value: (object) @body) @definition.variable
  (#set! container "true"))

(variable_declarator
  name: (identifier) @name
  value: (_)? @body) @definition.variable

; const {a, b} = require("c")
(variable_declarator
  name: (object_pattern
    [
      (shorthand_property_identifier_pattern) @name
      (pair_pattern
        value: (identifier) @name)
      (object_assignment_pattern
        (shorthand_property_identifier_pattern) @name)
    ])
  value: (_) @body) @definition.variable

(variable_declarator
  name: (array_pattern
    (identifier) @name)
  value: (_) @body) @definition.variable

; exports.f = function () {}
(expression_statement
  (assignment_expression)) @extent

(assignment_expression
  left: [
    (identifier) @name
    (member_expression) @path
  ]
  right: [
    (arrow_function
      body: (_) @body)
    (function_expression
      body: (_) @body)
    (generator_function
      body: (_) @body)
  ]) @definition.function

(assignment_expression
  left: [
    (identifier) @name
    (member_expression) @path
  ]
  right: (class
    body: (_) @body)) @definition.class

((assignment_expression
  left: (member_expression) @path
  right: (object) @body) @definition.variable
  (#set! container "true"))

; exports.limit = 3
(assignment_expression
  left: (member_expression) @path
  right: (_) @body) @definition.variable

; { key: () => {} }
(pair
  key: [
    (property_identifier) @name
    (number) @name
    (computed_property_name) @name
    (string
      (string_fragment) @name)
  ]
  value: [
    (arrow_function
      body: (_) @body)
    (function_expression
      body: (_) @body)
    (generator_function
      body: (_) @body)
  ]) @definition.method

((pair
  key: [
    (property_identifier) @name
    (number) @name
    (computed_property_name) @name
    (string
      (string_fragment) @name)
  ]
  value: (object) @body) @definition.property
  (#set! container "true"))

; export default () => {}
(export_statement
  "default" @name
  value: [
    (arrow_function
      body: (_) @body)
    (function_expression
      body: (_) @body)
    (generator_function
      body: (_) @body)
  ] @definition.function)

(export_statement
  "default" @name
  value: (class
    body: (_) @body) @definition.class)

((export_statement
  "default" @name
  value: (object) @body @definition.variable)
  (#set! container "true"))

(export_statement
  "default" @name
  value: [
    (call_expression)
    (new_expression)
    (array)
    (string)
    (number)
    (template_string)
  ] @body @definition.variable)

; What TypeScript is told about the line below it.
((comment) @leading
  (#match? @leading "^/[/*]+\\s*@ts-(ignore|expect-error)"))
