{-# LANGUAGE LambdaCase #-}
{-# OPTIONS_GHC -Wall #-}
-- | Payments.
module Shop.Payments
  ( pay
  , Basket (..)
  ) where

import qualified Data.Map as Map

-- | Takes money.
pay :: Int -> Rate -> Either Error Int
pay 0 _ = Left Nothing'
pay amount rate
  | amount > limit = Right (amount * rate)
  | otherwise = go amount
  where
    go :: Int -> Either Error Int
    go 0 = Left Zero
    go n = Right n
    limit = 3

{-# INLINE total #-}
total, count :: Int
total = 3
count = 4

(<+>) :: Money -> Money -> Money
Money a <+> Money b = Money (a + b)
infixl 6 <+>

a `plus` b = a + b

(first, second) = (1, 2)

data Shape a
  = Circle { radius :: Double, name :: String }
  | Square Double
  deriving (Show, Eq)

newtype Wrapper m a = Wrapper { runWrapper :: m a }

type Name = String
type family Elem c
type instance Elem [e] = e
data GADT a where
  IntG :: Int -> GADT Int

class (Eq a) => Priced a where
  type Currency a
  price :: a -> Int
  label :: a -> String
  label _ = "none"
  {-# MINIMAL price #-}

instance Priced (Shape a) where
  price (Circle r _) = 1
  price (Square s) = 2
  label = const "x"

instance Show Foo where show _ = "foo"
deriving instance Eq Foo
deriving stock instance Ord Foo

pattern P x = Just x
foreign import ccall "math.h sin" c_sin :: Double -> Double

main :: IO ()
main = do
  let x = 1
      f y = y + 1
  print $ f x

data Op = Plus | Int :+: Int
instance (Monad m) => MonadState s (StateT s m) where
  get = StateT $ \s -> return (s, s)
  put s = StateT $ \_ -> return ((), s)

apply :: (a -> b) -> a -> b
-- Comments may stand between.
apply f x = f x

twice = \f -> f . f

-- Two clauses with another definition between them are no Haskell, and are two.
odd' 0 = False
half n = n / 2
odd' n = not n
