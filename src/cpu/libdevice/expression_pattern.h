// SPDX-License-Identifier: MIT
// Patterns of scalar arithmetic, written as text.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/libdevice/double_patterns.h"

namespace pycuda::cpu::libdevice {

/// What a pattern was found in.
struct FoundExpression {
  /// By the order in which the pattern's text names them.
  llvm::SmallVector<llvm::Value*, 2> operands;
  /// Where regions begin that gave values of it (region_fingerprint.h).
  llvm::SmallVector<llvm::BasicBlock*, 2> regions;
};

/// Statements `name = operation arguments` or `name = argument`, one a line, the result last.
/// Arguments are names,
/// operands ($x), anything else (%x), the address of a variable of the module (@x), or constants by
/// their bits (0x3f800000). Operations:
///   abs neg trunc even sqrt from to   of one value; even: roundeven; from, to: i32 to f32 and back
///   + - * / fma  i+ i- & | ^ << >>  imin imax   as PTX has them
///   horner x c...                    a polynomial in x, the coefficient of the highest power first
///   ? c a b                          a where c; a select, or a phi behind a branch
///   < <= > >= == != !< !<= !> !>=    of numbers, the last four true of NaNs; nan x, number x
///   u< u<= u> u>= i== i!=            of bits
///   name(x)                          an approximate function
///   region fingerprint c...          what a region computes: the condition of its branch, what is
///                                    known from that, which the region may read, then all that it
///                                    reads besides
/// Casts, selects that make NaNs canonical, flushes of subnormal numbers and the order of what may
/// be swapped do not count; a - b may be written as a sum, and conditions turned round.
class ExpressionPattern {
 public:
  /// The text is the program's own: mistakes end it.
  explicit ExpressionPattern(std::string_view text);

  /// Whether `result` is what the pattern describes.
  bool match(llvm::Value* result, const llvm::DominatorTree& dominators,
             FoundExpression& found) const;
  /// Whether the result is a choice, and this one is it.
  bool match(const TwoWays& choice, const llvm::DominatorTree& dominators,
             FoundExpression& found) const;

  enum class Kind : std::uint8_t {
    Operand,
    Constant,
    Variable,
    Operation,
    Compare,
    Choice,
    Call,
    Region
  };
  struct Node {
    Kind kind = Kind::Operand;
    unsigned code = 0;       ///< an opcode, an intrinsic behind all opcodes, or a predicate
    std::uint64_t bits = 0;  ///< of a constant, or a fingerprint
    std::string name;
    llvm::SmallVector<unsigned, 3> arguments;
  };

 private:
  unsigned argument(std::string_view word);
  void statement(llvm::ArrayRef<std::string_view> words);
  unsigned add(Node node);

  std::vector<Node> nodes_;
  std::vector<std::pair<std::string, unsigned>> names_;
  std::vector<unsigned> operands_;
  unsigned result_ = 0;
};

}  // namespace pycuda::cpu::libdevice
