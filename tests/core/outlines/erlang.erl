%% Payments.
-module(payments).
-behaviour(gen_server).
-export([pay/1, pay/2]).
-include("shop.hrl").

-define(TIMEOUT, 5000).
-define(TWICE(X), (X) * 2).
-record(state, {total = 0 :: integer(), name}).
-type amount() :: non_neg_integer().
-opaque token() :: {integer(), binary()}.
-callback charge(amount()) -> ok | {error, term()}.

-doc "Takes the money.".
-spec pay(amount()) -> {ok, amount()}.
pay(Amount) -> pay(Amount, 1).

-spec pay(amount(), integer()) -> {ok, amount()};
         (zero, integer()) -> error.
pay(0, _) ->
    {ok, 0};
pay(Amount, Rate) when Amount > 0 ->
    Total = Amount * Rate,
    F = fun(X) -> X end,
    {ok, F(Total), <<"a">>, "a" "b", $a, #{a => 1}, #state.name, ?TIMEOUT}.

-ifdef(TEST).
mode() -> test.
-else.
mode() -> live.
-endif.

'odd name'() -> ok.
