; Definitions of R. The captures are described in core/definitions.py.

; f <- function(x) x
([
  (left_assignment
    name: [
      (identifier) @name
      (string) @name
      (dollar) @path
    ]
    value: [
      (function_definition
        (formal_parameters)
        .
        (_) @body)
      (lambda_function
        (formal_parameters)
        .
        (_) @body)
    ])
  (super_assignment
    name: [
      (identifier) @name
      (string) @name
      (dollar) @path
    ]
    value: [
      (function_definition
        (formal_parameters)
        .
        (_) @body)
      (lambda_function
        (formal_parameters)
        .
        (_) @body)
    ])
  (equals_assignment
    name: [
      (identifier) @name
      (string) @name
      (dollar) @path
    ]
    value: [
      (function_definition
        (formal_parameters)
        .
        (_) @body)
      (lambda_function
        (formal_parameters)
        .
        (_) @body)
    ])
] @definition.function
  (#set! quoted "true"))

; lst[["key"]] <- function() 1
((left_assignment
  name: (subset2
    .
    (identifier) @owner
    (arguments
      (string) @name))
  value: (function_definition
    (formal_parameters)
    .
    (_) @body)) @definition.function
  (#set! quoted "true"))

; Counter <- R6Class("Counter", public = list(add = function() 1))
((left_assignment
  name: (identifier) @name
  value: (call
    function: [
      (identifier)
      (namespace_get)
    ] @_call
    arguments: (_) @body)) @definition.class
  (#match? @_call "^(R6::)?R6Class$|^(methods::)?setRefClass$|^ggproto$|^proto$"))

([
  (left_assignment
    name: [
      (identifier)
      (string)
    ] @name
    value: (_) @body)
  (super_assignment
    name: [
      (identifier)
      (string)
    ] @name
    value: (_) @body)
  (equals_assignment
    name: [
      (identifier)
      (string)
    ] @name
    value: (_) @body)
] @definition.variable
  (#set! quoted "true"))

; 1 -> x; the line end before it is in the grammar's first token.
(right_assignment
  name: (identifier) @name) @definition.variable

; f(key = function(x) x)
((default_argument
  name: (_) @name
  value: (function_definition
    (formal_parameters)
    .
    (_) @body)) @definition.function
  (#set! quoted "true"))

; setMethod("price", "Basket", function(x) x), test_that("takes money", { ... })
((call
  function: (identifier) @_call
  arguments: (arguments
    .
    (string) @name
    (function_definition
      (formal_parameters)
      .
      (_) @body))) @definition.function
  (#any-of? @_call "setMethod" "setGeneric" "setReplaceMethod" "setValidity")
  (#set! quoted "true"))

((call
  function: (identifier) @_call
  arguments: (arguments
    .
    (string) @name
    (brace_list) @body)) @definition.function
  (#any-of? @_call "test_that" "describe" "it")
  (#set! quoted "true"))

((call
  function: (identifier) @_call
  arguments: (arguments
    .
    (string) @name) @body) @definition.class
  (#any-of? @_call "setClass" "setClassUnion")
  (#set! quoted "true"))

; Tags from which roxygen writes what the package exports and imports.
((comment) @leading
  (#match? @leading "^#+'\\s*@(export|import|useDynLib|rawNamespace|evalNamespace|include|method|S3method)"))
