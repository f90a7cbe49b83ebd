"""R: what is style, what counts, and what edits make of an anchor."""

from __future__ import annotations

from support.language_cases import LanguageCases

SAMPLE = """\
limit <- 3

pay <- function(amount, rate = 2) {
  if (amount > limit) {
    log("a", amount)
  }
  rates <- c(rate, amount)
  $0total(rates) * amount
}
"""

METHODS = """\
setMethod("price", "Basket", function(x) sum(x@items) + $01)
setMethod("price", "Item", function(x) x@price)
"""

COUNTER = """\
$0Counter <- R6Class("Counter", public = list(
  n = 0,
  add = function(by = 1) {
    self$n + by
  }
))
"""

CASES = LanguageCases(
    file="a.R",
    comment="#",
    sample=SAMPLE,
    style_edits=(
        ('"a"', "'a'"),
        ("rates <- c", "rates = c"),
        ("pay <- function", "pay = function"),
        ("* amount\n", "* amount;\n"),
    ),
    same=(
        ("x <- 'a'", 'x <- "a"'),
        ("x <- 'it\\'s'", 'x <- "it\'s"'),
        ("x = 1", "x <- 1"),
        ("a; b", "a\nb"),
        ("f <- function(x) { x }", "f <- function(x) x"),
        ("if (a) { b } else { c }", "if (a) b else c"),
        ("for (i in x) { b(i) }", "for (i in x) b(i)"),
        ("while (a) { b() }", "while (a) b()"),
        ("x <- 0xFF + 1E5", "x <- 0xff + 1e5"),
        ("x <- 1 # why", "x <- 1"),
        ("#' Text.\nf <- function(x) x", "f <- function(x) x"),
        ("f(a,\n  b)", "f(a, b)"),
    ),
    different=(
        ("x <- (a + b) * c", "x <- a + b * c"),
        # A value in brackets is shown.
        ("(x <- 1)", "x <- 1"),
        ("x <- 'a b'", "x <- 'a  b'"),
        ("f(a = 1)", "f(a <- 1)"),
        # An argument may be there and be empty.
        ("x[1, ]", "x[1]"),
        ("f(a, )", "f(a)"),
        ("x <<- 1", "x <- 1"),
        ("x <- 1L", "x <- 1"),
        ('x <- r"(a)"', 'x <- r"(b)"'),
        ("f <- function(x, y) x", "f <- function(y, x) x"),
        ("f <- function(x = 1) x", "f <- function(x = 2) x"),
        ("f <- function(...) x", "f <- function() x"),
        ("x$a", "x@a"),
        ("x[[1]]", "x[1]"),
        ("a::b", "a:::b"),
        ("a & b", "a && b"),
        ("a |> b()", "a |> c()"),
        ("a %in% b", "a %out% b"),
        ("y ~ x", "x ~ y"),
        ("if (a) { b; c } else d", "if (a) { c; b } else d"),
        ("f({ a; b })", "f({ b; a })"),
        ("f({ a })", "f(a())"),
        ("for (i in x) { b; c }", "for (i in x) { b }\nc"),
        ("if (a) { if (b) c } else d", "if (a) { if (b) c else d }"),
        ("x <- TRUE", "x <- FALSE"),
        ("x <- NULL", "x <- NA"),
        ("-x", "x"),
        ("library(a)", "library(b)"),
    ),
    counting=("#' @export", "#' @importFrom a b"),
    silent=("# nolint", "#' @param a", "# a"),
    edits=(
        ("amount > limit", "amount >= limit", "changed body"),
        ('"a"', '"b"', "changed body"),
        ("rate = 2", "rate = 3", "changed interface"),
        ("(amount, rate = 2)", "(rate = 2, amount)", "changed interface"),
        ("pay <-", "settle <-", "moved"),
        ("  if", "  # why\n\n  if", "reformatted"),
        ("limit <- 3", "limit <- 4", "fresh"),
    ),
    verdicts=(
        (METHODS, METHODS.replace("x@price", "x@cost"), "fresh"),
        (METHODS, METHODS.replace("+ $01", "+ $02"), "changed body"),
        (COUNTER, COUNTER.replace("self$n + by", "self$n - by"), "changed members"),
        (COUNTER, COUNTER.replace("n = 0", "n = 1"), "changed body"),
        (
            "if (interactive()) {\n  mode <- function(x) g(x) + $01\n} else {\n  mode <- function(x) h(x)\n}\n",
            "if (interactive()) {\n  mode <- function(x) g(x) + $01\n} else {\n  mode <- function(x) k(x)\n}\n",
            "fresh",
        ),
        (
            "print.basket <- function(x) cat(x$items, $01)\n\nprint <- function(x) cat(x)\n",
            "print <- function(x) cat(x, 1)\n\nprint.basket <- function(x) cat(x$items, $01)\n",
            "fresh",
        ),
    ),
)
