; Facts of C that C++ has too. The captures are described in core/check_facts.py.

(call_expression
  function: (_) @call)

(preproc_include
  path: (_) @import)

(attribute_declaration
  (attribute
    .
    (_) @decorator))

(attribute_specifier
  (argument_list
    [
      (identifier) @decorator
      (call_expression
        function: (_) @decorator)
    ]))
