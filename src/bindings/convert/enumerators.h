// SPDX-License-Identifier: MIT
// Members of the driver's enumerations from Python: numbers, or members of the right class.
#pragma once

#include <nanobind/nanobind.h>

#include <span>
#include <type_traits>

#include "bindings/convert/enumeration.h"
#include "bindings/convert/integers.h"
#include "driver/cuda_types.h"

namespace pycuda::bindings {

/// The class of pycuda.driver for an enumeration; null where it has none.
template <class Enumeration>
inline constexpr const char* enumeration_name = nullptr;
#define ENUMERATION(type, name) \
  template <>                   \
  inline constexpr const char* enumeration_name<type> = #name;
#include "bindings/convert/enumeration_names.def"
#undef ENUMERATION

namespace detail {
/// Raises TypeError for what is not an integer, and for a member of another class than
/// pycuda.driver.`name`.
void check_member(nanobind::handle value, const char* name, const char* what);
}  // namespace detail

/// As `as_integer`, of a number that stands for a member of an enumeration of the driver. The
/// driver may know more of them than we.
template <class Enumeration>
  requires std::is_enum_v<Enumeration>
Enumeration as_enumerator(nanobind::handle value, const char* what) {
  if constexpr (enumeration_name<Enumeration> != nullptr) {
    if (!PyLong_CheckExact(value.ptr()))
      detail::check_member(value, enumeration_name<Enumeration>, what);
  }
  return static_cast<Enumeration>(as_integer<int>(value, what));
}

/// Lets errors of the driver's calls name the members of the class `name`.
void name_in_errors(const char* name, std::span<const Member> members);

}  // namespace pycuda::bindings
