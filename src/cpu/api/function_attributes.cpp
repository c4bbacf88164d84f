// SPDX-License-Identifier: MIT
// cuFunc*: what is known of a kernel and what can be set.
#include "cpu/api/entry_guard.h"
#include "cpu/api/launch.h"

using namespace pycuda::cpu::api;

namespace {

template <class Body>
CUresult with_function(CUfunction handle, Body&& body) noexcept {
  return with_context([&](Context& context) -> CUresult {
    Function* function = nullptr;
    const CUresult status = find_function(context, handle, &function);
    return status == CUDA_SUCCESS ? body(*function) : status;
  });
}

}  // namespace

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
  return with_function(hfunc, [&](Function& function) -> CUresult {
    if (hmod == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *hmod = function.module().handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetName(const char** name, CUfunction hfunc) {
  return with_function(hfunc, [&](Function& function) -> CUresult {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = function.kernel().facts.name.c_str();
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t* paramOffset,
                            size_t* paramSize) {
  return with_function(func, [&](Function& function) -> CUresult {
    const auto& parameters = function.kernel().facts.parameters;
    if (paramOffset == nullptr || paramIndex >= parameters.size()) return CUDA_ERROR_INVALID_VALUE;
    *paramOffset = parameters[paramIndex].offset;
    if (paramSize != nullptr) *paramSize = parameters[paramIndex].bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function_handle) {
  return with_function(function_handle, [&](Function&) -> CUresult {
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncLoad(CUfunction function_handle) {
  return with_function(function_handle,
                       [](Function&) { return CUDA_SUCCESS; });  // modules load whole
}

}  // extern "C"
