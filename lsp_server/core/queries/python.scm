; Definitions of Python. The vocabulary of captures is described in core/definitions.py.

(decorated_definition) @extent

(class_definition
  name: (identifier) @name
  body: (_) @body) @definition.class

(function_definition
  name: (identifier) @name
  body: (_) @body) @definition.function

; f = lambda x: x
(expression_statement
  (assignment
    left: (identifier) @name
    right: (lambda
      body: (_) @body)) @definition.function) @extent

(expression_statement
  (assignment
    left: (identifier) @name
    right: (_)? @body) @definition.variable) @extent

; a, b = 1, 2
(expression_statement
  (assignment
    left: [
      (pattern_list
        (identifier) @name)
      (tuple_pattern
        (identifier) @name)
    ]
    right: (_)? @body) @definition.variable) @extent

; a = b = 1
(assignment
  right: (assignment
    left: (identifier) @name
    right: (_) @body)) @definition.variable

(type_alias_statement
  left: (type
    [
      (identifier) @name
      (generic_type
        (identifier) @name)
    ])
  right: (_) @body) @definition.type
