"""SQL: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
SELECT 1;

CREATE TABLE shop.orders (
  id INT NOT NULL,
  state VARCHAR(10) DEFAULT 'open',$0
  total NUMERIC(8, 2),
  CHECK (total > 0)
);

SELECT 2;
"""

OVERLOADS = """\
CREATE FUNCTION total(a int) RETURNS int AS $$
  SELECT a + b + 1$0 FROM one
$$ LANGUAGE sql;
CREATE FUNCTION total(a text) RETURNS int AS $$
  SELECT 2 FROM two
$$ LANGUAGE sql;
"""

QUERIES = """\
WITH recent AS (
  SELECT id, total FROM orders$0 WHERE age < 30
), paid AS (
  SELECT id FROM payments
)
SELECT * FROM recent JOIN paid USING (id);
"""

MIGRATION = """\
CREATE TABLE a (b INT, c INT, d INT$0);
ALTER TABLE a ADD COLUMN e INT;
"""

CASES = LanguageCases(
    file="a.sql",
    comment="--",
    sample=SAMPLE,
    style_edits=(
        ("CREATE TABLE", "create table"),
        ("NOT NULL", "not null"),
        ("(8, 2)", "(8,2)"),
    ),
    same=(
        ("SELECT a FROM b", "select a\nfrom b"),
        ("SELECT a -- why\nFROM b", "SELECT a FROM b"),
        ("SELECT a /* why */ FROM b", "SELECT a FROM b"),
        ("CREATE TABLE a (b INT)", "create table a (\n  b int\n)"),
        ("SELECT a,b", "SELECT a , b"),
        # SQL:2016: functions of the standard have no case; any other may have one.
        ("SELECT COUNT(*), SUM(a) FROM b", "select count(*), sum(a) from b"),
        ("SELECT Coalesce(a, MAX(b)) FROM c GROUP BY a", "SELECT coalesce(a, max(b)) FROM c GROUP BY a"),
    ),
    different=(
        ("SELECT 'a b'", "SELECT 'a  b'"),
        ("SELECT 'a'", "SELECT 'A'"),
        ("SELECT a", "SELECT b"),
        ("SELECT pay(a) FROM b", "SELECT PAY(a) FROM b"),
        ("SELECT a.sum(b) FROM c", "SELECT a.SUM(b) FROM c"),
        ('SELECT "SUM"(b) FROM c', "SELECT sum(b) FROM c"),
        ("SELECT a FROM b", "SELECT a FROM B"),
        ("SELECT MIN(a) FROM b", "SELECT MAX(a) FROM b"),
        ("SELECT a", 'SELECT "a"'),
        ("SELECT a, b", "SELECT b, a"),
        ("SELECT a FROM b WHERE c > 1", "SELECT a FROM b WHERE c >= 1"),
        ("SELECT a FROM b JOIN c ON d = e", "SELECT a FROM b LEFT JOIN c ON d = e"),
        ("SELECT (a + b) * c", "SELECT a + b * c"),
        ("SELECT DISTINCT a", "SELECT a"),
        ("CREATE TABLE a (b INT NOT NULL)", "CREATE TABLE a (b INT)"),
        ("CREATE TABLE a (b INT)", "CREATE TABLE IF NOT EXISTS a (b INT)"),
        ("SELECT a; SELECT b", "SELECT b; SELECT a"),
    ),
    counting=("/*+ INDEX(a b) */", "/*!40101 SET NAMES utf8 */"),
    silent=("-- a", "/* a */"),
    edits=(
        ("'open'", "'new'", "changed body"),
        ("NOT NULL", "NULL", "changed body"),
        ("(8, 2)", "(9, 2)", "changed body"),
        ("CREATE TABLE", "CREATE TABLE IF NOT EXISTS", "changed interface"),
        ("orders", "bills", "moved"),
        ("  total", "  -- why\n\n  total", "reformatted"),
        ("SELECT 1", "SELECT 3", "fresh"),
    ),
    verdicts=(
        (OVERLOADS, OVERLOADS.replace("two", "three"), "fresh"),
        (OVERLOADS, OVERLOADS.replace("a + b", "a - b"), "changed body"),
        (OVERLOADS, OVERLOADS[OVERLOADS.rindex("CREATE") :], "missing symbol_gone"),
        (QUERIES, QUERIES.replace("payments", "bills"), "fresh"),
        (QUERIES, QUERIES.replace("30", "31"), "changed body"),
        (MIGRATION, MIGRATION.replace("e INT", "e TEXT"), "fresh"),
        (MIGRATION, MIGRATION.replace("d INT", "d TEXT"), "changed body"),
    ),
)
