#pragma once
#include <string>

namespace shop {
namespace detail {
int tax(int amount) { return amount; }
}  // namespace detail

class Cart;

// not part of it
template <typename T>
class Store : public Base<T> {
 public:
  explicit Store(int size) : size_(size) {}
  virtual ~Store();
  Store& operator=(const Store&) = default;
  T operator+(const T& other) const;
  operator bool() const;
  virtual void close() = 0;
  template <typename U> U convert(U value) { return value; }
  enum class State { Open, Closed };
  using Item = T;
  struct Entry {
    int key;
    void reset();
  };

 private:
  int size_ = 0;
  static int count, limit;
};

template <>
class Store<int> {
  void only_here();
};

template <typename T>
Store<T>::~Store() {}

template <typename T>
T Store<T>::operator+(const T& other) const {
  return other;
}

template <typename T> Store<T>::operator bool() const { return true; }
}  // namespace shop

namespace a::b {
void Cart::add(int item) {
  auto later = [](int x) { return x; };
}
}  // namespace a::b

int shop::Cart::total() const { return 0; }

const std::string& name(int id) { static std::string s; return s; }
std::ostream& operator<<(std::ostream& out, const Cart& cart);

extern "C" {
int c_api(void);
void c_close() {}
}
extern "C" void c_open() {}

template <typename T> T biggest(T a, T b) { return a; }
template <> int biggest<int>(int a, int b) { return b; }

class EXPORT Widget {
  void draw();
};

constexpr int kLimit = 3;
int shop::Cart::limit = 4;
using Names = std::vector<std::string>;
template <typename T> concept Small = sizeof(T) < 8;
union Bits { float f; int i; };
