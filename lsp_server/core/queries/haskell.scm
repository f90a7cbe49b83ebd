; Definitions of Haskell. The captures are described in core/definitions.py.

; A signature and the equations below it are one definition.
((signature
  name: [
    (variable) @name
    (prefix_id
      (_) @name)
  ]) @definition.function
  (#set! joins "next"))

; Guards and `where` are parts of the body.
(function
  [
    match: (_)
    binds: (_)
  ] @body.more) @body.of

(bind
  [
    match: (_)
    binds: (_)
  ] @body.more) @body.of

; (<), (>) :: a -> a -> Bool
(class_declarations
  (signature
    names: (binding_list
      [
        (variable) @name
        (prefix_id
          (_) @name)
      ])) @definition.function)

((function
  name: [
    (variable) @name
    (prefix_id
      (_) @name)
  ]
  patterns: (_)?
  match: (_) @body) @definition.function
  (#set! joins "next"))

; a <+> b = ..., a `plus` b = ..., (a <+> b) c = ...
((function
  [
    (infix
      operator: [
        (operator) @name
        (constructor_operator) @name
        (infix_id
          (_) @name)
      ])
    (patterns
      (parens
        (infix
          operator: [
            (operator) @name
            (infix_id
              (_) @name)
          ])))
  ]
  match: (_) @body) @definition.function
  (#set! joins "next"))

([
  (instance_declarations
    (bind
      name: [
        (variable) @name
        (prefix_id
          (_) @name)
      ]
      match: (_) @body) @definition.function)
  (class_declarations
    (bind
      name: [
        (variable) @name
        (prefix_id
          (_) @name)
      ]
      match: (_) @body) @definition.function)
]
  (#set! joins "next"))

; f = \x -> x
((bind
  name: (variable) @name
  match: (match
    expression: (lambda)) @body) @definition.function
  (#set! joins "next"))

((bind
  name: [
    (variable) @name
    (prefix_id
      (_) @name)
  ]
  match: (_) @body) @definition.variable
  (#set! joins "next"))

; (a, b) = ...
(bind
  pattern: (tuple
    element: (variable) @name)
  match: (_) @body) @definition.variable

((data_type
  name: (_) @name
  constructors: (_)? @body) @definition.type
  (#set! container "true"))

((newtype
  name: (_) @name
  constructor: (_)? @body) @definition.type
  (#set! container "true"))

((data_family
  name: (_) @name) @definition.type)

((data_instance
  (data_type
    name: (_) @name
    constructors: (_)? @body)) @definition.type
  (#set! container "true"))

(data_constructor
  constructor: [
    (prefix
      name: [
        (constructor) @name
        (prefix_id
          (_) @name)
      ])
    (infix
      operator: [
        (constructor_operator) @name
        (infix_id
          (_) @name)
      ])
  ]) @definition.enum_member

(gadt_constructor
  name: (_) @name) @definition.enum_member

; Fields stand right under their type, whatever constructors have them.
(field
  name: (field_name
    (_) @name)) @definition.field

(type_synonym
  name: (_) @name
  type: (_) @body) @definition.type

(type_family
  name: (_) @name
  closed_family: (_)? @body) @definition.type

(type_instance
  name: (_) @name) @definition.type

(class
  name: (_) @name
  declarations: (_)? @body) @definition.class

; Members are found under class and type: `Priced.(Shape a).price`.
((instance
  name: (_) @owner @trait
  patterns: (_) @owner @type
  declarations: (_)? @body) @definition.impl
  (#set! name "instance @trait @type")
  (#set! members "owner"))

((deriving_instance
  name: (_) @owner @trait
  patterns: (_) @owner @type) @definition.impl
  (#set! name "deriving @trait @type")
  (#set! members "owner"))

(pattern_synonym
  (equation
    synonym: [
      (constructor) @name
      (apply
        function: (constructor) @name)
      (infix
        operator: [
          (constructor_operator) @name
          (infix_id
            (_) @name)
        ])
    ]
    pattern: (_) @body)) @definition.function

(foreign_import) @extent
