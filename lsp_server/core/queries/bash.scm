; Definitions of Bash. The captures are described in core/definitions.py.

; Of several in one command each has its own part.
(declaration_command
  .
  (word)*
  .
  (variable_assignment)
  .) @extent

(function_definition
  name: (_) @name
  body: (_) @body) @definition.function

(variable_assignment
  name: (variable_name) @name
  value: (_)? @body) @definition.variable
