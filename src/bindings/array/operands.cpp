// SPDX-License-Identifier: MIT
#include "bindings/array/operands.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "bindings/base/limited_api.h"
#include "bindings/convert/numpy_types.h"
#include "bindings/gil/released.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using array::DType;
using array::Kind;
using array::Layout;
using array::Scalar;

/// NumPy's rule is to wait for what a value really needs: an integer that int64 cannot hold is
/// uint64 where that can.
bool read_python_integer(PyObject* object, GivenOperand& given) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  given.operand.scalar.type = DType::I64;
  given.operand.scalar.integer = static_cast<std::uint64_t>(value);
  if (overflow == 0) return true;
  const unsigned long long large = PyLong_AsUnsignedLongLong(object);
  if (PyErr_Occurred()) {
    PyErr_Format(PyExc_OverflowError, "%R is too large for an array's element", object);
    throw nb::python_error();
  }
  given.operand.scalar.type = DType::U64;
  given.operand.scalar.integer = large;
  return true;
}

void set_number(GivenOperand& given, DType as, std::complex<double> number) {
  given.operand.scalar.type = as;
  given.operand.scalar.number = number;
}

bool read_numpy_number(PyObject* object, GivenOperand& given, ScalarType sort) {
  if (sort.kind == ScalarKind::Void) return false;
  const DType type = dtype_of(nb::handle(object).attr("dtype"));
  if (type == DType::Raw) return false;
  given.type = {type, false};
  switch (sort.kind) {
    case ScalarKind::Bool:
    case ScalarKind::Integer: {
      const nb::object number = nb::steal(PyNumber_Long(object));
      if (!number.is_valid()) throw nb::python_error();
      return read_python_integer(number.ptr(), given);
    }
    case ScalarKind::Float:
      set_number(given, DType::F64, PyFloat_AsDouble(object));
      break;
    default: {
      const std::complex<double> value = complex_value(object);
      set_number(given, DType::C128, value);
    }
  }
  if (PyErr_Occurred()) throw nb::python_error();
  return true;
}

void check_out(array::Ufunc ufunc, const ArrayState& out, const Layout& shape, DType result) {
  if (!out.layout.same_shape(shape)) {
    throw array::ShapeMismatch(std::string("output of shape ") +
                               array::shape_text(out.layout.shape_span()) + " does not match the " +
                               "result of '" + array::facts(ufunc).name + "', which has shape " +
                               array::shape_text(shape.shape_span()));
  }
  if (!array::is_same_kind(result, out.type)) {
    throw array::TypeMismatch(std::string("the result of '") + array::facts(ufunc).name +
                              "' has dtype " + array::name(result) +
                              " and cannot be stored with dtype " +
                              nb::cast<std::string>(nb::str(out.dtype)) +
                              ": a = a + b makes a new array, astype converts one");
  }
}

/// A scalar of ml_dtypes, which NumPy knows as a type of its own.
bool is_brain_float(PyObject* object) {
  const std::string name = type_name(object);
  return name == "bfloat16" || name == "ml_dtypes.bfloat16";
}

/// As NumPy's assignments: an integer array takes the whole part of a number that it can hold.
void check_whole_part(double value, DType type) {
  if (std::isnan(value)) {
    PyErr_Format(PyExc_ValueError, "cannot convert float NaN to integer, of dtype %s",
                 array::name(type));
    throw nb::python_error();
  }
  const bool is_signed = array::kind(type) == Kind::Signed;
  const auto bits = static_cast<int>(8 * array::item_bytes(type));
  const double limit = std::ldexp(1.0, is_signed ? bits - 1 : bits);
  const double whole = std::trunc(value);
  if (whole >= (is_signed ? -limit : 0.0) && whole < limit) return;
  const nb::object number = nb::float_(value);
  PyErr_Format(PyExc_OverflowError, "float %R out of bounds for %s", number.ptr(),
               array::name(type));
  throw nb::python_error();
}

}  // namespace

bool read_operand(PyObject* object, GivenOperand& given) {
  if (is_array(object)) {
    given.object = object;
    given.operand.array = state_of_array(object).ref();
    given.type = {given.operand.array.type, false};
    return true;
  }
  PyTypeObject* type = Py_TYPE(object);
  if (type == &PyFloat_Type) {
    given.type = {DType::F64, true};
    set_number(given, DType::F64, float_value(object));
    return true;
  }
  if (type == &PyBool_Type) {
    given.type = {DType::Bool, true};
    given.operand.scalar.type = DType::Bool;
    given.operand.scalar.integer = object == Py_True ? 1 : 0;
    return true;
  }
  if (type == &PyLong_Type) {
    given.type = {DType::I64, true};
    return read_python_integer(object, given);
  }
  if (type == &PyComplex_Type) {
    const std::complex<double> value = complex_value(object);
    given.type = {DType::C128, true};
    set_number(given, DType::C128, value);
    return true;
  }
  if (const ScalarType sort = scalar_type(type); sort.kind != ScalarKind::None) {
    return read_numpy_number(object, given, sort);
  }
  if (is_ndarray(object) && nb::cast<int>(nb::handle(object).attr("ndim")) == 0) {
    const nb::object number = nb::handle(object)[nb::make_tuple()];
    return read_numpy_number(number.ptr(), given, scalar_type(Py_TYPE(number.ptr())));
  }
  if (is_brain_float(object)) {
    given.type = {DType::BF16, false};
    set_number(given, DType::F64, nb::cast<double>(nb::float_(nb::handle(object))));
    return true;
  }
  return false;
}

Scalar read_number(PyObject* object, DType type) {
  GivenOperand given;
  if (is_array(object) || !read_operand(object, given)) {
    PyErr_Format(PyExc_TypeError, "a number is needed, not %s%s", type_name(object).c_str(),
                 is_array(object) ? ": a[...] = b stores the elements of an array" : "");
    throw nb::python_error();
  }
  if (given.type.weak) given.operand.scalar.check_fits(type);
  if (given.type.type == DType::C128 || given.type.type == DType::C64) {
    if (!array::is_complex(type) && type != DType::Bool) {
      throw array::TypeMismatch(std::string("a complex number cannot be stored with dtype ") +
                                array::name(type));
    }
  } else if (!array::is_integer(given.type.type) && given.type.type != DType::Bool &&
             array::is_integer(type)) {
    check_whole_part(given.operand.scalar.number.real(), type);
  }
  return given.operand.scalar;
}

namespace {

/// What to do with elements that no operation takes.
std::string advice_on_raw(const ArrayState& state) {
  std::string order = state.byte_order_advice();
  if (!order.empty() || nb::getattr(state.dtype, "fields", nb::none()).is_none()) return order;
  const nb::object names = state.dtype.attr("names");
  if (nb::len(names) == 0) return ": elements without fields are for kernels";
  return ": elements with fields are for kernels; array['" + nb::cast<std::string>(names[0]) +
         "'] is the array of a field, get() copies all to the host";
}

}  // namespace

nb::object apply_ufunc(array::Ufunc ufunc, std::span<const GivenOperand> given, PyObject* out,
                       PyObject* dtype, CUstream stream) {
  std::array<array::OperandType, array::max_ufunc_operands> operand_types;
  std::array<array::Operand, array::max_ufunc_operands> operands;
  PyObject* model = nullptr;
  Layout shape;
  const Layout* like = nullptr;
  for (std::size_t k = 0; k < given.size(); ++k) {
    operand_types[k] = given[k].type;
    operands[k] = given[k].operand;
    const Layout* layout = given[k].operand.array.layout;
    if (layout == nullptr) {
      operand_types[k].number = &given[k].operand.scalar;
      continue;
    }
    if (model == nullptr) {
      model = given[k].object;
      like = layout;
      shape.ndim = layout->ndim;
      std::copy_n(layout->shape.begin(), layout->ndim, shape.shape.begin());
    } else if (!layout->same_shape(shape)) {
      array::broadcast_shape(shape, *layout);
    }
  }
  if (model == nullptr) {
    PyErr_SetString(PyExc_TypeError, "at least one operand must be an array on the device");
    throw nb::python_error();
  }
  for (const GivenOperand& operand : given) {
    if (operand.object == nullptr || operand.type.type != DType::Raw) continue;
    throw array::TypeMismatch(std::string("'") + array::facts(ufunc).name +
                              "' does not take an operand of " +
                              state_of_array(operand.object).description() +
                              advice_on_raw(state_of_array(operand.object)));
  }
  const array::UfuncTypes types =
      array::resolve(ufunc, std::span(operand_types.data(), given.size()));

  nb::object result;
  if (out != nullptr) {
    check_out(ufunc, state_of_array(out), shape, types.result);
    result = nb::borrow(out);
  } else {
    const DType type = dtype == nullptr ? types.result : dtype_of(dtype);
    if (type == DType::Raw) throw array::TypeMismatch("results cannot have a structured type");
    const auto bytes = static_cast<std::int64_t>(array::item_bytes(type));
    if (like->same_shape(shape)) {
      array::fill_strides_like(shape, bytes, *like);
    } else {
      array::fill_dense_strides(shape, bytes);
    }
    result = new_result(model, shape, type,
                        dtype == nullptr ? numpy_dtype(type) : nb::handle(dtype), bytes);
  }
  if (stream != nullptr) {
    mark_escaped(result.ptr());
    for (const GivenOperand& operand : given) {
      if (operand.object != nullptr) mark_escaped(operand.object);
    }
  }
  const ArrayState& to = state_of_array(result.ptr());
  const array::ArrayRef target = out == nullptr ? to.ref() : to.written();
  const GilReleased released;
  const auto context = array::ArrayContext::current();
  if (out == nullptr) context->order_after_default(stream);
  array::run_elementwise(*context, ufunc, types, target, std::span(operands.data(), given.size()),
                         stream);
  return result;
}

}  // namespace pycuda::bindings
