// SPDX-License-Identifier: MIT
// Which run time this library is: 13 and 12 are built from the same sources but for a few files.
#pragma once

namespace pycuda::cudart {

/// What cudaRuntimeGetVersion answers: 13000 for CUDA 13.0.
int runtime_version();

}  // namespace pycuda::cudart
