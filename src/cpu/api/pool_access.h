// SPDX-License-Identifier: MIT
// Which devices may use the memory of a pool.
#pragma once

#include <initializer_list>

#include "cpu/api/cuda_abi.h"

namespace pycuda::cpu::api {

class VirtualDevice;

/// The device of the calling thread's current context, within with_context. It counts for copies
/// and fills, whichever context their stream is of: so NVIDIA's driver does. Null once another
/// thread has destroyed the context, which stays as long as the call.
const VirtualDevice* current_device();
/// INVALID_VALUE, with a sentence, if one of the addresses is in a block of another device's pool
/// or of a graph's node, and `device` was given no access to it: copies and fills by the device are
/// refused, but without a device none. Kernels are not, because devices share one address space.
CUresult check_pool_access(const VirtualDevice* device,
                           std::initializer_list<CUdeviceptr> addresses);

}  // namespace pycuda::cpu::api
