// SPDX-License-Identifier: MIT
// cuBLASXt: handles and their settings. Its products are in level3.cpp: the host multiplies whole
// matrices where they are, so that no setting changes a result.
#include <array>

#include "cublas/handle.h"

namespace pycuda::cublas {
namespace {

constexpr int kUsualBlock = 2048;

/// The only exit of the functions that take a handle of cuBLASXt's.
template <class Body>
Status with_xt(const Handle* handle, const char* function, Body&& body) noexcept {
  return with_handle(handle, function, [&] {
    require_xt(*handle);
    body();
  });
}

void give(int* destination, int value) {
  require(destination != nullptr, "the result's pointer is null");
  *destination = value;
}

bool is_device(int number) {
  std::array<char, 8> name{};
  return number >= 0 && driver() != nullptr &&
         driver()->device_name(name.data(), static_cast<int>(name.size()), number) == CUDA_SUCCESS;
}

void require_devices(int count, const int* devices) {
  require(count > 0 && devices != nullptr, "there are no devices");
  for (int i = 0; i < count; ++i) require(is_device(devices[i]), "a device does not exist");
}

Status refuse(const char* function) noexcept {
  return status_of(outcome_of(function, [] {
    throw Refusal{Outcome::NotSupported, "this product of cuBLASXt is not supported"};
  }));
}

}  // namespace

void require_xt(const Handle& handle) {
  if (!handle.takes_host_memory)
    throw Refusal{Outcome::NotInitialized, "the handle is not one of cuBLASXt's"};
}

extern "C" {

Status cublasXtCreate(Handle** handle) {
  return status_of(outcome_of("cublasXtCreate", [&] {
    require(handle != nullptr, "the handle's pointer is null");
    *handle = nullptr;
    Handle* const made = create_handle();
    made->takes_host_memory = true;
    made->block = kUsualBlock;
    *handle = made;
  }));
}
Status cublasXtDestroy(Handle* handle) {
  return with_xt(handle, "cublasXtDestroy", [&] { Handles::instance().erase(handle); });
}

Status cublasXtDeviceSelect(Handle* handle, int count, const int* devices) {
  return with_xt(handle, "cublasXtDeviceSelect", [&] { require_devices(count, devices); });
}
// A board is a device here.
Status cublasXtGetNumBoards(int count, const int* devices, int* boards) {
  return status_of(outcome_of("cublasXtGetNumBoards", [&] {
    require_devices(count, devices);
    give(boards, count);
  }));
}
Status cublasXtMaxBoards(int* boards) {
  return status_of(outcome_of("cublasXtMaxBoards", [&] {
    int count = 0;
    while (is_device(count)) ++count;
    give(boards, count);
  }));
}

Status cublasXtSetBlockDim(Handle* handle, int block) {
  return with_xt(handle, "cublasXtSetBlockDim", [&] {
    require(block > 0, "the size of a block is not positive");
    handle->block = block;
  });
}
Status cublasXtGetBlockDim(Handle* handle, int* block) {
  return with_xt(handle, "cublasXtGetBlockDim", [&] { give(block, handle->block); });
}
Status cublasXtSetPinningMemMode(Handle* handle, int mode) {
  return with_xt(handle, "cublasXtSetPinningMemMode", [&] {
    require(mode == 0 || mode == 1, "the pinning mode is not one");
    handle->pinning = mode;
  });
}
Status cublasXtGetPinningMemMode(Handle* handle, int* mode) {
  return with_xt(handle, "cublasXtGetPinningMemMode", [&] { give(mode, handle->pinning); });
}

// The program's own functions are not needed: the host computes everything already.
Status cublasXtSetCpuRoutine(Handle* handle, int routine, int type, const void*) {
  return with_xt(handle, "cublasXtSetCpuRoutine", [&] {
    require(routine >= 0 && routine < 12 && type >= 0 && type < 4, "the routine is not one");
  });
}
Status cublasXtSetCpuRatio(Handle* handle, int routine, int type, float ratio) {
  return with_xt(handle, "cublasXtSetCpuRatio", [&] {
    require(routine >= 0 && routine < 12 && type >= 0 && type < 4, "the routine is not one");
    require(ratio >= 0 && ratio <= 1, "the ratio is not between 0 and 1");
  });
}

}  // extern "C"

// Whatever the arguments are, they are not read.
#define CUBLAS_XT_ABSENT(name) \
  extern "C" Status cublasXt##name() { return refuse("cublasXt" #name); }
#define CUBLAS_XT_ABSENT_ALL(name) \
  CUBLAS_XT_ABSENT(S##name)        \
  CUBLAS_XT_ABSENT(D##name)        \
  CUBLAS_XT_ABSENT(C##name)        \
  CUBLAS_XT_ABSENT(Z##name)
CUBLAS_XT_ABSENT_ALL(spmm)
CUBLAS_XT_ABSENT_ALL(syrkx)
CUBLAS_XT_ABSENT(Cherkx)
CUBLAS_XT_ABSENT(Zherkx)

}  // namespace pycuda::cublas
