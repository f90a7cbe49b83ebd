; Definitions of JSON: its keys. The captures are described in core/definitions.py.

((pair
  key: (string) @name
  value: [
    (object)
    (array)
  ] @body) @definition.key
  (#set! quoted "true")
  (#set! container "true"))

((pair
  key: (string) @name
  value: (_) @body) @definition.key
  (#set! quoted "true"))
