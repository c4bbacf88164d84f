// SPDX-License-Identifier: MIT
#include "bindings/function/occupancy.h"

#include <nanobind/nanobind.h>

#include <climits>
#include <cstddef>
#include <cstdint>

#include "bindings/convert/integers.h"
#include "bindings/function/launch_shape.h"
#include "bindings/function/state.h"
#include "cuda/occupancy.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// Two arguments, of which those behind `format`'s "|" may be missing.
struct TwoArguments {
  PyObject* first = nullptr;
  PyObject* second = nullptr;

  TwoArguments(PyObject* arguments, PyObject* keywords, const char* format, const char* first_name,
               const char* second_name) {
    const char* names[] = {first_name, second_name, nullptr};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, format, const_cast<char**>(names), &first,
                                     &second)) {
      throw nb::python_error();
    }
  }
};

/// Threads of a block: a number, or a shape as launches take it.
int threads_of(PyObject* block) {
  if (!PyTuple_Check(block) && !PyList_Check(block)) return as_integer<int>(block, "block");
  const cuda::Dim3 shape = dimensions(block, "block");
  const std::uint64_t rows = std::uint64_t{shape.y} * shape.z;
  const std::uint64_t threads = shape.x == 0 || rows > INT_MAX ? rows : shape.x * rows;
  return threads > INT_MAX ? INT_MAX : static_cast<int>(shape.x == 0 ? 0 : threads);
}

}  // namespace

PyObject* max_active_blocks(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return python_entry([&] {
    const TwoArguments given(arguments, keywords, "O|O:max_active_blocks", "block", "shared");
    const std::size_t shared =
        given.second == nullptr ? 0 : as_integer<std::size_t>(given.second, "shared");
    return PyLong_FromLong(cuda::active_blocks_per_multiprocessor(*state_of(self).kernel,
                                                                  threads_of(given.first), shared));
  });
}

PyObject* suggested_block_size(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return python_entry([&] {
    const TwoArguments given(arguments, keywords, "|OO:suggested_block_size", "shared", "limit");
    const std::size_t shared =
        given.first == nullptr ? 0 : as_integer<std::size_t>(given.first, "shared");
    const int limit = given.second == nullptr ? 0 : as_integer<int>(given.second, "limit");
    const cuda::SuggestedShape shape =
        cuda::suggest_block_size(*state_of(self).kernel, shared, limit);
    return nb::make_tuple(shape.threads, shape.blocks).release().ptr();
  });
}

PyObject* available_shared_memory(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return python_entry([&] {
    const TwoArguments given(arguments, keywords, "OO:available_shared_memory", "blocks", "block");
    return PyLong_FromSize_t(cuda::available_shared_bytes(
        *state_of(self).kernel, as_integer<int>(given.first, "blocks"), threads_of(given.second)));
  });
}

}  // namespace pycuda::bindings
