// SPDX-License-Identifier: MIT
// A handle of cuSOLVER's sparse functions, the matrices that they take, and where their work runs:
// at once for arguments of the host, else in the order of the handle's stream.
#pragma once

#include <utility>
#include <vector>

#include "cusolver/csr.h"
#include "cusolver/handle.h"

namespace pycuda::cusolver {

struct SparseHandle : hostblas::StreamHandle {};
using SparseHandles = hostwork::Registry<SparseHandle>;

enum class Where { Host, Device };

/// The only exit of the functions that take a handle.
template <class Body>
Status with_sparse(const SparseHandle* handle, const char* function, Body&& body) noexcept {
  return status_of(outcome_of(function, [&] {
    if (!SparseHandles::instance().contains(handle)) throw Refusal{Outcome::NotInitialized, ""};
    require_no_failure(*handle);
    body();
  }));
}

/// 0 or 1, of a matrix of any numbers, which cuSPARSE's descriptor says. Refuses others.
int index_base(const void* descriptor);

template <class T>
void require_place(Where where, const T* address, Int count, const char* what) {
  if (where == Where::Device)
    return require_memory(static_cast<const void*>(address),
                          static_cast<std::uint64_t>(count) * sizeof(T), what);
  require(address != nullptr || count == 0, "a pointer is null");
}

Places places_of(Where where, int rows, int columns, int entries, const void* descriptor,
                 const int* offsets, const int* indices);

template <class Work>
void run(const SparseHandle& handle, Where where, Work work) {
  if (where == Where::Host) {
    work();
  } else {
    enqueue(handle, std::move(work));
  }
}
inline void finish(const SparseHandle& handle, Where where) {
  if (where == Where::Device) wait(handle);
}

/// Puts results into the program's array.
template <class W, class T>
void narrow(const std::vector<W>& numbers, T* destination) {
  for (const W& number : numbers) *destination++ = static_cast<T>(number);
}

template <class T>
void give(T* destination, T value) {
  require(destination != nullptr, "the result's pointer is null");
  *destination = value;
}

}  // namespace pycuda::cusolver
