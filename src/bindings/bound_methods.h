// SPDX-License-Identifier: MIT
// Methods of objects compare as Python's own do.
#pragma once

#include <nanobind/nanobind.h>

namespace pycuda::bindings {

/// `pool.allocate == pool.allocate`, and both are one key of a dictionary: equal where function and
/// object are the same. nanobind compares such methods by where they lie, and each look-up makes a
/// new one. `m` has classes already.
void compare_bound_methods(nanobind::module_& m);

}  // namespace pycuda::bindings
