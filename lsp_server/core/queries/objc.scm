; Definitions of Objective-C alone, before c_family.scm.

(implementation_definition) @extent

; @interface A (B): members of a category are found under the class.
((class_interface
  (identifier) @owner
  category: (_) @category
  .
  ")" @head) @definition.extension
  (#set! name "@owner (@category)")
  (#set! members "owner"))

((class_implementation
  (identifier) @owner
  category: (_) @category
  .
  ")" @head) @definition.extension
  (#set! name "@owner (@category)")
  (#set! members "owner"))

; @interface A ()
((class_interface
  .
  "@interface"
  .
  (identifier) @owner
  .
  "("
  .
  ")" @head) @definition.extension
  (#set! name "@owner ()")
  (#set! members "owner"))

((class_interface
  .
  "@interface"
  .
  (identifier) @owner
  superclass: (_)
  .
  (parameterized_arguments) @head) @definition.class
  (#set! name "@owner")
  (#set! members "owner"))

((class_interface
  .
  "@interface"
  .
  (identifier) @owner
  superclass: (_) @head) @definition.class
  (#set! name "@owner")
  (#set! members "owner"))

((class_interface
  .
  "@interface"
  .
  (identifier) @owner @head) @definition.class
  (#set! name "@owner")
  (#set! members "owner"))

((class_implementation
  .
  "@implementation"
  .
  (identifier) @owner @head) @definition.class
  (#set! name "@owner")
  (#set! members "owner"))

(protocol_declaration
  .
  "@protocol"
  .
  (identifier) @name
  .
  (protocol_reference_list) @head) @definition.interface

(protocol_declaration
  .
  "@protocol"
  .
  (identifier) @name @head) @definition.interface

; - (void)pay:(int)a by:(int)b has the selector `pay:by:`.
((method_definition
  [
    "-"
    "+"
  ]
  .
  (method_type)?
  .
  (identifier) @name @part
  .
  (method_parameter
    ":" @part)?
  .
  ((identifier)? @part
    .
    (method_parameter
      ":" @part))*
  (compound_statement) @body) @definition.method
  (#set! name "@part")
  (#set! joined "true"))

((method_declaration
  [
    "-"
    "+"
  ]
  .
  (method_type)?
  .
  (identifier) @name @part
  .
  (method_parameter
    ":" @part)?
  .
  ((identifier)? @part
    .
    (method_parameter
      ":" @part))*) @definition.method
  (#set! name "@part")
  (#set! joined "true"))

(property_declaration
  (struct_declaration
    (struct_declarator
      [
        (identifier) @name
        (pointer_declarator
          declarator: (identifier) @name)
        (function_declarator
          declarator: (parenthesized_declarator
            (block_pointer_declarator
              declarator: (identifier) @name)))
      ]))) @definition.property

(instance_variable
  (struct_declaration
    (struct_declarator
      [
        (identifier) @name
        (pointer_declarator
          declarator: (identifier) @name)
      ]))) @definition.field

; typedef void (^Handler)(int);
(block_pointer_declarator) @carrier.between

((block_pointer_declarator
  declarator: (type_identifier) @name @definition.type)
  (#set! carried "true"))

((block_pointer_declarator
  declarator: (identifier) @name @definition.variable)
  (#set! carried "true"))
