; Definitions of Erlang. The captures are described in core/definitions.py.

; What says something of the function after it.
(spec) @leading

((wild_attribute
  name: (attr_name
    name: (atom) @_name)) @leading
  (#any-of? @_name "doc" "deprecated" "dialyzer"))

; A function is all of its clauses, of which the last ends with a full stop.
((fun_decl
  clause: (function_clause
    name: (_) @name
    body: (_) @body)
  ";") @definition.function
  (#set! joins "next")
  (#set! quoted "true"))

((fun_decl
  clause: (function_clause
    name: (_) @name
    body: (_) @body)) @definition.function
  (#set! quoted "true"))

(pp_define
  lhs: (macro_lhs
    name: (_) @name)
  replacement: (_)? @body) @definition.macro

(record_decl
  name: (_) @name @head) @definition.struct

(record_field
  name: (_) @name
  expr: (_)? @body) @definition.field

(type_alias
  name: (type_name
    name: (_) @name)
  ty: (_) @body) @definition.type

(opaque
  name: (type_name
    name: (_) @name)
  ty: (_) @body) @definition.type

(callback
  fun: (_) @name) @definition.function

(module_attribute
  name: (_) @name) @definition.variable
