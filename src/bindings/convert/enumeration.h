// SPDX-License-Identifier: MIT
// Python enumerations as PyCUDA has them: subclasses of int with `names` and `values`.
#pragma once

#include <nanobind/nanobind.h>

#include <span>

namespace pycuda::bindings {

struct Member {
  const char* name;
  long value;
};

/// Adds a class `name` to `scope`: a subclass of int whose members are class attributes with a
/// `name` each. `names` maps names to members and `values` numbers to members (the last of those
/// with one number). Calling the class with an unknown number works and prints as
/// `pycuda._driver.<name>(<number>)`.
void add_enumeration(nanobind::module_& scope, const char* name, std::span<const Member> members);

/// Adds a class `name` to `scope` whose attributes are plain ints.
void add_flag_names(nanobind::module_& scope, const char* name, std::span<const Member> members);

/// The member of `scope.<name>` that stands for `value`; for a value without a member one made of
/// the number.
nanobind::object member_of(const char* name, long value);

}  // namespace pycuda::bindings
