// SPDX-License-Identifier: MIT
// A value, or the reason why there is none.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace pycuda::base {

/// A reason in one sentence, for people.
struct Failure {
  std::string message;
};

/// Either a `T` or an `E`. For failures that a user can cause; our own bugs are assertions.
template <class T, class E = Failure>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// The value; only after `ok()` said yes.
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// The reason; only after `ok()` said no.
  E& error() & { return std::get<1>(state_); }
  const E& error() const& { return std::get<1>(state_); }

 private:
  std::variant<T, E> state_;
};

}  // namespace pycuda::base
