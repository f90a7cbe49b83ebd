; Definitions of HTML: what has an id. The captures are described in core/definitions.py.

((_
  (start_tag
    (tag_name) @_tag
    (attribute
      (attribute_name) @_name
      [
        (attribute_value) @name
        (quoted_attribute_value
          (attribute_value) @name)
      ])) @head) @definition.element
  (#any-of? @_name "id" "ID" "Id")
  (#not-match? @_tag "^(?i:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$")
  (#set! container "true"))

; Of an element that holds nothing, the grammar has what follows in it: it is the tag alone.
((start_tag
  (tag_name) @_tag
  (attribute
    (attribute_name) @_name
    [
      (attribute_value) @name
      (quoted_attribute_value
        (attribute_value) @name)
    ])) @definition.element
  (#any-of? @_name "id" "ID" "Id")
  (#match? @_tag "^(?i:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$"))

((self_closing_tag
  (attribute
    (attribute_name) @_name
    [
      (attribute_value) @name
      (quoted_attribute_value
        (attribute_value) @name)
    ])) @definition.element
  (#any-of? @_name "id" "ID" "Id"))
