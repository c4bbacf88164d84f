// SPDX-License-Identifier: MIT
// Python objects that graphs keep alive: the arguments of what was captured.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>

#include "cuda/capturing.h"
#include "cuda/graph_resources.h"

namespace pycuda::bindings {

struct ArrayState;

/// A reference to `object` that any thread may drop.
std::shared_ptr<const void> kept_object(nanobind::handle object);

/// Keeps what an argument's memory belongs to; numbers, and so bare addresses, keep nothing.
void keep_argument(cuda::GraphResources& resources, nanobind::handle argument);
/// A tuple of those of the arguments that are worth keeping, as one thing.
std::shared_ptr<const void> kept_arguments(PyObject* const* arguments, std::size_t count);

namespace internal {
[[gnu::cold]] void keep_in_capture(PyObject* const* arguments, std::size_t count);
[[gnu::cold]] void keep_array_in_capture(const ArrayState& state);
}  // namespace internal

/// While this thread captures, its graph keeps the arguments.
inline void keep_if_captured(PyObject* const* arguments, std::size_t count) {
  if (cuda::thread_captures()) [[unlikely]]
    internal::keep_in_capture(arguments, count);
}
template <class... Handles>
void keep_if_captured(nanobind::handle first, Handles... rest) {
  if (cuda::thread_captures()) [[unlikely]] {
    PyObject* const arguments[] = {first.ptr(), rest.ptr()...};
    internal::keep_in_capture(arguments, 1 + sizeof...(rest));
  }
}
/// The same for the array that `state` is part of. Memory that was made for the capture needs no
/// keeping, and can so be used again within it.
inline void keep_if_captured(const ArrayState& state) {
  if (cuda::thread_captures()) [[unlikely]]
    internal::keep_array_in_capture(state);
}

}  // namespace pycuda::bindings
