// SPDX-License-Identifier: MIT
// Zeros for memory that has hardly been used: pages that the system has not provided yet are zero.
#pragma once

#include <cstddef>

namespace pycuda::cpu::exec {

/// Makes the bytes zero. Pages of private memory that have no frame stay without one; `fill` writes
/// the others, and at least one page, so that a stray access faults. For large runs of bytes.
void zero_pages(unsigned char* to, std::size_t bytes,
                void (*fill)(unsigned char* to, std::size_t bytes));

}  // namespace pycuda::cpu::exec
