// SPDX-License-Identifier: MIT
// The faults of the process in their order, for monitors.
#pragma once

#include "cpu/api/cuda_abi.h"

namespace pycuda::cpu::api {

/// One more: a kernel of this device ended with this error. Any thread.
void note_fault_event(int device, CUresult error);

}  // namespace pycuda::cpu::api
