; Facts of JavaScript alone, with those of ecmascript.scm.

(class_declaration
  (class_heritage
    (_) @base)) @subject

(class
  (class_heritage
    (_) @base)) @subject

(formal_parameters
  (assignment_pattern
    left: (identifier) @parameter
    right: (_) @default))

(formal_parameters
  (identifier) @parameter)
