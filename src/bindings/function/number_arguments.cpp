// SPDX-License-Identifier: MIT
#include "bindings/function/number_arguments.h"

#include <nanobind/stl/string.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <string>

#include "bindings/convert/byte_values.h"
#include "bindings/function/array_by_value.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using Kind = cuda::ElementType::Kind;

Written write_floating(const Argument& argument, double number, std::byte* destination) {
  if (argument.short_float() == Kind::BFloat) return write_bfloat(number, destination);
  return write_float(number, argument.bytes, destination);
}

/// Where the source's types are not known, whatever fits a signed or an unsigned integer is taken.
Written write_whole(const Argument& argument, PyObject* number, std::byte* destination) {
  if (argument.number == cuda::NumberKind::Other) {
    return write_integer(number, argument.bytes, destination);
  }
  const bool is_signed = argument.number == cuda::NumberKind::Signed;
  return write_integer_as(number, argument.bytes, is_signed, destination);
}

bool is_same_kind(const Argument& argument, ScalarKind value) {
  // NumPy has halves, but no bfloat16. Integers of 16 bits are the bits of either.
  if (value == ScalarKind::Float && argument.short_float() == Kind::BFloat) return false;
  if (argument.kind == cuda::ParameterKind::Float) return value == ScalarKind::Float;
  if (argument.kind == cuda::ParameterKind::Integer) {
    return value == ScalarKind::Integer || value == ScalarKind::Bool;
  }
  return true;
}

/// Writes one real number for a complex one, as its real part, or for a vector of one. False if it
/// is to be written as for a plain number: numbers for enumerations, and bytes. `may_be_bytes`: a
/// scalar of NumPy has the parameter's size, as a uint32 for a uchar4.
[[gnu::cold]] bool write_to_parts(const Argument& argument, bool is_whole, bool may_be_bytes,
                                  std::byte* destination) {
  const cuda::VectorType vector = argument.vector();
  const bool is_complex = argument.complex().kind == Kind::Complex;
  if (!is_complex && vector.count == 0) {
    if (!may_be_bytes && argument.is_struct()) argument.raise_no_struct();
    return false;
  }
  const bool is_of_integers = vector.number.kind == Kind::Integer;
  if (is_whole && is_of_integers && vector.count == 1) return false;
  if (is_whole && may_be_bytes && (is_of_integers || vector.number.bytes == 2)) return false;
  if (!is_complex && (vector.count > 1 || is_of_integers)) argument.raise_no_vector();
  const double number = PyFloat_AsDouble(argument.value);
  if (number == -1.0 && PyErr_Occurred()) throw nb::python_error();
  argument.check(is_complex ? write_complex(number, 0, argument.bytes, destination)
                            : write_float(number, argument.bytes, destination),
                 "a number");
  return true;
}

}  // namespace

void write_whole_number(const Argument& argument, PyObject* number, std::byte* destination) {
  if (argument.is_bool()) {
    // As C++ converts it; a bool of another value than 0 and 1 is undefined there.
    const int is_true = PyObject_IsTrue(number);
    if (is_true < 0) throw nb::python_error();
    *destination = static_cast<std::byte>(is_true);
    return;
  }
  if (argument.may_have_parts() && write_to_parts(argument, true, false, destination)) return;
  if (argument.kind != cuda::ParameterKind::Float && argument.short_float() == Kind::Any) {
    argument.check(write_whole(argument, number, destination), "an integer");
    return;
  }
  const double same = PyLong_AsDouble(number);
  if (same == -1.0 && PyErr_Occurred()) throw nb::python_error();
  argument.check(write_floating(argument, same, destination), "an integer");
}

void write_real_number(const Argument& argument, double number, std::byte* destination) {
  if (argument.is_pointer()) argument.raise_wrong_kind("a pointer");
  if (argument.is_bool()) {
    *destination = static_cast<std::byte>(number != 0);
    return;
  }
  if (argument.may_have_parts() && write_to_parts(argument, false, false, destination)) return;
  if (argument.kind != cuda::ParameterKind::Integer) {
    argument.check(write_floating(argument, number, destination), "a floating-point number");
    return;
  }
  if (!std::isfinite(number) || number != std::trunc(number)) {
    argument.raise_wrong_kind("an integer");
  }
  const nb::object whole = nb::steal(PyLong_FromDouble(number));
  if (!whole.is_valid()) throw nb::python_error();
  argument.check(write_whole(argument, whole.ptr(), destination), "a number");
}

void write_complex_number(const Argument& argument, std::byte* destination) {
  if (argument.is_pointer()) argument.raise_wrong_kind("a pointer");
  if (!argument.may_have_parts()) argument.raise_wrong_kind("a real number");
  const cuda::VectorType vector = argument.vector();
  const bool has_two =
      vector.count == 2 && vector.number.kind == Kind::Float && vector.number.bytes > 2;
  if (vector.count != 0 && !has_two) argument.raise_no_vector();
  const std::complex<double> number = complex_value(argument.value);
  if (number.real() == -1.0 && PyErr_Occurred()) throw nb::python_error();
  argument.check(write_complex(number.real(), number.imag(), argument.bytes, destination),
                 "a complex number");
}

void write_scalar(const Argument& argument, ScalarType type, std::byte* destination) {
  if (type.kind == ScalarKind::Void) {
    if (!copy_scalar(argument.value, argument.bytes, destination)) {
      const nb::object bytes = nb::steal(PyObject_GetAttrString(argument.value, "nbytes"));
      PyErr_Clear();
      argument.raise_wrong_size(
          bytes.is_valid() ? "a struct of " + nb::cast<std::string>(nb::str(bytes)) + " bytes"
                           : std::string("a struct of another size"),
          argument.advice_on_struct());
    }
    if (argument.number != cuda::NumberKind::Other || argument.has_parts())
      check_by_value(argument, argument.bytes, nb::handle(argument.value).attr("dtype"));
    return;
  }
  const bool is_whole = type.kind == ScalarKind::Bool || type.kind == ScalarKind::Integer;
  if (!is_whole && argument.is_pointer()) argument.raise_wrong_kind("a pointer");
  if (type.kind == ScalarKind::Complex) {
    write_complex_number(argument, destination);
    return;
  }
  const bool has_its_size = type.bytes == argument.bytes;
  if (argument.may_have_parts() && write_to_parts(argument, is_whole, has_its_size, destination))
    return;
  if (has_its_size && is_same_kind(argument, type.kind) && !(is_whole && argument.is_bool())) {
    if (!copy_scalar(argument.value, argument.bytes, destination)) argument.raise_wrong_type();
    return;
  }
  switch (type.kind) {
    case ScalarKind::Bool:
    case ScalarKind::Integer: {
      const nb::object number = nb::steal(PyNumber_Long(argument.value));
      if (!number.is_valid()) throw nb::python_error();
      write_whole_number(argument, number.ptr(), destination);
      return;
    }
    case ScalarKind::Float: {
      const double number = PyFloat_AsDouble(argument.value);
      if (number == -1.0 && PyErr_Occurred()) throw nb::python_error();
      write_real_number(argument, number, destination);
      return;
    }
    case ScalarKind::Complex:
    case ScalarKind::Void:
    case ScalarKind::None:
      break;
  }
  argument.raise_wrong_type();
}

}  // namespace pycuda::bindings
