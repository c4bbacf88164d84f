// SPDX-License-Identifier: MIT
// Analysis: values whose lanes differ by distances that are known, though no affine ones.
#pragma once

#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {

/// What index arithmetic makes of the thread's number, such as t ^ 1, 2 * t - (t & 3) or its bits
/// reversed: gangs begin at multiples of their size, so the number's low bits are known in each
/// lane. For gangs of one row.
class LaneDistances {
 public:
  /// A sum of numbered terms that are the same for all lanes, with factors; by term, none is 0.
  using Sum = std::vector<std::pair<unsigned, std::uint64_t>>;

  /// A value is, in each lane, what `base` says, which is the same for all, + `lanes`, in the
  /// arithmetic of its type.
  struct Distances {
    Sum base;
    std::vector<std::uint64_t> lanes;
    std::uint64_t zeros = 0;  ///< bits that are zero in what `base` says
  };

  LaneDistances(const Shapes& shapes, GangSize size, const llvm::DataLayout& layout)
      : shapes_(shapes), size_(size), layout_(layout) {}

  /// Null if nothing is known of `value`, an integer of up to 64 bits or a pointer. Equal bases of
  /// two values are equal wherever both values belong to the same run of their block.
  const Distances* find(const llvm::Value& value) { return find(value, 0); }

 private:
  using Term = std::tuple<unsigned, std::uint64_t, const llvm::Value*, Sum>;

  const Distances* find(const llvm::Value& value, unsigned steps);
  std::optional<Distances> evaluate(const llvm::Value& value, unsigned steps);
  std::optional<Distances> of_operation(const llvm::Instruction& instruction, unsigned steps);
  std::optional<Distances> of_address(const llvm::GetElementPtrInst& address, unsigned steps);
  std::optional<Distances> of_shape(const llvm::Value& value);
  unsigned term(const Term& term);
  /// The term that is 1.
  unsigned one() { return term({0, 1, nullptr, {}}); }
  Sum made_of(const llvm::Instruction& instruction, std::uint64_t constant, const Sum& base);
  Distances constant(std::uint64_t value) const;
  std::optional<Distances> extended(const Distances& whole, unsigned bits, bool is_signed,
                                    const llvm::Instruction& by);

  const Shapes& shapes_;
  const GangSize size_;
  const llvm::DataLayout& layout_;
  std::map<Term, unsigned> terms_;
  std::unordered_map<const llvm::Value*, std::optional<Distances>> known_;
};

}  // namespace pycuda::cpu::simt
