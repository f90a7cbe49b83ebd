package shop

enum Color(val rgb: Int):
  case Red extends Color(1)
  case Green, Blue
  case Mixed(first: Color)

  def show: String = "x"

extension (text: String)
  def twice: String = text + text
  def thrice: String = text * 3

extension [T](items: List[T]) def second: T = items(1)

given ordering: Ordering[Int] with
  def compare(first: Int, second: Int) = 0

given Ordering[String] = ???

class Shop(limit: Int):
  def open(day: Int): Int =
    val hours = day
    hours + 1

  private def close = 2
end Shop

def helper(using context: Context): Int = 1

val top = 2
type Alias = Int
opaque type Price = Int

@main def run() = println("x")
