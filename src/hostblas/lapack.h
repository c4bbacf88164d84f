// SPDX-License-Identifier: MIT
// Calls of LAPACK's functions by Fortran's rules: everything by address, lengths of texts at the
// end.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hostblas/library.h"

namespace pycuda::hostblas {

/// An array of integers as wide as the library's.
class Integers {
 public:
  explicit Integers(Int count)
      : wide_(lapack_is_wide()), values_(static_cast<std::size_t>(count > 0 ? count : 1)) {}

  Int get(Int index) const {
    return wide_ ? values_[static_cast<std::size_t>(index)] : narrow()[index];
  }
  void set(Int index, Int value) {
    if (wide_) {
      values_[static_cast<std::size_t>(index)] = value;
    } else {
      narrow()[index] = static_cast<int>(value);
    }
  }
  void* data() { return values_.data(); }

 private:
  int* narrow() const { return reinterpret_cast<int*>(const_cast<Int*>(values_.data())); }
  bool wide_;
  std::vector<Int> values_;
};

class LapackFunction {
 public:
  explicit LapackFunction(const std::string& name)
      : address_(lapack_function(name)), wide_(lapack_is_wide()) {}

  /// Letters, integers and real numbers are given by value here, all else by address. Returns
  /// `info`, which is LAPACK's last argument.
  template <class... A>
  Int call(const A&... arguments) const {
    return wide_ ? with_integers<Int>(arguments...) : with_integers<int>(arguments...);
  }
  /// For functions without `info`.
  template <class... A>
  void run(const A&... arguments) const {
    call(arguments...);  // one argument more does no harm
  }

 private:
  template <class I, class A>
  struct Passed {
    explicit Passed(const A& argument) : value(argument) {}
    void* address() const { return const_cast<A*>(&value); }
    A value;
  };
  template <class I>
  struct Passed<I, Int> {
    explicit Passed(Int argument) : value(static_cast<I>(argument)) {}
    void* address() const { return const_cast<I*>(&value); }
    I value;
  };
  template <class I, class A>
  struct Passed<I, A*> {
    explicit Passed(A* argument) : value(argument) {}
    void* address() const { return const_cast<void*>(static_cast<const void*>(value)); }
    A* value;
  };

  template <class I, class... A>
  Int with_integers(const A&... arguments) const {
    I info = 0;
    invoke(&info, std::make_index_sequence<(std::size_t{std::is_same_v<A, char>} + ... + 0)>(),
           Passed<I, A>(arguments)...);
    return info;
  }
  template <std::size_t... Letters, class... P>
  void invoke(void* info, std::index_sequence<Letters...>, const P&... passed) const {
    using F = void (*)(decltype(static_cast<void>(passed), static_cast<void*>(nullptr))..., void*,
                       decltype(static_cast<void>(Letters), std::size_t{})...);
    reinterpret_cast<F>(address_)(passed.address()..., info,
                                  (static_cast<void>(Letters), std::size_t{1})...);
  }

  void* address_;
  bool wide_;
};

/// The function of that type: lapack<float>("potrf") is spotrf.
template <class T>
LapackFunction lapack(const char* name) {
  return LapackFunction(letter<T>() + std::string(name));
}
/// Of functions with a name for real and one for complex matrices.
template <class T>
LapackFunction lapack(const char* real, const char* complex) {
  return lapack<T>(is_complex<T> ? complex : real);
}

/// The size that LAPACK has put into a number's place. In single precision large ones are rounded.
template <class T>
Int asked_size(T asked) {
  const auto size = static_cast<double>(std::real(asked));
  return static_cast<Int>(size * (1 + 1e-6)) + 1;
}

/// Calls a function whose last arguments are a workspace and its size, which it says itself.
template <class T, class... A>
Int call_with_workspace(const LapackFunction& function, const A&... arguments) {
  T asked{};
  const Int status = function.call(arguments..., &asked, Int{-1});
  if (status != 0) return status;
  std::vector<T> work(static_cast<std::size_t>(asked_size(asked)));
  return function.call(arguments..., work.data(), static_cast<Int>(work.size()));
}

constexpr char letter_of(Operation operation) {
  return operation == kNone ? 'N' : operation == kTransposed ? 'T' : 'C';
}
constexpr char letter_of(Fill fill) { return fill == kUpper ? 'U' : 'L'; }
constexpr char letter_of(Side side) { return side == kLeft ? 'L' : 'R'; }
constexpr char letter_of(Diagonal diagonal) { return diagonal == kUnit ? 'U' : 'N'; }

}  // namespace pycuda::hostblas
