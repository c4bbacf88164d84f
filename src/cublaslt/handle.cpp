// SPDX-License-Identifier: MIT
#include "cublaslt/handle.h"

#include <memory>

#include "base/dynlib.h"

namespace pycuda::cublaslt {
namespace {

/// Programs pass handles of cuBLAS, as its documentation allows. The library is asked, by a
/// function of its interface.
bool is_of_cublas(Handle* handle) {
  for (const char* name : {"libcublas.so.13", "libcublas.so.12"}) {
    const auto library = base::DynamicLibrary::find_loaded(name);
    if (!library) continue;
    using GetStream = int(Handle*, CUstream*);
    auto* const get_stream = library->function<GetStream>("cublasGetStream_v2");
    CUstream stream = nullptr;
    if (get_stream != nullptr && get_stream(handle, &stream) == 0) return true;
  }
  return false;
}

/// For the work of all handles of cuBLAS.
const StreamHandle& foreign() {
  static const auto& only = *new StreamHandle;
  return only;
}

Status create(Handle** handle) {
  if (handle == nullptr) return cublas::kInvalidValue;
  *handle = nullptr;
  if (hostwork::driver() == nullptr || !has_blas()) return cublas::kNotInitialized;
  auto made = std::make_unique<Handle>();
  made->context = hostwork::context_of_thread();
  if (made->context == nullptr) return cublas::kNotInitialized;
  *handle = Handles::instance().insert(std::move(made));
  return cublas::kSuccess;
}

}  // namespace

StreamHandle in_stream(Handle* handle, CUstream stream) {
  StreamHandle result;
  if (Handles::instance().contains(handle)) {
    result = *handle;
  } else if (handle != nullptr && is_of_cublas(handle)) {
    result = foreign();
  } else {
    throw Refusal{Outcome::NotInitialized, ""};
  }
  require_no_failure(result);
  result.stream = stream;
  return result;
}

void require_handle(Handle* handle) { in_stream(handle, nullptr); }

extern "C" {

Status cublasLtCreate(Handle** handle) {
  try {
    return create(handle);
  } catch (...) {
    return cublas::kAllocFailed;
  }
}

Status cublasLtDestroy(Handle* handle) {
  return guarded("cublasLtDestroy", [&] {
    if (!Handles::instance().erase(handle)) throw Refusal{Outcome::NotInitialized, ""};
  });
}

}  // extern "C"

}  // namespace pycuda::cublaslt
