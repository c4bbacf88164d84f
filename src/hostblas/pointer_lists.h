// SPDX-License-Identifier: MIT
// Arrays, in device memory, of pointers to matrices.
#pragma once

#include "hostblas/calls.h"

namespace pycuda::hostblas {

/// An array of pointers to matrices.
template <class T>
void require_pointers(const StreamHandle& handle, T* const* pointers, Int count,
                      std::uint64_t bytes, const char* what) {
  require_memory(static_cast<const void*>(pointers), static_cast<std::uint64_t>(count) * sizeof(T*),
                 what);
  if (is_capturing(handle)) return;
  wait(handle);  // the pointers have been written
  for (Int i = 0; i < count; ++i) require_memory(pointers[i], bytes, what);
}

template <class T>
std::uint64_t operand_bytes(Operation operation, Int rows, Int columns, Int leading) {
  return sizeof(T) * (operation == kNone ? matrix_extent(rows, columns, leading)
                                         : matrix_extent(columns, rows, leading));
}

}  // namespace pycuda::hostblas
