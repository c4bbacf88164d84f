// SPDX-License-Identifier: MIT
// Zeros for memory that has hardly been used: pages that the system has not provided yet are zero.
#pragma once

#include <cstddef>

namespace pycuda::cpu::exec {

/// The whole pages among these bytes.
struct WholePages {
  unsigned char* begin;
  std::size_t bytes;
};
WholePages whole_pages(unsigned char* to, std::size_t bytes);

/// Makes whole pages zero. Those of private memory that have no frame stay without one, and `fill`
/// writes the others. It may touch nothing: whether there is such memory is not found out.
void zero_pages(unsigned char* begin, std::size_t bytes,
                void (*fill)(unsigned char* to, std::size_t bytes));

}  // namespace pycuda::cpu::exec
