; Definitions of PHP. The captures are described in core/definitions.py.

(expression_statement
  [
    (assignment_expression)
    (function_call_expression)
  ]) @extent

; namespace A\B { ... }; one without braces holds the rest of the file, and nothing inside.
(namespace_definition
  name: (namespace_name) @name
  body: (_) @body) @definition.namespace

(class_declaration
  name: (name) @name
  body: (_) @body) @definition.class

(interface_declaration
  name: (name) @name
  body: (_) @body) @definition.interface

(trait_declaration
  name: (name) @name
  body: (_) @body) @definition.trait

(enum_declaration
  name: (name) @name
  body: (_) @body) @definition.enum

(enum_case
  name: (name) @name
  value: (_)? @body) @definition.enum_member

(function_definition
  name: (name) @name
  body: (_) @body) @definition.function

(method_declaration
  name: (name) @name
  body: (_)? @body
  (#eq? @name "__construct")) @definition.constructor

(method_declaration
  name: (name) @name
  body: (_)? @body) @definition.method

; public string $name { get => ...; set { ... } }
(property_declaration
  (property_element
    name: (variable_name
      (name) @name))
  (property_hook_list) @body) @definition.property

(property_hook
  (name) @name
  body: (_)? @body) @definition.method

(property_declaration
  (property_element
    name: (variable_name
      (name) @name)
    default_value: (_)? @body)) @definition.field

(const_declaration
  (const_element
    (name) @name
    (_) @body)) @definition.constant

; define('LIMIT', 3)
(function_call_expression
  function: (name) @_define
  arguments: (arguments
    .
    (argument
      [
        (string
          (string_content) @name)
        (encapsed_string
          (string_content) @name)
      ])
    (argument) @body)
  (#eq? @_define "define")) @definition.constant

; $f = function () {}
(assignment_expression
  left: (variable_name
    (name) @name)
  right: [
    (anonymous_function
      body: (_) @body)
    (arrow_function
      body: (_) @body)
  ]) @definition.function

(assignment_expression
  left: (variable_name
    (name) @name)
  right: (object_creation_expression
    (anonymous_class
      body: (_) @body))) @definition.class

((assignment_expression
  left: (variable_name
    (name) @name)
  right: (array_creation_expression) @body) @definition.variable
  (#set! container "true"))

(assignment_expression
  left: (variable_name
    (name) @name)
  right: (_) @body) @definition.variable

; $config['limit'] = 3
((assignment_expression
  left: (subscript_expression
    (variable_name
      (name) @owner)
    [
      (string
        (string_content) @name)
      (encapsed_string
        (string_content) @name)
    ])
  right: (array_creation_expression) @body) @definition.variable
  (#set! container "true"))

(assignment_expression
  left: (subscript_expression
    (variable_name
      (name) @owner)
    [
      (string
        (string_content) @name)
      (encapsed_string
        (string_content) @name)
    ])
  right: (_) @body) @definition.variable

; ['key' => function () {}]
(array_element_initializer
  [
    (string
      (string_content) @name)
    (encapsed_string
      (string_content) @name)
  ]
  "=>"
  [
    (anonymous_function
      body: (_) @body)
    (arrow_function
      body: (_) @body)
  ]) @definition.function

((array_element_initializer
  [
    (string
      (string_content) @name)
    (encapsed_string
      (string_content) @name)
  ]
  "=>"
  (array_creation_expression) @body) @definition.field
  (#set! container "true"))

(array_element_initializer
  [
    (string
      (string_content) @name)
    (encapsed_string
      (string_content) @name)
  ]
  "=>"
  (_) @body) @definition.field

; Annotations in comments, as the style table has them.
((comment) @leading
  (#match? @leading "^/\\*\\*[^\\0]*@([A-Z]\\w*[\\\\(]|(dataProvider|depends|test|requires)\\b)"))

((comment) @leading
  (#match? @leading "^/\\*\\*[^\\0]*@(runInSeparateProcess|preserveGlobalState|doesNotPerformAssertions)\\b"))

((comment) @leading
  (#match? @leading "^/\\*\\*[^\\0]*@(backupGlobals|backupStaticAttributes|expectedException\\w*)\\b"))
