#' Takes money.
#' @export
pay <- function(amount, rate = 2, ...) {
  total <- amount * rate
  inner <- function(x) x + 1
  if (total > limit) {
    stop("too much")
  }
  inner(total)
}

limit <- 3
rates = c(1, 2)
rates -> ten
add = function(a, b) a + b
short <- \(x) x * 2
shared <<- 5
`odd name` <- function() 1
"%+%" <- function(a, b) paste0(a, b)
print.basket <- function(x, ...) {
  cat(x$items)
}
names(x) <- "a"
x$total <- 4
obj$method <- function(self) self$total
lst[["key"]] <- function() 1

if (interactive()) {
  mode <- function() "live"
} else {
  mode <- function() "batch"
}

setClass("Basket", representation(items = "list"))
setGeneric("price", function(object) standardGeneric("price"))
setMethod("price", "Basket", function(object) {
  sum(object@items)
})
setMethod("+", signature("Money", "Money"), function(e1, e2) e1)

Counter <- R6Class("Counter",
  public = list(
    n = 0,
    add = function(by = 1) {
      self$n <- self$n + by
    }
  ),
  private = list(secret = NULL)
)

server <- function(input, output) {
  output$plot <- renderPlot({ 1 })
}

local({
  hidden <- function() 1
})

test_that("takes money", {
  expect_equal(pay(1), 2)
})
