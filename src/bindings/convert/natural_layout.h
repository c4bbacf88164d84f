// SPDX-License-Identifier: MIT
// How values lie among a kernel's parameters, for drivers that do not tell it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

namespace pycuda::bindings {

struct NaturalLayout {
  std::size_t bytes;
  std::size_t alignment;
};

/// Of a value of this dtype. CUDA's vector types (fields x, y, z, w of one type) are aligned to
/// their size when that is a power of two; other structs to their most aligned member.
NaturalLayout layout_of_dtype(nanobind::handle dtype);

}  // namespace pycuda::bindings
