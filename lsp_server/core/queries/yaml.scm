; Definitions of YAML: its keys. The captures are described in core/definitions.py.
; Several documents in one file, and the items of a list, have keys of one path: they are occurrences of it.

((block_mapping_pair
  key: (flow_node
    [
      (plain_scalar)
      (single_quote_scalar)
      (double_quote_scalar)
      (alias)
      (flow_sequence)
      (flow_mapping)
    ] @name)
  value: [
    (block_node
      [
        (block_mapping)
        (block_sequence)
      ])
    (flow_node
      [
        (flow_mapping)
        (flow_sequence)
      ])
  ] @body) @definition.key
  (#set! quoted "true")
  (#set! container "true"))

((block_mapping_pair
  key: (flow_node
    [
      (plain_scalar)
      (single_quote_scalar)
      (double_quote_scalar)
      (alias)
      (flow_sequence)
      (flow_mapping)
    ] @name)
  value: (_)? @body) @definition.key
  (#set! quoted "true"))

; { a: { b: 1 }, c }
((flow_pair
  key: (flow_node
    [
      (plain_scalar)
      (single_quote_scalar)
      (double_quote_scalar)
      (alias)
    ] @name)
  value: (flow_node
    [
      (flow_mapping)
      (flow_sequence)
    ]) @body) @definition.entry
  (#set! quoted "true")
  (#set! container "true"))

((flow_pair
  key: (flow_node
    [
      (plain_scalar)
      (single_quote_scalar)
      (double_quote_scalar)
      (alias)
    ] @name)
  value: (_)? @body) @definition.entry
  (#set! quoted "true"))
