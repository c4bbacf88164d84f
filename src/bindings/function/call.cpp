// SPDX-License-Identifier: MIT
// Function.__call__: arguments converted by the kernel's own parameter list.
#include <chrono>
#include <string>

#include "bindings/base/limited_api.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/function/kernel_arguments.h"
#include "bindings/function/launch_attributes.h"
#include "bindings/function/launch_shape.h"
#include "bindings/function/state.h"
#include "bindings/gil/released.h"
#include "cuda/capturing.h"
#include "cuda/texture.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// The keywords of a call: borrowed references, or null.
struct CallOptions {
  PyObject* block = nullptr;
  PyObject* grid = nullptr;
  PyObject* stream = nullptr;
  PyObject* shared = nullptr;
  PyObject* texrefs = nullptr;
  PyObject* time_kernel = nullptr;
  cuda::LaunchAttributes attributes;
};

struct OptionName {
  PyObject* name;
  PyObject* CallOptions::* option;
};

const OptionName* option_names() {
  static const OptionName names[] = {
      {PyUnicode_InternFromString("block"), &CallOptions::block},
      {PyUnicode_InternFromString("grid"), &CallOptions::grid},
      {PyUnicode_InternFromString("stream"), &CallOptions::stream},
      {PyUnicode_InternFromString("shared"), &CallOptions::shared},
      {PyUnicode_InternFromString("texrefs"), &CallOptions::texrefs},
      {PyUnicode_InternFromString("time_kernel"), &CallOptions::time_kernel},
  };
  return names;
}
constexpr std::size_t option_count = 6;

PyObject** find_option(CallOptions& options, PyObject* name) {
  const OptionName* names = option_names();
  // Keywords in a program's text are interned: nearly always the same object.
  for (std::size_t i = 0; i < option_count; ++i) {
    if (names[i].name == name) return &(options.*names[i].option);
  }
  for (std::size_t i = 0; i < option_count; ++i) {
    if (PyUnicode_Compare(names[i].name, name) == 0) return &(options.*names[i].option);
  }
  return nullptr;
}

CallOptions read_options(PyObject* const* values, PyObject* keyword_names) {
  CallOptions options;
  std::string unknown;
  const Py_ssize_t count = keyword_names == nullptr ? 0 : NB_TUPLE_GET_SIZE(keyword_names);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* name = NB_TUPLE_GET_ITEM(keyword_names, i);
    if (PyObject** option = find_option(options, name)) {
      *option = values[i];
    } else if (!read_launch_attribute(options.attributes, name, values[i])) {
      const char* text = PyUnicode_AsUTF8AndSize(name, nullptr);
      if (text == nullptr) throw nb::python_error();
      unknown += (unknown.empty() ? "" : ",") + std::string(text);
    }
  }
  if (!unknown.empty()) {
    const std::string text = "extra keyword arguments: " + unknown +
                             "; a call takes block, grid, stream, shared, texrefs, time_kernel, " +
                             launch_attribute_names;
    PyErr_SetString(PyExc_ValueError, text.c_str());
    throw nb::python_error();
  }
  if (options.block == nullptr || options.block == Py_None) {
    PyErr_SetString(PyExc_ValueError,
                    "must specify block size: pass block=(x, y, z), such as block=(256, 1, 1)");
    throw nb::python_error();
  }
  return options;
}

cuda::LaunchShape shape_of(const CallOptions& options) {
  cuda::LaunchShape shape;
  shape.block = dimensions(options.block, "block");
  if (options.grid != nullptr) shape.grid = dimensions(options.grid, "grid");
  if (options.shared != nullptr) {
    shape.shared_bytes = as_integer<unsigned int>(options.shared, "shared");
  }
  if (options.stream != nullptr) shape.stream = stream_argument(options.stream);
  shape.attributes = options.attributes;
  return shape;
}

bool wants_time(const CallOptions& options) {
  if (options.time_kernel == nullptr) return false;
  const int wanted = PyObject_IsTrue(options.time_kernel);
  if (wanted < 0) throw nb::python_error();
  if (wanted != 0 && options.stream != nullptr && options.stream != Py_None) {
    PyErr_SetString(PyExc_AssertionError, "Can't time the kernel on an asynchronous invocation");
    throw nb::python_error();
  }
  return wanted != 0;
}

void synchronize(const cuda::Kernel& kernel) {
  wait_without_gil([&] { kernel.context()->synchronize(); });
}

PyObject* launch_timed(const cuda::Kernel& kernel, const cuda::LaunchShape& shape,
                       const std::byte* buffer, std::size_t bytes) {
  synchronize(kernel);
  const auto start = std::chrono::steady_clock::now();
  launch_without_gil(kernel, shape, buffer, bytes);
  synchronize(kernel);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return PyFloat_FromDouble(seconds.count());
}

void copy_back(const HandlerList& handlers, nb::handle stream) {
  for (const nb::object& handler : handlers) {
    if (nb::hasattr(handler, "post_call")) handler.attr("post_call")(stream);
  }
}

bool any_copies_back(const HandlerList& handlers) {
  for (const nb::object& handler : handlers) {
    if (nb::hasattr(handler, "post_call")) return true;
  }
  return false;
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_in_graph(const cuda::Kernel& kernel,
                                                            bool timed) {
  throw kernel.driver().cuLaunchKernel.error(
      CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
      timed ? "a launch that is timed waits for its end: record events around it"
            : "In, Out and InOut copy and wait for it: pass memory on the device, and copy before "
              "or after the graph's launch");
}

PyObject* call(const cuda::Kernel& kernel, PyObject* const* arguments, std::size_t count,
               PyObject* keyword_names) {
  // The kernel runs there: its arguments must be there, what is made for it as well.
  const cuda::ContextScope scope(kernel.context());
  const CallOptions options = read_options(arguments + count, keyword_names);
  const cuda::LaunchShape shape = shape_of(options);
  const bool timed = wants_time(options);
  const cuda::KernelLayout& layout = kernel.layout();
  if (layout.known && count != layout.parameters.size()) {
    // As in cudaLaunchKernel's callers, where the stream is one argument of several.
    const bool ends_with_stream =
        count != 0 && PyObject_HasAttrString(arguments[count - 1], "__cuda_stream__") != 0;
    check_argument_count(kernel, count,
                         ends_with_stream ? "; a stream is passed by name, stream=..." : "");
  }

  ParameterBuffer buffer(layout.known ? layout.bytes : most_parameter_bytes);
  HandlerList handlers;
  const std::size_t bytes =
      write_arguments(kernel, arguments, count, shape.stream, buffer.data(), handlers);
  if (options.texrefs != nullptr) static_cast<void>(texture_references(options.texrefs));
  if (handlers.empty() && !timed) {
    launch_without_gil(kernel, shape, buffer.data(), bytes);
    Py_RETURN_NONE;
  }

  if (cuda::goes_into_graph(shape.stream)) refuse_in_graph(kernel, timed);
  const nb::object stream = nb::borrow(options.stream == nullptr ? Py_None : options.stream);
  for (const nb::object& handler : handlers) handler.attr("pre_call")(stream);
  nb::object result = nb::none();
  if (timed) {
    result = nb::steal(launch_timed(kernel, shape, buffer.data(), bytes));
  } else {
    launch_without_gil(kernel, shape, buffer.data(), bytes);
    if (any_copies_back(handlers)) synchronize(kernel);
  }
  copy_back(handlers, stream);
  return result.release().ptr();
}

}  // namespace

PyObject* call_function(PyObject* self, PyObject* const* arguments, std::size_t flagged_count,
                        PyObject* keyword_names) {
  return python_entry([&] {
    return call(*state_of(self).kernel, arguments,
                static_cast<std::size_t>(PyVectorcall_NARGS(flagged_count)), keyword_names);
  });
}

nb::list texture_references(nb::handle texrefs) {
  nb::list references;
  if (texrefs.is_none()) return references;
  if (nb::isinstance<cuda::TextureReference>(texrefs)) {
    throw nb::type_error("texrefs must be a list of texture references: texrefs=[texref]");
  }
  for (nb::handle reference : nb::iter(texrefs)) {
    if (!nb::isinstance<cuda::TextureReference>(reference)) {
      PyErr_Format(PyExc_TypeError, "texrefs must be texture references, not %s",
                   type_name(reference.ptr()).c_str());
      throw nb::python_error();
    }
    references.append(reference);
  }
  return references;
}

}  // namespace pycuda::bindings
