// SPDX-License-Identifier: MIT
// Sums are compared as polynomials in threadIdx and blockDim.
#include "cpu/simt/width/line.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/special_values.h"

namespace pycuda::cpu::simt {
namespace {

/// Factors of a term, sorted. Calls of one special register are one factor.
using Factors = std::vector<llvm::Value*>;
using Sum = std::map<Factors, std::uint32_t>;

/// Longer sums are left alone.
constexpr std::size_t most_terms = 8;
constexpr unsigned most_depth = 8;

class Folder {
 public:
  Folder(llvm::Function& kernel, Line line, std::uint32_t width)
      : kernel_(kernel), line_(line), width_(width) {
    for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
      const llvm::StringRef name = special_register(&instruction);
      if (name.starts_with("tid.") || name == "ntid.x" || name == "ntid.y")
        first_.try_emplace(name.str(), &instruction);
    }
  }

  /// Sums that are, or contain, a multiple of the linear index take `place` for it.
  void run(llvm::Value* place) {
    if (!reads("tid.x") || !reads("tid.y") || (width_ == 0 && !reads("ntid.x"))) return;
    if (line_ != Line::OnePlane && (!reads("tid.z") || !reads("ntid.y"))) return;
    const std::vector<llvm::Instruction*> all = sums();
    for (llvm::Instruction* sum : llvm::reverse(all)) fold(*sum, place);
  }

  /// By how much more than tid.x the sums count tid.y, where this is a number and speaks of the
  /// block: as a rule it is how far the rows of an array are apart.
  std::vector<std::uint32_t> literal_widths() const {
    std::vector<std::uint32_t> widths;
    if (!reads("tid.x") || !reads("tid.y")) return widths;
    for (llvm::Instruction* sum : sums()) {
      const auto all = terms(sum, 0);
      if (!all) continue;
      const auto columns = all->find(Factors{reads("tid.x")});
      const auto rows = all->find(Factors{reads("tid.y")});
      if (columns == all->end() || rows == all->end() || columns->second == 0) continue;
      const std::uint32_t width = rows->second / columns->second;
      if (rows->second % columns->second == 0 && width >= 2 && width <= widest &&
          (counts_blocks(*all, columns->second, width) || is_taken_apart(*sum, *all)))
        widths.push_back(width);
    }
    return widths;
  }

 private:
  /// Of a block that has several rows.
  static constexpr std::uint32_t widest = 512;

  /// Of all threads of a block.
  static constexpr std::uint32_t most_threads = 1024;

  /// Whether a sum of threads in rows of `width` also counts blocks, of several whole rows each.
  static bool counts_blocks(const Sum& all, std::uint32_t per_thread, std::uint32_t width) {
    return llvm::any_of(all, [&](const auto& term) {
      const auto& [factors, number] = term;
      if (factors.size() != 1 || special_register(factors.front()) != "ctaid.x") return false;
      const std::uint32_t threads = number / per_thread;
      return number % per_thread == 0 && threads % width == 0 && threads > width &&
             threads <= most_threads;
    });
  }

  /// Whether a sum of threadIdx alone is used as the thread's number is, to find its warp or to
  /// choose some threads, and not just as an index.
  static bool is_taken_apart(const llvm::Instruction& sum, const Sum& all) {
    if (all.size() != 2) return false;
    return llvm::any_of(sum.users(), [&](const llvm::User* user) {
      const auto* use = llvm::cast<llvm::Instruction>(user);
      switch (use->getOpcode()) {
        case llvm::Instruction::LShr:
        case llvm::Instruction::AShr:
        case llvm::Instruction::And:
        case llvm::Instruction::UDiv:
        case llvm::Instruction::URem:
        case llvm::Instruction::ICmp:
          break;
        default:
          return false;
      }
      const auto* by = llvm::dyn_cast<llvm::ConstantInt>(use->getOperand(1));
      return by && by->getValue().ule(most_threads);
    });
  }

  std::vector<llvm::Instruction*> sums() const {
    std::vector<llvm::Instruction*> found;
    for (llvm::Instruction& instruction : llvm::instructions(kernel_)) {
      if (is_sum(instruction)) found.push_back(&instruction);
    }
    return found;
  }
  static bool is_sum(const llvm::Instruction& instruction) {
    if (!instruction.getType()->isIntegerTy(32)) return false;
    const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(&instruction);
    return instruction.getOpcode() == llvm::Instruction::Add ||
           (disjoint && disjoint->isDisjoint());
  }
  llvm::Value* reads(const std::string& name) const {
    const auto found = first_.find(name);
    return found == first_.end() ? nullptr : found->second;
  }
  llvm::Value* representative(llvm::Value* value) const {
    const llvm::StringRef name = special_register(value);
    llvm::Value* first = name.empty() ? nullptr : reads(name.str());
    return first ? first : value;
  }

  static std::optional<Sum> product(const Sum& left, const Sum& right) {
    Sum result;
    for (const auto& [a, m] : left) {
      for (const auto& [b, n] : right) {
        Factors both = a;
        both.insert(both.end(), b.begin(), b.end());
        std::sort(both.begin(), both.end());
        result[both] += m * n;
      }
    }
    if (result.size() > most_terms) return std::nullopt;
    return result;
  }

  std::optional<Sum> terms(llvm::Value* value, unsigned depth) const {
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value))
      return Sum{{{}, static_cast<std::uint32_t>(number->getZExtValue())}};
    auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
    Sum itself{{{representative(value)}, 1}};
    if (!operation || depth == most_depth) return itself;
    const bool sum = is_sum(*operation);
    if (!sum && operation->getOpcode() != llvm::Instruction::Mul &&
        operation->getOpcode() != llvm::Instruction::Shl)
      return itself;
    auto left = terms(operation->getOperand(0), depth + 1);
    if (operation->getOpcode() == llvm::Instruction::Shl) {
      const auto* by = llvm::dyn_cast<llvm::ConstantInt>(operation->getOperand(1));
      if (!by || by->getZExtValue() >= 32 || !left) return itself;
      for (auto& term : *left) term.second <<= by->getZExtValue();
      return left;
    }
    const auto right = terms(operation->getOperand(1), depth + 1);
    if (!left || !right) return itself;
    if (!sum) {
      auto all = product(*left, *right);
      return all ? std::move(all) : itself;
    }
    for (const auto& [factors, number] : *right) (*left)[factors] += number;
    return left->size() > most_terms ? std::nullopt : left;
  }

  void fold(llvm::Instruction& sum, llvm::Value* place) const {
    auto all = terms(&sum, 0);
    if (!all) return;
    const std::uint32_t per_row = width_ == 0 ? 1 : width_;
    std::vector<std::pair<Factors, std::uint32_t>> index{{{reads("tid.x")}, 1},
                                                         {{reads("tid.y")}, per_row}};
    if (line_ != Line::OnePlane) index.push_back({{reads("tid.z"), reads("ntid.y")}, per_row});
    for (auto part = index.begin() + 1; width_ == 0 && part != index.end(); ++part)
      part->first.push_back(reads("ntid.x"));
    for (auto& [factors, times] : index) std::sort(factors.begin(), factors.end());
    const auto found = all->find(index[0].first);
    const std::uint32_t multiple = found == all->end() ? 0 : found->second;
    if (multiple == 0) return;
    for (const auto& [factors, times] : index) {
      const auto part = all->find(factors);
      if (part == all->end() || part->second != multiple * times) return;
    }
    for (const auto& [factors, times] : index) all->erase(factors);
    llvm::IRBuilder<> b(&sum);
    llvm::Value* result = b.CreateMul(place, b.getInt32(multiple));
    for (const auto& [factors, number] : *all) {
      llvm::Value* term = b.getInt32(number);
      for (llvm::Value* factor : factors) term = b.CreateMul(here(b, factor), term);
      result = b.CreateAdd(result, term);
    }
    sum.replaceAllUsesWith(result);
  }

  /// A special register's value is read again: the first call may lie on another way.
  static llvm::Value* here(llvm::IRBuilder<>& b, llvm::Value* factor) {
    if (special_register(factor).empty()) return factor;
    return b.Insert(llvm::cast<llvm::CallInst>(factor)->clone());
  }

  llvm::Function& kernel_;
  const Line line_;
  const std::uint32_t width_;  ///< ntid.x, or 0
  std::map<std::string, llvm::Value*> first_;
};

}  // namespace

PlaceInBlock place_in_block(llvm::IRBuilderBase& b, llvm::Value* place, llvm::Value* width,
                            llvm::Value* height, Line line) {
  // Exact, since places and divisors are no more than 2^10: the reciprocal is too large by less
  // than 2^10 / 2^20 of itself.
  constexpr unsigned bits = 20;
  const auto divide = [&](llvm::Value* number, llvm::Value* by) {
    llvm::Value* reciprocal =
        b.CreateAdd(b.CreateUDiv(b.getInt32(1u << bits), by), b.getInt32(1), "", true, true);
    return b.CreateLShr(b.CreateMul(number, reciprocal), bits);
  };
  const auto rest = [&](llvm::Value* number, llvm::Value* quotient, llvm::Value* by) {
    return b.CreateAnd(b.CreateSub(number, b.CreateMul(quotient, by)), b.getInt32(1023));
  };
  llvm::Value* const row = divide(place, width);
  llvm::Value* const x = rest(place, row, width);
  if (line == Line::OnePlane) return {x, row, b.getInt32(0)};
  llvm::Value* const z = divide(row, height);
  return {x, rest(row, z, height), z};
}

std::uint32_t literal_block_width(llvm::Function& kernel) {
  std::uint32_t best = 0;
  for (const std::uint32_t width : Folder(kernel, Line::OnePlane, 0).literal_widths()) {
    const bool rounder = std::has_single_bit(width), best_is_round = std::has_single_bit(best);
    if (best == 0 || (rounder != best_is_round ? rounder : width < best)) best = width;
  }
  return best;
}

namespace {

void replace_reads(llvm::Function& kernel, llvm::StringRef name, llvm::Value* value) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    if (special_register(&instruction) != name) continue;
    instruction.replaceAllUsesWith(value);
    instruction.eraseFromParent();
  }
}

}  // namespace

void lay_in_line(llvm::Function& kernel, Line line, std::uint32_t known_width) {
  kernel.addFnAttr(lies_in_line);
  llvm::BasicBlock& entry = kernel.getEntryBlock();
  llvm::IRBuilder<> b(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  if (llvm::none_of(llvm::instructions(kernel), [](const llvm::Instruction& instruction) {
        return special_register(&instruction).starts_with("tid.");
      }))
    return;
  if (known_width != 0) replace_reads(kernel, "ntid.x", b.getInt32(known_width));
  b.SetInsertPoint(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  llvm::CallInst* const place = read_special_register(b, "tid.x");
  llvm::Value* const width = known_width != 0 ? static_cast<llvm::Value*>(b.getInt32(known_width))
                                              : read_special_register(b, "ntid.x");
  llvm::Value* const height = read_special_register(b, "ntid.y");
  Folder(kernel, line, known_width).run(place);
  b.SetInsertPoint(llvm::cast<llvm::Instruction>(height)->getNextNode());
  const PlaceInBlock own = place_in_block(b, place, width, height, line);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    const llvm::StringRef name = special_register(&instruction);
    if (&instruction == place || !name.starts_with("tid.")) continue;
    instruction.replaceAllUsesWith(name == "tid.x" ? own.x : name == "tid.y" ? own.y : own.z);
    instruction.eraseFromParent();
  }
  // What is not asked for.
  llvm::SmallVector<llvm::WeakTrackingVH, 64> all;
  for (llvm::Instruction& instruction : llvm::instructions(kernel)) all.emplace_back(&instruction);
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(all);
}

}  // namespace pycuda::cpu::simt
