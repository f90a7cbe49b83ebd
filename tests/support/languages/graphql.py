"""GraphQL: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
scalar Date

type Order implements Node & Named @key(fields: "id") {$0
  id: ID!
  total(rate: Int = 2): [Float!]! @deprecated(reason: "old")
  state: State
  buyer: User
}

union Any = Order | User
"""

EXTENDED = """\
type User { id: ID!$0 name: String! mail: String }
extend type User { age: Int }
"""

QUERIES = """\
query One($a: ID!) { user(id: $a) { name$0 ...Fields mail } }
query Two { user(id: 2) { name } }
"""

CASES = LanguageCases(
    file="a.graphql",
    comment="#",
    sample=SAMPLE,
    style_edits=(
        ("  buyer", '  "Who pays."\n  buyer'),
        ("id: ID!", "id: ID!,"),
        ("(rate: Int = 2)", "(\n    rate: Int = 2\n  )"),
    ),
    same=(
        ("type A { b: C, d: E }", "type A {\n  b: C\n  d: E\n}"),
        ('"a"\ntype A { b: C }', "type A { b: C }"),
        ('"""a"""\ntype A { "d" b: C }', "type A { b: C }"),
        ("union A = | B | C", "union A = B | C"),
        ("{ a(b: 1, c: 2) }", "{ a(b: 1 c: 2) }"),
        ("enum A { B C } # why", "enum A {\n  B\n  C\n}"),
    ),
    different=(
        ("type A { b: C }", "type A { b: C! }"),
        ("type A { b: [C] }", "type A { b: C }"),
        ("type A { b: C }", "input A { b: C }"),
        ("type A { b: C }", "extend type A { b: C }"),
        ("type A { b(c: Int = 1): D }", "type A { b(c: Int = 2): D }"),
        ("type A implements B { c: D }", "type A { c: D }"),
        ("type A { b: C @d }", "type A { b: C }"),
        ("enum A { B C }", "enum A { C B }"),
        ("union A = B | C", "union A = B"),
        ('{ a(b: "c d") }', '{ a(b: "c  d") }'),
        ("{ a { b } }", "{ a b }"),
        ("query A { b }", "mutation A { b }"),
        ("{ a: b }", "{ b }"),
        ("{ ...A }", "{ ...B }"),
    ),
    silent=("# a", "# import Fields"),
    edits=(
        ("[Float!]!", "[Float!]", "changed body"),
        ("rate: Int = 2", "rate: Int = 3", "changed body"),
        ('"old"', '"unused"', "changed body"),
        (" & Named", "", "changed interface"),
        ('"id"', '"id total"', "changed interface"),
        ("type Order", "type Bill", "moved"),
        ("  buyer", "  # why\n  buyer", "reformatted"),
        ("scalar Date", "scalar Time", "fresh"),
    ),
    verdicts=(
        (EXTENDED, EXTENDED.replace("age: Int", "age: Float"), "fresh"),
        (EXTENDED, EXTENDED.replace("name: String!", "name: String"), "changed body"),
        (QUERIES, QUERIES.replace("2)", "3)"), "fresh"),
        (QUERIES, QUERIES.replace("mail", "phone"), "changed body"),
        ("enum Role { ADMIN$0 USER }", "enum Role { ADMIN$0 USER GUEST }", "changed body"),
    ),
)
