; Definitions of makefiles. The captures are described in core/definitions.py.

[
  (export_directive
    (variable_assignment))
  (override_directive
    (variable_assignment))
  (private_directive
    (variable_assignment))
] @extent

; What stands after `.PHONY:` is no definition, `.PHONY` itself is one like any other target.
(rule
  (targets
    (_) @name)
  (recipe)? @body) @definition.target

((variable_assignment
  name: (_) @name
  value: (_)? @body
  !target_or_pattern) @definition.variable
  (#set! ends "line"))

; test: FLAGS = -g
((variable_assignment
  target_or_pattern: (_) @owner
  name: (_) @name
  value: (_)? @body) @definition.variable
  (#set! ends "line"))

((shell_assignment
  name: (_) @name
  value: (_)? @body) @definition.variable
  (#set! ends "line"))

(define_directive
  name: (_) @name
  value: (_)? @body) @definition.macro
