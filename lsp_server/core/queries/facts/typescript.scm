; Facts of TypeScript alone, with those of ecmascript.scm.

(import_require_clause
  source: (string) @import)

(class_declaration
  (class_heritage
    (extends_clause
      value: (_) @base))) @subject

(class_declaration
  (class_heritage
    (implements_clause
      (_) @base))) @subject

(abstract_class_declaration
  (class_heritage
    (extends_clause
      value: (_) @base))) @subject

(abstract_class_declaration
  (class_heritage
    (implements_clause
      (_) @base))) @subject

(class
  (class_heritage
    (extends_clause
      value: (_) @base))) @subject

(class
  (class_heritage
    (implements_clause
      (_) @base))) @subject

(interface_declaration
  (extends_type_clause
    (_) @base)) @subject

([
  (required_parameter
    pattern: (identifier) @parameter)
  (optional_parameter
    pattern: (identifier) @parameter)
])

(required_parameter
  pattern: (identifier) @parameter
  value: (_) @default)
