; Definitions of Lua. The captures are described in core/definitions.py.

; local x = 1
(variable_declaration) @extent

; function f() end, function M.f() end, function M:f() end
(function_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.function

(function_declaration
  name: [
    (dot_index_expression)
    (method_index_expression)
  ] @path
  body: (_)? @body) @definition.function

; M.f = function() end
(assignment_statement
  (variable_list
    .
    name: (identifier) @name
    .)
  (expression_list
    .
    value: (function_definition
      body: (_)? @body)
    .)) @definition.function

(assignment_statement
  (variable_list
    .
    name: (dot_index_expression) @path
    .)
  (expression_list
    .
    value: (function_definition
      body: (_)? @body)
    .)) @definition.function

(assignment_statement
  (variable_list
    .
    name: (bracket_index_expression
      table: (_) @owner
      field: (string
        content: (_) @name))
    .)
  (expression_list
    .
    value: (function_definition
      body: (_)? @body)
    .)) @definition.function

; M = {}, M = setmetatable({}, {})
((assignment_statement
  (variable_list
    .
    name: (identifier) @name)
  (expression_list
    .
    value: [
      (table_constructor) @body
      (function_call
        arguments: (arguments
          .
          (table_constructor) @body))
    ]
    .)) @definition.variable
  (#set! container "true"))

((assignment_statement
  (variable_list
    .
    name: (dot_index_expression) @path)
  (expression_list
    .
    value: [
      (table_constructor) @body
      (function_call
        arguments: (arguments
          .
          (table_constructor) @body))
    ]
    .)) @definition.variable
  (#set! container "true"))

(assignment_statement
  (variable_list
    name: (identifier) @name)
  (expression_list) @body) @definition.variable

(assignment_statement
  (variable_list
    name: (dot_index_expression) @path)
  (expression_list) @body) @definition.variable

(assignment_statement
  (variable_list
    name: (bracket_index_expression
      table: (_) @owner
      field: (string
        content: (_) @name)))
  (expression_list) @body) @definition.variable

; local x
(variable_declaration
  (variable_list
    name: (identifier) @name)) @definition.variable

; { key = function() end, ["a key"] = {}, limit = 3 }
(field
  name: [
    (identifier) @name
    (string
      content: (_) @name)
  ]
  value: (function_definition
    body: (_)? @body)) @definition.function

((field
  name: [
    (identifier) @name
    (string
      content: (_) @name)
  ]
  value: (table_constructor) @body) @definition.field
  (#set! container "true"))

(field
  name: [
    (identifier) @name
    (string
      content: (_) @name)
  ]
  value: (_) @body) @definition.field
