// SPDX-License-Identifier: MIT
// The elementwise operations, and the types of their operands and results.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "array/dtype.h"
#include "array/scalar.h"

namespace pycuda::array {

enum class Ufunc : std::uint8_t {
#define UFUNC(name, operands, rule, expression) name,
#include "array/ufuncs.def"
#undef UFUNC
};

/// How the types of operands decide those of the computation and of the result.
enum class TypeRule : std::uint8_t {
  Same,              ///< the operand's
  Arithmetic,        ///< the common type
  ArithmeticNoBool,  ///< the same, and no bool
  RealArithmetic,    ///< the same without complex; bool becomes int8
  Power,             ///< the common type; bool becomes int8
  Divide,            ///< the common type; integers become float64
  Bits,              ///< the common type, of integers and bool
  Shift,             ///< the common type, of integers; bool becomes int8
  Whole,             ///< the common type, of integers
  Double,            ///< float64 or complex128
  Order,             ///< the common type
  Compare,           ///< computed in the common type, bool results
  Logical,           ///< operands become bool
  Floating,          ///< the common type; integers become floating-point
  Real,              ///< the same without complex
  Neighbour,         ///< as Real, and computed in the type itself
  Rounding,          ///< real types, integers unchanged
  Test,              ///< computed in floating-point, bool results
  RealTest,          ///< the same without complex
  Absolute,          ///< complex gives real
  RealPart,          ///< complex gives real
  AngleOf,           ///< integers become floating-point, complex gives real
  Where,             ///< bool, and the common type of the rest
  IfPositive,        ///< any real type, and the common type of the rest
};

struct UfuncFacts {
  const char* name;
  int operands;
  TypeRule rule;
  const char* expression;
};

inline constexpr int max_ufunc_operands = 4;

const UfuncFacts& facts(Ufunc ufunc);
/// By NumPy's name.
std::optional<Ufunc> find_ufunc(std::string_view name);

/// An operand's type; `weak` for Python's own numbers, which take their type from the others.
struct OperandType {
  DType type;
  bool weak = false;
  const Scalar* number = nullptr;  ///< its value, if it is a number
};

struct UfuncTypes {
  DType result;
  std::array<DType, max_ufunc_operands> operands;  ///< what each is converted to first
  /// What numbers are rounded to before: Python's beside small floats are small floats, so that 0.1
  /// equals an element that was made of 0.1.
  std::array<std::optional<DType>, max_ufunc_operands> rounded{};
};

/// The common type by NumPy 2's rules.
DType common_type(std::span<const OperandType> operands);
/// By NumPy 2's rules. Throws TypeMismatch for types that the operation does not know, OutOfRange
/// for Python's integers that do not fit the type they take, ValueMismatch for an integer to the
/// power of a negative one.
UfuncTypes resolve(Ufunc ufunc, std::span<const OperandType> operands);

}  // namespace pycuda::array
