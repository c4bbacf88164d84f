// SPDX-License-Identifier: MIT
#include "cpu/api/refusal.h"

#include "base/log.h"

namespace pycuda::cpu::api {

CUresult refuse(CUresult result, std::string_view why) {
  base::log(base::LogLevel::Warning, why);
  return result;
}

CUresult refuse_array() {
  return refuse(CUDA_ERROR_INVALID_HANDLE, "the handle is that of no array, or of one destroyed");
}

CUresult refuse_surface() {
  return refuse(CUDA_ERROR_INVALID_VALUE,
                "surface: the array was made without CUDA_ARRAY3D_SURFACE_LDST");
}

}  // namespace pycuda::cpu::api
