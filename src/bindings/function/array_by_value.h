// SPDX-License-Identifier: MIT
// Arrays and structs of NumPy that are passed by value: their bytes are those of the parameter.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

#include "bindings/function/argument.h"

namespace pycuda::bindings {

inline constexpr const char* kAdviceForPointers =
    "; for a pointer to its data wrap it in pycuda.driver.In, Out or InOut";

/// Raises a TypeError unless something of so many bytes and of this dtype may be passed as the
/// parameter's bytes.
void check_by_value(const Argument& argument, std::size_t bytes, nanobind::handle dtype);

}  // namespace pycuda::bindings
