package com.shop

package object util {
  val separator = ","
}

import com.base.{Base, Priced => Named}

/** Not part of it. */
@deprecated("use Shop", "2.0")
abstract class Order[T <: Any](val id: Int, name: String = "x") extends Base(id) with Named {
  private val limit: Int = 10
  var (low, high) = (1, 2)
  lazy val cached = compute()

  type Handler = Int => Unit

  val rate: Double

  def total: Int = low + high

  def total_=(value: Int): Unit = {
    low = value
  }

  @inline
  override def pay(amount: Int, rest: String*)(implicit ec: Context): Int = {
    def local(value: Int) = value
    val twice = (value: Int) => value * 2
    val number = 3
    val runner = new Runnable {
      def run(): Unit = ()
    }
    twice(amount)
  }

  def pay(amount: String): Int = 1

  def later(): Unit

  def this(text: String) = this(1)

  object Inner {
    val depth = 1
  }

  case class Point(x: Int, y: Int)

  implicit class Rich(text: String) {
    def shout: String = text
  }
}

object Order {
  def apply(id: Int): Order = new Order(id)
}

case object Empty

sealed trait Shape {
  def area: Double
}
