// SPDX-License-Identifier: MIT
// Several elementwise operations as one kernel, which keeps what is between them in registers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "array/kernel_source.h"
#include "array/scalar.h"
#include "array/ufunc.h"

namespace pycuda::array {

/// Most arrays of a fused kernel, results among them, and most results.
inline constexpr std::size_t max_fused_arrays = Walk::max_operands;
inline constexpr std::size_t max_fused_results = 8;

/// Most numbers: they are parameters, of which a kernel may have 4 KB, arrays and shapes among
/// them.
inline constexpr std::size_t max_fused_numbers = 128;

/// A computation on elements, built step by step. Its values are numbered: operands, then steps.
/// Every step has the types and rounds to the type that it would have as an operation of its own,
/// so that results are the same to the bit. Not changed any more once it is finished.
class Fusion {
 public:
  /// `name`: an identifier for the kernel.
  Fusion(std::string name, std::span<const DType> operands);

  /// A value or, if `value` is negative, a number.
  struct Operand {
    int value = -1;
    OperandType type = {};  ///< of a number
    Scalar number = {};
  };
  /// The number of the new value. Throws as `resolve`.
  int add(Ufunc ufunc, std::span<const Operand> operands);
  /// The value converted to another type.
  int convert(int value, DType to);
  /// Of an existing value.
  DType type(int value) const;
  /// How many values there are.
  int values() const { return static_cast<int>(operands_.size() + steps_.size()); }

  /// The values that are results. Throws ValueMismatch for too many of them, or too many numbers.
  void finish(std::span<const int> results);
  std::size_t operands() const { return operands_.size(); }
  const std::vector<int>& results() const { return results_; }

  /// A number as the step takes it that it belongs to.
  struct Number {
    Scalar value;
    DType type;
  };
  const std::vector<Number>& numbers() const { return numbers_; }

  /// What the kernel computes, for arrays of these types as results.
  ElementwiseBody body(std::span<const DType> stored_results) const;
  const std::string& name() const { return name_; }
  /// Equal for fusions whose kernels are equal, in this process.
  std::uint32_t id() const { return id_; }

 private:
  /// `given`: the operands' variables.
  int add_step(const char* expression, const UfuncTypes& types, std::span<const std::string> given);
  std::string variable(int value) const;

  std::string name_;
  std::vector<DType> operands_;
  std::vector<DType> steps_;  ///< the types of their values
  std::vector<Number> numbers_;
  std::string declarations_;
  std::string statements_;
  bool complex_ = false;
  std::vector<int> results_;
  std::uint32_t id_ = 0;
};

struct FusedKey {
  const Fusion* fusion;
  std::array<DType, max_fused_results> results;  ///< as stored
  std::size_t result_count;
  ElementwiseAccess access;

  KernelNumber packed() const;
  std::string kernel_name() const;
  std::string source() const;
};

}  // namespace pycuda::array
