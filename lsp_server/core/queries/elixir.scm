; Definitions of Elixir. The captures are described in core/definitions.py.
; All of them are calls, told from others by what is called.

; What says something of the function after it.
((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_attribute)) @leading
  (#any-of? @_attribute
    "spec" "impl" "doc" "deprecated" "dialyzer" "tag" "decorate" "typedoc"))

((call
  target: (identifier) @_call
  (arguments
    .
    [
      (alias)
      (atom)
      (identifier)
    ] @name)
  (do_block) @body) @definition.module
  (#eq? @_call "defmodule")
  (#set! dotted "true"))

((call
  target: (identifier) @_call
  (arguments
    .
    (alias) @name)
  (do_block) @body) @definition.interface
  (#eq? @_call "defprotocol")
  (#set! dotted "true"))

; Members are found where Elixir defines them: `Protocol.Type.function`.
((call
  target: (identifier) @_call
  (arguments
    .
    (alias) @owner @trait
    (keywords
      .
      (pair
        value: (_) @owner @type)))
  (do_block) @body) @definition.impl
  (#eq? @_call "defimpl")
  (#set! name "impl @trait for @type")
  (#set! members "owner"))

((call
  target: (identifier) @_call
  (arguments
    .
    (alias) @owner @trait
    .)
  (do_block) @body) @definition.impl
  (#eq? @_call "defimpl")
  (#set! name "impl @trait")
  (#set! members "owner"))

; Each clause is a definition: those of a callback have little to do with each other.
((call
  target: (identifier) @_call
  (arguments
    .
    [
      (identifier) @name
      (call
        target: (_) @name)
      (unary_operator
        operator: _ @name)
      (binary_operator
        left: (_)
        operator: [
          "+" "-" "*" "/" "++" "--" "+++" "---" ".." "<>" "==" "!=" "=~" "===" "!==" "<" ">" "<=" ">=" "&&" "&&&"
          "||" "|||" "and" "or" "in" "not in" "|>" "<<<" ">>>" "<<~" "~>>" "<~" "~>" "<~>" "<|>" "^^^" "**" "|" "::"
        ] @name)
      (binary_operator
        left: [
          (identifier) @name
          (call
            target: (_) @name)
          (unary_operator
            operator: _ @name)
          (binary_operator
            operator: _ @name)
        ]
        operator: "when")
    ]
    (keywords
      .
      (pair
        value: (_) @body))?)
  (do_block)? @body) @definition.function
  (#any-of? @_call "def" "defp" "defn" "defnp"))

((call
  target: (identifier) @_call
  (arguments
    .
    [
      (identifier) @name
      (call
        target: (_) @name)
      (binary_operator
        left: [
          (identifier) @name
          (call
            target: (_) @name)
        ]
        operator: "when"
        right: (_) @body)
      (binary_operator
        operator: _ @name)
    ]
    (keywords
      .
      (pair
        value: (_) @body))?)
  (do_block)? @body) @definition.macro
  (#any-of? @_call "defmacro" "defmacrop" "defguard" "defguardp")
  (#not-eq? @name "when"))

((call
  target: (identifier) @_call
  (arguments
    .
    [
      (identifier) @name
      (call
        target: (_) @name)
    ])) @definition.function
  (#eq? @_call "defdelegate"))

; defstruct [...], defexception [...]
((call
  target: (identifier) @name
  (arguments) @body) @definition.type
  (#any-of? @name "defstruct" "defexception")
  (#set! nested "false"))

; @type amount :: integer
((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_attribute
    (arguments
      .
      (binary_operator
        left: [
          (identifier) @name
          (call
            target: (identifier) @name)
        ]
        operator: "::"
        right: (_) @body)))) @definition.type
  (#any-of? @_attribute "type" "typep" "opaque"))

((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_attribute
    (arguments
      .
      [
        (binary_operator
          left: (call
            target: (identifier) @name)
          operator: "::")
        (binary_operator
          left: (binary_operator
            left: (call
              target: (identifier) @name)
            operator: "::")
          operator: "when")
      ]))) @definition.function
  (#any-of? @_attribute "callback" "macrocallback")
  (#set! nested "false"))

; @timeout 5_000
((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @name
    (arguments) @body)) @definition.constant
  (#not-match? @name
    "^(spec|impl|doc|deprecated|dialyzer|tag|decorate|typedoc)$")
  (#not-match? @name
    "^(moduledoc|type|typep|opaque|callback|macrocallback|behaviour|optional_callbacks)$")
  (#not-match? @name
    "^(before_compile|after_compile|after_verify|on_definition|on_load)$")
  (#not-match? @name
    "^(external_resource|compile|derive|enforce_keys|fallback_to_any)$")
  (#not-match? @name
    "^(protocol|for|moduletag)$")
  (#not-match? @name
    "^(describetag|shortdoc|vsn|file)$"))

; ExUnit: describe "pay/2" do ... test "takes money" do
((call
  target: (identifier) @_call
  (arguments
    .
    (string
      .
      quoted_start: _
      .
      (quoted_content) @name
      .
      quoted_end: _
      .))
  (do_block) @body) @definition.namespace
  (#eq? @_call "describe"))

((call
  target: (identifier) @_call
  (arguments
    .
    (string
      .
      quoted_start: _
      .
      (quoted_content) @name
      .
      quoted_end: _
      .))
  (do_block) @body) @definition.function
  (#any-of? @_call "test" "property"))
