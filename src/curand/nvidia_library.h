// SPDX-License-Identifier: MIT
// NVIDIA's libcurand. What it does on the host needs no device: its tables, and its generators.
#pragma once

#include "base/dynlib.h"

namespace pycuda::curand {

/// Null: it was not found, which the log says.
const base::DynamicLibrary* nvidia_library();

}  // namespace pycuda::curand
