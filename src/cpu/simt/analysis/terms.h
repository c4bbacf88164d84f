// SPDX-License-Identifier: MIT
// What stretches of code without branches compute, as terms.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace pycuda::cpu::simt {

/// A term and a number added to it, in the arithmetic of its type. Equal ones are the same bits, in
/// whatever type these are taken.
struct Term {
  unsigned node = 0;
  std::uint64_t offset = 0;
  bool operator==(const Term&) const = default;
};

/// What is known of some values; what is computed of it is added.
using KnownTerms = llvm::DenseMap<const llvm::Value*, Term>;

/// Makes terms of values, for code that writes no memory.
class Terms {
 public:
  /// A new term that is equal to no other.
  Term fresh();
  /// Of `value`, as `known` says or as its operands have terms. Values that are not instructions
  /// are terms of their own, and so are instructions for which `known` has no word and that
  /// `inside` rejects. None for what has no term, such as a phi of whom nothing is known.
  template <typename Inside>
  std::optional<Term> of(const llvm::Value* value, KnownTerms& known, const Inside& inside) {
    if (const auto found = known.find(value); found != known.end()) return found->second;
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || !inside(*instruction)) return outer(value);
    if (llvm::isa<llvm::PHINode>(instruction)) return std::nullopt;
    std::vector<Term> operands;
    for (const llvm::Value* operand : operands_of(*instruction)) {
      const auto term = of(operand, known, inside);
      if (!term) return std::nullopt;
      operands.push_back(*term);
    }
    const auto term = computed(*instruction, operands);
    if (term) known[value] = *term;
    return term;
  }
  /// Sign extensions of this term and what is added to it, up to `most`, are taken not to wrap.
  void does_not_wrap(Term term, std::uint64_t most) {
    unwrapped_ = term.node;
    most_added_ = most;
  }

 private:
  using Key = std::vector<std::uint64_t>;

  static std::vector<const llvm::Value*> operands_of(const llvm::Instruction& instruction);
  Term outer(const llvm::Value* value);
  std::optional<Term> computed(const llvm::Instruction& instruction,
                               const std::vector<Term>& operands);
  Term sum(unsigned bits, Term left, Term right);
  unsigned node(Key key) { return nodes_.try_emplace(std::move(key), next_++).first->second; }

  static constexpr unsigned number = 0;  ///< the node of constants
  std::map<Key, unsigned> nodes_;
  unsigned next_ = 1;
  std::optional<unsigned> unwrapped_;
  std::uint64_t most_added_ = 0;
};

}  // namespace pycuda::cpu::simt
