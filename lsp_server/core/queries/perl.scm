; Definitions of Perl. The captures are described in core/definitions.py.

(expression_statement
  [
    (assignment_expression)
    (variable_declaration)
  ]) @extent

; package A::B; holds what follows, package A::B { ... } what is in it.
((source_file
  (package_statement
    name: (package) @name
    !version
    .
    ";") @definition.namespace)
  (#set! dotted "true")
  (#set! spreads "true"))

((source_file
  (package_statement
    name: (package) @name
    version: (_)
    .
    ";") @definition.namespace)
  (#set! dotted "true")
  (#set! spreads "true"))

((package_statement
  name: (package) @name
  (block) @body) @definition.namespace
  (#set! dotted "true")
  (#set! spreads "false"))

; { package A::B; ... }
((block_statement
  (package_statement
    name: (package) @name
    .
    ";")) @definition.namespace
  (#set! dotted "true")
  (#set! spreads "false"))

((source_file
  (class_statement
    name: (package) @name
    .
    ";") @definition.namespace)
  (#set! dotted "true")
  (#set! spreads "true"))

((class_statement
  name: (package) @name
  (block) @body) @definition.class
  (#set! dotted "true")
  (#set! spreads "false"))

((subroutine_declaration_statement
  name: (bareword) @name
  body: (_)? @body) @definition.function
  (#set! dotted "true"))

(method_declaration_statement
  name: (_) @name
  body: (_)? @body) @definition.method

(phaser_statement
  phase: _ @name
  (block) @body) @definition.function

; my $f = sub { ... }, *f = sub { ... }
(assignment_expression
  left: [
    (variable_declaration
      variable: (_
        (varname) @name))
    (glob
      (varname) @name)
  ]
  right: (anonymous_subroutine_expression
    body: (_) @body)) @definition.function

(assignment_expression
  left: (variable_declaration
    variable: (_
      (varname) @name))
  right: (_) @body) @definition.variable

(assignment_expression
  left: (variable_declaration
    variables: (_
      (varname) @name))
  right: (_) @body) @definition.variable

(assignment_expression
  left: (glob
    (varname) @name)
  right: (_) @body) @definition.variable

(expression_statement
  (variable_declaration
    [
      variable: (_
        (varname) @name)
      variables: (_
        (varname) @name)
    ]) @definition.variable)

; use constant A => 1; use constant { A => 1, B => 2 };
((use_statement
  module: (package) @_module
  (list_expression
    .
    (autoquoted_bareword) @name
    .
    (_) @body)) @definition.constant
  (#eq? @_module "constant"))

((use_statement
  module: (package) @_module
  (anonymous_hash_expression
    (list_expression
      (autoquoted_bareword) @name)) @body) @definition.constant
  (#eq? @_module "constant"))

; Moose, Moo, Mojo: has name => (...), around name => sub { ... }
((expression_statement
  (ambiguous_function_call_expression
    function: (function) @_function
    arguments: (list_expression
      .
      [
        (autoquoted_bareword) @name
        (string_literal
          content: (string_content) @name)
        (interpolated_string_literal
          content: (string_content) @name)
      ]
      .
      (_) @body))) @definition.field
  (#eq? @_function "has"))

((expression_statement
  (ambiguous_function_call_expression
    function: (function) @_function
    arguments: (list_expression
      .
      [
        (autoquoted_bareword) @name
        (string_literal
          content: (string_content) @name)
        (interpolated_string_literal
          content: (string_content) @name)
      ]
      .
      (anonymous_subroutine_expression
        body: (_) @body)))) @definition.function
  (#any-of? @_function "around" "before" "after" "override" "augment" "subtest" "helper"))
