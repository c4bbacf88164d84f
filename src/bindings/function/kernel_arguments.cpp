// SPDX-License-Identifier: MIT
#include "bindings/function/kernel_arguments.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/array/keeping.h"
#include "bindings/array/type.h"
#include "bindings/base/limited_api.h"
#include "bindings/convert/buffer.h"
#include "bindings/convert/byte_values.h"
#include "bindings/convert/ctypes_values.h"
#include "bindings/convert/natural_layout.h"
#include "bindings/convert/numpy_types.h"
#include "bindings/convert/optional_attribute.h"
#include "bindings/convert/tensor_map_argument.h"
#include "bindings/convert/texture_argument.h"
#include "bindings/function/argument.h"
#include "bindings/function/array_by_value.h"
#include "bindings/function/element_check.h"
#include "bindings/function/number_arguments.h"
#include "bindings/gil/released.h"
#include "bindings/gil/resources.h"
#include "bindings/pointer/device_pointer.h"
#include "bindings/pointer/managed_array.h"
#include "cuda/cuda_array.h"
#include "cuda/kernel_names.h"
#include "driver/process_driver.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

PyTypeObject* handler_class = nullptr;

void write_pointer(const Argument& argument, CUdeviceptr pointer, std::byte* destination) {
  if (argument.number == cuda::NumberKind::Floating) argument.raise_address_for_number();
  if (argument.bytes != sizeof pointer) argument.raise_wrong_size("a pointer of 8 bytes");
  std::memcpy(destination, &pointer, sizeof pointer);
}

/// For a pointer that the program did not write down as one: programs give arrays for unsigned
/// integers that stand for their address, but for no other numbers.
void write_pointer_to_array(const Argument& argument, CUdeviceptr pointer, std::byte* destination) {
  const bool may_stand_for_it =
      argument.number == cuda::NumberKind::Unsigned && argument.bytes == sizeof(CUdeviceptr);
  if (argument.number != cuda::NumberKind::Other && !may_stand_for_it)
    argument.raise_address_for_number();
  if (argument.may_have_parts() && !argument.is_pointer() && argument.has_parts())
    argument.raise_address_for_number();
  write_pointer(argument, pointer, destination);
}

/// An array in managed memory, of which a view need not be in one piece.
[[gnu::cold]] void check_view(const Argument& argument) {
  const nb::handle array = argument.value;
  check_strides(argument.as_array_parameter(), array.attr("shape"), array.attr("strides"),
                nb::cast<std::size_t>(array.attr("itemsize")));
}

[[gnu::cold]] void check_view(const Argument& argument, const nb::object& interface,
                              PyObject* strides) {
  const nb::object digits =
      nb::steal(PySequence_GetSlice(interface["typestr"].ptr(), 2, PY_SSIZE_T_MAX));
  const nb::object bytes = nb::steal(PyNumber_Long(digits.ptr()));
  if (!bytes.is_valid()) return PyErr_Clear();  // dates, with their unit
  check_strides(argument.as_array_parameter(), interface["shape"], strides,
                nb::cast<std::size_t>(bytes));
}

void write_array(const Argument& argument, std::byte* destination) {
  if (const std::optional<ManagedPlace> managed = managed_memory_of(argument.value)) {
    check_host_array(argument.as_array_parameter(), argument.value);
    if (!managed->contiguous) check_view(argument);
    write_pointer_to_array(argument, managed->address, destination);
    return;
  }
  const Buffer source = Buffer::read(argument.value);
  const nb::object dtype = nb::handle(argument.value).attr("dtype");
  check_by_value(argument, source.bytes(), dtype);
  if (dtype.attr("isnative").is(nb::handle(Py_False))) {
    argument.raise_wrong_kind(
        "of the other byte order: astype(dtype.newbyteorder('=')) converts the array");
  }
  std::memcpy(destination, source.data(), source.bytes());
}

// Work that another package has pending on its data must be done before our kernel reads it.
void wait_for_producer(nb::handle stream, CUstream ours) {
  if (stream.is_none()) return;
  const auto number = nb::cast<std::uintptr_t>(stream);
  CUstream theirs = reinterpret_cast<CUstream>(number);
  if (theirs == ours || (number == 1 && ours == nullptr)) return;
  without_gil([&] { driver::process_driver().cuStreamSynchronize(theirs); });
}

bool write_array_interface(const Argument& argument, CUstream stream, std::byte* destination) {
  static PyObject* const name = PyUnicode_InternFromString("__cuda_array_interface__");
  const nb::object interface = optional_attribute(argument.value, name);
  if (!interface.is_valid()) return false;
  if (!PyDict_Check(interface.ptr()) || NB_DICT_GET_SIZE(interface.ptr()) == 0) return false;
  if (PyObject* producer = PyDict_GetItemString(interface.ptr(), "stream")) {
    wait_for_producer(producer, stream);
  }
  if (argument.element.kind != cuda::ElementType::Kind::Any) {
    PyObject* typestr = PyDict_GetItemString(interface.ptr(), "typestr");
    if (typestr != nullptr && PyUnicode_Check(typestr)) {
      check_type_text(argument.as_array_parameter(), nb::cast<std::string>(nb::handle(typestr)));
      PyObject* strides = PyDict_GetItemString(interface.ptr(), "strides");
      if (strides != nullptr && strides != Py_None) check_view(argument, interface, strides);
    }
  }
  const nb::object data = interface["data"];
  write_pointer_to_array(argument, device_address(data[0], "the array interface's pointer"),
                         destination);
  return true;
}

bool write_gpudata(const Argument& argument, std::byte* destination) {
  static PyObject* const name = PyUnicode_InternFromString("gpudata");
  const nb::object data = optional_attribute(argument.value, name);
  if (!data.is_valid()) return false;
  // An array without elements has no memory.
  const CUdeviceptr pointer = data.is_none() ? 0 : device_address(data, "gpudata");
  write_pointer_to_array(argument, pointer, destination);
  return true;
}

/// The class that has_plain_memory() said yes to last, while the arguments of one call are written:
/// where only the limited API may be used, looking up the attribute is slow.
PyTypeObject* plain_in_this_call = nullptr;

struct CallOfArguments {
  CallOfArguments() = default;
  CallOfArguments(const CallOfArguments&) = delete;
  CallOfArguments& operator=(const CallOfArguments&) = delete;
  ~CallOfArguments() { plain_in_this_call = nullptr; }
};

/// Whether `gpudata` of the array's class is what the package defines.
bool has_plain_memory(PyObject* array) {
  if (Py_TYPE(array) == plain_in_this_call) return true;
  static PyObject* const name = PyUnicode_InternFromString("gpudata");
  static PyObject* const plain = class_attribute(array_base_type(), name);
  if (class_attribute(Py_TYPE(array), name) != plain) return false;
  plain_in_this_call = Py_TYPE(array);
  return true;
}

/// The address without the Python object that owns it: whoever sees that object may use the memory
/// in any stream, so that its end has to wait for all of them.
void write_device_array(const Argument& argument, CUstream stream, std::byte* destination) {
  if (stream != nullptr) mark_escaped(argument.value);
  const ArrayState& state = state_of_array(argument.value);
  write_pointer_to_array(argument, state.size == 0 ? 0 : state.ref().address, destination);
}

void write_handler(const Argument& argument, std::byte* destination, HandlerList& handlers) {
  const nb::object handler = nb::borrow(argument.value);
  handlers.push_back(handler);
  const nb::object allocation = handler.attr("get_device_alloc")();
  if (argument.element.kind != cuda::ElementType::Kind::Any) {
    static PyObject* const name = PyUnicode_InternFromString("array");
    const nb::object array = optional_attribute(handler.ptr(), name);
    if (array.is_valid()) check_host_array(argument.as_array_parameter(), array);
  }
  // An array without elements has no memory.
  const CUdeviceptr pointer =
      allocation.is_none() ? 0 : device_address(allocation, "a handler's device memory");
  write_pointer_to_array(argument, pointer, destination);
}

/// What ctypes and struct.pack make, which tells nothing of its type but its bytes.
bool write_bytes(const Argument& argument, std::byte* destination) {
  if (PyBytes_Check(argument.value) == 0 && !is_ctypes_aggregate(argument.value)) return false;
  const Buffer source = Buffer::read(argument.value);
  if (source.bytes() != argument.bytes) {
    const std::string sizes = " of " + std::to_string(source.bytes()) +
                              " bytes, but the parameter has " + std::to_string(argument.bytes) +
                              " bytes" + argument.advice_on_struct();
    argument.raise_wrong_type(sizes.c_str());
  }
  if (argument.is_pointer()) argument.raise_wrong_type(kAdviceForPointers);
  std::memcpy(destination, source.data(), source.bytes());
  return true;
}

void write_value(const Argument& argument, CUstream stream, std::byte* destination,
                 HandlerList& handlers) {
  PyObject* value = argument.value;
  PyTypeObject* type = Py_TYPE(value);
  if (type == &PyLong_Type || type == &PyBool_Type) {
    write_whole_number(argument, value, destination);
    return;
  }
  if (is_array(value)) {
    check_device_array(argument.as_array_parameter(), value);
    if (has_plain_memory(value)) {
      write_device_array(argument, stream, destination);
      return;
    }
  }
  const bool holder = is_pointer_holder(value);
  if (!holder) {
    if (const std::optional<CUdeviceptr> pointer = pointer_held_by(value)) {
      write_pointer(argument, *pointer, destination);
      return;
    }
  }
  if (type == &PyFloat_Type) {
    write_real_number(argument, float_value(value), destination);
    return;
  }
  if (const ScalarType scalar = scalar_type(type); scalar.kind != ScalarKind::None) {
    write_scalar(argument, scalar, destination);
    return;
  }
  if (handler_class != nullptr && PyType_IsSubtype(type, handler_class)) {
    write_handler(argument, destination, handlers);
    return;
  }
  if (is_ndarray(value)) {
    write_array(argument, destination);
    return;
  }
  if (const std::optional<std::uint64_t> handle = texture_handle_of(value)) {
    if (argument.bytes != sizeof *handle) argument.raise_wrong_size("an object of 8 bytes");
    std::memcpy(destination, &*handle, sizeof *handle);
    return;
  }
  if (const CUtensorMap* map = tensor_map_of(value)) {
    if (argument.bytes != sizeof *map) argument.raise_wrong_size("a tensor map of 128 bytes");
    std::memcpy(destination, map, sizeof *map);
    return;
  }
  if (write_gpudata(argument, destination)) return;
  if (holder) {
    write_pointer(argument, *pointer_held_by(value), destination);
    return;
  }
  if (write_array_interface(argument, stream, destination)) return;
  if (PyLong_Check(value)) {
    write_whole_number(argument, value, destination);
    return;
  }
  if (PyFloat_Check(value)) {
    write_real_number(argument, float_value(value), destination);
    return;
  }
  if (PyComplex_Check(value)) {
    write_complex_number(argument, destination);
    return;
  }
  if (const std::optional<nb::object> number = ctypes_number(value)) {
    Argument plain = argument;
    plain.value = number->ptr();
    write_value(plain, stream, destination, handlers);
    return;
  }
  if (write_bytes(argument, destination)) return;
  const bool is_sequence = PyTuple_Check(value) || PyList_Check(value) || PyDict_Check(value);
  if (is_sequence && argument.is_struct()) argument.raise_no_struct();
  if ((PyTuple_Check(value) || PyList_Check(value)) && argument.vector().count != 0) {
    argument.raise_no_vector();
  }
  argument.raise_wrong_type(
      value == Py_None && (argument.is_pointer() || argument.declared_type().empty())
          ? "; numpy.intp(0) is a null pointer"
      : PyUnicode_Check(value) && !argument.is_pointer() ? "; float() or int() makes a number of it"
      : (is_sequence || value == Py_None) && argument.number != cuda::NumberKind::Other
          ? "; pass one number"
      : nb::isinstance<ReleasedWithoutGil<cuda::CudaArray>>(value)
          ? "; kernels read it through pycuda.driver.TextureObject(array), and write to it through "
            "SurfaceObject(array)"
      : PyList_Check(value) || PyTuple_Check(value)
          ? "; numpy.array makes an array of it, pycuda.gpuarray.to_gpu copies that to the device"
      : PyObject_CheckBuffer(value) != 0 ? "; bytes() of it passes its contents by value"
      : PyType_Check(value) != 0         ? "; call the class, or pass one of its objects"
      : value == Py_None                 ? ""
                                         : "; kernels take numbers, and arrays as GPUArray or in "
                                           "pycuda.driver.In, Out or InOut");
}

NaturalLayout natural_layout(const Argument& argument) {
  PyTypeObject* type = Py_TYPE(argument.value);
  const ScalarType scalar = scalar_type(type);
  if (scalar.kind == ScalarKind::Void ||
      (is_ndarray(argument.value) && !managed_memory_of(argument.value))) {
    const nb::object dtype = nb::handle(argument.value).attr("dtype");
    NaturalLayout layout = layout_of_dtype(dtype);
    layout.bytes = nb::cast<std::size_t>(nb::handle(argument.value).attr("nbytes"));
    return layout;
  }
  if (tensor_map_of(argument.value)) return {sizeof(CUtensorMap), alignof(CUtensorMap)};
  if (scalar.kind == ScalarKind::Complex) return {scalar.bytes, scalar.bytes / std::size_t{2}};
  if (scalar.kind != ScalarKind::None) return {scalar.bytes, scalar.bytes};
  if (PyLong_Check(argument.value) || PyFloat_Check(argument.value) ||
      PyComplex_Check(argument.value)) {
    argument.raise_wrong_type(
        ", and this driver does not tell the kernel's parameter list; give a NumPy scalar of the "
        "parameter's type");
  }
  return {sizeof(CUdeviceptr), alignof(CUdeviceptr)};
}

}  // namespace

void set_handler_class(nb::handle type) {
  handler_class = reinterpret_cast<PyTypeObject*>(nb::borrow(type).release().ptr());
}

void refuse_handlers(const HandlerList& handlers, const char* where) {
  if (handlers.empty()) return;
  PyErr_Format(PyExc_TypeError,
               "%s takes no In, Out or InOut: give memory on the device, and copy by nodes of "
               "their own",
               where);
  throw nb::python_error();
}

std::string describe_parameters(const cuda::KernelLayout& layout) {
  const std::size_t count = layout.parameters.size();
  std::string text = std::to_string(count) + (count == 1 ? " parameter" : " parameters");
  for (std::size_t i = 0; i < count; ++i) {
    text += i == 0 ? " of " : i + 1 == count ? " and " : ", ";
    text += std::to_string(layout.parameters[i].bytes);
  }
  return count == 0 ? text : text + " bytes";
}

namespace {

[[noreturn, gnu::cold]] void raise_wrong_count(const cuda::Kernel& kernel, std::size_t given,
                                               const char* advice) {
  std::string declared;
  for (const std::string& type : kernel.layout().type_names) {
    declared += declared.empty() ? ": the parameters are (" : ", ";
    declared += type;
  }
  if (!declared.empty()) declared += ')';
  const std::string text = "kernel '" + cuda::readable_name(kernel.name()) + "' takes " +
                           describe_parameters(kernel.layout()) + ", but " + std::to_string(given) +
                           (given == 1 ? " argument was given" : " arguments were given") +
                           declared + advice;
  PyErr_SetString(PyExc_TypeError, text.c_str());
  throw nb::python_error();
}

}  // namespace

void check_argument_count(const cuda::Kernel& kernel, std::size_t given, const char* advice) {
  if (given != kernel.layout().parameters.size()) raise_wrong_count(kernel, given, advice);
}

void write_argument(const cuda::Kernel& kernel, std::size_t index, PyObject* value, CUstream stream,
                    std::byte* buffer, HandlerList& handlers) {
  const cuda::KernelParameter place = kernel.layout().parameters[index];
  write_value({kernel, index, value, place.bytes, place.kind, place.element, place.number}, stream,
              buffer + place.offset, handlers);
}

std::size_t append_argument(const cuda::Kernel& kernel, std::size_t index, PyObject* value,
                            CUstream stream, std::byte* buffer, std::size_t used,
                            HandlerList& handlers) {
  Argument argument{kernel, index, value, 0};
  const NaturalLayout layout = natural_layout(argument);
  argument.bytes = layout.bytes;
  const std::size_t offset = (used + layout.alignment - 1) / layout.alignment * layout.alignment;
  if (layout.bytes > most_parameter_bytes || offset + layout.bytes > most_parameter_bytes) {
    argument.raise_wrong_size("too large",
                              "; all arguments together must not have more than 32764 bytes");
  }
  write_value(argument, stream, buffer + offset, handlers);
  return offset + layout.bytes;
}

std::size_t write_arguments(const cuda::Kernel& kernel, PyObject* const* arguments,
                            std::size_t count, CUstream stream, std::byte* buffer,
                            HandlerList& handlers) {
  const CallOfArguments this_call;
  keep_if_captured(arguments, count);
  const cuda::KernelLayout& layout = kernel.layout();
  if (layout.known) {
    for (std::size_t i = 0; i < count; ++i) {
      write_argument(kernel, i, arguments[i], stream, buffer, handlers);
    }
    return layout.bytes;
  }
  std::size_t used = 0;
  for (std::size_t i = 0; i < count; ++i) {
    used = append_argument(kernel, i, arguments[i], stream, buffer, used, handlers);
  }
  return used;
}

}  // namespace pycuda::bindings
