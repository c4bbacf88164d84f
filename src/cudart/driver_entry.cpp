// SPDX-License-Identifier: MIT
// Versions, the driver's entry points, its profiler and its log.
#include "cudart/call.h"
#include "cudart/version.h"

namespace pycuda::cudart {
namespace {

cudaError_t find_entry(const char* name, const char* symbol, void** function, unsigned version,
                       unsigned long long flags, cudaDriverEntryPointQueryResult* status) {
  return with_driver(name, [&](const DriverTable& driver) -> cudaError_t {
    if (symbol == nullptr || function == nullptr || flags > cudaEnablePerThreadDefaultStream) {
      return cudaErrorInvalidValue;
    }
    CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    const CUresult code =
        driver.cuGetProcAddress.status(symbol, function, static_cast<int>(version), flags, &found);
    if (status != nullptr) *status = as<cudaDriverEntryPointQueryResult>(found);
    if (code == CUDA_SUCCESS && found == CU_GET_PROC_ADDRESS_SUCCESS) return cudaSuccess;
    *function = nullptr;
    // Whoever asks for the status is told by it.
    if (code == CUDA_ERROR_NOT_FOUND || code == CUDA_SUCCESS) {
      return status != nullptr ? cudaSuccess : cudaErrorSymbolNotFound;
    }
    return to_runtime(code);
  });
}

unsigned long long per_thread(unsigned long long flags) {
  if (flags == cudaEnableDefault) return cudaEnablePerThreadDefaultStream;
  return flags;
}

}  // namespace
}  // namespace pycuda::cudart

using namespace pycuda::cudart;

CUDART_API cudaDriverGetVersion(int* driverVersion) {
  if (driverVersion == nullptr) return record("cudaDriverGetVersion", cudaErrorInvalidValue);
  // Without a driver the version is 0 and the call succeeds, as programs that look for one expect.
  *driverVersion = 0;
  const cudaError_t status = with_driver("cudaDriverGetVersion", [&](const DriverTable& driver) {
    return driver.cuDriverGetVersion.status(driverVersion);
  });
  if (status != cudaErrorInsufficientDriver) return status;
  clear_last_error();
  return cudaSuccess;
}

CUDART_API cudaRuntimeGetVersion(int* runtimeVersion) {
  if (runtimeVersion == nullptr) return record("cudaRuntimeGetVersion", cudaErrorInvalidValue);
  *runtimeVersion = runtime_version();
  return cudaSuccess;
}

CUDART_API cudaGetDriverEntryPoint(const char* symbol, void** funcPtr, unsigned long long flags,
                                   cudaDriverEntryPointQueryResult* driverStatus) {
  return find_entry("cudaGetDriverEntryPoint", symbol, funcPtr,
                    static_cast<unsigned>(runtime_version()), flags, driverStatus);
}

CUDART_API cudaGetDriverEntryPoint_ptsz(const char* symbol, void** funcPtr,
                                        unsigned long long flags,
                                        cudaDriverEntryPointQueryResult* driverStatus) {
  return cudaGetDriverEntryPoint(symbol, funcPtr, per_thread(flags), driverStatus);
}

CUDART_API cudaGetDriverEntryPointByVersion(const char* symbol, void** funcPtr,
                                            unsigned int cudaVersion, unsigned long long flags,
                                            cudaDriverEntryPointQueryResult* driverStatus) {
  return find_entry("cudaGetDriverEntryPointByVersion", symbol, funcPtr, cudaVersion, flags,
                    driverStatus);
}

CUDART_API cudaGetDriverEntryPointByVersion_ptsz(const char* symbol, void** funcPtr,
                                                 unsigned int cudaVersion, unsigned long long flags,
                                                 cudaDriverEntryPointQueryResult* driverStatus) {
  return cudaGetDriverEntryPointByVersion(symbol, funcPtr, cudaVersion, per_thread(flags),
                                          driverStatus);
}

CUDART_FORWARD(cudaProfilerStart, (void), cuProfilerStart)
CUDART_FORWARD(cudaProfilerStop, (void), cuProfilerStop)

CUDART_FORWARD(cudaLogsRegisterCallback,
               (cudaLogsCallback_t callbackFunc, void* userData,
                cudaLogsCallbackHandle* callback_out),
               cuLogsRegisterCallback, callbackFunc, userData, callback_out)
CUDART_FORWARD(cudaLogsUnregisterCallback, (cudaLogsCallbackHandle callback),
               cuLogsUnregisterCallback, callback)
CUDART_FORWARD(cudaLogsCurrent, (cudaLogIterator * iterator_out, unsigned int flags), cuLogsCurrent,
               iterator_out, flags)
CUDART_FORWARD(cudaLogsDumpToFile,
               (cudaLogIterator * iterator, const char* pathToFile, unsigned int flags),
               cuLogsDumpToFile, iterator, pathToFile, flags)
CUDART_FORWARD(cudaLogsDumpToMemory,
               (cudaLogIterator * iterator, char* buffer, size_t* size, unsigned int flags),
               cuLogsDumpToMemory, iterator, buffer, size, flags)
