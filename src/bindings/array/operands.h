// SPDX-License-Identifier: MIT
// Operands of array operations: arrays, Python's numbers, NumPy's numbers.
#pragma once

#include <span>

#include "array/ufunc.h"
#include "bindings/array/type.h"

namespace pycuda::bindings {

struct GivenOperand {
  PyObject* object = nullptr;  ///< the array, if it is one
  array::Operand operand;
  array::OperandType type;
};

/// False (and no Python error) for an object that is neither an array nor a number.
bool read_operand(PyObject* object, GivenOperand& given);

/// A number as an element of `type`. Raises TypeError for other objects, OverflowError for integers
/// that do not fit.
array::Scalar read_number(PyObject* object, array::DType type);

/// ufunc(operands), into `out` or a new array. `dtype` (null for none) is the result's type. At
/// least one operand is an array. The result is a new reference.
nanobind::object apply_ufunc(array::Ufunc ufunc, std::span<const GivenOperand> operands,
                             PyObject* out, PyObject* dtype, CUstream stream);

}  // namespace pycuda::bindings
