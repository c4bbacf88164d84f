// SPDX-License-Identifier: MIT
// A shared library that plays a driver of the version FAKE_VERSION.
#include <cstring>

#include "driver/cuda_types.h"

#if defined(FAKE_NO_DRIVER)
extern "C" int not_a_driver() { return 0; }
#else

#if !defined(FAKE_INIT)
#define FAKE_INIT CUDA_SUCCESS
#endif

namespace {

CUresult newer_context(CUcontext*, CUctxCreateParams*, unsigned int, CUdevice) {
  return CUDA_ERROR_INVALID_DEVICE;
}

CUresult older_elapsed(float* milliseconds, CUevent, CUevent) {
  *milliseconds = 1;
  return CUDA_SUCCESS;
}

CUresult newer_elapsed(float* milliseconds, CUevent, CUevent) {
  *milliseconds = 2;
  return CUDA_SUCCESS;
}

/// The newest ABI up to `version`, like the real one.
CUresult find(const char* name, void** function, int version) {
  *function = nullptr;
  if (version > FAKE_VERSION) return CUDA_ERROR_INVALID_VALUE;
  if (std::strcmp(name, "cuCtxCreate") == 0 && version >= 12050) {
    *function = reinterpret_cast<void*>(&newer_context);
  } else if (std::strcmp(name, "cuEventElapsedTime") == 0) {
    *function = reinterpret_cast<void*>(version >= 12080 ? &newer_elapsed : &older_elapsed);
  }
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned int) { return FAKE_INIT; }
CUresult cuDriverGetVersion(int* version) {
  *version = FAKE_VERSION;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
  *count = FAKE_DEVICES;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult code, const char** text) {
  *text = code == CUDA_ERROR_STUB_LIBRARY ? "CUDA driver is a stub library" : nullptr;
  return *text != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuCtxCreate_v2(CUcontext* context, unsigned int, CUdevice) {
  *context = reinterpret_cast<CUcontext>(0x2);
  return CUDA_SUCCESS;
}
#if FAKE_VERSION >= 12000
CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t,
                             CUdriverProcAddressQueryResult*) {
  return find(name, function, version);
}
#endif
CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t) {
  return find(name, function, version);
}
#if defined(FAKE_CPU)
CUresult cuCpuGetLastFault(char* text, size_t bytes) {
  std::strncpy(text, "kernel f, block (1,0,0)", bytes);
  return CUDA_SUCCESS;
}
#endif

}  // extern "C"
#endif
