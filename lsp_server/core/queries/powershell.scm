; Definitions of PowerShell. The captures are described in core/definitions.py.
; The grammar has a node for each strength with which an operator may bind, whether there is one or not.

(function_statement
  (function_name) @name
  (script_block
    script_block_body: (_) @body)?) @definition.function

(class_statement
  .
  (simple_name) @name
  "{" @head) @definition.class

(class_method_definition
  (simple_name) @name
  (script_block)? @body) @definition.method

(class_property_definition
  (variable) @name
  ("="
    .
    (_) @body)?) @definition.field

(enum_statement
  .
  (simple_name) @name
  "{" @head) @definition.enum

(enum_member
  (simple_name) @name
  ("="
    .
    (_) @body)?) @definition.enum_member

; $x = @{ ... }
((assignment_expression
  (left_assignment_expression
    (logical_expression
      (bitwise_expression
        (comparison_expression
          (additive_expression
            (multiplicative_expression
              (format_expression
                (range_expression
                  (array_literal_expression
                    [
                      (unary_expression
                        (variable) @name)
                      (unary_expression
                        (expression_with_unary_operator
                          (cast_expression
                            (unary_expression
                              (variable) @name))))
                    ])))))))))
  value: (pipeline
    (pipeline_chain
      (logical_expression
        (bitwise_expression
          (comparison_expression
            (additive_expression
              (multiplicative_expression
                (format_expression
                  (range_expression
                    (array_literal_expression
                      (unary_expression
                        (hash_literal_expression) @body)))))))))))) @definition.variable
  (#set! container "true"))

; $x = 1, [int]$x = 1
(assignment_expression
  (left_assignment_expression
    (logical_expression
      (bitwise_expression
        (comparison_expression
          (additive_expression
            (multiplicative_expression
              (format_expression
                (range_expression
                  (array_literal_expression
                    [
                      (unary_expression
                        (variable) @name)
                      (unary_expression
                        (expression_with_unary_operator
                          (cast_expression
                            (unary_expression
                              (variable) @name))))
                    ])))))))))
  value: (_) @body) @definition.variable

; Keys, as in a module's manifest.
((hash_entry
  (key_expression
    [
      (simple_name) @name
      (string_literal) @name
      (unary_expression
        (string_literal) @name)
    ])
  (pipeline
    (pipeline_chain
      (logical_expression
        (bitwise_expression
          (comparison_expression
            (additive_expression
              (multiplicative_expression
                (format_expression
                  (range_expression
                    (array_literal_expression
                      (unary_expression
                        (hash_literal_expression) @body)))))))))))) @definition.field
  (#set! quoted "true")
  (#set! container "true"))

((hash_entry
  (key_expression
    [
      (simple_name) @name
      (string_literal) @name
      (unary_expression
        (string_literal) @name)
    ])
  (pipeline) @body) @definition.field
  (#set! quoted "true"))

; Pester: Describe "name" { ... }
((command
  command_name: (_) @_command
  command_elements: (command_elements
    .
    (command_argument_sep)
    .
    (array_literal_expression
      (unary_expression
        (string_literal) @name))
    (array_literal_expression
      (unary_expression
        (script_block_expression) @body)))) @definition.function
  (#any-of? @_command "Describe" "Context" "It")
  (#set! quoted "true"))
