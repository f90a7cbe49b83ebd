; Definitions of TOML: its tables and keys. The captures are described in core/definitions.py.
; The tables of a list, `[[a]]`, are occurrences of one path.

([
  (table
    .
    [
      (bare_key)
      (quoted_key)
    ] @name
    "]" @head)
  (table
    .
    (dotted_key) @path
    "]" @head)
  (table_array_element
    .
    [
      (bare_key)
      (quoted_key)
    ] @name
    "]]" @head)
  (table_array_element
    .
    (dotted_key) @path
    "]]" @head)
] @definition.table
  (#set! quoted "true")
  (#set! container "true"))

; a.b = { c = 1 }
([
  (pair
    .
    [
      (bare_key)
      (quoted_key)
    ] @name
    "="
    [
      (inline_table)
      (array)
    ] @body)
  (pair
    .
    (dotted_key) @path
    "="
    [
      (inline_table)
      (array)
    ] @body)
] @definition.key
  (#set! quoted "true")
  (#set! container "true"))

([
  (pair
    .
    [
      (bare_key)
      (quoted_key)
    ] @name
    "="
    (_) @body)
  (pair
    .
    (dotted_key) @path
    "="
    (_) @body)
] @definition.key
  (#set! quoted "true"))
