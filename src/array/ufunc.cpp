// SPDX-License-Identifier: MIT
#include "array/ufunc.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace pycuda::array {
namespace {

constexpr UfuncFacts table[] = {
#define UFUNC(name, operands, rule, expression) {#name, operands, TypeRule::rule, expression},
#include "array/ufuncs.def"
#undef UFUNC
};

/// What to do instead; nothing for bytes and structs, of which the caller knows more.
[[gnu::cold]] const char* remedy(Ufunc ufunc, std::span<const OperandType> operands) {
  for (const OperandType& operand : operands) {
    if (operand.type == DType::Raw) return "";
  }
  const TypeRule rule = facts(ufunc).rule;
  if (rule == TypeRule::Bits)
    return ": convert them to integers with astype; conditions are joined as in (a > 0) & (b > 0)";
  if (rule == TypeRule::Shift || rule == TypeRule::Whole)
    return ": convert them to integers with astype";
  if (rule != TypeRule::ArithmeticNoBool) return ": give its .real, .imag or abs() in place of it";
  if (ufunc == Ufunc::subtract)
    return ": ^ or logical_xor tells where truth values differ; for numbers convert them with "
           "astype(numpy.int8)";
  if (ufunc == Ufunc::negative)
    return ": ~ or logical_not inverts truth values; for numbers convert them with "
           "astype(numpy.int8)";
  return ": convert truth values to numbers with astype(numpy.int8)";
}

[[noreturn, gnu::cold]] void refuse(Ufunc ufunc, std::span<const OperandType> operands) {
  std::string text = std::string("'") + facts(ufunc).name + "' does not take operands of dtype";
  for (std::size_t i = 0; i < operands.size(); ++i) {
    text += (i == 0 ? " " : ", ") + std::string(name(operands[i].type));
  }
  throw TypeMismatch(text + remedy(ufunc, operands));
}

DType without_bool(DType type) { return type == DType::Bool ? DType::I8 : type; }

UfuncTypes all(DType operands, DType result) {
  UfuncTypes types;
  types.result = result;
  types.operands.fill(compute_type(operands));
  return types;
}

/// NumPy takes the first of the types float16, float32 and float64 that holds each operand, which
/// is less than what holds their common integer type: float16 of int8 and uint8, not float32 of
/// int16.
DType floating_type(std::span<const OperandType> operands) {
  const DType common = common_type(operands);
  const bool two_strong = operands.size() == 2 && !operands[0].weak && !operands[1].weak;
  if (!two_strong || !is_integer(operands[0].type) || !is_integer(operands[1].type)) {
    return to_floating(common);
  }
  return std::max(to_floating(operands[0].type), to_floating(operands[1].type));
}

/// int64 and uint64 have no common integer type, but compare exactly all the same.
UfuncTypes compare(std::span<const OperandType> operands) {
  const DType common = common_type(operands);
  UfuncTypes types = all(common, DType::Bool);
  if (common == DType::F64 && is_integer(operands[0].type) && is_integer(operands[1].type)) {
    types.operands[0] = operands[0].type;
    types.operands[1] = operands[1].type;
  }
  return types;
}

/// The types by those of the operands alone.
UfuncTypes types_of(Ufunc ufunc, std::span<const OperandType> operands) {
  for (const OperandType& operand : operands) {
    if (operand.type == DType::Raw) refuse(ufunc, operands);
  }
  const TypeRule rule = facts(ufunc).rule;
  if (rule == TypeRule::Logical) return all(DType::Bool, DType::Bool);
  if (rule == TypeRule::Compare) return compare(operands);
  if (rule == TypeRule::Where || rule == TypeRule::IfPositive) {
    const DType common = common_type(operands.subspan(1));
    UfuncTypes types = all(common, common);
    types.operands[0] = rule == TypeRule::Where ? DType::Bool : compute_type(operands[0].type);
    if (rule == TypeRule::IfPositive && is_complex(operands[0].type)) refuse(ufunc, operands);
    return types;
  }

  const DType common = common_type(operands);
  const bool complex = is_complex(common);
  switch (rule) {
    case TypeRule::ArithmeticNoBool:
      if (common == DType::Bool) refuse(ufunc, operands);
      return all(common, common);
    case TypeRule::RealArithmetic:
      if (complex) refuse(ufunc, operands);
      return all(without_bool(common), without_bool(common));
    case TypeRule::Power:
      return all(without_bool(common), without_bool(common));
    case TypeRule::Divide: {
      const DType divided = is_integer(common) || common == DType::Bool ? DType::F64 : common;
      return all(divided, divided);
    }
    case TypeRule::Bits:
      if (!is_integer(common) && common != DType::Bool) refuse(ufunc, operands);
      return all(common, common);
    case TypeRule::Shift:
      if (!is_integer(without_bool(common))) refuse(ufunc, operands);
      return all(without_bool(common), without_bool(common));
    case TypeRule::Whole:
      if (!is_integer(common)) refuse(ufunc, operands);
      return all(common, common);
    case TypeRule::Double: {
      const DType doubled = complex ? DType::C128 : DType::F64;
      return all(doubled, doubled);
    }
    case TypeRule::Neighbour: {
      if (complex) refuse(ufunc, operands);
      UfuncTypes types;
      types.result = floating_type(operands);
      types.operands.fill(types.result);
      return types;
    }
    case TypeRule::Real:
      if (complex) refuse(ufunc, operands);
      [[fallthrough]];
    case TypeRule::Floating: {
      const DType floating = floating_type(operands);
      return all(floating, floating);
    }
    case TypeRule::Rounding:
      if (complex) refuse(ufunc, operands);
      return all(common, common);
    case TypeRule::RealTest:
      if (complex) refuse(ufunc, operands);
      return all(to_floating(common), DType::Bool);
    case TypeRule::Test:
      return all(to_floating(common), DType::Bool);
    case TypeRule::Absolute:
    case TypeRule::RealPart:
      return all(common, real_type(common));
    case TypeRule::AngleOf: {
      // NumPy has it from arctan2(0, x), where bool becomes the integer that 0 is.
      const DType floating = common == DType::Bool ? DType::F64 : to_floating(common);
      return all(floating, real_type(floating));
    }
    default:
      return all(common, common);
  }
}

/// A comparison with a number that the array's type cannot hold has an answer all the same.
void widen_comparison(std::span<const OperandType> operands, UfuncTypes& types) {
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const OperandType& operand = operands[k];
    if (!operand.weak || operand.number == nullptr || !is_integer(operand.type)) continue;
    if (operand.number->fits(types.operands[k])) continue;
    types.operands[k] = operand.number->type;
    types.operands[1 - k] = operands[1 - k].type;
    if (kind(types.operands[0]) == kind(types.operands[1]) ||
        (types.operands[0] != DType::U64 && types.operands[1] != DType::U64)) {
      types.operands[1 - k] = types.operands[k];
    }
  }
}

/// Exponents in an array are not seen.
void check_exponent(const Scalar* exponent, DType result) {
  if (exponent == nullptr || exponent->type != DType::I64 || !is_integer(result)) return;
  const auto value = static_cast<std::int64_t>(exponent->integer);
  if (value >= 0) return;
  throw ValueMismatch(std::string("integers of dtype ") + name(result) +
                      " to the negative integer power " + std::to_string(value));
}

void round_numbers(TypeRule rule, std::span<const OperandType> operands, UfuncTypes& types) {
  if (rule == TypeRule::Logical) return;
  const std::size_t first = rule == TypeRule::Where || rule == TypeRule::IfPositive ? 1 : 0;
  const DType common = common_type(operands.subspan(first));
  if (common != DType::F16 && common != DType::BF16) return;
  for (std::size_t k = first; k < operands.size(); ++k) {
    if (operands[k].weak) types.rounded[k] = common;
  }
}

}  // namespace

const UfuncFacts& facts(Ufunc ufunc) { return table[static_cast<std::size_t>(ufunc)]; }

std::optional<Ufunc> find_ufunc(std::string_view name) {
  for (std::size_t i = 0; i < std::size(table); ++i) {
    if (name == table[i].name) return static_cast<Ufunc>(i);
  }
  return std::nullopt;
}

DType common_type(std::span<const OperandType> operands) {
  std::optional<DType> strong;
  for (const OperandType& operand : operands) {
    if (!operand.weak) strong = strong ? promote(*strong, operand.type) : operand.type;
  }
  if (!strong) {
    strong = operands[0].type;
    for (const OperandType& operand : operands) strong = promote(*strong, operand.type);
    return *strong;
  }
  DType common = *strong;
  for (const OperandType& operand : operands) {
    if (operand.weak) common = promote_weak(common, kind(operand.type));
  }
  return common;
}

UfuncTypes resolve(Ufunc ufunc, std::span<const OperandType> operands) {
  const TypeRule rule = facts(ufunc).rule;
  UfuncTypes types = types_of(ufunc, operands);
  if (rule == TypeRule::Compare) widen_comparison(operands, types);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const OperandType& operand = operands[k];
    if (operand.weak && operand.type == DType::I64 && operand.number != nullptr)
      operand.number->check_fits(types.operands[k]);
  }
  if (ufunc == Ufunc::power) check_exponent(operands[1].number, types.result);
  round_numbers(rule, operands, types);
  return types;
}

}  // namespace pycuda::array
