// SPDX-License-Identifier: MIT
// What the parts of the class Function share.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "bindings/base/errors.h"
#include "bindings/function/prepared_format.h"
#include "cuda/launch.h"

namespace pycuda::bindings {

/// What the launch interface from before CUDA 4 was given.
struct StatefulLaunch {
  std::optional<cuda::Dim3> block;
  unsigned int shared_bytes = 0;
  std::vector<std::byte> parameters;
  /// As param_set_size said; else all that was written counts.
  std::optional<std::size_t> parameter_bytes;
};

struct FunctionState {
  std::shared_ptr<cuda::Kernel> kernel;
  /// Set by `prepare`.
  std::optional<PreparedFormat> prepared;
  /// What it was given, as codes; invalid before.
  nanobind::object codes;
  nanobind::object texrefs;
  /// Of the block and its dynamic shared memory, with the interface before 2011.
  std::optional<cuda::Dim3> prepared_block;
  unsigned int prepared_shared_bytes = 0;
  cuda::LaunchAttributes prepared_attributes;
  /// Null until it is used.
  std::unique_ptr<StatefulLaunch> stateful;

  /// Raises AttributeError before `prepare`.
  const nanobind::object& prepared_codes() const;
};

struct FunctionObject {
  PyObject_HEAD FunctionState* state;
  vectorcallfunc vectorcall;
  PyObject* dict;
  PyObject* weak_references;
};

inline FunctionState& state_of(PyObject* self) {
  return *reinterpret_cast<FunctionObject*>(self)->state;
}

/// Function.__call__.
PyObject* call_function(PyObject* self, PyObject* const* arguments, std::size_t flagged_count,
                        PyObject* keyword_names);

/// Function.prepare and the prepared calls: METH_FASTCALL | METH_KEYWORDS.
PyObject* prepare(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                  PyObject* keyword_names);
PyObject* prepared_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                        PyObject* keyword_names);
PyObject* prepared_async_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keyword_names);
PyObject* prepared_timed_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keyword_names);

/// A list of what `texrefs` gives; raises TypeError when something in it is not a TextureReference.
/// There is nothing more to do with them: a module's kernels find its references by themselves.
nanobind::list texture_references(nanobind::handle texrefs);

}  // namespace pycuda::bindings
