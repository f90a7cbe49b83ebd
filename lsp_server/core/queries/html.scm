; Definitions of HTML: what has an id. The captures are described in core/definitions.py.

((_
  (start_tag
    (attribute
      (attribute_name) @_name
      [
        (attribute_value) @name
        (quoted_attribute_value
          (attribute_value) @name)
      ])) @head) @definition.element
  (#any-of? @_name "id" "ID" "Id")
  (#set! container "true"))

((element
  (self_closing_tag
    (attribute
      (attribute_name) @_name
      [
        (attribute_value) @name
        (quoted_attribute_value
          (attribute_value) @name)
      ]))) @definition.element
  (#any-of? @_name "id" "ID" "Id"))
