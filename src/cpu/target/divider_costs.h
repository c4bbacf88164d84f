// SPDX-License-Identifier: MIT
// The cost of divisions and square roots, compared with the arithmetic that may replace them.
#pragma once

namespace pycuda::cpu::target {

/// Of the vectors whose costs are known.
inline constexpr unsigned divided_register_bits = 512;

/// Tenths of a cycle for a register of 16 f32 (or 8 f64, where it says so). Two units count: the
/// divider, and those that multiply.
struct DividerCosts {
  struct Time {
    unsigned divider, multipliers;
  };
  Time division, root;
  Time division_of_doubles;
  /// A root by multiplication, with the check of its range, and beside such a root its reciprocal.
  unsigned multiplied_root, multiplied_reciprocal;
  /// Products, fused sums and comparisons.
  unsigned multiplication;
  /// All other arithmetic: nothing where it has units of its own.
  unsigned addition;
  /// Whether values of several registers are replaced in part, and reciprocals too. Else whole
  /// roots, in the order in which they stand.
  bool in_registers;
};

}  // namespace pycuda::cpu::target
