@file:JvmName("Shops")

package com.shop

import com.base.Base

typealias Handler = (Int) -> Unit

const val LIMIT = 10
val lazyOne: Int by lazy { 1 }
val (low, high) = bounds()

/** Not part of it. */
@Serializable
abstract class Order<T : Any>(private val id: Int, name: String = "x") : Base(id), Priced by delegate {
    companion object Factory {
        const val MAX = 1

        fun create(): Order = Order(1)
    }

    private val limit = 3

    var label: String = "a"
        get() = field + "b"
        private set(value) {
            field = value
        }

    val total: Int
        get() = limit * 2

    init {
        log("made")
    }

    constructor(text: String) : this(1) {
        log(text)
    }

    @Inject
    override suspend fun pay(amount: Int, vararg rest: String): Int {
        fun local(value: Int) = value
        val twice = { value: Int -> value * 2 }
        val number = 3
        val runner = object : Runnable {
            override fun run() {
                log("run")
            }
        }
        return twice(amount)
    }

    fun pay(amount: String) = 1

    abstract fun later()

    inner class Inner

    enum class Level(val weight: Int) {
        LOW(1) {
            override fun label() = "low"
        },
        HIGH(2);

        open fun label() = "any"
    }

    fun String.shout(times: Int) = uppercase()
}

class Shop {
    companion object {
        fun open() = Shop()
    }
}

object Registry : Base() {
    val handler = object : Handler {
        override fun handle() = 1
    }
}

data class Point(val x: Int, var y: Int)

sealed interface Shape {
    data object Empty : Shape

    fun area(): Double
}

fun interface Visitor {
    fun visit()
}

annotation class Marker(val text: String)

fun <T> List<T>.second(): T = this[1]

fun String?.second(): String = "none"

val String.doubled: String
    get() = this + this

fun helper(block: () -> Unit) = block()
