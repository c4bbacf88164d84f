// SPDX-License-Identifier: MIT
#include "cpu/api/error_detail.h"

#include "cpu/api/error_log.h"

namespace pycuda::cpu::api {

void report(std::string_view why, base::LogLevel level) {
  record(Severity::Error, why);
  base::log(level, why);
}

CUresult fail(CUresult result, std::string_view why) {
  report(why);
  return result;
}

CUresult fail_unknown_array() {
  return fail(CUDA_ERROR_INVALID_HANDLE, "the handle is that of no array, or of one destroyed");
}

CUresult fail_read_only_array() {
  return fail(CUDA_ERROR_INVALID_VALUE,
              "surface: the array was made without CUDA_ARRAY3D_SURFACE_LDST");
}

}  // namespace pycuda::cpu::api
