// SPDX-License-Identifier: MIT
#include "bindings/function/stateful.h"

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "bindings/convert/buffer.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/function/kernel_arguments.h"
#include "bindings/function/launch_shape.h"
#include "bindings/function/state.h"
#include "cuda/kernel_names.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// A method's arguments, all positional.
struct Call {
  PyObject* self;
  PyObject* const* arguments;
  Py_ssize_t count;

  StatefulLaunch& state() const {
    FunctionState& function = state_of(self);
    if (!function.stateful) function.stateful = std::make_unique<StatefulLaunch>();
    return *function.stateful;
  }
  const cuda::Kernel& kernel() const { return *state_of(self).kernel; }
};

[[noreturn]] void refuse(const cuda::Kernel& kernel, const std::string& why) {
  throw driver::DriverError("function::launch", CUDA_ERROR_INVALID_VALUE,
                            "kernel " + cuda::readable_name(kernel.name()) + ": " + why);
}

void write_parameter(const Call& call, const void* bytes, std::size_t count) {
  const auto offset = as_integer<std::size_t>(call.arguments[0], "the offset");
  if (offset > most_parameter_bytes || count > most_parameter_bytes - offset) {
    refuse(call.kernel(),
           "a kernel has at most " + std::to_string(most_parameter_bytes) + " bytes of parameters");
  }
  std::vector<std::byte>& parameters = call.state().parameters;
  if (parameters.size() < offset + count) parameters.resize(offset + count);
  std::memcpy(parameters.data() + offset, bytes, count);
}

void set_block_shape(const Call& call) {
  call.state().block = {as_integer<unsigned int>(call.arguments[0], "x"),
                        as_integer<unsigned int>(call.arguments[1], "y"),
                        as_integer<unsigned int>(call.arguments[2], "z")};
}

void set_shared_size(const Call& call) {
  call.state().shared_bytes = as_integer<unsigned int>(call.arguments[0], "the size in bytes");
}

void param_set_size(const Call& call) {
  const auto bytes = as_integer<std::size_t>(call.arguments[0], "the size in bytes");
  if (bytes > most_parameter_bytes) {
    refuse(call.kernel(),
           "a kernel has at most " + std::to_string(most_parameter_bytes) + " bytes of parameters");
  }
  call.state().parameter_bytes = bytes;
}

void param_seti(const Call& call) {
  // Both ways to read 32 bits: 0xffffffff and -1.
  const auto wide = as_integer<std::int64_t>(call.arguments[1], "the value");
  if (wide < INT32_MIN || wide > UINT32_MAX) {
    raise_out_of_range("the value", nb::handle(call.arguments[1]));
  }
  const auto value = static_cast<std::uint32_t>(wide);
  write_parameter(call, &value, sizeof value);
}

void param_setf(const Call& call) {
  const double number = PyFloat_AsDouble(call.arguments[1]);
  if (number == -1.0 && PyErr_Occurred() != nullptr) throw nb::python_error();
  const auto value = static_cast<float>(number);
  write_parameter(call, &value, sizeof value);
}

void param_setv(const Call& call) {
  const Buffer source = Buffer::read(call.arguments[1]);
  write_parameter(call, source.data(), source.bytes());
}

void param_set(const Call& call) {
  const cuda::Kernel& kernel = call.kernel();
  const cuda::ContextScope scope(kernel.context());
  const auto count = static_cast<std::size_t>(call.count);
  if (kernel.layout().known) check_argument_count(kernel, count);
  ParameterBuffer buffer(kernel.layout().known ? kernel.layout().bytes : most_parameter_bytes);
  HandlerList handlers;
  const std::size_t bytes =
      write_arguments(kernel, call.arguments, count, nullptr, buffer.data(), handlers);
  if (!handlers.empty()) {
    PyErr_SetString(PyExc_TypeError,
                    "param_set() takes no In, Out or InOut: call the function instead");
    throw nb::python_error();
  }
  StatefulLaunch& state = call.state();
  state.parameters.assign(buffer.data(), buffer.data() + bytes);
  state.parameter_bytes = bytes;
}

void launch_in(const Call& call, cuda::Dim3 grid, CUstream stream) {
  const cuda::Kernel& kernel = call.kernel();
  const StatefulLaunch& state = call.state();
  if (!state.block) refuse(kernel, "set_block_shape() has not been called");
  // A copy: with the GIL released, another thread may set parameters.
  std::vector<std::byte> parameters = state.parameters;
  parameters.resize(state.parameter_bytes.value_or(parameters.size()));
  const cuda::KernelLayout& layout = kernel.layout();
  if (layout.known && parameters.size() != layout.bytes) {
    refuse(kernel, std::to_string(parameters.size()) + " bytes of parameters were set, it takes " +
                       describe_parameters(layout) + ", together " + std::to_string(layout.bytes));
  }
  launch_without_gil(kernel, {grid, *state.block, state.shared_bytes, stream}, parameters.data(),
                     parameters.size());
}

cuda::Dim3 grid_of(const Call& call) {
  return {as_integer<unsigned int>(call.arguments[0], "the grid's width"),
          as_integer<unsigned int>(call.arguments[1], "the grid's height"), 1};
}

void launch(const Call& call) { launch_in(call, {}, nullptr); }
void launch_grid(const Call& call) { launch_in(call, grid_of(call), nullptr); }
void launch_grid_async(const Call& call) {
  launch_in(call, grid_of(call), stream_argument(call.arguments[2]));
}

void launch_kernel(const Call& call) {
  const Buffer parameters = Buffer::read(call.arguments[2]);
  cuda::LaunchShape shape;
  shape.grid = dimensions(call.arguments[0], "grid");
  shape.block = dimensions(call.arguments[1], "block");
  shape.shared_bytes = as_integer<unsigned int>(call.arguments[3], "the shared memory's size");
  shape.stream = stream_argument(call.arguments[4]);
  const cuda::KernelLayout& layout = call.kernel().layout();
  if (layout.known && parameters.bytes() < layout.bytes) {
    refuse(call.kernel(),
           std::to_string(parameters.bytes()) + " bytes of parameters were given, it takes " +
               describe_parameters(layout) + ", together " + std::to_string(layout.bytes));
  }
  launch_without_gil(call.kernel(), shape, parameters.data(), parameters.bytes());
}

struct Method {
  const char* name;
  int count;  ///< of arguments; any number when negative
  void (*body)(const Call&);
  const char* description;  ///< its parameters, and what it does
};

#define BEFORE_CUDA_4 "\n--\n\nPart of the launch interface from before CUDA 4."

constexpr Method methods[] = {
    {"_set_block_shape", 3, set_block_shape, "set_block_shape($self, x, y, z, /)" BEFORE_CUDA_4},
    {"_set_shared_size", 1, set_shared_size, "set_shared_size($self, bytes, /)" BEFORE_CUDA_4},
    {"_param_set_size", 1, param_set_size, "param_set_size($self, bytes, /)" BEFORE_CUDA_4},
    {"_param_seti", 2, param_seti, "param_seti($self, offset, value, /)" BEFORE_CUDA_4},
    {"_param_setf", 2, param_setf, "param_setf($self, offset, value, /)" BEFORE_CUDA_4},
    {"_param_setv", 2, param_setv, "param_setv($self, offset, buffer, /)" BEFORE_CUDA_4},
    {"_param_set", -1, param_set, "param_set($self, *args)" BEFORE_CUDA_4},
    {"_launch", 0, launch, "launch($self)" BEFORE_CUDA_4},
    {"_launch_grid", 2, launch_grid, "launch_grid($self, width, height, /)" BEFORE_CUDA_4},
    {"_launch_grid_async", 3, launch_grid_async,
     "launch_grid_async($self, width, height, stream, /)" BEFORE_CUDA_4},
    {"_launch_kernel", 5, launch_kernel,
     "launch_kernel($self, grid, block, parameters, shared, stream, /)" BEFORE_CUDA_4},
};
constexpr std::size_t method_count = std::size(methods);
constexpr std::size_t public_count = method_count - 1;  // all but the last

template <std::size_t index, bool deprecated>
PyObject* run(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return python_entry([&]() -> PyObject* {
    const Method& method = methods[index];
    const char* name = method.name + (deprecated ? 1 : 0);
    if (method.count >= 0 && count != method.count) {
      PyErr_Format(PyExc_TypeError, "%s() takes %d arguments, %zd were given", name, method.count,
                   count);
      throw nb::python_error();
    }
    if (deprecated && PyErr_WarnFormat(PyExc_DeprecationWarning, 1,
                                       "Function.%s is deprecated since CUDA 4: call the function "
                                       "with its arguments, block= and grid=",
                                       name) != 0) {
      throw nb::python_error();
    }
    method.body({self, arguments, count});
    Py_RETURN_NONE;
  });
}

template <std::size_t index, bool deprecated>
PyMethodDef definition() {
  return {methods[index].name + (deprecated ? 1 : 0),
          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(run<index, deprecated>)),
          METH_FASTCALL, methods[index].description};
}

template <std::size_t... all, std::size_t... open>
auto definitions(std::index_sequence<all...>, std::index_sequence<open...>) {
  return std::array<PyMethodDef, sizeof...(all) + sizeof...(open) + 1>{
      definition<all, false>()..., definition<open, true>()...,
      PyMethodDef{nullptr, nullptr, 0, nullptr}};
}

}  // namespace

const PyMethodDef* stateful_methods() {
  static const auto table = definitions(std::make_index_sequence<method_count>(),
                                        std::make_index_sequence<public_count>());
  return table.data();
}

}  // namespace pycuda::bindings
