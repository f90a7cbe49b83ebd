; Facts of Ruby that checks ask for. The captures are described in core/check_facts.py.

(call
  receiver: (_)? @owner
  method: (_) @call)

((call
  !receiver
  method: (identifier) @loader
  arguments: (argument_list
    .
    (string) @import))
  (#set! loaders "require require_relative load"))

((call
  !receiver
  method: (identifier) @loader
  arguments: (argument_list
    .
    (simple_symbol)
    .
    (string) @import))
  (#set! loaders "autoload"))

(class
  superclass: (superclass
    (_) @base)) @subject

((class
  body: (body_statement
    (call
      !receiver
      method: (identifier) @loader
      arguments: (argument_list
        (_) @base)))) @subject
  (#set! loaders "include extend prepend"))

((module
  body: (body_statement
    (call
      !receiver
      method: (identifier) @loader
      arguments: (argument_list
        (_) @base)))) @subject
  (#set! loaders "include extend prepend"))

(optional_parameter
  name: (_) @parameter
  value: (_) @default)

(keyword_parameter
  name: (_) @parameter
  value: (_) @default)

(keyword_parameter
  name: (_) @parameter
  !value)

(method_parameters
  (identifier) @parameter)
