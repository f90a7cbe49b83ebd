using System;

[assembly: Marked]

namespace Shop.Core
{
    /// <summary>Not part of it.</summary>
    [Serializable]
    public abstract partial class Order<T> : Base<T>, IOrder where T : class
    {
        const int Max = 1, Min = 2;

        private readonly string _name = "x";

        public event EventHandler Changed;

        public event EventHandler Other
        {
            add { _other += value; }
            remove { _other -= value; }
        }

        public int Count { get; private set; } = 3;

        public int Total => _first + _second;

        public string Name
        {
            get { return _name; }
            set => _name = value;
        }

        public int this[int index] => index;

        public Order(int id) : base(id) { }

        static Order() { }

        ~Order() { }

        public static Order<T> operator +(Order<T> a, Order<T> b) => a;

        public static implicit operator int(Order<T> a) => 1;

        public int Pay(int amount, string text = "x")
        {
            int Twice(int value) => value * 2;
            Func<int, int> half = value => value / 2;
            var local = 3;
            return Twice(amount);
        }

        [Obsolete]
        public int Pay(string amount) => 1;

        void IOrder.Close() { }

        partial void OnLoaded();

        public delegate int Handler(int value);

        enum Level { Low = 1, High }

        record Point(int X, int Y);

        readonly struct Size
        {
            public readonly int Width;
        }

#if DEBUG
        void Trace() { }
#else
        void Trace(int depth) { }
#endif
    }

    public partial class Order<T>
    {
        partial void OnLoaded() { }
    }

    public interface IOrder
    {
        int Rate { get; }

        void Close();
    }

    public static class Extensions
    {
        public static int Twice(this int value) => value * 2;
    }
}

namespace Tools
{
    class Order { }
}
