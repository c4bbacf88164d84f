// SPDX-License-Identifier: MIT
// Every use of tid.x and ctaid.x must be part of the sum that numbers the grid's threads.
#include "cpu/simt/analysis/block_coarsening.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/dialect.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

namespace {

using Values = llvm::SmallPtrSet<const llvm::Value*, 8>;

/// Extends `values` by what widens one of them: none of the numbers is negative.
void add_extensions(Values& values) {
  const Values plain = values;
  for (const llvm::Value* value : plain) {
    for (const llvm::User* user : value->users()) {
      if (llvm::isa<llvm::ZExtInst, llvm::SExtInst>(user)) values.insert(user);
    }
  }
}

bool is_extension_in(const llvm::User& user, const Values& values) {
  return values.contains(&user) && llvm::isa<llvm::CastInst>(user);
}

class Sums {
 public:
  std::optional<std::uint32_t> block_size(const llvm::Function& function) {
    if (!find_parts(function) || !find_products()) return std::nullopt;
    const auto every = [](const Values& values, const auto& fits) {
      return std::all_of(values.begin(), values.end(), [&](const llvm::Value* value) {
        return std::all_of(value->user_begin(), value->user_end(), fits);
      });
    };
    const bool sums_only = every(threads_,
                                 [&](const llvm::User* user) {
                                   return is_extension_in(*user, threads_) || is_sum(*user);
                                 }) &&
                           every(products_, [&](const llvm::User* user) {
                             return is_extension_in(*user, products_) || is_sum(*user);
                           });
    if (!sums_only) return std::nullopt;
    return size_;
  }

 private:
  /// False when the function calls what only a block of its own can answer.
  bool find_parts(const llvm::Function& function) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call) continue;
      const llvm::Function* callee = call->getCalledFunction();
      // A function of the program may ask for the numbers of its thread.
      if (!callee || !callee->isDeclaration()) {
        if (llvm::is_contained(call->args(), function.getArg(0))) return false;
        continue;
      }
      if (!callee->getName().starts_with("ptx.")) continue;
      llvm::StringRef name = callee->getName();
      if (name == pseudo::params || name == gang_all || name == gang_none) continue;
      if (!name.consume_front(pseudo::sreg_prefix)) return false;
      if (name == "tid.x") {
        threads_.insert(call);
      } else if (name == "ctaid.x") {
        blocks_.insert(call);
      } else if (name == "ntid.x") {
        sizes_.insert(call);
      } else if (name == "laneid" || name == "warpid" || name.starts_with("lanemask.")) {
        return false;
      }
    }
    add_extensions(threads_);
    add_extensions(blocks_);
    add_extensions(sizes_);
    return true;
  }

  bool find_products() {
    for (const llvm::Value* block : blocks_) {
      for (const llvm::User* user : block->users()) {
        if (is_extension_in(*user, blocks_)) continue;
        if (!is_product(*user)) return false;
        products_.insert(user);
      }
    }
    add_extensions(products_);
    return true;
  }

  bool is_product(const llvm::User& user) {
    const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&user);
    if (!operation) return false;
    const llvm::Value* left = operation->getOperand(0);
    const llvm::Value* right = operation->getOperand(1);
    if (operation->getOpcode() == llvm::Instruction::Mul) {
      if (sizes_.contains(left) || sizes_.contains(right)) return true;
    } else if (operation->getOpcode() != llvm::Instruction::Shl || !blocks_.contains(left)) {
      return false;
    }
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(right);
    if (!constant || constant->getValue().uge(largest_block + 1)) return false;
    std::uint64_t size = constant->getZExtValue();
    if (operation->getOpcode() == llvm::Instruction::Shl) {
      if (size >= 32) return false;
      size = std::uint64_t{1} << size;
    }
    if (size == 0 || size > largest_block || (size_ != 0 && size_ != size)) return false;
    size_ = static_cast<std::uint32_t>(size);
    return true;
  }

  bool is_sum(const llvm::User& user) const {
    const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&user);
    if (!operation || operation->getOpcode() != llvm::Instruction::Add) return false;
    const llvm::Value* left = operation->getOperand(0);
    const llvm::Value* right = operation->getOperand(1);
    return (threads_.contains(left) && products_.contains(right)) ||
           (products_.contains(left) && threads_.contains(right));
  }

  static constexpr std::uint64_t largest_block = 1024;
  Values threads_, blocks_, sizes_;
  Values products_;  ///< ctaid.x * ntid.x
  std::uint32_t size_ = 0;
};

}  // namespace

std::optional<std::uint32_t> coarsenable_block_size(const llvm::Function& function) {
  return Sums().block_size(function);
}

}  // namespace pycuda::cpu::simt
