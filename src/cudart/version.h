// SPDX-License-Identifier: MIT
// The version of the run-time library: 13 and 12 are built from the same sources but a few files.
#pragma once

namespace pycuda::cudart {

/// What cudaRuntimeGetVersion answers: 13000 for CUDA 13.0.
int runtime_version();

}  // namespace pycuda::cudart
