; Facts of Lua that checks ask for. The captures are described in core/check_facts.py.

(function_call
  name: (_) @call)

((function_call
  name: (identifier) @loader
  arguments: (arguments
    .
    (string) @import))
  (#set! loaders "require dofile loadfile"))
