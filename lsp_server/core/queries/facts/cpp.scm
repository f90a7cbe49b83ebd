; Facts of C++ alone, with those of c_family.scm.

(new_expression
  type: (_) @call)

(class_specifier
  (base_class_clause
    [
      (type_identifier)
      (qualified_identifier)
      (template_type)
    ] @base)) @subject

(struct_specifier
  (base_class_clause
    [
      (type_identifier)
      (qualified_identifier)
      (template_type)
    ] @base)) @subject

(optional_parameter_declaration
  declarator: (_) @parameter
  default_value: (_) @default)

(parameter_declaration
  declarator: (_) @parameter)
