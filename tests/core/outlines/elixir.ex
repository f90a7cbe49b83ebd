# Payments, and who may make them.
defmodule Shop.Payments do
  @moduledoc """
  Everything that takes money.
  """
  use GenServer
  alias Shop.{Basket, Rate}

  @timeout 5_000
  @retries [first: 1, second: 2]
  @type amount :: non_neg_integer()
  @opaque token :: %{id: String.t()}
  @callback charge(amount, keyword) :: :ok | {:error, term}

  defstruct [:id, amount: 0]

  @doc "Takes the money."
  @doc since: "1.2.0"
  @spec pay(amount, map) :: {:ok, amount}
  def pay(amount, opts \\ %{})
  def pay(0, _opts), do: {:ok, 0}

  @impl true
  def pay(amount, %{rate: rate}) when amount > 0 do
    total = amount * rate
    {:ok, total}
  end

  def pay!(amount), do: pay(amount)

  defp round_up(value, to), do: value + to
  defp round_up(value), do: round_up(value, 1)

  def a + b, do: add(a, b)
  def left <~> right when is_map(left), do: {left, right}
  def unquote(:odd)(x), do: x

  defmacro trace(do: block) do
    quote do
      unquote(block)
    end
  end

  defguard is_rich(amount) when amount > 1_000
  defdelegate rate(name), to: Rate, as: :of

  defmodule Refund do
    def pay(amount), do: -amount

    defimpl String.Chars, for: Shop.Payments do
      def to_string(p), do: "#{p.id}"
    end
  end

  if Mix.env() == :test do
    def mode, do: :test
  else
    def mode, do: :live
  end

  for name <- [:a, :b] do
    def unquote(name)(), do: unquote(name)
  end

  defp no_parens do
    fn x -> x end
  end
end

defprotocol Shop.Priced do
  @spec price(t) :: integer
  def price(thing)
end

defimpl Shop.Priced, for: [Basket, Item] do
  def price(thing), do: thing.price
end

defmodule Shop.Error do
  defexception [:message]
end

defmodule Shop.Test do
  use ExUnit.Case

  describe "pay/2" do
    setup do
      {:ok, rate: 2}
    end

    test "takes money", %{rate: rate} do
      assert pay(1, rate) == 2
    end
  end
end
