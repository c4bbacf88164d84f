// SPDX-License-Identifier: MIT
// The pools of each location: for each kind of memory and location a default pool, and the
// current one.
#pragma once

#include "cpu/api/cuda_abi.h"

namespace pycuda::cpu::api {

class MemoryPool;

/// Whether the pool is the default one of a place other than a device's own memory.
bool is_default_elsewhere(const MemoryPool& pool);
/// Makes the pool the current one of its kind at its place.
CUresult choose_pool(MemoryPool& pool);
/// The pool is going: where it is the current one, the default one is so again.
void leave_places(const MemoryPool& pool);

}  // namespace pycuda::cpu::api
