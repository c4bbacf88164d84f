// SPDX-License-Identifier: MIT
// Python's operators on arrays: slots of the type, one C++ call each.
#include "bindings/array/operands.h"
#include "bindings/convert/numpy_types.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using array::DType;
using array::Ufunc;

bool is_sequence(PyObject* object) {
  return PyList_CheckExact(object) != 0 || PyTuple_CheckExact(object) != 0;
}

/// Lists and tuples are no operands, and no class of theirs knows better.
void refuse_sequence(Ufunc ufunc, PyObject* left, PyObject* right) {
  PyObject* const other = is_sequence(right) ? right : left;
  if (!is_sequence(other)) return;
  const char* const kind = PyList_Check(other) != 0 ? "list" : "tuple";
  if (ufunc == Ufunc::equal || ufunc == Ufunc::not_equal) {
    // Python answers that the two are different.
    if (PyErr_WarnFormat(
            PyExc_UserWarning, 1,
            "an array on the device is compared with a %s as a whole: "
            "to_gpu(numpy.array(...)) makes an array of it, whose elements are compared",
            kind) != 0)
      throw nb::python_error();
    return;
  }
  PyErr_Format(PyExc_TypeError,
               "'%s' takes arrays on the device and numbers, not %s: to_gpu(numpy.array(...)) "
               "makes an array of it",
               array::facts(ufunc).name, kind);
  throw nb::python_error();
}

/// NotImplemented for what is neither an array nor a number: the other operand may know better.
template <Ufunc ufunc>
PyObject* binary(PyObject* left, PyObject* right) {
  return python_entry([&]() -> PyObject* {
    std::array<GivenOperand, 2> operands;
    if (!read_operand(left, operands[0]) || !read_operand(right, operands[1])) {
      refuse_sequence(ufunc, left, right);
      Py_RETURN_NOTIMPLEMENTED;
    }
    return apply_ufunc(ufunc, operands, nullptr, nullptr, nullptr).release().ptr();
  });
}

template <Ufunc ufunc>
PyObject* in_place(PyObject* left, PyObject* right) {
  return python_entry([&]() -> PyObject* {
    std::array<GivenOperand, 2> operands;
    if (!read_operand(left, operands[0]) || !read_operand(right, operands[1])) {
      refuse_sequence(ufunc, left, right);
      Py_RETURN_NOTIMPLEMENTED;
    }
    return apply_ufunc(ufunc, operands, left, nullptr, nullptr).release().ptr();
  });
}

/// A class in Python that inherits this slot has it for `+=` of sequences as well, whose answer
/// Python does not look at: so NotImplemented must not leave it.
PyObject* add_in_place(PyObject* left, PyObject* right) {
  PyObject* sum = in_place<Ufunc::add>(left, right);
  if (sum != Py_NotImplemented) return sum;
  Py_DECREF(sum);
  return PyNumber_Add(left, right);
}

template <Ufunc ufunc>
PyObject* unary(PyObject* operand) {
  return python_entry([&]() -> PyObject* {
    GivenOperand given;
    read_operand(operand, given);
    return apply_ufunc(ufunc, std::span(&given, 1), nullptr, nullptr, nullptr).release().ptr();
  });
}

PyObject* itself(PyObject* operand) { return Py_NewRef(operand); }

PyObject* power(PyObject* left, PyObject* right, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary<Ufunc::power>(left, right);
}
PyObject* power_in_place(PyObject* left, PyObject* right, PyObject*) {
  return in_place<Ufunc::power>(left, right);
}

PyObject* divide_both(PyObject* left, PyObject* right) {
  PyObject* quotient = binary<Ufunc::floor_divide>(left, right);
  if (quotient == nullptr || quotient == Py_NotImplemented) return quotient;
  PyObject* rest = binary<Ufunc::remainder>(left, right);
  PyObject* both = rest == nullptr ? nullptr : PyTuple_Pack(2, quotient, rest);
  Py_DECREF(quotient);
  Py_XDECREF(rest);
  return both;
}

/// Whether Python would answer False, or pass the comparison to NumPy, which answers False too:
/// elements with fields, beside an array or element of the host.
bool has_fields_on_host(PyObject* array, PyObject* other) {
  if (scalar_type(Py_TYPE(other)).kind == ScalarKind::Void) return true;
  return is_ndarray(other) && state_of_array(array).type == DType::Raw;
}

/// On the host, where copies to it are allowed; otherwise TypeError.
PyObject* compare_on_host(PyObject* array, PyObject* other, int operation) {
  return python_entry([&]() -> PyObject* {
    const nb::object copy = nb::module_::import_("numpy").attr("asarray")(nb::handle(array));
    return PyObject_RichCompare(copy.ptr(), other, operation);
  });
}

template <class Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

PyObject* array_compare(PyObject* left, PyObject* right, int operation) {
  if ((operation == Py_EQ || operation == Py_NE) && has_fields_on_host(left, right))
    return compare_on_host(left, right, operation);
  switch (operation) {
    case Py_EQ:
      return binary<Ufunc::equal>(left, right);
    case Py_NE:
      return binary<Ufunc::not_equal>(left, right);
    case Py_LT:
      return binary<Ufunc::less>(left, right);
    case Py_LE:
      return binary<Ufunc::less_equal>(left, right);
    case Py_GT:
      return binary<Ufunc::greater>(left, right);
    default:
      return binary<Ufunc::greater_equal>(left, right);
  }
}

const PyType_Slot* array_number_slots(std::size_t& count) {
  static const PyType_Slot slots[] = {
      {Py_nb_add, slot(binary<Ufunc::add>)},
      {Py_nb_subtract, slot(binary<Ufunc::subtract>)},
      {Py_nb_multiply, slot(binary<Ufunc::multiply>)},
      {Py_nb_true_divide, slot(binary<Ufunc::true_divide>)},
      {Py_nb_floor_divide, slot(binary<Ufunc::floor_divide>)},
      {Py_nb_remainder, slot(binary<Ufunc::remainder>)},
      {Py_nb_divmod, slot(divide_both)},
      {Py_nb_power, slot(power)},
      {Py_nb_and, slot(binary<Ufunc::bitwise_and>)},
      {Py_nb_or, slot(binary<Ufunc::bitwise_or>)},
      {Py_nb_xor, slot(binary<Ufunc::bitwise_xor>)},
      {Py_nb_lshift, slot(binary<Ufunc::left_shift>)},
      {Py_nb_rshift, slot(binary<Ufunc::right_shift>)},
      {Py_nb_inplace_add, slot(add_in_place)},
      {Py_nb_inplace_subtract, slot(in_place<Ufunc::subtract>)},
      {Py_nb_inplace_multiply, slot(in_place<Ufunc::multiply>)},
      {Py_nb_inplace_true_divide, slot(in_place<Ufunc::true_divide>)},
      {Py_nb_inplace_floor_divide, slot(in_place<Ufunc::floor_divide>)},
      {Py_nb_inplace_remainder, slot(in_place<Ufunc::remainder>)},
      {Py_nb_inplace_power, slot(power_in_place)},
      {Py_nb_inplace_and, slot(in_place<Ufunc::bitwise_and>)},
      {Py_nb_inplace_or, slot(in_place<Ufunc::bitwise_or>)},
      {Py_nb_inplace_xor, slot(in_place<Ufunc::bitwise_xor>)},
      {Py_nb_inplace_lshift, slot(in_place<Ufunc::left_shift>)},
      {Py_nb_inplace_rshift, slot(in_place<Ufunc::right_shift>)},
      {Py_nb_negative, slot(unary<Ufunc::negative>)},
      {Py_nb_positive, slot(itself)},
      {Py_nb_absolute, slot(unary<Ufunc::absolute>)},
      {Py_nb_invert, slot(unary<Ufunc::invert>)},
  };
  count = std::size(slots);
  return slots;
}

}  // namespace pycuda::bindings
