library shop;

import 'dart:io' show File;

const limit = 10, other = 2;
final String? name = 'x';
@pragma('vm:entry-point')
late Map<String, int> prices;

typedef Handler = int Function(int value);
typedef int Old(int value);

/// Not part of it.
@immutable
abstract class Order<T extends Base> extends Root<T> with Loggable implements Priced {
  static const int max = 10;
  final int id;
  String? _first = 'x', _second;

  Order(this.id, {required this.name, int depth = 1}) : _first = 'y', super(id) {
    log();
  }

  Order.named(this.id);

  const Order.fixed() : id = 1;

  factory Order.fromJson(Map<String, dynamic> json) => Order(1);

  int get total => _first + _second;

  set total(int value) {
    _first = value;
  }

  @override
  Future<int> pay(int amount, [String text = "x"]) async {
    int local(int value) => value;
    final twice = (int value) => value * 2;
    final number = 3;
    return twice(amount);
  }

  void later();

  Order operator +(Order other) => this;

  @override
  bool operator ==(Object other) => true;

  external int native();
}

mixin Loggable on Base {
  void log() {}
}

extension StringX on String {
  String shout() => toUpperCase();
}

extension on int {
  int twice() => this * 2;
}

extension type Id(int value) {
  int get next => value + 1;
}

enum Level {
  low(1),
  high(2);

  final int rank;
  const Level(this.rank);

  int weight() => rank;
}

enum Simple { first, second }

class Alias = Order with Loggable;

int helper(int value) => value;

void main() {
  helper(1);
}

int get computed => 1;
