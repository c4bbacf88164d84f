// SPDX-License-Identifier: MIT
#include "bindings/function/element_check.h"

#include <nanobind/stl/string.h>

#include <string>
#include <string_view>

#include "bindings/convert/integers.h"
#include "bindings/convert/numpy_types.h"
#include "bindings/convert/optional_attribute.h"
#include "cuda/kernel_names.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using cuda::ElementType;
using Kind = ElementType::Kind;

enum Reason : unsigned int { kOtherKind, kStrides };

std::string place(const ArrayParameter& parameter) {
  return "argument #" + std::to_string(parameter.index) + " (0-based) of kernel '" +
         cuda::readable_name(parameter.kernel.name()) + "'";
}

std::string declared(const ArrayParameter& parameter) {
  return "'" + parameter.kernel.layout().type_names[parameter.index] + "'";
}

/// The dtype of what the kernel's pointer points to.
std::string dtype_name(const ArrayParameter& parameter) {
  const std::string& type = parameter.kernel.layout().type_names[parameter.index];
  const std::string bits = std::to_string(8 * parameter.element.bytes);
  switch (parameter.element.kind) {
    case Kind::Float:
      return "numpy.float" + bits;
    case Kind::BFloat:
      return "ml_dtypes.bfloat16";
    case Kind::Complex:
      return "numpy.complex" + bits;
    default:
      if (type.starts_with("bool")) return "numpy.bool_";
      return (type.starts_with("unsigned") ? "numpy.uint" : "numpy.int") + bits;
  }
}

/// As in "reads the bits of ... as ...".
std::string_view numbers_of(ElementType element) {
  if (element.kind == Kind::Integer) return "integers";
  if (element.bytes != 2) return "floating-point numbers";
  return element.kind == Kind::BFloat ? "bfloat16 numbers" : "float16 numbers";
}

void warn_once(const ArrayParameter& parameter, Reason reason, const std::string& text) {
  if (!parameter.kernel.is_first_warning(parameter.index, reason)) return;
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw nb::python_error();
}

[[noreturn]] void raise_other_size(const ArrayParameter& parameter, const std::string& dtype,
                                   ElementType given) {
  const std::string text =
      place(parameter) + " is an array of " + dtype + ", but the parameter is " +
      declared(parameter) + ": elements of " + std::to_string(given.bytes) + " bytes instead of " +
      std::to_string(parameter.element.bytes) + ". Convert the array with astype(" +
      dtype_name(parameter) +
      "); a kernel that reinterprets the bytes takes gpudata, or SourceModule(..., "
      "check_arguments=False)";
  PyErr_SetString(PyExc_TypeError, text.c_str());
  throw nb::python_error();
}

/// Rows of a host's array have no addresses on the device.
[[noreturn]] void raise_not_pointers(const ArrayParameter& parameter, const std::string& dtype) {
  const std::string text = place(parameter) + " is an array of " + dtype +
                           ", but the parameter is " + declared(parameter) +
                           ", pointers to pointers. Declare one pointer, and index it with [row * "
                           "columns + column]; an array of addresses has dtype uint64";
  PyErr_SetString(PyExc_TypeError, text.c_str());
  throw nb::python_error();
}

[[noreturn]] void raise_byte_swapped(const ArrayParameter& parameter, const std::string& dtype,
                                     const std::string& native) {
  const std::string text =
      place(parameter) + " is an array of " + dtype +
      ", whose byte order is not the device's. Convert the array with astype(" + native +
      "); a kernel that swaps bytes takes gpudata, or SourceModule(..., "
      "check_arguments=False)";
  PyErr_SetString(PyExc_TypeError, text.c_str());
  throw nb::python_error();
}

void check_elements(const ArrayParameter& parameter, ElementType given, const std::string& dtype) {
  const ElementType wanted = parameter.element;
  if (given.kind == Kind::Any || given == wanted) return;
  const std::string& type = parameter.kernel.layout().type_names[parameter.index];
  if (cuda::pointer_target(type).ends_with('*')) {
    if (given.bytes != wanted.bytes) raise_not_pointers(parameter, dtype);
    return;
  }
  // NumPy has no integers of 128 bits: their parts are elements.
  if (wanted.kind == Kind::Integer && wanted.bytes == 16) return;
  // A complex number is two plain ones.
  const bool one_is_complex = given.kind == Kind::Complex || wanted.kind == Kind::Complex;
  if (one_is_complex && given.kind != wanted.kind) return;
  if (given.bytes != wanted.bytes) raise_other_size(parameter, dtype, given);
  // Kernels from before cuda_fp16.h have halves as 16-bit integers, as NumPy has bfloat16.
  if (given.bytes == 2 && (given.kind == Kind::Integer || wanted.kind == Kind::Integer)) return;
  warn_once(parameter, kOtherKind,
            place(parameter) + " is an array of " + dtype + ", but the parameter is " +
                declared(parameter) + ": the kernel reads the bits of " +
                std::string(numbers_of(given)) + " as " + std::string(numbers_of(wanted)) +
                ". Convert the array with astype(" + dtype_name(parameter) +
                "), or pass its gpudata if this is intended");
}

/// Where elements do not follow one another as an index in C order finds them.
void warn_of_strides(const ArrayParameter& parameter, const array::Layout& layout,
                     std::int64_t item_bytes, const std::string& strides) {
  if (array::is_c_contiguous(layout, item_bytes)) return;
  if (!array::is_dense(layout, item_bytes)) {
    warn_once(parameter, kStrides,
              place(parameter) + " is a view with strides " + strides +
                  ": the kernel gets the address of its first element and no strides. Pass a "
                  "contiguous copy, or its gpudata if this is intended");
    return;
  }
  warn_once(parameter, kStrides,
            place(parameter) + " has strides " + strides +
                ", not those of C order: the kernel gets the address of its first element and no "
                "strides, so that it finds the elements in another order, as of a matrix "
                "transposed. Pass numpy.copy(a, order='C'), or its gpudata if this is intended");
}

std::string text_of(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

/// `kind` is NumPy's letter.
ElementType element_of_kind(char kind, std::size_t bytes) {
  if (kind == 'b') return {Kind::Integer, 1};
  const bool plain = bytes > 1 && bytes <= 16;
  if (plain && (kind == 'i' || kind == 'u'))
    return {Kind::Integer, static_cast<std::uint8_t>(bytes)};
  if (plain && kind == 'f') return {Kind::Float, static_cast<std::uint8_t>(bytes)};
  if (plain && kind == 'c') return {Kind::Complex, static_cast<std::uint8_t>(bytes)};
  return {};
}

ElementType element_of_dtype(nb::handle dtype) {
  const nb::object kind = nb::getattr(dtype, "kind", nb::none());
  const nb::object bytes = nb::getattr(dtype, "itemsize", nb::none());
  if (!nb::isinstance<nb::str>(kind) || !nb::isinstance<nb::int_>(bytes)) return {};
  const std::string letter = nb::cast<std::string>(kind);
  return element_of_kind(letter.empty() ? ' ' : letter.front(), nb::cast<std::size_t>(bytes));
}

void check_byte_order(const ArrayParameter& parameter, nb::handle dtype) {
  if (!is_byte_swapped(dtype)) return;
  raise_byte_swapped(parameter, nb::cast<std::string>(nb::str(dtype)), native_name(dtype));
}

}  // namespace

void internal::check_mismatched(const ArrayParameter& parameter, PyObject* object) {
  const ArrayState& state = state_of_array(object);
  if (state.type == array::DType::Raw && state.dtype.is_valid()) {
    check_byte_order(parameter, state.dtype);
  }
  const ElementType given = element_of[static_cast<std::size_t>(state.type)];
  if (!(given == parameter.element)) {
    check_elements(parameter, given, given.kind == Kind::Any ? "" : array::name(state.type));
  }
  // An array without a base may have been asked for in Fortran order. Copies and results of
  // transposed views, which keep that order, are not told from these.
  const bool is_meant = !state.base.is_valid() && array::is_dense(state.layout, state.item_bytes);
  if (!is_meant && !array::is_c_contiguous(state.layout, state.item_bytes)) {
    warn_of_strides(parameter, state.layout, state.item_bytes,
                    text_of(tuple_of(state.layout.strides.data(), state.layout.ndim)));
  }
}

void check_host_array(const ArrayParameter& parameter, nb::handle object) {
  if (parameter.element.kind == Kind::Any) return;
  static PyObject* const name = PyUnicode_InternFromString("dtype");
  const nb::object dtype = optional_attribute(object.ptr(), name);
  if (!dtype.is_valid()) return;
  const array::DType known = builtin_dtype(dtype);
  if (known == array::DType::Raw) check_byte_order(parameter, dtype);
  const ElementType given = known == array::DType::Raw
                                ? element_of_dtype(dtype)
                                : internal::element_of[static_cast<std::size_t>(known)];
  if (given == parameter.element) return;
  check_elements(parameter, given, text_of(dtype));
}

void check_strides(const ArrayParameter& parameter, nb::handle shape, nb::handle strides,
                   std::size_t item_bytes) {
  const std::size_t axes = nb::len(strides);
  if (parameter.element.kind == Kind::Any || axes > array::max_dims) return;
  array::Layout layout;
  layout.ndim = static_cast<int>(axes);
  const auto read = [axes](nb::handle lengths, auto& numbers) {
    for (std::size_t i = 0; i < axes; ++i)
      numbers[i] = as_integer<std::int64_t>(lengths[i], "a length");
  };
  read(shape, layout.shape);
  read(strides, layout.strides);
  warn_of_strides(parameter, layout, static_cast<std::int64_t>(item_bytes), text_of(strides));
}

void check_type_text(const ArrayParameter& parameter, std::string_view typestr) {
  if (parameter.element.kind == Kind::Any || typestr.size() < 3) return;
  std::size_t bytes = 0;
  for (const char digit : typestr.substr(2)) {
    if (digit < '0' || digit > '9' || bytes > 1000) return;
    bytes = 10 * bytes + static_cast<std::size_t>(digit - '0');
  }
  const ElementType given = element_of_kind(typestr[1], bytes);
  if (given == parameter.element && typestr[0] != '>') return;
  const std::string dtype = given.kind == Kind::Float     ? "float"
                            : given.kind == Kind::Complex ? "complex"
                            : typestr[1] == 'u'           ? "uint"
                                                          : "int";
  const std::string name = typestr[1] == 'b' ? "bool" : dtype + std::to_string(8 * bytes);
  if (given.kind != Kind::Any && typestr[0] == '>') {
    raise_byte_swapped(parameter, std::string(typestr), "numpy." + name);
  }
  check_elements(parameter, given, name);
}

}  // namespace pycuda::bindings
