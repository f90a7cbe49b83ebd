; Definitions of Julia. The captures are described in core/definitions.py.

; @inline f(x) = x, @kwdef struct A ... end, const a = 1
[
  (macrocall_expression
    (macro_argument_list))
  (macro_argument_list)
  (const_statement)
  (global_statement)
] @extent

(module_definition
  name: (_) @name @head) @definition.module

; Each method of a function is a definition.
(function_definition
  (signature
    [
      (call_expression
      .
      [
        (identifier) @name
        (operator) @name
        (interpolation_expression) @name
        (field_expression) @path
        (parametrized_type_expression
          .
          (identifier) @name)
        (parenthesized_expression) @name
      ])
      (typed_expression
        .
        (call_expression
        .
        [
          (identifier) @name
          (operator) @name
          (interpolation_expression) @name
          (field_expression) @path
          (parametrized_type_expression
            .
            (identifier) @name)
          (parenthesized_expression) @name
        ]))
      (where_expression
        .
        (call_expression
        .
        [
          (identifier) @name
          (operator) @name
          (interpolation_expression) @name
          (field_expression) @path
          (parametrized_type_expression
            .
            (identifier) @name)
          (parenthesized_expression) @name
        ]))
      (where_expression
        .
        (typed_expression
          .
          (call_expression
          .
          [
            (identifier) @name
            (operator) @name
            (interpolation_expression) @name
            (field_expression) @path
            (parametrized_type_expression
              .
              (identifier) @name)
            (parenthesized_expression) @name
          ])))
      (where_expression
        .
        (where_expression
          .
          (call_expression
          .
          [
            (identifier) @name
            (operator) @name
            (interpolation_expression) @name
            (field_expression) @path
            (parametrized_type_expression
              .
              (identifier) @name)
            (parenthesized_expression) @name
          ])))
    ]) @head) @definition.function

; function hook end
(function_definition
  (signature
    .
    (identifier) @name
    .)) @definition.function

(macro_definition
  (signature
    (call_expression
      .
      [
        (identifier) @name
        (operator) @name
      ])) @head) @definition.macro

; f(x) = x
(assignment
  .
  [
    (call_expression
    .
    [
      (identifier) @name
      (operator) @name
      (interpolation_expression) @name
      (field_expression) @path
      (parametrized_type_expression
        .
        (identifier) @name)
      (parenthesized_expression) @name
    ])
    (typed_expression
      .
      (call_expression
      .
      [
        (identifier) @name
        (operator) @name
        (interpolation_expression) @name
        (field_expression) @path
        (parametrized_type_expression
          .
          (identifier) @name)
        (parenthesized_expression) @name
      ]))
    (where_expression
      .
      (call_expression
      .
      [
        (identifier) @name
        (operator) @name
        (interpolation_expression) @name
        (field_expression) @path
        (parametrized_type_expression
          .
          (identifier) @name)
        (parenthesized_expression) @name
      ]))
    (where_expression
      .
      (typed_expression
        .
        (call_expression
        .
        [
          (identifier) @name
          (operator) @name
          (interpolation_expression) @name
          (field_expression) @path
          (parametrized_type_expression
            .
            (identifier) @name)
          (parenthesized_expression) @name
        ])))
    (where_expression
      .
      (where_expression
        .
        (call_expression
        .
        [
          (identifier) @name
          (operator) @name
          (interpolation_expression) @name
          (field_expression) @path
          (parametrized_type_expression
            .
            (identifier) @name)
          (parenthesized_expression) @name
        ])))
  ]
  (operator)
  .
  (_) @body) @definition.function

; f = x -> x
(assignment
  .
  (identifier) @name
  (operator)
  .
  [
    (arrow_function_expression) @body
    (function_definition
      (signature
        (argument_list))) @body
  ]) @definition.function

(struct_definition
  (type_head
    [
      (identifier) @name
      (parametrized_type_expression
        .
        (identifier) @name)
      (binary_expression
        .
        [
          (identifier) @name
          (parametrized_type_expression
            .
            (identifier) @name)
        ])
    ]) @head) @definition.struct

(abstract_definition
  (type_head
    [
      (identifier) @name
      (parametrized_type_expression
        .
        (identifier) @name)
      (binary_expression
        .
        [
          (identifier) @name
          (parametrized_type_expression
            .
            (identifier) @name)
        ])
    ])) @definition.type

(primitive_definition
  (type_head
    [
      (identifier) @name
      (binary_expression
        .
        (identifier) @name)
    ])) @definition.type

(struct_definition
  [
    (identifier) @name @definition.field
    (typed_expression
      .
      (identifier) @name) @definition.field
    (assignment
      .
      [
        (identifier) @name
        (typed_expression
          .
          (identifier) @name)
      ]
      (operator)
      .
      (_) @body) @definition.field
  ])

; @enum Color red green
((macrocall_expression
  (macro_identifier) @_macro
  (macro_argument_list
    .
    [
      (identifier) @name
      (typed_expression
        .
        (identifier) @name)
    ] @head)) @definition.enum
  (#eq? @_macro "@enum"))

; @testset "takes money" begin ... end
((macrocall_expression
  (macro_identifier) @_macro
  (macro_argument_list
    (string_literal
      (content) @name) @head)) @definition.function
  (#eq? @_macro "@testset"))

; limit = 3, a, b = 1, 2
(assignment
  .
  [
    (identifier) @name
    (typed_expression
      .
      (identifier) @name)
    (open_tuple
      (identifier) @name)
    (tuple_expression
      (identifier) @name)
  ]
  (operator)
  .
  (_) @body) @definition.variable
