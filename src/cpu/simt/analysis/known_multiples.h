// SPDX-License-Identifier: MIT
// Analysis: what a launch must be like so that an address is a multiple of a power of two.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <cstdint>
#include <optional>

#include "cpu/kernel_abi/facts.h"

namespace pycuda::cpu::simt {

/// Where among a kernel's parameters `load` reads, if it reads one.
std::optional<std::uint32_t> parameter_read_by(const llvm::LoadInst& load);

/// Of a gang's function, in which tid.x is that of the gang's first lane.
class KnownMultiples {
 public:
  KnownMultiples(const llvm::DataLayout& layout, unsigned columns);

  /// Whether `value` is a multiple of 2^bits in launches that meet `conditions()`, which become
  /// stricter where they have to; they stay as they are where the answer is no.
  bool require(const llvm::Value& value, unsigned bits);

  /// StreamedStores without arrays.
  const StreamedStores& conditions() const { return state_.conditions; }

 private:
  struct State {
    StreamedStores conditions;
    /// Values that are multiples if those are that they are computed from.
    llvm::DenseMap<const llvm::Value*, unsigned> assumed;
  };

  bool holds(const llvm::Value& value, unsigned bits);
  bool of_operation(const llvm::BinaryOperator& operation, unsigned bits);
  bool of_product(const llvm::Value& left, const llvm::Value& right, unsigned bits);
  bool of_address(const llvm::GEPOperator& address, unsigned bits);
  bool of_parameter(const llvm::LoadInst& load, unsigned bits);
  bool of_call(const llvm::CallInst& call, unsigned bits);

  const llvm::DataLayout& layout_;
  const unsigned columns_;
  unsigned steps_ = 0;
  State state_;
};

}  // namespace pycuda::cpu::simt
