; Definitions of Zig. The captures are described in core/definitions.py.

; fn List(comptime T: type) type { return struct { ... }; } has the members of what it returns.
((function_declaration
  name: (identifier) @name
  type: (builtin_type
    "type")
  body: (_) @body) @definition.struct
  (#set! container "true"))

(function_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.function

(variable_declaration
  [
    "const"
    "var"
  ]
  .
  (identifier) @name
  "="
  .
  (struct_declaration) @body) @definition.struct

(variable_declaration
  [
    "const"
    "var"
  ]
  .
  (identifier) @name
  "="
  .
  [
    (enum_declaration)
    (error_set_declaration)
  ] @body) @definition.enum

(variable_declaration
  [
    "const"
    "var"
  ]
  .
  (identifier) @name
  "="
  .
  (union_declaration) @body) @definition.union

((variable_declaration
  [
    "const"
    "var"
  ]
  .
  (identifier) @name
  "="
  .
  (opaque_declaration) @body) @definition.type
  (#set! container "true"))

(variable_declaration
  "const"
  .
  (identifier) @name
  ("="
    .
    (_) @body)?) @definition.constant

(variable_declaration
  "var"
  .
  (identifier) @name
  ("="
    .
    (_) @body)?) @definition.variable

(enum_declaration
  (container_field
    name: (identifier) @name
    ("="
      .
      (_) @body)?) @definition.enum_member)

(error_set_declaration
  (identifier) @name @definition.enum_member)

(container_field
  name: (identifier) @name
  ("="
    .
    (_) @body)?) @definition.field

(test_declaration
  (string
    (string_content) @name)
  (block) @body) @definition.function

; test name { ... } is about the thing of that name, and has none of its own.
(test_declaration
  "test" @name
  .
  (block) @body) @definition.function

(test_declaration
  "test" @name
  .
  (identifier)
  (block) @body) @definition.function

(comptime_declaration
  "comptime" @name
  (block) @body) @definition.function
