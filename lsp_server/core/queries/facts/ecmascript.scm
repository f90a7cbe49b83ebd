; Facts of JavaScript that TypeScript has too. The captures are described in core/check_facts.py.

(call_expression
  function: (_) @call)

(new_expression
  constructor: (_) @call)

(import_statement
  source: (string) @import)

(export_statement
  source: (string) @import)

; require("a"), import("b")
((call_expression
  function: [
    (identifier)
    (import)
  ] @loader
  arguments: (arguments
    .
    (string) @import))
  (#set! loaders "require import"))

(decorator
  [
    (call_expression
      function: (_) @decorator)
    (identifier) @decorator
    (member_expression) @decorator
  ])
