// SPDX-License-Identifier: MIT
// What code with counters (Check::Counters) counts and where, and the operations for it.
#pragma once

#include <llvm/IR/Value.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "cpu/kernel_abi/counters.h"
#include "cpu/ptx/module.h"

namespace pycuda::cpu::lower {

class FunctionLowering;

/// Of one function. Every operation is a warp operation without a mask (WarpOp::CountRun ...): it
/// concerns the lanes that execute it together, is not moved, copied or joined with another, and
/// each form of a kernel knows what to do with it.
///
/// A *run* is a sequence of instructions executed as a whole by each thread that enters it: it ends
/// before each label and behind each instruction that some threads may not return from. An
/// instruction with a guard is issued in the run around it, and has one of its own.
class Counting {
 public:
  /// `places`: null if nothing is counted.
  Counting(FunctionLowering& lowering, CountedPlaces* places);

  void at_label() { in_run_ = false; }
  /// Before the instruction's guard is looked at.
  void before(const ptx::Instruction& instruction);
  /// Where the instruction's guard holds.
  void behind_guard(const ptx::Instruction& instruction);
  void after(const ptx::Instruction& instruction);
  /// A branch to where `way` (an integer) says.
  void branch(const ptx::Instruction& instruction, llvm::Value* way);
  /// An access of `bytes` bytes for each lane. `flags`: its AccessFlags.
  void access(const ptx::Instruction& instruction, llvm::Value* pointer, ptx::Space space,
              std::uint32_t bytes, std::uint32_t flags);

 private:
  CountedPlace& add(CountedKind kind, const ptx::Instruction& instruction, std::uint32_t words);
  void start_run(const ptx::Instruction& instruction);
  void count(WarpOp operation, llvm::Value* value, std::uint32_t how);
  llvm::Value* local_offset(llvm::Value* pointer);
  bool is_result_read(const ptx::Instruction& instruction) const;

  FunctionLowering& lowering_;
  CountedPlaces* const places_;
  bool in_run_ = false;
  std::size_t run_ = 0;  ///< the open one, by its number
  std::uint32_t parts_ = 0;
  std::vector<std::uint32_t> mentions_;  ///< by register: how often an operand names it
};

/// Nothing for what is not an instruction on a device: declarations of the compiler's, parameters.
std::optional<InstructionClass> class_of(const ptx::Instruction& instruction);

}  // namespace pycuda::cpu::lower
