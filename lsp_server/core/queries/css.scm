; Definitions of CSS. The captures are described in core/definitions.py.
; A rule is found by its selectors, an at-rule by its keyword and all that stands before its block.

((rule_set
  (selectors) @name
  (block) @body) @definition.rule
  (#set! rule "selectors")
  (#set! container "true"))

((media_statement
  "@media" @name
  [
    (_)
    ","
  ]+ @query
  .
  (block) @body) @definition.at_rule
  (#set! name "@name @query")
  (#set! rule "media query")
  (#set! container "true"))

((supports_statement
  "@supports" @name
  (_)+ @query
  .
  (block) @body) @definition.at_rule
  (#set! name "@name @query")
  (#set! rule "media query")
  (#set! container "true"))

((keyframes_statement
  [
    "@keyframes"
    (at_keyword)
  ] @keyword
  (keyframes_name) @name
  (keyframe_block_list) @body) @definition.at_rule
  (#set! name "@keyword @name")
  (#set! container "true"))

((keyframe_block
  .
  (_) @name
  (block) @body) @definition.keyframe
  (#set! container "true"))

((at_rule
  (at_keyword) @name
  .
  (block) @body) @definition.at_rule
  (#set! container "true"))

((at_rule
  (at_keyword) @name
  .
  [
    (_)
    ","
  ]+ @query
  .
  (block) @body) @definition.at_rule
  (#set! name "@name @query")
  (#set! rule "media query")
  (#set! container "true"))

(declaration
  .
  (property_name) @name
  (_)+ @body) @definition.property
