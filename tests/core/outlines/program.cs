using System;

namespace Shop;

var limit = 3;
Func<int, int> twice = value => value * limit;

int Half(int value) => value / 2;

Console.WriteLine(Half(limit));

[Marked]
file record struct Line(string Text)
{
    public int Length => Text.Length;
}
