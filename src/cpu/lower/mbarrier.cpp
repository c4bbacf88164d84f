// SPDX-License-Identifier: MIT
// Emitters: mbarrier and cp.async.mbarrier. The layout of a barrier's 64 bits is that of
// exec/mbarrier.cpp.
#include "cpu/lower/mbarrier.h"

#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::lower {

namespace {

constexpr std::uint32_t barrier_bytes = 8;
constexpr std::uint64_t count_mask = (std::uint64_t{1} << 20) - 1;
constexpr unsigned expected_shift = 20, parity_shift = 63;

llvm::Value* barrier_at(FunctionLowering& lowering, const ptx::Instruction& instruction,
                        const ptx::Operand& address, std::uint32_t flags = AccessFlags::update) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  return lowering.access(address, modifiers.has_space ? modifiers.space : ptx::Space::Generic,
                         barrier_bytes, {AccessFlags::strong | flags});
}

llvm::Value* arrive(FunctionLowering& lowering, llvm::Value* barrier, llvm::Value* count,
                    bool drops, llvm::Value* bytes) {
  llvm::IRBuilder<>& b = lowering.builder();
  return lowering.runtime_call("pycuda_cpu_mbarrier_arrive", b.getInt64Ty(),
                               {barrier, count, b.getInt32(drops ? 1 : 0), bytes});
}

void store(FunctionLowering& lowering, llvm::Value* barrier, llvm::Value* bits) {
  lowering.builder()
      .CreateAlignedStore(bits, barrier, llvm::Align(barrier_bytes))
      ->setAtomic(llvm::AtomicOrdering::Release);
}

/// mbarrier.init [address], count
bool emit_init(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 2) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* count =
      b.CreateZExt(lowering.read_bits(instruction.operands[1], 32), b.getInt64Ty());
  count = b.CreateAnd(count, count_mask);
  llvm::Value* barrier =
      barrier_at(lowering, instruction, instruction.operands[0], AccessFlags::write);
  store(lowering, barrier, b.CreateOr(count, b.CreateShl(count, expected_shift)));
  return true;
}

/// mbarrier.arrive and arrive_drop: state, [address] {, count}; with .expect_tx: state, [address],
/// bytes
bool emit_arrive(FunctionLowering& lowering, const ptx::Instruction& instruction, bool drops) {
  const std::vector<ptx::Operand>& operands = instruction.operands;
  if (operands.size() != 2 && operands.size() != 3) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  const bool expects = instruction.modifiers.has("expect_tx");
  if (expects && operands.size() != 3) return false;
  llvm::Value* number = operands.size() == 3 ? lowering.read_bits(operands[2], 32) : b.getInt32(1);
  llvm::Value* barrier =
      barrier_at(lowering, instruction, operands[1], AccessFlags::update | AccessFlags::release);
  llvm::Value* before = arrive(lowering, barrier, expects ? b.getInt32(1) : number, drops,
                               expects ? number : b.getInt32(0));
  lowering.write(operands[0], before);
  return true;
}

/// mbarrier.expect_tx and complete_tx: [address], bytes
bool emit_bytes(FunctionLowering& lowering, const ptx::Instruction& instruction, bool completes) {
  if (instruction.operands.size() != 2) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* bytes = lowering.read_bits(instruction.operands[1], 32);
  llvm::Value* barrier = barrier_at(lowering, instruction, instruction.operands[0]);
  lowering.runtime_call("pycuda_cpu_mbarrier_add_bytes", b.getVoidTy(),
                        {barrier, completes ? b.CreateNeg(bytes) : bytes});
  return true;
}

/// mbarrier.test_wait and try_wait: predicate, [address], state {, hint}; with .parity: predicate,
/// [address], parity {, hint}. Where a GPU may suspend the thread for a while, others have their
/// turn once; a thread that asks again and again is waited for as in any spin-wait.
bool emit_wait(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const std::vector<ptx::Operand>& operands = instruction.operands;
  if (operands.size() != 3 && operands.size() != 4) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* phase =
      instruction.modifiers.has("parity")
          ? b.CreateAnd(lowering.read_bits(operands[2], 32), 1)
          : b.CreateTrunc(b.CreateLShr(lowering.read_bits(operands[2], 64), parity_shift),
                          b.getInt32Ty());
  llvm::Value* barrier = barrier_at(lowering, instruction, operands[1]);
  llvm::LoadInst* bits =
      b.CreateAlignedLoad(b.getInt64Ty(), barrier, llvm::Align(barrier_bytes), true);
  bits->setAtomic(llvm::AtomicOrdering::Acquire);
  llvm::Value* now = b.CreateTrunc(b.CreateLShr(bits, parity_shift), b.getInt32Ty());
  llvm::Value* complete = b.CreateICmpNE(now, phase);
  llvm::BasicBlock* wait = lowering.new_block("wait");
  llvm::BasicBlock* over = lowering.new_block("over");
  llvm::BasicBlock* go_on = lowering.new_block();
  lowering.write(operands[0], complete);
  b.CreateCondBr(complete, over, wait);
  b.SetInsertPoint(over);
  lowering.note_access(barrier, ptx::Space::Shared, barrier_bytes,
                       {AccessFlags::strong | AccessFlags::acquire});
  b.CreateBr(go_on);
  b.SetInsertPoint(wait);
  lowering.pseudo_call(pseudo::yield, b.getVoidTy(), {}, true);
  b.CreateBr(go_on);
  b.SetInsertPoint(go_on);
  return true;
}

/// mbarrier.pending_count count, state
bool emit_pending(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 2) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* state = lowering.read_bits(instruction.operands[1], 64);
  lowering.write(instruction.operands[0],
                 b.CreateTrunc(b.CreateAnd(state, count_mask), b.getInt32Ty()));
  return true;
}

}  // namespace

bool emit_mbarrier(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (modifiers.has("init")) return emit_init(lowering, instruction);
  if (modifiers.has("inval")) {
    if (instruction.operands.size() != 1) return false;
    store(lowering, barrier_at(lowering, instruction, instruction.operands[0]),
          lowering.builder().getInt64(0));
    return true;
  }
  if (modifiers.has("arrive")) return emit_arrive(lowering, instruction, false);
  if (modifiers.has("arrive_drop")) return emit_arrive(lowering, instruction, true);
  if (modifiers.has("expect_tx")) return emit_bytes(lowering, instruction, false);
  if (modifiers.has("complete_tx")) return emit_bytes(lowering, instruction, true);
  if (modifiers.has("test_wait") || modifiers.has("try_wait"))
    return emit_wait(lowering, instruction);
  if (modifiers.has("pending_count")) return emit_pending(lowering, instruction);
  return false;
}

bool emit_copy_arrival(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  if (instruction.operands.size() != 1 || !instruction.modifiers.has("arrive")) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* barrier = barrier_at(lowering, instruction, instruction.operands[0],
                                    AccessFlags::update | AccessFlags::release);
  // Without .noinc the arrival is expected in addition to the others, so that nothing changes.
  if (instruction.modifiers.has("noinc"))
    arrive(lowering, barrier, b.getInt32(1), false, b.getInt32(0));
  return true;
}

}  // namespace pycuda::cpu::lower
