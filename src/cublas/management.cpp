// SPDX-License-Identifier: MIT
// Handles and their settings, names of statuses.
#include <cstddef>
#include <memory>

#include "cublas/handle.h"

namespace pycuda::cublas {
namespace {

template <class T, class Value>
void give(T* destination, Value value) {
  require(destination != nullptr, "the result's pointer is null");
  *destination = static_cast<T>(value);
}

}  // namespace

Handle* create_handle() {
  auto made = std::make_unique<Handle>();
  if (driver() != nullptr && has_blas()) made->context = hostwork::context_of_thread();
  if (made->context == nullptr) throw Refusal{Outcome::NotInitialized, ""};
  return Handles::instance().insert(std::move(made));
}

extern "C" {

Status cublasCreate_v2(Handle** handle) {
  return status_of(outcome_of("cublasCreate", [&] {
    require(handle != nullptr, "the handle's pointer is null");
    *handle = nullptr;
    *handle = create_handle();
  }));
}

Status cublasDestroy_v2(Handle* handle) {
  return with_handle(handle, "cublasDestroy", [&] {
    const bool captured = is_capturing(*handle);
    if (!captured) driver()->synchronize(handle->stream);  // as cuBLAS does
    Handles::instance().erase(handle);
  });
}

Status cublasSetStream_v2(Handle* handle, CUstream stream) {
  return with_handle(handle, "cublasSetStream", [&] { handle->stream = stream; });
}
Status cublasGetStream_v2(Handle* handle, CUstream* stream) {
  return with_handle(handle, "cublasGetStream", [&] {
    require(stream != nullptr, "the result's pointer is null");
    *stream = handle->stream;
  });
}

Status cublasSetPointerMode_v2(Handle* handle, PointerMode mode) {
  return with_handle(handle, "cublasSetPointerMode", [&] {
    require(mode == kHostPointers || mode == kDevicePointers, "the pointer mode is not one");
    handle->pointers = mode;
  });
}
Status cublasGetPointerMode_v2(Handle* handle, int* mode) {
  return with_handle(handle, "cublasGetPointerMode", [&] { give(mode, handle->pointers); });
}

// Results do not depend on these.
Status cublasSetAtomicsMode(Handle* handle, int mode) {
  return with_handle(handle, "cublasSetAtomicsMode", [&] {
    require(mode == 0 || mode == 1, "the atomics mode is not one");
    handle->atomics = mode;
  });
}
Status cublasGetAtomicsMode(Handle* handle, int* mode) {
  return with_handle(handle, "cublasGetAtomicsMode", [&] { give(mode, handle->atomics); });
}
Status cublasSetMathMode(Handle* handle, int mode) {
  return with_handle(handle, "cublasSetMathMode", [&] {
    constexpr int kinds = 0xf;
    constexpr int no_reduced_precision = 16;
    require((mode & ~(kinds | no_reduced_precision)) == 0 && (mode & kinds) <= 4,
            "the math mode is not one");
    handle->math = mode;
  });
}
Status cublasGetMathMode(Handle* handle, int* mode) {
  return with_handle(handle, "cublasGetMathMode", [&] { give(mode, handle->math); });
}
Status cublasSetSmCountTarget(Handle* handle, int count) {
  return with_handle(handle, "cublasSetSmCountTarget", [&] {
    require(count >= 0, "the number of multiprocessors is negative");
    handle->multiprocessors = count;
  });
}
Status cublasGetSmCountTarget(Handle* handle, int* count) {
  return with_handle(handle, "cublasGetSmCountTarget",
                     [&] { give(count, handle->multiprocessors); });
}
Status cublasSetWorkspace_v2(Handle* handle, void* memory, std::size_t bytes) {
  return with_handle(handle, "cublasSetWorkspace", [&] {
    require_memory(memory, memory != nullptr ? bytes : 0, "the workspace");
  });
}

const char* cublasGetStatusName(int status) { return status_name(status); }
const char* cublasGetStatusString(int status) { return status_text(status); }

}  // extern "C"

}  // namespace pycuda::cublas
