// SPDX-License-Identifier: MIT
// cuDeviceGetHostAtomicCapabilities and cuDeviceGetP2PAtomicCapabilities: host and devices share
// one memory and the processor's atomic operations, so all can do what kernels can.
#include "cpu/api/entry_guard.h"
#include "cpu/api/virtual_device.h"

using namespace pycuda::cpu::api;

namespace {

constexpr unsigned both_widths = CU_ATOMIC_CAPABILITY_SCALAR_32 | CU_ATOMIC_CAPABILITY_SCALAR_64;
constexpr unsigned any_sign = CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_UNSIGNED;
constexpr unsigned reduction = CU_ATOMIC_CAPABILITY_REDUCTION;

/// What PTX's atom and red take; 0 for numbers of no operation.
unsigned capabilities_of(CUatomicOperation operation) {
  switch (operation) {
    case CU_ATOMIC_OPERATION_INTEGER_ADD:
    case CU_ATOMIC_OPERATION_INTEGER_MIN:
    case CU_ATOMIC_OPERATION_INTEGER_MAX:
      return any_sign | reduction | both_widths;
    case CU_ATOMIC_OPERATION_INTEGER_INCREMENT:
    case CU_ATOMIC_OPERATION_INTEGER_DECREMENT:
      return CU_ATOMIC_CAPABILITY_UNSIGNED | reduction | CU_ATOMIC_CAPABILITY_SCALAR_32;
    case CU_ATOMIC_OPERATION_AND:
    case CU_ATOMIC_OPERATION_OR:
    case CU_ATOMIC_OPERATION_XOR:
      return any_sign | reduction | both_widths;
    case CU_ATOMIC_OPERATION_EXCHANGE:
    case CU_ATOMIC_OPERATION_CAS:
      return any_sign | both_widths;
    case CU_ATOMIC_OPERATION_FLOAT_ADD:
      return CU_ATOMIC_CAPABILITY_SIGNED | reduction | both_widths;
    default:
      return 0;
  }
}

CUresult tell(unsigned* capabilities, const CUatomicOperation* operations, unsigned count) {
  if (capabilities == nullptr || operations == nullptr || count == 0)
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    if (operations[i] < CU_ATOMIC_OPERATION_INTEGER_ADD || operations[i] >= CU_ATOMIC_OPERATION_MAX)
      return CUDA_ERROR_INVALID_VALUE;
  }
  for (unsigned i = 0; i < count; ++i) capabilities[i] = capabilities_of(operations[i]);
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuDeviceGetHostAtomicCapabilities(unsigned int* capabilities,
                                           const CUatomicOperation* operations, unsigned int count,
                                           CUdevice dev) {
  return with_driver([&]() -> CUresult {
    if (find_device(dev) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    return tell(capabilities, operations, count);
  });
}

CUresult cuDeviceGetP2PAtomicCapabilities(unsigned int* capabilities,
                                          const CUatomicOperation* operations, unsigned int count,
                                          CUdevice srcDevice, CUdevice dstDevice) {
  return with_driver([&]() -> CUresult {
    if (find_device(srcDevice) == nullptr || find_device(dstDevice) == nullptr ||
        srcDevice == dstDevice)
      return CUDA_ERROR_INVALID_DEVICE;
    return tell(capabilities, operations, count);
  });
}

}  // extern "C"
