// SPDX-License-Identifier: MIT
// Function.prepare and the prepared calls: arguments whose types are known beforehand.
#include <nanobind/stl/string.h>

#include <string>

#include "bindings/array/keeping.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/function/kernel_arguments.h"
#include "bindings/function/launch_attributes.h"
#include "bindings/function/launch_shape.h"
#include "bindings/function/state.h"
#include "bindings/gil/released.h"
#include "bindings/pointer/device_pointer.h"
#include "cuda/event.h"
#include "cuda/kernel_names.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

bool is_named(PyObject* name, const char* text) {
  return PyUnicode_CompareWithASCIIString(name, text) == 0;
}

/// Programs that forget the stream give memory in its place.
CUstream stream_after_block(PyObject* object, const char* name) {
  try {
    return stream_argument(object);
  } catch (const nb::python_error&) {
    const bool is_memory =
        pointer_held_by(object).has_value() || PyObject_HasAttrString(object, "gpudata") != 0;
    if (!is_memory) throw;
  }
  PyErr_Format(PyExc_TypeError,
               "%s() takes the stream after the block: %s(grid, block, stream, ...)", name, name);
  throw nb::python_error();
}

void warn_deprecated(const char* text) {
  if (PyErr_WarnEx(PyExc_DeprecationWarning, text, 1) != 0) throw nb::python_error();
}

/// One prepared call on its way.
struct PreparedLaunch {
  const cuda::Kernel& kernel;
  const PreparedFormat& format;
  cuda::LaunchShape shape;
  PyObject* const* values;
  std::size_t value_count;

  void run() const {
    const cuda::ContextScope scope(kernel.context());
    ParameterBuffer buffer(format.bytes);
    write_prepared(format, values, value_count, buffer.data());
    keep_if_captured(values, value_count);
    launch_without_gil(kernel, shape, buffer.data(), format.bytes);
  }
};

void read_keywords(PyObject* const* values, PyObject* keyword_names, cuda::LaunchShape& shape) {
  std::string unknown;
  for (Py_ssize_t i = 0; i < NB_TUPLE_GET_SIZE(keyword_names); ++i) {
    PyObject* name = NB_TUPLE_GET_ITEM(keyword_names, i);
    if (is_named(name, "shared_size")) {
      shape.shared_bytes = as_integer<unsigned int>(values[i], "shared_size");
    } else if (!read_launch_attribute(shape.attributes, name, values[i])) {
      unknown += (unknown.empty() ? "" : ", ") + nb::cast<std::string>(nb::str(nb::handle(name)));
    }
  }
  if (!unknown.empty()) {
    const std::string text = "unknown keyword arguments: " + unknown +
                             (unknown == "shared" ? "; prepared calls take shared_size" : "");
    PyErr_SetString(PyExc_TypeError, text.c_str());
    throw nb::python_error();
  }
}

// `leading` arguments come before the kernel's: grid, block and perhaps a stream.
PreparedLaunch read_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                         PyObject* keyword_names, bool with_stream, const char* name) {
  const FunctionState& state = state_of(self);
  if (!state.prepared) {
    PyErr_Format(PyExc_TypeError, "prepare() must be called before %s()", name);
    throw nb::python_error();
  }
  if (count < 1) {
    PyErr_Format(PyExc_TypeError, "%s() needs a grid and a block", name);
    throw nb::python_error();
  }
  PreparedLaunch launch{*state.kernel, *state.prepared, {}, nullptr, 0};
  launch.shape.grid = dimensions(arguments[0], "grid");
  Py_ssize_t used = 1;
  if (count > 1 && (PyTuple_Check(arguments[1]) || PyList_Check(arguments[1]))) {
    launch.shape.block = dimensions(arguments[1], "block");
    used = 2;
  } else {
    warn_deprecated(
        "Not passing the block size to prepared_call is deprecated as of version 2011.1.");
    if (!state.prepared_block) {
      PyErr_SetString(
          PyExc_ValueError,
          "must specify block size: prepared_call(grid, block, ...), with a block such as "
          "(256, 1, 1)");
      throw nb::python_error();
    }
    launch.shape.block = *state.prepared_block;
  }
  if (with_stream) {
    if (used >= count) {
      PyErr_Format(PyExc_TypeError, "%s() needs a stream (or None) after the block", name);
      throw nb::python_error();
    }
    launch.shape.stream = stream_after_block(arguments[used++], name);
  }
  launch.shape.shared_bytes = state.prepared_shared_bytes;
  launch.shape.attributes = state.prepared_attributes;
  if (keyword_names != nullptr) read_keywords(arguments + count, keyword_names, launch.shape);
  launch.values = arguments + used;
  launch.value_count = static_cast<std::size_t>(count - used);
  return launch;
}

double seconds_between(const cuda::Event& start, const cuda::Event& end) {
  return without_gil([&] {
    end.synchronize();
    return 1e-3 * static_cast<double>(end.milliseconds_since(start));
  });
}

}  // namespace

const nb::object& FunctionState::prepared_codes() const {
  if (!codes.is_valid()) {
    PyErr_SetString(PyExc_AttributeError, "the function has not been prepared");
    throw nb::python_error();
  }
  return codes;
}

PyObject* prepare(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                  PyObject* keyword_names) {
  return python_entry([&]() -> PyObject* {
    nb::object arg_types;
    nb::object texrefs = nb::none();
    nb::object block = nb::none();
    nb::object shared = nb::none();
    if (count > 0) arg_types = nb::borrow(arguments[0]);
    if (count > 1) texrefs = nb::borrow(arguments[1]);
    if (count > 2) {
      PyErr_SetString(PyExc_TypeError,
                      "prepare() takes arg_types and texrefs; the block is an argument of "
                      "prepared_call(grid, block, ...)");
      throw nb::python_error();
    }
    cuda::LaunchAttributes attributes;
    const Py_ssize_t keywords = keyword_names == nullptr ? 0 : NB_TUPLE_GET_SIZE(keyword_names);
    for (Py_ssize_t i = 0; i < keywords; ++i) {
      PyObject* name = NB_TUPLE_GET_ITEM(keyword_names, i);
      const nb::object value = nb::borrow(arguments[count + i]);
      if (is_named(name, "arg_types")) {
        arg_types = value;
      } else if (is_named(name, "texrefs")) {
        texrefs = value;
      } else if (is_named(name, "block")) {
        block = value;
      } else if (is_named(name, "shared")) {
        shared = value;
      } else if (!read_launch_attribute(attributes, name, value.ptr())) {
        PyErr_Format(PyExc_TypeError,
                     "prepare() has no parameter '%U': it takes arg_types, texrefs, and what "
                     "launches take beside block, grid and stream",
                     name);
        throw nb::python_error();
      }
    }
    if (!arg_types.is_valid()) {
      PyErr_SetString(PyExc_TypeError, "prepare() needs arg_types");
      throw nb::python_error();
    }
    FunctionState& state = state_of(self);
    const nb::object references = texture_references(texrefs);
    if (!block.is_none()) {
      warn_deprecated("setting the block size in Function.prepare is deprecated");
      state.prepared_block = dimensions(block.ptr(), "block");
    }
    if (!shared.is_none()) {
      warn_deprecated("setting the shared memory size in Function.prepare is deprecated");
      state.prepared_shared_bytes = as_integer<unsigned int>(shared.ptr(), "shared");
    }
    const ArgumentCodes codes = codes_of(arg_types);
    state.prepared = fit_to_kernel(*state.kernel, codes);
    state.prepared->kernel = cuda::readable_name(state.kernel->name());
    state.codes = nb::str(codes.text.c_str());
    state.texrefs = references;
    state.prepared_attributes = attributes;
    return nb::borrow(self).release().ptr();
  });
}

PyObject* prepared_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                        PyObject* keyword_names) {
  return python_entry([&]() -> PyObject* {
    read_call(self, arguments, count, keyword_names, false, "prepared_call").run();
    Py_RETURN_NONE;
  });
}

PyObject* prepared_async_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keyword_names) {
  return python_entry([&]() -> PyObject* {
    read_call(self, arguments, count, keyword_names, true, "prepared_async_call").run();
    Py_RETURN_NONE;
  });
}

PyObject* prepared_timed_call(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                              PyObject* keyword_names) {
  return python_entry([&]() -> PyObject* {
    const PreparedLaunch launch =
        read_call(self, arguments, count, keyword_names, false, "prepared_timed_call");
    const cuda::ContextScope scope(launch.kernel.context());
    const auto start = std::make_shared<cuda::Event>();
    const auto end = std::make_shared<cuda::Event>();
    start->record();
    launch.run();
    end->record();
    return nb::cpp_function([start, end] { return seconds_between(*start, *end); }).release().ptr();
  });
}

}  // namespace pycuda::bindings
