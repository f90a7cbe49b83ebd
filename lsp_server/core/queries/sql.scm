; Definitions of SQL. The captures are described in core/definitions.py.

(statement
  .
  (_)
  .) @extent

((create_table
  (object_reference
    schema: (_)? @owner
    name: (_) @name)
  [
    (column_definitions)
    (create_query)
  ]? @body) @definition.table
  (#set! quoted "true")
  (#set! container "true"))

; What a migration adds to a table is a part of it, as a reopened class is.
((alter_table
  (object_reference
    schema: (_)? @owner
    name: (_) @name) @head) @definition.table
  (#set! quoted "true")
  (#set! container "true"))

((column_definition
  name: (_) @name) @definition.field
  (#set! quoted "true"))

([
  (create_view
    (object_reference
      schema: (_)? @owner
      name: (_) @name)
    (create_query) @body)
  (create_materialized_view
    (object_reference
      schema: (_)? @owner
      name: (_) @name)
    (create_query) @body)
] @definition.view
  (#set! quoted "true"))

((create_function
  (object_reference
    schema: (_)? @owner
    name: (_) @name)
  (function_body)? @body) @definition.function
  (#set! quoted "true"))

((create_trigger
  (keyword_trigger)
  .
  (object_reference
    schema: (_)? @owner
    name: (_) @name)) @definition.trigger
  (#set! quoted "true"))

((create_type
  (object_reference
    schema: (_)? @owner
    name: (_) @name)) @definition.type
  (#set! quoted "true"))

((create_sequence
  (object_reference
    schema: (_)? @owner
    name: (_) @name)) @definition.sequence
  (#set! quoted "true"))

((create_index
  column: (_) @name
  (object_reference)
  (index_fields)? @body) @definition.index
  (#set! quoted "true"))

((create_policy
  .
  (keyword_create)
  .
  (keyword_policy)
  .
  (object_reference
    name: (_) @name)) @definition.policy
  (#set! quoted "true"))

([
  (create_schema
    (identifier) @name)
  (create_database
    (identifier) @name)
  (create_extension
    (identifier) @name)
  (create_role
    (identifier) @name)
] @definition.object
  (#set! quoted "true"))

; with a as (select ...)
((cte
  .
  (identifier) @name
  (statement) @body) @definition.view
  (#set! quoted "true"))
