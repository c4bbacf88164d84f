// SPDX-License-Identifier: MIT
// Analysis: what a gang of a kernel's threads does, counted: operations, accesses by their stride,
// how lanes part.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>
#include <vector>

#include "cpu/simt/analysis/divergence.h"
#include "cpu/simt/analysis/shape.h"

namespace pycuda::cpu::simt {

/// How the addresses of a gang's lanes lie.
enum class StrideClass : std::uint8_t {
  Uniform,
  Contiguous,  ///< element beside element, or one for each row of the gang
  Strided,     ///< at a constant distance, not that of an element
  Gathered,    ///< anywhere
};

/// An access to data: not to what says where the thread is, nor to the kernel's parameters.
struct Access {
  const llvm::Instruction* instruction;
  Shape shape;          ///< of its address
  std::uint32_t bytes;  ///< of an element
  bool reads;

  StrideClass stride() const;
};

/// Whether a load reads data, and not a parameter; whether a store writes any, and not where the
/// thread is.
bool reads_data(const llvm::Instruction& instruction);
bool writes_data(const llvm::Instruction& instruction);

/// Of a kernel in ControlFlow's form, for gangs of one size. What may be contiguous is taken to be
/// so. The function must not change while there is one.
class GangWork {
 public:
  GangWork(llvm::Function& kernel, GangSize size);

  llvm::Function& kernel() const { return kernel_; }
  GangSize size() const { return size_; }
  const ControlFlow& flow() const { return flow_; }
  const Shapes& guesses() const { return guesses_; }
  const std::vector<Access>& accesses() const { return accesses_; }

  struct Counts {
    unsigned all = 0, reads = 0, gathered = 0;
    unsigned narrow = 0;  ///< of bytes and halves
  };
  const Counts& counts() const { return counts_; }

  /// Whether a branch of the kernel, or one of those that leave `loop`, parts lanes by data.
  bool parts_by_data() const;
  bool parts_by_data(const llvm::Loop& loop) const;

 private:
  llvm::Function& kernel_;
  const GangSize size_;
  ControlFlow flow_;
  const Shapes guesses_;
  std::vector<Access> accesses_;
  Counts counts_;
};

}  // namespace pycuda::cpu::simt
