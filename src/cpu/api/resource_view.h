// SPDX-License-Identifier: MIT
// Views: the levels and layers of an array that a texture shows, and as what.
#pragma once

#include "cpu/api/cuda_abi.h"
#include "cpu/exec/texture.h"

namespace pycuda::cpu::api {

/// Makes `texels`, those of an array, what the view shows. INVALID_VALUE for what is not in the
/// array, NOT_SUPPORTED for compressed formats, and for some layers of several levels.
CUresult apply_view(const CUDA_RESOURCE_VIEW_DESC& view, exec::TexelMemory* texels);

}  // namespace pycuda::cpu::api
