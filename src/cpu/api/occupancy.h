// SPDX-License-Identifier: MIT
// How many blocks of a kernel a multiprocessor holds at once, by the advertised limits.
#pragma once

#include <cstddef>

#include "cpu/kernel_abi/facts.h"

namespace pycuda::cpu::api {

/// Blocks that are resident together on one multiprocessor; 0 when not even one fits.
/// `registers` of a thread count, not those of the facts (registers_within).
unsigned blocks_per_processor(const KernelFacts& facts, unsigned registers, unsigned threads,
                              std::size_t dynamic_shared_bytes);

}  // namespace pycuda::cpu::api
