// SPDX-License-Identifier: MIT
// Integers from Python: anything with __index__, and errors that name the argument.
#pragma once

#include <nanobind/nanobind.h>

#include <concepts>
#include <limits>
#include <string>

namespace pycuda::bindings {

/// Raises OverflowError: `value` is out of range for `what`.
[[noreturn]] void raise_out_of_range(const char* what, nanobind::handle value);

namespace detail {
/// The int that `value`, which is none, stands for; TypeError where it stands for none.
nanobind::object index_of(nanobind::handle value, const char* what);
}  // namespace detail

/// `value` as an integer. Raises TypeError when it has no __index__, OverflowError when it does not
/// fit.
template <std::integral Integer>
Integer as_integer(nanobind::handle value, const char* what) {
  nanobind::object made;
  nanobind::handle number = value;
  if (!PyLong_Check(value.ptr())) {
    made = detail::index_of(value, what);
    number = made;
  }
  if constexpr (std::is_unsigned_v<Integer>) {
    const unsigned long long wide = PyLong_AsUnsignedLongLong(number.ptr());
    if (wide == ~0ull && PyErr_Occurred()) {
      PyErr_Clear();
      raise_out_of_range(what, number);
    }
    if (wide > std::numeric_limits<Integer>::max()) raise_out_of_range(what, number);
    return static_cast<Integer>(wide);
  } else {
    int overflow = 0;
    const long long wide = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0 || wide < std::numeric_limits<Integer>::min() ||
        wide > std::numeric_limits<Integer>::max()) {
      raise_out_of_range(what, number);
    }
    return static_cast<Integer>(wide);
  }
}

}  // namespace pycuda::bindings
