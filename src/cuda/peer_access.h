// SPDX-License-Identifier: MIT
// Lets one device read and write another's memory.
#pragma once

#include "cuda/context.h"

namespace pycuda::cuda {

/// From the thread's context to `peer`, in this direction only.
void enable_peer_access(const Context& peer, unsigned int flags = 0);
void disable_peer_access(const Context& peer);

}  // namespace pycuda::cuda
