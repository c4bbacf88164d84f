// SPDX-License-Identifier: MIT
#include "cusolver/sparse_handle.h"

#include <filesystem>
#include <memory>
#include <optional>

#include "base/dynlib.h"

namespace pycuda::cusolver {
namespace {

/// The library that made the program's descriptors: each call may be the first after it was loaded.
const base::DynamicLibrary& cusparse() {
  static auto& loaded = *new std::optional<base::DynamicLibrary>;
  if (!loaded) {
    auto found = base::DynamicLibrary::find_loaded("libcusparse.so.12");
    if (!found) throw Refusal{Outcome::InvalidValue, "no cuSPARSE that made the descriptor"};
    found->leak();
    loaded.emplace(std::move(*found));
  }
  return *loaded;
}

int property(const char* function, const void* descriptor) {
  auto* const get = cusparse().function<int(const void*)>(function);
  require(get != nullptr, "cuSPARSE does not tell a descriptor's properties");
  return get(descriptor);
}

}  // namespace

int index_base(const void* descriptor) {
  require(descriptor != nullptr, "the matrix's descriptor is null");
  if (property("cusparseGetMatType", descriptor) != 0)
    throw Refusal{Outcome::NotSupported, "the matrix's type is not CUSPARSE_MATRIX_TYPE_GENERAL"};
  return property("cusparseGetMatIndexBase", descriptor);
}

Places places_of(Where where, int rows, int columns, int entries, const void* descriptor,
                 const int* offsets, const int* indices) {
  require(rows >= 0 && columns >= 0 && entries >= 0, "a size is negative");
  const int base = index_base(descriptor);
  require_place(where, offsets, Int{rows} + 1, "the offsets");
  require_place(where, indices, entries, "the indices");
  return {rows, columns, entries, base, offsets, indices};
}

extern "C" {

Status cusolverSpCreate(SparseHandle** handle) {
  return status_of(outcome_of("cusolverSpCreate", [&] {
    require(handle != nullptr, "the handle's pointer is null");
    *handle = nullptr;
    auto made = std::make_unique<SparseHandle>();
    if (hostwork::driver() != nullptr) made->context = hostwork::context_of_thread();
    if (made->context == nullptr) throw Refusal{Outcome::NotInitialized, ""};
    *handle = SparseHandles::instance().insert(std::move(made));
  }));
}
Status cusolverSpDestroy(SparseHandle* handle) {
  return with_sparse(handle, "cusolverSpDestroy", [&] {
    if (!is_capturing(*handle)) hostwork::driver()->synchronize(handle->stream);
    SparseHandles::instance().erase(handle);
  });
}
Status cusolverSpSetStream(SparseHandle* handle, CUstream stream) {
  return with_sparse(handle, "cusolverSpSetStream", [&] { handle->stream = stream; });
}
Status cusolverSpGetStream(SparseHandle* handle, CUstream* stream) {
  return with_sparse(handle, "cusolverSpGetStream", [&] { give(stream, handle->stream); });
}

}  // extern "C"

}  // namespace pycuda::cusolver
