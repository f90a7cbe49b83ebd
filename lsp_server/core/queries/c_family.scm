; Definitions of C that C++ has too. The captures are described in core/definitions.py.

; A definition is what a declarator names, however deep in pointers, arrays and parentheses that is.
((field_declaration
  type: [
    (struct_specifier
      body: (_) @body)
    (union_specifier
      body: (_) @body)
  ]) @carrier
  (#set! container "true")
  (#set! nested "false"))

(function_definition
  body: (_)? @body) @carrier

([
  (declaration)
  (field_declaration)
  (type_definition)
] @carrier
  (#set! nested "false"))

[
  (pointer_declarator)
  (array_declarator)
  (parenthesized_declarator)
  (function_declarator
    declarator: (parenthesized_declarator))
] @carrier.between

(init_declarator
  value: (_) @body) @carrier.between

((function_declarator
  declarator: [
    (identifier) @name
    (field_identifier) @name
    (parenthesized_declarator
      (identifier) @name)
  ]) @definition.function
  (#set! carried "true"))

([
  (declaration
    declarator: (identifier) @name @definition.variable)
  (init_declarator
    declarator: (identifier) @name @definition.variable)
  (pointer_declarator
    declarator: (identifier) @name @definition.variable)
  (array_declarator
    declarator: (identifier) @name @definition.variable)
]
  (#set! carried "true"))

([
  (field_declaration
    declarator: (field_identifier) @name @definition.field)
  (pointer_declarator
    declarator: (field_identifier) @name @definition.field)
  (array_declarator
    declarator: (field_identifier) @name @definition.field)
]
  (#set! carried "true"))

; typedef struct { ... } A;
((type_definition
  type: (struct_specifier
    body: (_) @body)
  declarator: (type_identifier) @name @definition.struct)
  (#set! carried "true"))

((type_definition
  type: (union_specifier
    body: (_) @body)
  declarator: (type_identifier) @name @definition.union)
  (#set! carried "true"))

((type_definition
  type: (enum_specifier
    body: (_) @body)
  declarator: (type_identifier) @name @definition.enum)
  (#set! carried "true"))

([
  (type_definition
    declarator: (type_identifier) @name @definition.type)
  (pointer_declarator
    declarator: (type_identifier) @name @definition.type)
  (array_declarator
    declarator: (type_identifier) @name @definition.type)
]
  (#set! carried "true"))

((function_declarator
  declarator: (type_identifier) @name) @definition.type
  (#set! carried "true"))

; `struct A { ... } a;` names two things in one extent.
[
  (type_definition
    type: (_
      body: (_)))
  (declaration
    type: (_
      body: (_)))
  (field_declaration
    type: (_
      body: (_)))
] @extent

(struct_specifier
  name: (type_identifier) @name
  body: (_) @body) @definition.struct

(union_specifier
  name: (type_identifier) @name
  body: (_) @body) @definition.union

(enum_specifier
  name: (type_identifier) @name
  body: (_) @body) @definition.enum

(enumerator
  name: (identifier) @name
  value: (_)? @body) @definition.enum_member

(preproc_def
  name: (identifier) @name
  value: (_)? @body) @definition.macro

(preproc_function_def
  name: (identifier) @name
  value: (_)? @body) @definition.macro

; Pragmas, but those about the whole file and about warnings, ends of what others begin, and marks of sections.
((preproc_call) @leading
  (#match? @leading "^#\\s*pragma\\s+(?!(GCC |clang )?(diagnostic|push_options|pop_options|system_header)|once|mark)")
  (#not-match? @leading "^#\\s*pragma\\s+(region|endregion|warning|message|comment|pack\\s*\\(\\s*(pop\\b|\\)))"))
