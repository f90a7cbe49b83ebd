; Definitions of Ruby. The captures are described in core/definitions.py.

; private def f, memoize def self.f
(call
  !receiver
  arguments: (argument_list
    .
    [
      (method)
      (singleton_method)
    ]
    .) @extent) @extent

(module
  name: (constant) @name
  body: (_)? @body) @definition.module

(module
  name: (scope_resolution) @path
  body: (_)? @body) @definition.module

(class
  name: (constant) @name
  body: (_)? @body) @definition.class

(class
  name: (scope_resolution) @path
  body: (_)? @body) @definition.class

; class << self: its methods are found as `self.f`, as those of `def self.f` are.
(singleton_class
  value: (_) @name
  body: (_)? @body) @definition.class

(method
  name: (_) @name
  body: (_)? @body) @definition.function

(singleton_method
  object: (_) @owner
  name: (_) @name
  body: (_)? @body) @definition.method

; Point = Struct.new(:x) do ... end
(assignment
  left: (constant) @name
  right: (call
    method: (identifier) @_new
    block: (_
      body: (_) @body))
  (#any-of? @_new "new" "define")) @definition.class

; f = ->(x) { x }, F = lambda { |x| x }
(assignment
  left: [
    (identifier)
    (constant)
  ] @name
  right: [
    (lambda
      body: (_) @body)
    (call
      !receiver
      method: (identifier) @_lambda
      block: (_) @body)
  ]
  (#any-of? @_lambda "lambda" "proc")) @definition.function

(assignment
  left: (constant) @name
  right: (_) @body) @definition.constant

(assignment
  left: (scope_resolution) @path
  right: (_) @body) @definition.constant

(operator_assignment
  left: (constant) @name
  right: (_) @body) @definition.constant

(assignment
  left: [
    (identifier)
    (instance_variable)
    (class_variable)
    (global_variable)
  ] @name
  right: (_) @body) @definition.variable

(operator_assignment
  left: [
    (instance_variable)
    (class_variable)
    (global_variable)
  ] @name
  right: (_) @body) @definition.variable

; A, b = 1, 2
(assignment
  left: (left_assignment_list
    [
      (constant)
      (identifier)
      (instance_variable)
      (class_variable)
      (global_variable)
    ] @name)
  right: (_) @body) @definition.variable

; config.level = :info
(assignment
  left: (call
    receiver: (_) @owner
    method: (identifier) @name)
  right: (_) @body) @definition.variable

(alias
  name: (_) @name
  alias: (_) @body) @definition.method

; What holds definitions in a block: of specifications, tasks and refinements.
(call
  method: (identifier) @_group
  arguments: (argument_list
    .
    [
      (string
        (string_content) @name)
      (simple_symbol) @name
      (constant) @name
      (scope_resolution) @name
    ])
  block: (_
    body: (_) @body)
  (#any-of? @_group
    "describe" "context" "feature" "shared_examples" "shared_examples_for" "shared_context" "namespace"
    "refine")) @definition.module

; it "works" do, task :build do, define_method(:f) { }
((call
  !receiver
  method: (identifier)
  arguments: (argument_list
    .
    [
      (string
        (string_content) @name)
      (simple_symbol) @name
      (pair
        key: [
          (hash_key_symbol)
          (simple_symbol)
        ] @name)
    ])
  block: (_) @body) @definition.function
  (#set! nested "false"))

; attr_reader :a, :b
(call
  !receiver
  method: (identifier) @_attribute
  arguments: (argument_list
    (simple_symbol) @name)
  (#any-of? @_attribute "attr_reader" "attr_writer" "attr_accessor")) @definition.field

; scope :open, -> { where(open: true) }
((call
  !receiver
  method: (identifier)
  arguments: (argument_list
    .
    (simple_symbol) @name
    (lambda
      body: (_) @body))) @definition.function
  (#set! nested "false"))

; validates :name, presence: true
(call
  !receiver
  method: (identifier)
  arguments: (argument_list
    .
    (simple_symbol) @name)) @definition.field

; gem "rails", "~> 7"
(call
  !receiver
  method: (identifier) @_gem
  arguments: (argument_list
    .
    (string
      (string_content) @name))
  (#eq? @_gem "gem")) @definition.variable

; The signature in RBS of what is below it; `#:nodoc:` is RDoc's.
((comment) @leading
  (#match? @leading "^#:(?!\\w+:)"))
