// SPDX-License-Identifier: MIT
// cudaLibrary_t: device code that a program loads by itself.
#include "cudart/registered_code.h"

using namespace pycuda::cudart;

CUDART_FORWARD(cudaLibraryLoadData,
               (cudaLibrary_t * library, const void* code, cudaJitOption* jitOptions,
                void** jitOptionsValues, unsigned int numJitOptions,
                cudaLibraryOption* libraryOptions, void** libraryOptionValues,
                unsigned int numLibraryOptions),
               cuLibraryLoadData, library, code, jitOptions, jitOptionsValues, numJitOptions,
               libraryOptions, libraryOptionValues, numLibraryOptions)
CUDART_FORWARD(cudaLibraryLoadFromFile,
               (cudaLibrary_t * library, const char* fileName, cudaJitOption* jitOptions,
                void** jitOptionsValues, unsigned int numJitOptions,
                cudaLibraryOption* libraryOptions, void** libraryOptionValues,
                unsigned int numLibraryOptions),
               cuLibraryLoadFromFile, library, fileName, jitOptions, jitOptionsValues,
               numJitOptions, libraryOptions, libraryOptionValues, numLibraryOptions)
CUDART_FORWARD(cudaLibraryUnload, (cudaLibrary_t library), cuLibraryUnload, library)

CUDART_API cudaLibraryGetKernel(cudaKernel_t* pKernel, cudaLibrary_t library, const char* name) {
  const cudaError_t status =
      forward("cudaLibraryGetKernel", &DriverTable::cuLibraryGetKernel, pKernel, library, name);
  if (status == cudaSuccess) remember_kernel(*pKernel);
  return status;
}

CUDART_API cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned int numKernels,
                                       cudaLibrary_t lib) {
  return with_context("cudaLibraryEnumerateKernels", [&](const DriverTable& driver) {
    unsigned count = 0;
    CUresult code = driver.cuLibraryGetKernelCount.status(&count, lib);
    if (code == CUDA_SUCCESS) {
      code = driver.cuLibraryEnumerateKernels.status(kernels, numKernels, lib);
    }
    if (code != CUDA_SUCCESS) return code;
    for (unsigned i = 0; i < count && i < numKernels; ++i) remember_kernel(kernels[i]);
    return code;
  });
}

CUDART_FORWARD(cudaLibraryGetGlobal,
               (void** dptr, size_t* bytes, cudaLibrary_t library, const char* name),
               cuLibraryGetGlobal, dptr, bytes, library, name)
CUDART_FORWARD(cudaLibraryGetManaged,
               (void** dptr, size_t* bytes, cudaLibrary_t library, const char* name),
               cuLibraryGetManaged, dptr, bytes, library, name)
CUDART_FORWARD(cudaLibraryGetUnifiedFunction,
               (void** fptr, cudaLibrary_t library, const char* symbol),
               cuLibraryGetUnifiedFunction, fptr, library, symbol)
CUDART_FORWARD(cudaLibraryGetKernelCount, (unsigned int* count, cudaLibrary_t lib),
               cuLibraryGetKernelCount, count, lib)
