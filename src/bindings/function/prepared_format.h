// SPDX-License-Identifier: MIT
// The parsed argument types of `prepare`: format codes, and the offsets of the values.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string>
#include <vector>

#include "bindings/function/value_format.h"
#include "cuda/kernel.h"

namespace pycuda::bindings {

/// The codes of `arg_types`, and what of it is neither a code nor a type of NumPy's, in words.
struct ArgumentCodes {
  std::string text;
  std::string taken_for_pointers;
};

/// Text counts as it is, NumPy's number classes and dtypes have their codes, everything else is a
/// pointer. Raises TypeError when it is not iterable.
ArgumentCodes codes_of(nanobind::handle arg_types);

/// Fields at their places in the kernel's parameter buffer.
struct PreparedFormat {
  std::vector<FormatField> fields;
  std::size_t bytes = 0;
  std::string kernel = {};  ///< its readable name, for errors
};

/// Fits `codes` to the kernel's parameter list, if that is known: value by value, or as the same
/// bytes in other pieces. Raises TypeError when neither fits, struct.error for unknown codes.
PreparedFormat fit_to_kernel(const cuda::Kernel& kernel, const ArgumentCodes& codes);

/// Writes all values. Raises struct.error when their number or a value is wrong.
void write_prepared(const PreparedFormat& format, PyObject* const* values, std::size_t count,
                    std::byte* buffer);

}  // namespace pycuda::bindings
