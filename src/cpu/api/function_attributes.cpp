// SPDX-License-Identifier: MIT
// cuFunc*: what is known of a kernel and what can be set.
#include <algorithm>
#include <cstring>

#include "cpu/api/function_guard.h"
#include "cpu/api/plan_places.h"

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuFuncGetAttribute(int* pi, CUfunction_attribute attrib, CUfunction hfunc) {
  return with_function(hfunc, [&](Function& function) -> CUresult {
    return pi != nullptr ? function.get(attrib, pi) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value) {
  return with_function(hfunc, [&](Function& function) { return function.set(attrib, value); });
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config) {
  return with_function(hfunc, [&](Function&) -> CUresult {
    // A preference between caches that a CPU does not have: checked, and without effect.
    return config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config) {
  return with_function(hfunc, [&](Function&) -> CUresult {
    return config >= CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE &&
                   config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuFuncGetModule(CUmodule* hmod, CUfunction hfunc) {
  return with_given_function(hfunc, [&](Function& function) -> CUresult {
    if (hmod == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *hmod = function.module().handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetName(const char** name, CUfunction hfunc) {
  return with_given_function(hfunc, [&](Function& function) -> CUresult {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = function.facts().name.c_str();
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t* paramOffset,
                            size_t* paramSize) {
  return with_given_function(func, [&](Function& function) -> CUresult {
    const auto& parameters = function.facts().parameters;
    if (paramOffset == nullptr || paramIndex >= parameters.size()) return CUDA_ERROR_INVALID_VALUE;
    *paramOffset = parameters[paramIndex].offset;
    if (paramSize != nullptr) *paramSize = parameters[paramIndex].bytes;
    return CUDA_SUCCESS;
  });
}

/// Beyond NVIDIA's interface: the printable plan of a kernel for blocks of this size. In: `*bytes`
/// of room at `text`, which may be null when there is none; out: what the whole text needs, with
/// the zero at its end. The text is cut to the room and always terminated.
CUresult cuCpuFunctionGetPlan(char* text, size_t* bytes, CUfunction hfunc, unsigned int x,
                              unsigned int y, unsigned int z) {
  return with_function(hfunc, [&](Function& function) -> CUresult {
    if (bytes == nullptr || (text == nullptr && *bytes != 0)) return CUDA_ERROR_INVALID_VALUE;
    if (x == 0 || y == 0 || z == 0 || std::uint64_t{x} * y * z > function.facts().max_threads)
      return CUDA_ERROR_INVALID_VALUE;
    const ModuleImage& image = *function.module().image();
    const auto vectors = image.code().table(function.number()).vector_state();
    const auto made = image.code().program()->plan(function.facts().name, {x, y, z}, vectors);
    if (!made) return CUDA_ERROR_INVALID_PTX;
    const std::string plan = with_places(*made, &image, function.facts().source_files);
    if (*bytes != 0) {
      const std::size_t length = std::min(plan.size(), *bytes - 1);
      std::memcpy(text, plan.data(), length);
      text[length] = '\0';
    }
    *bytes = plan.size() + 1;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function_handle) {
  return with_function(function_handle, [&](Function& function) -> CUresult {
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *state = function.kernel() != nullptr ? CU_FUNCTION_LOADING_STATE_LOADED
                                          : CU_FUNCTION_LOADING_STATE_UNLOADED;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncLoad(CUfunction function_handle) {
  return with_function(function_handle, [](Function& function) {
    const pycuda::cpu::Kernel* kernel = nullptr;
    return function.load(&kernel);
  });
}

}  // extern "C"
