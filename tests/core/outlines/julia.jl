# Payments.
module Shop

export pay, Basket
using Base: show
import Base: +, show

const LIMIT = 3
global rate = 2

"""
    pay(amount)

Takes money.
"""
function pay(amount::Int, rate::Float64 = 2.0; currency = "EUR")::Float64
    total = amount * rate
    inner(x) = x + 1
    function deep(y)
        y
    end
    return inner(total)
end

"Shorter."
pay(amount::String) = parse(Int, amount)
pay(::Nothing) = 0
pay(b::Basket{T}) where {T<:Real} = sum(b.items)

function Base.show(io::IO, b::Basket)
    print(io, b.items)
end
Base.:+(a::Money, b::Money) = Money(a.v + b.v)
+(a::Rate, b::Rate) = Rate(a.v + b.v)
(p::Poly)(x) = evaluate(p, x)
function (q::Query)(x)
    x
end
function hook end
square = x -> x * x
const twice = x -> 2x
do_it = function (x)
    x
end

abstract type Priced end
abstract type Shape{T} <: Priced end
primitive type Byte 8 end

"What is taken."
struct Basket{T} <: Priced
    items::Vector{T}
    owner

    Basket{T}(items) where {T} = new{T}(items, "")
    function Basket(items::Vector{T}, owner) where {T}
        new{T}(items, owner)
    end
end

mutable struct Counter
    n::Int
    step::Int
end

@kwdef struct Options
    depth::Int = 3
end

macro trace(ex)
    quote
        $(esc(ex))
    end
end

@inline fast(x) = x + 1
@inline function faster(x)
    x
end
Base.@pure function purely(x)
    x
end

@enum Color red green blue

if VERSION >= v"1.9"
    mode() = :new
else
    mode() = :old
end

for T in (:A, :B)
    @eval $T(x) = x
end

baremodule Bare
deep() = 1
end

module Inner
const A, B = 1, 2
f(x) = x
end

@testset "takes money" begin
    @test pay(1) == 2
end

end # module
