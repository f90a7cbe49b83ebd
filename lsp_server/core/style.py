"""What provably does not change meaning, a table for each language.

Each row is data that the walk in `core.canonical` reads; a new language is a new row, and one without a row still gets
a code hash that ignores white space and comments alone. The rule for every entry: two programs that differ only in it
compile to the same thing, whatever they hold. Where that needs an "almost always", the entry is not here.

`tests/core/test_style.py` proves the entries without our code where Python's own `ast` can, and with pairs written by
hand from the language's specification elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lsp_server.core import literals
from lsp_server.core.literals import Escapes

COMMENTS = frozenset(
    {"comment", "line_comment", "block_comment", "multiline_comment", "doc_comment", "html_comment", "shell_comment"}
)
"""Node types that are comments in the grammars at large."""


@dataclass(frozen=True, slots=True)
class Literal:
    """How one type of string node is read.

    `shape` is a pattern over the node's text with the groups `prefix` and `inner`; `escapes` by the prefix's letters,
    lower-case, sorted, "" for none. `kinds` maps the prefix to what tells literals of one value apart ("bytes" from
    text). `holes` are the child types that are code again; what `short` finds in the text is a hole that holds nothing
    but the name in its group. `block` says that it may be a text block (Java), `folds`
    that its lines are folded as YAML does.
    """

    shape: re.Pattern[str]
    escapes: Mapping[str, Escapes | None]
    kinds: Mapping[str, str] = field(default_factory=dict)
    holes: frozenset[str] = frozenset()
    block: bool = False
    folds: bool = False
    short: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class Embedded:
    """Code of another language in a node. `text` is the type of the child with its letters, `said` of the one that says
    which language that is: what `name` finds in it, by `languages` where that has entries, else as people call it."""

    text: str
    said: str
    name: re.Pattern[str]
    languages: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bodied:
    """A definition whose `body` may be a value behind `mark`, or a `block` that only returns it (`returns`). Where
    `typed`, that says the same only beside a type, of which the name `nothing` may be left out before a block that
    returns no value (`throws` is what never returns)."""

    body: str
    mark: str
    block: str
    returns: str
    throws: str
    typed: bool = True
    nothing: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Style:
    """One language's table. Types are tree-sitter node types.

    `ignored` are nodes that never count: comments, line continuations. `directives` finds the comments that count,
    because they direct a compiler, a bundler, a type checker or a code generator; those that only silence or steer a
    linter or a formatter do not count.
    `documented` maps a definition's type to the type of its body, where a first string statement is documentation.
    `documents` maps a string's type to the types of what it documents on the lines before it, `silent` a type to how
    nodes of it begin that say nothing to a compiler (`@doc`).
    `commas` maps a list's type to the least number of elements from which a trailing comma says nothing.
    `dropped` maps a parent's type to the child types that say nothing there (optional semicolons, stray ones);
    `separators` are letters that say nothing where the grammar gives them no node (semicolons that a line end equals).
    `wrapped` holds (parent type, field name or "", wrapper type) where a wrapper of one node in brackets may go.
    `anywhere` holds (wrapper type, inner type): brackets that may go wherever they stand. `nested` holds (parent type,
    wrapper type, inner type): brackets around a first operand that binds so anyway.
    `retyped` maps a bracketed type to the bare type that it equals in the places of `wrapped`. `bare` are wrappers
    that may go only around a lone name.
    `lone` are types that mean their single operand when they have only one.
    `literals` reads strings, `joined` are nodes whose strings are one string side by side, `unmarked` those that may
    hold several of which the text has no node, `exact_in` are parents in
    which a string counts as written but for its quotes (directives such as "use strict"), `plain_in` parents in which
    it has no escapes. `exact` is (node type, child type): such a node with such a child counts letter by letter.
    `keys` holds (parent type, field name) where a string is a key, which says the same without its quotes.
    `summed` maps a type to the operator with which string literals are put together when a program is compiled;
    `overloaded` says that the operator may mean something else where a sum does not begin with a literal.
    `unordered` are lists whose order says nothing, `loose` those of which keywords may stand in any order.
    `hollow` holds (parent type, child type): brackets that say nothing
    there while they are empty.
    `numbers` are number types in which case, `_` and zeros that end a fraction say nothing; `floats` says that 1.0 is
    another number than 1. `verbatim` are nodes whose tokens another program
    reads (macro arguments): nothing in them is style. `texts` are leaves with an own rule, by the name of the rule
    (`core.prose`); `texts_in` holds (parent type, type, rule) where another rule holds.
    `numbered` are the types of a list, of its items, and of their marks, of which only the first one's number counts.
    `indented` is (type, other type, delimiter): code that an indentation marks, the same as what delimiters do.
    `embedded` says of a type that holds code in another language how that is read.
    `bodied` says of a type how its body may be written.
    `trimmed` are types in which white space at both ends says nothing, where the pattern matches, `blocks` those beside
    which it does not; `first_break` are `whole` types in which a line end right at the beginning is no letter. `void`
    is a type that holds nothing where the pattern matches, so that what the grammar puts into it comes behind it.
    `valued` is the type of attributes, and by lower-case name the rule for the value: a rule of `core.prose`, or a
    language with what its code has around it.
    `spelled` maps a type to another one, or a leaf's type to other letters, that mean the same, and a type that says
    nothing to "". Of leaves whose type
    begins with `caseless`, case says nothing, nor does it of the child of a `folded` type, where its text is such.
    `blank_gaps` says that white space in what has no node is as any other, where no quote is in it. `spaced` are types
    between whose children white space counts (that there is some), unless the pattern matches their text; `whole` are
    types that count letter by letter where it does.
    `names` are leaf types that may be the symbol's own name, `foreign` (parent type, index of child) where such a leaf
    names something else, `access` node types whose last child is a member of the first, `own` the receivers through
    which a member names itself.
    """

    ignored: frozenset[str] = COMMENTS
    directives: re.Pattern[str] | None = None
    documented: Mapping[str, str] = field(default_factory=dict)
    documents: Mapping[str, frozenset[str]] = field(default_factory=dict)
    silent: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    commas: Mapping[str, int] = field(default_factory=dict)
    dropped: Mapping[str, frozenset[str]] = field(default_factory=dict)
    separators: str = ""
    wrapped: frozenset[tuple[str, str, str]] = frozenset()
    anywhere: frozenset[tuple[str, str]] = frozenset()
    nested: frozenset[tuple[str, str, str]] = frozenset()
    retyped: Mapping[str, str] = field(default_factory=dict)
    bare: frozenset[str] = frozenset()
    lone: frozenset[str] = frozenset()
    literals: Mapping[str, Literal] = field(default_factory=dict)
    joined: frozenset[str] = frozenset()
    unmarked: frozenset[str] = frozenset()
    exact: tuple[str, str] = ("", "")
    exact_in: frozenset[str] = frozenset()
    plain_in: frozenset[str] = frozenset()
    keys: frozenset[tuple[str, str]] = frozenset()
    summed: Mapping[str, str] = field(default_factory=dict)
    overloaded: bool = False
    unordered: frozenset[str] = frozenset()
    loose: frozenset[str] = frozenset()
    hollow: frozenset[tuple[str, str]] = frozenset()
    floats: bool = True
    numbers: frozenset[str] = frozenset()
    verbatim: frozenset[str] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict)
    texts_in: frozenset[tuple[str, str, str]] = frozenset()
    numbered: tuple[str, str, frozenset[str]] = ("", "", frozenset())
    indented: tuple[str, str, str] = ("", "", "")
    embedded: Mapping[str, Embedded] = field(default_factory=dict)
    trimmed: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    bodied: Mapping[str, Bodied] = field(default_factory=dict)
    blocks: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    first_break: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    void: tuple[str, re.Pattern[str]] = ("", re.compile(""))
    valued: tuple[str, Mapping[str, str | tuple[str, str, str]]] = ("", {})
    names: frozenset[str] = frozenset({"identifier", "type_identifier"})
    foreign: frozenset[tuple[str, int]] = frozenset()
    access: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset({"self", "this", "cls", "Self"})
    spelled: Mapping[str, str] = field(default_factory=dict)
    caseless: tuple[str, ...] = ()
    folded: Mapping[str, tuple[str, re.Pattern[str]]] = field(default_factory=dict)
    blank_gaps: bool = False
    spaced: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    whole: Mapping[str, re.Pattern[str]] = field(default_factory=dict)


def style_for(table: str) -> Style:
    """The table of that name (`Language.style_table`), the one that ignores comments alone where there is none."""
    return STYLES.get(table, _PLAIN)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _each(words: str, value: int = 1) -> dict[str, int]:
    return dict.fromkeys(words.split(), value)


def _at(wrapper: str, places: str) -> frozenset[tuple[str, str, str]]:
    """Places as `parent.field`, or `parent` for a child without a field."""
    return frozenset((parent, name, wrapper) for parent, _, name in (place.partition(".") for place in places.split()))


_PLAIN = Style()

_PYTHON_PLACES = (
    "return_statement assignment.right augmented_assignment.right if_statement.condition elif_clause.condition"
    " while_statement.condition assert_statement for_statement.right for_in_clause.right expression_statement yield"
    " argument_list keyword_argument.value default_parameter.value typed_default_parameter.value pair.key pair.value"
    " list tuple set dictionary expression_list parenthesized_expression raise_statement raise_statement.cause"
    " lambda.body subscript.subscript if_clause type decorator list_comprehension.body set_comprehension.body"
    " generator_expression.body interpolation.expression with_item.value match_statement.subject"
)

_PYTHON = Style(
    ignored=COMMENTS | {"line_continuation"},
    # PEP 484 type comments say what a name is; `# type: ignore` only silences a checker.
    directives=re.compile(r"#\s*(?:type:(?!\s*ignore\b)|pragma\b|cython:|distutils:|!|.*coding[:=])"),
    documented={"function_definition": "block", "class_definition": "block", "module": ""},
    commas={
        **_each("argument_list parameters lambda_parameters list dictionary set import_from_statement list_pattern"),
        **_each("future_import_statement with_clause"),
        **_each("dict_pattern class_pattern"),
        # One element with a comma is a tuple, or an index that is one.
        **_each("tuple tuple_pattern expression_list pattern_list subscript type_parameter", 2),
    },
    dropped={
        "block": _set(";"),
        "module": _set(";"),
        "import_from_statement": _set("( )"),
        "future_import_statement": _set("( )"),
        "with_clause": _set("( )"),
    },
    # `class A():` is `class A:`.
    hollow=frozenset({("class_definition", "argument_list")}),
    # The grammar reads `A[B]` in a type now as one, now as the other, whatever stands around it.
    spelled={"generic_type": "subscript", "type_parameter": "", "type": ""},
    wrapped=_at("parenthesized_expression", _PYTHON_PLACES)
    | _at("tuple", "return_statement assignment.right augmented_assignment.right for_statement.right yield")
    | _at("tuple", "delete_statement")
    | _at("tuple_pattern", "assignment.left for_statement.left for_in_clause.left"),
    # What binds tighter than every operator is the same operand with and without brackets.
    anywhere=frozenset(
        ("parenthesized_expression", inner)
        for inner in [
            "identifier",
            "attribute",
            "call",
            "subscript",
            "string",
            "concatenated_string",
            "list",
            "dictionary",
            "set",
            "tuple",
            "true",
            "false",
            "none",
            "list_comprehension",
            "dictionary_comprehension",
            "set_comprehension",
        ]
    ),
    retyped={"tuple": "expression_list", "tuple_pattern": "pattern_list"},
    literals={
        "string": Literal(
            shape=re.compile(r"(?P<prefix>[A-Za-z]*)(?P<quote>\"\"\"|'''|\"|')(?P<inner>.*)(?P=quote)", re.DOTALL),
            escapes={
                "": literals.PYTHON,
                "u": literals.PYTHON,
                "f": literals.PYTHON,
                "r": None,
                "fr": None,
                "b": literals.PYTHON_BYTES,
                "br": None,
            },
            kinds={"f": "format", "fr": "format", "b": "bytes", "br": "bytes"},
            holes=_set("interpolation"),
        ),
        "format_specifier": Literal(
            shape=re.compile(r"(?P<prefix>)(?P<inner>.*)", re.DOTALL),
            escapes={"": None},
            holes=_set("format_expression interpolation"),
        ),
    },
    exact=("interpolation", "="),
    joined=_set("concatenated_string"),
    numbers=_set("integer float"),
    names=_set("identifier"),
    foreign=frozenset({("attribute", -1), ("keyword_argument", 0)}),
    access=_set("attribute"),
    own=_set("self cls"),
)

_SCRIPT_PARENS = (
    "return_statement arrow_function.body variable_declarator.value assignment_expression.right"
    " augmented_assignment_expression.right arguments array pair.value spread_element"
    " ternary_expression.consequence ternary_expression.alternative parenthesized_expression template_substitution"
    " throw_statement jsx_expression field_definition.value public_field_definition.value assignment_pattern.right"
    " subscript_expression.index binary_expression.left binary_expression.right unary_expression.argument"
    " await_expression ternary_expression.condition"
)

_SCRIPT_OPERANDS = (
    "binary_expression unary_expression update_expression ternary_expression assignment_expression"
    " augmented_assignment_expression await_expression yield_expression arrow_function function_expression"
    " generator_function class object array regex number template_string new_expression sequence_expression this"
)
"""What brackets may go around wherever it stands, since the tree keeps what binds to what. Not names (`(f) = () => {}`
gives no name), calls and members (`(a?.b).c`), strings (`("use strict")`)."""

_STATEMENTS = (
    "expression_statement variable_declaration lexical_declaration return_statement throw_statement break_statement"
    " continue_statement debugger_statement import_statement export_statement do_statement"
)

_SCRIPT_STRING = Literal(
    shape=re.compile(r"(?P<prefix>)(?P<quote>[\"'])(?P<inner>.*)(?P=quote)", re.DOTALL),
    escapes={"": literals.JAVASCRIPT},
)

_JAVASCRIPT = Style(
    directives=re.compile(
        r"/[/*]+\s*@ts-|/[/*]\s*@(?:flow|jsx|jsxRuntime|jsxImportSource|jsxFrag)\b|///\s*<|//[#@]\s*source|/\*[#@]\s*__\w+__"
        r"|/\*\s*(?:webpack\w+|@vite-ignore|turbopack\w+)\b"
    ),
    commas=_each(
        "arguments formal_parameters object array object_pattern array_pattern named_imports export_clause"
        " type_parameters enum_body tuple_type"
    ),
    dropped={
        **{statement: _set(";") for statement in _STATEMENTS.split()},
        "class_body": _set(";"),
        "program": _set("empty_statement"),
        "statement_block": _set("empty_statement"),
        "switch_case": _set("empty_statement"),
        "switch_default": _set("empty_statement"),
    },
    # `new A` is `new A()`.
    hollow=frozenset({("new_expression", "arguments")}),
    wrapped=_at("parenthesized_expression", _SCRIPT_PARENS)
    # `x => y` and `(x) => y`: one bare name.
    | _at("formal_parameters", "arrow_function.parameters"),
    anywhere=frozenset(
        ("parenthesized_expression", inner)
        for inner in (*_SCRIPT_OPERANDS.split(), "jsx_element", "jsx_self_closing_element")
    ),
    # `(function () {}())` and `(function () {})()`; not a string, which would be a directive.
    nested=frozenset({("expression_statement", "parenthesized_expression", "call_expression")}),
    bare=_set("formal_parameters"),
    literals={
        "string": _SCRIPT_STRING,
        # A tag function sees the letters, so a template counts as written.
        "template_string": Literal(
            shape=re.compile(r"(?P<prefix>)`(?P<inner>.*)`", re.DOTALL),
            escapes={"": None},
            kinds={"": "template"},
            holes=_set("template_substitution"),
        ),
    },
    exact_in=_set("expression_statement"),
    plain_in=_set("jsx_attribute"),
    keys=frozenset({("pair", "key"), ("pair_pattern", "key")}),
    numbers=_set("number"),
    floats=False,
    texts={"jsx_text": "jsx", "regex": "regular expression"},
    access=_set("member_expression"),
    own=_set("this"),
)

_TYPE_OPERANDS = (
    "union_type intersection_type conditional_type generic_type predefined_type literal_type object_type tuple_type"
    " array_type lookup_type template_literal_type index_type_query readonly_type type_identifier"
)

_TYPESCRIPT = replace(
    _JAVASCRIPT,
    dropped={
        **_JAVASCRIPT.dropped,
        **{
            statement: _set(";")
            for statement in [
                "type_alias_declaration",
                "function_signature",
                "import_alias",
                "ambient_declaration",
                "abstract_class_declaration",
                "internal_module",
                "module",
            ]
        },
        # Members of a type are parted by `;`, `,` or a line end alike.
        "interface_body": _set("; ,"),
        "object_type": _set("; ,"),
    },
    wrapped=_JAVASCRIPT.wrapped
    | _at("parenthesized_type", "type_annotation type_alias_declaration.value type_arguments default_type.type"),
    anywhere=_JAVASCRIPT.anywhere
    | frozenset(
        ("parenthesized_expression", inner) for inner in ("as_expression", "satisfies_expression", "type_assertion")
    )
    | frozenset(("parenthesized_type", inner) for inner in _TYPE_OPERANDS.split()),
    nested=_JAVASCRIPT.nested
    | frozenset(
        {
            ("as_expression", "parenthesized_expression", "as_expression"),
            ("satisfies_expression", "parenthesized_expression", "satisfies_expression"),
            ("lookup_type", "parenthesized_type", "type_query"),
            ("lookup_type", "parenthesized_type", "lookup_type"),
        }
    ),
    # A leading `|` before the first member of a union, as formatters write it.
    lone=_set("union_type intersection_type"),
)

_GO = Style(
    directives=re.compile(r"//(?:go:|line |export |extern |\s*\+build\b)|/\*line |//\s*#cgo|/\*\s*#(?:cgo|include)"),
    commas=_each("argument_list parameter_list literal_value type_arguments type_parameter_list"),
    dropped=dict.fromkeys(
        [
            "source_file",
            "statement_list",
            "block",
            "import_spec_list",
            "field_declaration_list",
            "interface_type",
            "const_declaration",
            "var_declaration",
            "var_spec_list",
            "type_declaration",
        ],
        _set("; \n"),
    ),
    wrapped=_at(
        "parenthesized_expression",
        "expression_list argument_list if_statement.condition for_statement keyed_element literal_element"
        " parenthesized_expression expression_statement expression_switch_statement.value",
    ),
    literals={
        "interpreted_string_literal": Literal(
            shape=re.compile(r"(?P<prefix>)\"(?P<inner>.*)\"", re.DOTALL), escapes={"": literals.GO}
        ),
        "raw_string_literal": Literal(shape=re.compile(r"(?P<prefix>)`(?P<inner>.*)`", re.DOTALL), escapes={"": None}),
    },
    numbers=_set("int_literal float_literal imaginary_literal"),
)

_RUST = Style(
    commas={
        **_each(
            "arguments parameters array_expression field_initializer_list field_declaration_list enum_variant_list"
            " use_list type_arguments type_parameters struct_pattern slice_pattern where_clause tuple_struct_pattern"
            " ordered_field_declaration_list closure_parameters"
        ),
        # `(x,)` is a tuple and `(x)` is x.
        **_each("tuple_expression tuple_type tuple_pattern", 2),
    },
    dropped={"match_arm": _set(",")},
    wrapped=_at(
        "parenthesized_expression",
        "return_expression let_declaration.value if_expression.condition while_expression.condition"
        " match_expression.value arguments assignment_expression.right parenthesized_expression"
        " field_initializer.value",
    )
    # `=> { x }` and `=> x`. Both end the life of temporaries where `x` ends (Rust reference, "Temporary scopes").
    | _at("block", "match_arm.value closure_expression.body"),
    # Of a statement in such a block, the `;` tells it from a value.
    lone=_set("expression_statement"),
    unordered=_set("use_list"),
    literals={
        "string_literal": Literal(
            shape=re.compile(r"(?P<prefix>[bc]?)\"(?P<inner>.*)\"", re.DOTALL),
            escapes={"": literals.RUST, "b": literals.RUST, "c": literals.RUST},
            kinds={"b": "bytes", "c": "c"},
        ),
        "raw_string_literal": Literal(
            shape=re.compile(r"(?P<prefix>[bc]?r)(?P<quote>#*)\"(?P<inner>.*)\"(?P=quote)", re.DOTALL),
            escapes={"r": None, "br": None, "cr": None},
            kinds={"br": "bytes", "cr": "c"},
        ),
    },
    numbers=_set("integer_literal float_literal"),
    verbatim=_set("token_tree token_tree_pattern attribute_item inner_attribute_item"),
    access=_set("field_expression scoped_identifier"),
    own=_set("self Self"),
)

_JAVA = Style(
    commas=_each("array_initializer element_value_array_initializer enum_body"),
    dropped={
        "program": _set(";"),
        "class_body": _set(";"),
        "interface_body": _set(";"),
        "annotation_type_body": _set(";"),
        "block": _set(";"),
        "constructor_body": _set(";"),
    },
    # `final static` is `static final` (JLS 8.3.1); that of annotations is seen by reflection.
    loose=_set("modifiers"),
    wrapped=_at(
        "parenthesized_expression",
        "return_statement variable_declarator.value assignment_expression.right parenthesized_expression"
        " throw_statement",
    )
    # `x -> y` and `(x) -> y`: one bare name.
    | _at("inferred_parameters", "lambda_expression.parameters"),
    literals={
        "string_literal": Literal(
            shape=re.compile(r"(?P<prefix>)(?P<quote>\"\"\"[ \t\f]*\r?\n|\")(?P<inner>.*?)(?:\"\"\"|\")", re.DOTALL),
            escapes={"": literals.JAVA},
            block=True,
        )
    },
    # A sum of literals is one literal (JLS 15.29), interned as one.
    summed={"binary_expression": "+"},
    numbers=_set(
        "decimal_integer_literal hex_integer_literal octal_integer_literal binary_integer_literal"
        " decimal_floating_point_literal"
    ),
    bare=_set("inferred_parameters"),
    foreign=frozenset({("field_access", -1)}),
    access=_set("method_invocation field_access"),
    own=_set("this"),
)

_C = Style(
    ignored=COMMENTS,
    commas=_each("initializer_list enumerator_list"),
    wrapped=_at(
        "parenthesized_expression",
        "return_statement init_declarator.value assignment_expression.right parenthesized_expression",
    ),
    literals={
        "string_literal": Literal(
            shape=re.compile(r"(?P<prefix>(?:u8|[uL])?)\"(?P<inner>.*)\"", re.DOTALL),
            escapes=dict.fromkeys(["", "8u", "u", "l"], literals.C),
            kinds={"8u": "u8", "u": "u", "l": "wide"},
        )
    },
    joined=_set("concatenated_string"),
    texts={"preproc_arg": "preprocessor", "preproc_directive": "preprocessor"},
    access=_set("field_expression"),
    own=_set("this"),
)

_CPP = replace(
    _C,
    # `return (x)` and `decltype(auto) y = (x)` give a reference in C++, so the brackets count there.
    wrapped=_at("parenthesized_expression", "parenthesized_expression"),
    commas=_each("initializer_list enumerator_list"),
)

_JSON = Style(
    literals={
        "string": Literal(shape=re.compile(r"(?P<prefix>)\"(?P<inner>.*)\"", re.DOTALL), escapes={"": literals.JSON})
    },
    numbers=_set("number"),
    names=_set("string_content"),
)

_YAML = Style(
    # What cloud-init takes a file for.
    directives=re.compile(r"#cloud-config\b"),
    commas=_each("flow_sequence flow_mapping"),
    # A plain scalar may be a number or a truth value, so it equals none in quotes.
    literals={
        "double_quote_scalar": Literal(
            shape=re.compile(r"(?P<prefix>)\"(?P<inner>.*)\"", re.DOTALL), escapes={"": literals.YAML}, folds=True
        ),
        "single_quote_scalar": Literal(
            shape=re.compile(r"(?P<prefix>)'(?P<inner>.*)'", re.DOTALL), escapes={"": literals.YAML_SINGLE}, folds=True
        ),
    },
    texts={
        "block_scalar": "block scalar",
        # Which of them it is says the text, and the grammar not always.
        **dict.fromkeys(
            ["string_scalar", "integer_scalar", "float_scalar", "boolean_scalar", "null_scalar", "timestamp_scalar"],
            "folded",
        ),
    },
    names=_set("string_scalar"),
)

_TOML = Style(
    commas=_each("array"),
    literals={
        "string": Literal(
            # A line end right after three quotes is no part of the value.
            shape=re.compile(
                r"(?P<prefix>\"{3}|'{3}|\"|')(?:(?<=\"\"\"|''')\r?\n)?(?P<inner>.*)(?P=prefix)", re.DOTALL
            ),
            escapes={'"': literals.TOML, '"""': literals.TOML, "'": None, "'''": None},
        )
    },
    numbers=_set("integer float"),
    names=_set("bare_key"),
)

_HCL_HOLES = _set("template_interpolation template_directive")

_HCL = Style(
    commas=_each("tuple function_arguments"),
    dropped={"object": _set(",")},
    literals={
        **{
            kind: Literal(
                shape=re.compile(r"(?P<prefix>)\"(?P<inner>.*)\"", re.DOTALL),
                escapes={"": literals.HCL},
                holes=_HCL_HOLES,
            )
            for kind in ("string_lit", "quoted_template")
        },
        "heredoc_template": Literal(
            shape=re.compile(
                r"<<(?P<prefix>-?)(?P<quote>\w+)[ \t]*\r?\n(?P<inner>.*?)\r?\n[ \t]*(?P=quote)", re.DOTALL
            ),
            escapes={"": None, "-": None},
            kinds={"": "heredoc", "-": "indented"},
            holes=_HCL_HOLES,
        ),
    },
    numbers=_set("numeric_lit"),
    names=_set("identifier"),
)

_DOCKERFILE = Style(
    ignored=COMMENTS | {"line_continuation"},
    # Parser directives: the syntax that the build is read by, and its escape character.
    directives=re.compile(r"#\s*(?:syntax|escape)\s*=", re.IGNORECASE),
    literals={
        "json_string": Literal(
            shape=re.compile(r"(?P<prefix>)\"(?P<inner>.*)\"", re.DOTALL), escapes={"": literals.JSON}
        )
    },
    # `ENV a b` is `ENV a=b` (Dockerfile reference, "ENV").
    dropped={"env_pair": _set("=")},
    texts={"shell_command": "shell words"},
    names=_set("image_alias"),
)

_MAKE = Style(
    texts={
        "text": "make value",
        "recipe_line": "recipe line",
        "raw_text": "written",
    },
    names=_set("word"),
)

_SCRIPTS = {
    **dict.fromkeys(["", "module", "text/javascript", "application/javascript", "text/ecmascript"], "javascript"),
    **dict.fromkeys(["application/json", "application/ld+json", "importmap", "speculationrules"], "json"),
}

_BLOCKS = (
    "address|article|aside|blockquote|body|center|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form"
    "|h[1-6]|header|hgroup|legend|li|main|menu|nav|ol|p|search|section|summary|ul"
)

_HTML = Style(
    # End tags that may be left out (HTML standard, 13.1.2.4); where the element ends, the tree says.
    silent={
        "end_tag": re.compile(
            r"</(?:li|dt|dd|p|rt|rp|optgroup|option|colgroup|caption|thead|tbody|tfoot|tr|td|th|head|body|html)\s*>\Z",
            re.IGNORECASE,
        )
    },
    literals={
        "quoted_attribute_value": Literal(
            shape=re.compile(r"(?P<prefix>)(?P<quote>[\"'])(?P<inner>.*)(?P=quote)", re.DOTALL), escapes={"": None}
        ),
        "attribute_value": Literal(shape=re.compile(r"(?P<prefix>)(?P<inner>.*)", re.DOTALL), escapes={"": None}),
    },
    texts={"text": "words", "raw_text": "written", "tag_name": "tag name", "attribute_name": "attribute name"},
    # A set of words (HTML standard, 3.2.6), and declarations as in a style sheet's block (CSS Style Attributes, 3). An
    # attribute without a value has an empty one (13.1.2.3).
    valued=("attribute", {"class": "words", "style": ("css", "a{", "}")}),
    embedded={
        "script_element": Embedded(
            "raw_text",
            "start_tag",
            re.compile(r"<script\b(?![^>]*\slang\b)(?:[^>]*?\stype\s*=\s*[\"']?([^\s\"'>]*))?", re.IGNORECASE),
            _SCRIPTS,
        ),
        "style_element": Embedded(
            "raw_text", "start_tag", re.compile(r"<style\b(?![^>]*\s(?:lang|type)\b)()", re.IGNORECASE), {"": "css"}
        ),
    },
    # `<br/>` and `<br>`: of an element of HTML the slash says nothing; one that is not empty has other children then.
    spelled={"self_closing_tag": "start_tag", "/>": ">"},
    void=(
        "element",
        re.compile(
            r"<(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)(?![\w:-])", re.IGNORECASE
        ),
    ),
    # Where the standard lets no text stand, white space is "inter-element" and says nothing.
    spaced={
        "element": re.compile(
            r"<(?:html|head|table|thead|tbody|tfoot|tr|colgroup|select|optgroup|datalist|picture|audio|video)(?![\w:-])",
            re.IGNORECASE,
        )
    },
    # By the standard's own style sheet (HTML standard, 15.3, "display") a block begins and ends a line, inside and
    # outside of it, and white space at either end of a line goes (CSS Text 3, 4.1.2). Another style sheet may show it.
    trimmed={"element": re.compile(rf"<(?:{_BLOCKS}|button|caption|optgroup|option|td|th)(?![\w:-])", re.IGNORECASE)},
    blocks={"element": re.compile(rf"<(?:{_BLOCKS}|hr|pre|table)(?![\w:-])", re.IGNORECASE)},
    first_break={"element": re.compile(r"<(?:pre|textarea|listing)(?![\w:-])", re.IGNORECASE)},
    whole={"element": re.compile(r"<(?:pre|textarea|listing|xmp)(?![\w:-])", re.IGNORECASE)},
    names=_set("attribute_value"),
)

_CSS = Style(
    ignored=COMMENTS | {"js_comment"},
    dropped={
        "declaration": _set(";"),
        "block": _set(";"),
    },
    literals={
        "string_value": Literal(
            shape=re.compile(r"(?P<prefix>)(?P<quote>[\"'])(?P<inner>.*)(?P=quote)", re.DOTALL),
            escapes={"": literals.CSS},
        )
    },
    # `[a="b"]` is `[a=b]`.
    keys=frozenset({("attribute_selector", "")}),
    numbers=_set("color_value"),
    texts={"integer_value": "css number", "float_value": "css number", "selectors": "selectors"},
    names=_set("selectors property_name keyframes_name"),
)

_MARKDOWN = Style(
    ignored=COMMENTS | {"block_continuation"},
    # Of a list's marker it counts only where the list ends, which the tree says; the same goes for fences.
    spelled={
        **dict.fromkeys(["list_marker_minus", "list_marker_star", "list_marker_plus"], "-"),
        **dict.fromkeys(["fenced_code_block_delimiter"], "```"),
        **dict.fromkeys(["thematic_break"], "---"),
    },
    texts={
        "inline": "paragraph",
        "pipe_table_cell": "paragraph",
        "pipe_table_delimiter_cell": "delimiter cell",
        "code_fence_content": "shown code",
        "html_block": "written",
        **dict.fromkeys([f"atx_h{level}_marker" for level in range(1, 7)], "trim"),
        **dict.fromkeys(["list_marker_dot", "list_marker_parenthesis"], "item number"),
    },
    texts_in=frozenset({("atx_heading", "inline", "heading")}),
    # CommonMark 0.31.2, 5.3: the numbers behind the first one say nothing.
    numbered=("list", "list_item", _set("list_marker_dot list_marker_parenthesis")),
    # 4.4 and 4.5: indented code is code without an info string.
    indented=("indented_code_block", "fenced_code_block", "```"),
    embedded={"fenced_code_block": Embedded("code_fence_content", "info_string", re.compile(r"\s*([^\s{]+)"))},
    names=_set("inline"),
)

_BASH = Style(
    directives=re.compile(r"#!"),
    dropped=dict.fromkeys(
        [
            "program",
            "compound_statement",
            "subshell",
            "command_substitution",
            "if_statement",
            "elif_clause",
            "else_clause",
            "while_statement",
            "for_statement",
            "do_group",
            "case_item",
        ],
        _set(";"),
    ),
    literals={
        "string": Literal(
            shape=re.compile(r"(?P<prefix>)\"(?P<inner>.*)\"", re.DOTALL),
            escapes={"": literals.BASH},
            holes=_set("simple_expansion expansion command_substitution arithmetic_expansion process_substitution"),
        ),
        "raw_string": Literal(shape=re.compile(r"(?P<prefix>)'(?P<inner>.*)'", re.DOTALL), escapes={"": None}),
    },
    # White space in here-documents and in what stands for an unset variable is text.
    whole={"heredoc_redirect": re.compile(""), "expansion": re.compile("")},
    names=_set("word variable_name"),
)

_GRAPHQL = Style(
    # Commas are white space, descriptions are documentation (GraphQL, October 2021, sections 2.1.5 and 3.1).
    ignored=COMMENTS | {"comma", "description"},
    lone=_set("union_member_types"),
    numbers=frozenset(),
    names=_set("name"),
)

_SQL_FUNCTIONS = re.compile(
    r"abs|acos|any_value|array_agg|asin|atan|avg|cardinality|ceil|ceiling|char_length|character_length|coalesce|corr|cos"
    r"|count|covar_pop|covar_samp|cume_dist|dense_rank|every|exp|extract|first_value|floor|grouping|lag|last_value|lead"
    r"|listagg|ln|log10|lower|max|min|mod|nth_value|ntile|nullif|octet_length|overlay|percent_rank|percentile_cont"
    r"|percentile_disc|position|power|rank|row_number|sin|sqrt|stddev_pop|stddev_samp|substring|sum|tan|trim|upper"
    r"|var_pop|var_samp|width_bucket",
    re.IGNORECASE,
)
"""Functions of the standard itself (SQL:2016, part 2, 6.28 to 6.32 and 10.9): nobody may define another one of such a
name without quotes or a schema, and no system tells their case. Other names may have one: MySQL's tables, BigQuery's
functions, all of ClickHouse's."""

_SQL = Style(
    ignored=COMMENTS | {"marginalia"},
    folded={"invocation": ("object_reference", _SQL_FUNCTIONS)},
    blank_gaps=True,
    # Hints of optimizers, and what MySQL reads as code.
    directives=re.compile(r"/\*[+!]|--\+"),
    caseless=("keyword_",),
    names=_set("identifier"),
)

_LUA = Style(
    ignored=COMMENTS | {"hash_bang_line"},
    # Luau's modes (`--!strict`).
    directives=re.compile(r"--!\w"),
    dropped={
        "chunk": _set("empty_statement"),
        "block": _set("empty_statement"),
        "return_statement": _set(";"),
        # Fields are parted by `,` or `;`; `f"a"` and `f{}` are `f("a")` and `f({})` (Lua 5.4, 3.4.9 and 3.4.10).
        "table_constructor": _set(", ;"),
        "arguments": _set("( )"),
    },
    spelled={"arguments": ""},
    # Brackets cut a call's values to one, so they may go only where there is one value, or one is taken.
    wrapped=_at(
        "parenthesized_expression",
        "if_statement.condition elseif_statement.condition while_statement.condition repeat_statement.condition"
        " parenthesized_expression",
    ),
    anywhere=frozenset(
        ("parenthesized_expression", inner)
        for inner in [
            "identifier",
            "dot_index_expression",
            "bracket_index_expression",
            "number",
            "true",
            "false",
            "nil",
        ]
    ),
    literals={
        "string": Literal(
            shape=re.compile(
                r"(?P<prefix>(?:\[=*\[)?)(?P<quote>(?<!\[)[\"']|)(?:(?<=\[)\r?\n)?(?P<inner>.*?)(?:(?P=quote)|\]=*\])",
                re.DOTALL,
            ),
            escapes={"": literals.LUA, "[[": None, "=[[": None, "==[[": None},
        )
    },
    numbers=_set("number"),
    names=_set("identifier"),
    foreign=frozenset({("dot_index_expression", -1), ("method_index_expression", -1), ("field", 0)}),
    access=_set("dot_index_expression method_index_expression"),
    own=_set("self"),
)

_RUBY_CONDITIONS = "if unless elsif while until if_modifier unless_modifier while_modifier until_modifier conditional"

_RUBY = Style(
    # Magic comments, Sorbet's strictness, the signatures of RBS (`#: (Integer) -> String`), not RDoc's `#:nodoc:`.
    directives=re.compile(
        r"#\s*(?:-\*-|(?:en)?coding[:=]|frozen_string_literal:|warn_indent:|shareable_constant_value:|typed:|:nocov:)"
        r"|#!|#:(?!\w+:)",
        re.IGNORECASE,
    ),
    commas=_each("array hash argument_list"),
    dropped={
        **dict.fromkeys(
            [
                "program",
                "body_statement",
                "block_body",
                "begin",
                "else",
                "ensure",
                "method",
                "singleton_method",
                "class",
                "module",
                "singleton_class",
                "do_block",
                "parenthesized_statements",
                "interpolation",
                "begin_block",
                "end_block",
                "rescue",
                "when",
            ],
            _set("; empty_statement"),
        ),
        "then": _set("then ; empty_statement"),
        # `do` of a loop is a keyword that may be a line end; a block's is another type of node.
        "do": _set("do ; empty_statement"),
        # Calls and definitions without brackets: what would bind otherwise is another tree.
        "argument_list": _set("( )"),
        "method_parameters": _set("( )"),
    },
    # Brackets around one expression are that expression in Ruby's own grammar.
    wrapped=_at(
        "parenthesized_statements",
        " ".join(f"{condition}.condition" for condition in _RUBY_CONDITIONS.split())
        + " assignment.right operator_assignment.right parenthesized_statements",
    ),
    literals={
        "string": Literal(
            shape=re.compile(r"(?P<prefix>[\"'])(?P<inner>.*)(?P=prefix)", re.DOTALL),
            escapes={"'": literals.RUBY_SINGLE, '"': literals.RUBY},
            holes=_set("interpolation"),
        )
    },
    texts={"heredoc_body": "ruby here-document"},
    numbers=_set("integer float"),
    names=_set("identifier constant"),
    foreign=frozenset({("call", 2), ("scope_resolution", 2), ("keyword_parameter", 0)}),
    access=_set("call"),
    own=_set("self"),
)

_PHP_STRING = Literal(
    shape=re.compile(r"[bB]?(?P<prefix>[\"'])(?P<inner>.*)(?P=prefix)", re.DOTALL),
    escapes={"'": literals.PHP_SINGLE, '"': literals.PHP},
    # What may stand in a string: what begins with a variable (PHP's grammar, `encaps_var`).
    holes=_set(
        "variable_name dynamic_variable_name member_access_expression nullsafe_member_access_expression"
        " subscript_expression member_call_expression nullsafe_member_call_expression function_call_expression"
        " scoped_call_expression scoped_property_access_expression class_constant_access_expression"
    ),
)

_PHP_OPERANDS = (
    "binary_expression unary_op_expression cast_expression conditional_expression assignment_expression"
    " augmented_assignment_expression object_creation_expression array_creation_expression anonymous_function"
    " arrow_function clone_expression match_expression integer float boolean null string encapsed_string"
)
"""What brackets may go around wherever it stands, since the tree keeps what binds to what."""

_AS_WRITTEN = Literal(shape=re.compile(r"(?!)"), escapes={})
"""Counts letter by letter, white space before its end among them."""

_PHP = Style(
    # Annotations that frameworks read from comments: Doctrine's (`@ORM\Column`, `@Route(`) and PHPUnit's.
    directives=re.compile(
        r"/\*\*.*?@(?:[A-Z]\w*[\\(]|(?:dataProvider|depends|test|requires|runInSeparateProcess|preserveGlobalState"
        r"|backupGlobals|backupStaticAttributes|doesNotPerformAssertions|expectedException\w*)\b)",
        re.DOTALL,
    ),
    commas=_each(
        "arguments formal_parameters array_creation_expression match_block anonymous_function_use_clause"
        " attribute_group"
    ),
    dropped={
        # `array(1)` and `[1]`, `list($a)` and `[$a]`.
        "array_creation_expression": _set("array ( ) [ ]"),
        "list_literal": _set("list ( ) [ ]"),
        "program": _set("empty_statement"),
        "compound_statement": _set("empty_statement"),
    },
    # Not `return ($a)`, `f(($a))` and `f((g()))`: in brackets a variable and a call are no reference.
    wrapped=_at("parenthesized_expression", "assignment_expression.right parenthesized_expression"),
    anywhere=frozenset(("parenthesized_expression", inner) for inner in _PHP_OPERANDS.split()),
    # `new A` is `new A()`.
    hollow=frozenset({("object_creation_expression", "arguments")}),
    literals={
        "string": _PHP_STRING,
        "encapsed_string": _PHP_STRING,
    },
    texts={"heredoc": "here-document", "nowdoc": "here-document"},
    # `TRUE` and `NULL` are written in any case.
    numbers=_set("integer float boolean null"),
    names=_set("name"),
    foreign=frozenset(
        {
            ("variable_name", 1),
            ("argument", 0),
            ("member_access_expression", 2),
            ("nullsafe_member_access_expression", 2),
            ("member_call_expression", 2),
            ("nullsafe_member_call_expression", 2),
            ("scoped_call_expression", 2),
            ("class_constant_access_expression", 2),
        }
    ),
    access=_set(
        "member_access_expression member_call_expression scoped_call_expression class_constant_access_expression"
    ),
    own=_set("$this self static"),
)

_ELIXIR = Style(
    # Attributes that document: only tools that print them read them.
    silent={"unary_operator": re.compile(r"@(?:module|type|short)?doc\b")},
    commas=_each("list tuple bitstring keywords map_content"),
    dropped={
        # `f a` is `f(a)`, and `& &1 + 1` is `&(&1 + 1)`.
        "arguments": _set("( )"),
        "unary_operator": _set("( )"),
        **dict.fromkeys(
            _set("source do_block else_block after_block rescue_block catch_block body block anonymous_function"),
            _set(";"),
        ),
    },
    # What stands in brackets is only grouped by them, but a clause, and what a macro is to splice in.
    anywhere=frozenset(
        ("block", inner)
        for inner in _set(
            "identifier alias atom integer float string boolean nil list tuple map binary_operator dot access_call"
        )
    ),
    numbers=_set("integer float"),
    # A key holds the white space behind it.
    texts={"keyword": "trim"},
    names=_set("identifier alias"),
    foreign=frozenset({("dot", -1)}),
    own=frozenset(),
)

_CSHARP = Style(
    # Regions only fold.
    ignored=COMMENTS | {"preproc_region", "preproc_endregion"},
    commas=_each(
        "initializer_expression enum_member_declaration_list anonymous_object_creation_expression switch_expression"
        " collection_expression with_expression property_pattern_clause attribute_list"
    ),
    # Not arguments: `CallerArgumentExpression` reads their letters.
    wrapped=_at(
        "parenthesized_expression",
        "return_statement arrow_expression_clause variable_declarator assignment_expression.right throw_statement"
        " parenthesized_expression",
    )
    # `x => y` and `(x) => y`: one bare name.
    | _at("parameter_list", "lambda_expression.parameters"),
    bare=_set("parameter_list"),
    literals={
        "string_literal": Literal(
            shape=re.compile(r"(?P<prefix>)\"(?P<inner>.*)\"", re.DOTALL), escapes={"": literals.CSHARP}
        ),
        "verbatim_string_literal": Literal(
            shape=re.compile(r"(?P<prefix>)@\"(?P<inner>[^\"]*)\"", re.DOTALL), escapes={"": None}
        ),
        "interpolated_string_expression": Literal(
            shape=re.compile(r"(?P<prefix>)\$\"(?!\"\")(?P<inner>.*)\"", re.DOTALL),
            escapes={"": literals.CSHARP},
            kinds={"": "format"},
            holes=_set("interpolation"),
        ),
        "interpolation_format_clause": _AS_WRITTEN,
    },
    # A sum of literals is one literal (C# specification, 12.24, constant expressions).
    summed={"binary_expression": "+"},
    overloaded=True,
    numbers=_set("integer_literal real_literal"),
    names=_set("identifier"),
    foreign=frozenset({("member_access_expression", 2), ("member_binding_expression", 1)}),
    access=_set("member_access_expression"),
    own=_set("this"),
)

_HASKELL = Style(
    # Pragmas are no comments to the grammar, and count.
    ignored=COMMENTS | {"haddock"},
    commas=_each("exports import_list children"),
    # Haskell 2010, 10.3: layout is braces and semicolons that need not be written.
    dropped=dict.fromkeys(
        _set("do alternatives local_binds class_declarations instance_declarations declarations"), _set("{ } ;")
    ),
    # Operators bind as their fixity says, which no tree shows: brackets around them are for the places below alone.
    wrapped=_at("parens", "match.expression context.context parens.expression exp.expression"),
    anywhere=frozenset(("parens", inner) for inner in _set("variable constructor name literal list tuple qualified")),
    numbers=_set("integer float"),
    names=_set("variable constructor name operator constructor_operator"),
    foreign=frozenset({("qualified", -1)}),
    own=frozenset(),
)

_KOTLIN_BODY = Bodied("function_body", "=", "block", "return_expression", "throw_expression")

# `$a` and `${a}`. The grammar has no node for the former.
_KOTLIN_SHORT = re.compile(r"\$([A-Za-z_]\w*)", re.ASCII)

_KOTLIN = Style(
    commas=_each(
        "value_arguments function_value_parameters class_parameters type_parameters lambda_parameters"
        " multi_variable_declaration collection_literal"
    ),
    # Entries and conditions are nodes of their own, so that what parts them says nothing.
    dropped={"enum_class_body": _set(", ;"), "when_entry": _set(","), "primary_constructor": _set("constructor")},
    separators=";",
    # `override internal` is `internal override` (Kotlin specification, "Modifiers").
    loose=_set("modifiers"),
    # `class A {}` and `class A`, `class A constructor(x: B)` and `class A(x: B)`.
    hollow=frozenset({("class_declaration", "class_body")}),
    wrapped=_at(
        "parenthesized_expression",
        "return_expression property_declaration function_body assignment.right parenthesized_expression"
        " throw_expression",
    )
    # Kotlin specification, "Control structure bodies": a block of one statement, or the statement.
    | _at("block", "when_entry if_expression for_statement while_statement do_while_statement"),
    # Kotlin specification, "Function declaration": `{ return x }` and `= x`; without a type, a block gives `Unit`.
    bodied={
        "function_declaration": replace(_KOTLIN_BODY, nothing="Unit"),
        "getter": replace(_KOTLIN_BODY, typed=False),
    },
    literals={
        "string_literal": Literal(
            shape=re.compile(r"(?P<prefix>)\"(?P<inner>.*)\"", re.DOTALL),
            escapes={"": literals.KOTLIN},
            holes=_set("interpolation"),
            short=_KOTLIN_SHORT,
        ),
        "multiline_string_literal": Literal(
            shape=re.compile(r"(?P<prefix>)\"\"\"(?P<inner>.*)\"\"\"", re.DOTALL),
            escapes={"": None},
            holes=_set("interpolation"),
            short=_KOTLIN_SHORT,
        ),
    },
    numbers=_set("number_literal float_literal"),
    names=_set("identifier"),
    foreign=frozenset({("navigation_expression", 2), ("value_argument", 0)}),
    access=_set("navigation_expression"),
    own=_set("this"),
)

_OCAML = Style(
    # A tree keeps apart what a separator parts, so that a first or a last one says nothing.
    dropped={
        **dict.fromkeys(
            _set("variant_declaration function_expression match_expression try_expression polymorphic_variant_type"),
            _set("|"),
        ),
        **dict.fromkeys(
            _set(
                "list_expression array_expression record_expression record_declaration list_pattern array_pattern"
                " record_pattern sequence_expression"
            ),
            _set(";"),
        ),
        "compilation_unit": _set(";;"),
        "structure": _set(";;"),
        "signature": _set(";;"),
        # `begin x end` is `(x)`.
        "parenthesized_expression": _set("( ) begin end"),
    },
    wrapped=_at("parenthesized_expression", "let_binding.body match_case.body let_expression.body"),
    anywhere=frozenset(
        ("parenthesized_expression", inner)
        for inner in _set("value_path constructor_path number string character list_expression field_get_expression")
    ),
    names=_set("value_name module_name type_constructor constructor_name class_name method_name"),
    own=frozenset(),
)

_SWIFT = Style(
    ignored=COMMENTS | {"shebang_line"},
    # What the package manager and Sourcery read.
    directives=re.compile(r"//\s*(?:swift-tools-version\b|sourcery:)"),
    commas=_each("array_literal dictionary_literal"),
    separators=";",
    dropped={"enum_entry": _set(";")},
    # A tuple of one is what it holds.
    wrapped=_at(
        "tuple_expression",
        "if_statement.condition guard_statement.condition while_statement.condition switch_statement.expr"
        " control_transfer_statement.result assignment.result property_declaration.value tuple_expression"
        " tuple_expression.value",
    ),
    numbers=_set("integer_literal hex_literal oct_literal bin_literal real_literal"),
    names=_set("simple_identifier type_identifier"),
    foreign=frozenset({("navigation_suffix", 1), ("value_argument_label", 0), ("parameter", 0)}),
)

_SCALA = Style(
    ignored=COMMENTS | {"end_marker"},
    # What the Scala runner reads.
    directives=re.compile(r"//>\s*using\b"),
    commas=_each("arguments parameters class_parameters bindings type_parameters type_arguments namespace_selectors"),
    dropped=dict.fromkeys(
        ["compilation_unit", "template_body", "block", "indented_block", "case_clause", "enumerators", "enum_body"],
        _set(";"),
    ),
    # Not of a `var`: its `_` is a default, and `(_)` a function.
    wrapped=_at(
        "parenthesized_expression",
        "return_expression val_definition.value assignment_expression.right function_definition.body throw_expression"
        " parenthesized_expression",
    ),
    literals={
        # The grammar gives the text of these no node; their escapes are the interpolator's own.
        "interpolated_string": Literal(
            shape=re.compile(r"(?P<prefix>)(?P<quote>\"\"\"|\")(?P<inner>.*)(?P=quote)", re.DOTALL),
            escapes={"": None},
            kinds={"": "interpolated"},
            holes=_set("interpolation"),
        ),
    },
    numbers=_set("integer_literal floating_point_literal"),
    names=_set("identifier type_identifier operator_identifier"),
    foreign=frozenset({("field_expression", -1), ("assignment_expression", 0)}),
    access=_set("field_expression"),
    own=_set("this"),
)

_JULIA = Style(
    documents={
        "string_literal": _set(
            "function_definition assignment struct_definition abstract_definition primitive_definition"
            " module_definition macro_definition const_statement global_statement macrocall_expression"
        )
    },
    commas={**_each("argument_list vector_expression curly_expression"), "tuple_expression": 2},
    separators=";",
    wrapped=_at(
        "parenthesized_expression",
        "if_statement.condition elseif_clause.condition while_statement.condition return_statement assignment"
        " argument_list parenthesized_expression",
    ),
    anywhere=frozenset(
        ("parenthesized_expression", inner)
        for inner in _set(
            "identifier integer_literal float_literal string_literal call_expression field_expression index_expression"
            " vector_expression"
        )
    ),
    numbers=_set("integer_literal float_literal"),
    names=_set("identifier"),
    foreign=frozenset({("field_expression", -1), ("named_argument", 0)}),
    own=frozenset(),
)

_ZIG = Style(
    commas=_each(
        "initializer_list parameters call_expression arguments error_set_declaration struct_declaration"
        " enum_declaration union_declaration switch_expression"
    ),
    wrapped=_at("parenthesized_expression", "return_expression variable_declaration parenthesized_expression"),
    anywhere=frozenset(
        ("parenthesized_expression", inner)
        for inner in _set("identifier integer float string boolean call_expression field_expression")
    ),
    numbers=_set("integer float"),
    texts={"multiline_string": "unindented"},
    names=_set("identifier"),
    foreign=frozenset({("field_expression", -1)}),
    access=_set("field_expression"),
    own=_set("self Self"),
)

_DART = Style(
    ignored=COMMENTS | {"documentation_comment", "script_tag"},
    # The language's version of a file.
    directives=re.compile(r"//\s*@dart\s*="),
    commas=_each(
        "arguments formal_parameter_list optional_formal_parameters list_literal set_or_map_literal enum_body"
        " switch_expression type_parameters"
    ),
    literals={
        "string_literal": Literal(
            # Strings side by side are one node: what holds a quote inside is not certainly one string.
            shape=re.compile(r"(?P<prefix>r?)(?P<quote>'''|\"\"\"|'|\")(?P<inner>[^'\"]*)(?P=quote)", re.DOTALL),
            escapes={"": literals.DART, "r": None},
            holes=_set("template_substitution"),
        )
    },
    unmarked=_set("string_literal"),
    numbers=_set("decimal_integer_literal hex_integer_literal decimal_floating_point_literal"),
    names=_set("identifier type_identifier"),
    foreign=frozenset(
        {
            ("unconditional_assignable_selector", 1),
            ("conditional_assignable_selector", 1),
            ("cascade_selector", 0),
            ("label", 0),
        }
    ),
)

_PERL = Style(
    ignored=COMMENTS | {"pod"},
    # The first line may set switches (perlrun), `# line 3` the numbers of lines (perlsyn).
    directives=re.compile(r"#!|#\s*line\s+\d"),
    commas={"list_expression": 2},
    dropped={"block": _set(";"), "source_file": _set(";")},
    whole=dict.fromkeys(
        _set("string_content regexp_content replacement transliteration_content heredoc_content"), re.compile("")
    ),
    texts={"quoted_word_list": "quoted words"},
    names=_set("bareword varname function method package"),
    own=_set("$self __PACKAGE__"),
)

_OBJC = replace(
    _C,
    commas=_each("initializer_list enumerator_list array_literal dictionary_literal"),
    literals={
        "string_literal": Literal(
            shape=re.compile(r"(?P<prefix>@|(?:u8|[uL])?)\"(?P<inner>.*)\"", re.DOTALL),
            escapes=dict.fromkeys(["", "8u", "u", "l", "@"], literals.C),
            kinds={"8u": "u8", "u": "u", "l": "wide", "@": "object"},
        )
    },
    # The name of a selector has the white space before it in it.
    texts_in=frozenset({("selector_expression", "identifier", "trim")}),
    # Marks of sections.
    silent={"preproc_call": re.compile(r"#\s*pragma\s+mark\b")},
    own=_set("self"),
)

_POWERSHELL_STRING = Literal(
    # Only what means the same in either quotes; typographic ones are quotes, too (about_Quoting_Rules).
    shape=re.compile(r"(?P<prefix>)(?P<quote>[\"'])(?P<inner>[^`$\"'\xe2]*)(?P=quote)"),
    escapes={"": None},
)

_POWERSHELL = Style(
    # White space between a command and its arguments, with the line continuations in it.
    silent={"command_argument_sep": re.compile(r"[\s`]*\Z")},
    directives=re.compile(r"#requires\b", re.IGNORECASE),
    dropped={"statement_list": _set("empty_statement"), "hash_entry": _set(";")},
    separators="`",
    literals={"string_literal": _POWERSHELL_STRING},
    # about_Case-Sensitivity: names, keywords and operators have none.
    caseless=(
        *["variable", "command_name", "command_parameter", "function_name", "simple_name", "type_identifier", "-"],
        *["decimal_integer_literal", "hexadecimal_integer_literal", "real_literal"],
        *["function", "filter", "workflow", "param", "begin", "process", "end", "if", "else", "switch", "foreach"],
        *["for", "while", "do", "until", "in", "try", "catch", "finally", "throw", "return", "break", "continue"],
        *["exit", "trap", "data", "class", "enum", "static", "hidden", "dynamicparam"],
    ),
    names=_set("variable simple_name function_name command_name type_identifier"),
    own=_set("$this"),
)

_ERLANG = Style(
    silent={"wild_attribute": re.compile(r"-\s*(?:module)?doc\b")},
    wrapped=_at("paren_expr", "match_expr.rhs clause_body.exprs expr_args.args paren_expr.expr"),
    anywhere=frozenset(
        ("paren_expr", inner) for inner in _set("var atom integer float char string call list tuple paren_expr")
    ),
    literals={
        # Not those in three quotes, which have an indentation of their own.
        "string": Literal(
            shape=re.compile(r"(?P<prefix>)\"(?!\"\"[ \t]*\n)(?P<inner>.*)\"", re.DOTALL), escapes={"": literals.ERLANG}
        )
    },
    joined=_set("concatables"),
    numbers=_set("integer float"),
    names=_set("atom var"),
    own=frozenset(),
)

_R = Style(
    # Tags from which roxygen writes the package's NAMESPACE, and the order of its files.
    directives=re.compile(r"#+'\s*@(?:export|import|useDynLib|rawNamespace|evalNamespace|include|method|S3method)"),
    dropped={"program": _set(";"), "brace_list": _set(";")},
    # The value of `{ x }` is that of `x`.
    wrapped=_at(
        "brace_list",
        "function_definition lambda_function if.consequence if.alternative for.body while.body repeat.body",
    ),
    # Of statements, `x = 1` is `x <- 1`; an argument's `=` has another node around it.
    spelled={"equals_assignment": "left_assignment", "=": "<-"},
    literals={
        "string": Literal(
            shape=re.compile(r"(?P<prefix>)(?P<quote>[\"'])(?P<inner>.*)(?P=quote)", re.DOTALL),
            escapes={"": literals.R},
        )
    },
    numbers=_set("float integer"),
    names=_set("identifier"),
    foreign=frozenset({("dollar", -1), ("default_argument", 0)}),
    access=_set("dollar"),
    own=_set("self private"),
)

STYLES: Mapping[str, Style] = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "go": _GO,
    "rust": _RUST,
    "java": _JAVA,
    "c": _C,
    "cpp": _CPP,
    "bash": _BASH,
    "sql": _SQL,
    "graphql": _GRAPHQL,
    "html": _HTML,
    "css": _CSS,
    "markdown": _MARKDOWN,
    "json": _JSON,
    "yaml": _YAML,
    "toml": _TOML,
    "hcl": _HCL,
    "dockerfile": _DOCKERFILE,
    "make": _MAKE,
    "lua": _LUA,
    "elixir": _ELIXIR,
    "haskell": _HASKELL,
    "julia": _JULIA,
    "ocaml": _OCAML,
    "ruby": _RUBY,
    "php": _PHP,
    "csharp": _CSHARP,
    "kotlin": _KOTLIN,
    "swift": _SWIFT,
    "scala": _SCALA,
    "zig": _ZIG,
    "dart": _DART,
    "perl": _PERL,
    "objc": _OBJC,
    "powershell": _POWERSHELL,
    "erlang": _ERLANG,
    "r": _R,
}
"""By `Language.style_table`."""
