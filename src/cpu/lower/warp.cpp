// SPDX-License-Identifier: MIT
// Emitters: shuffles, votes, matches, reductions over a warp.
#include "cpu/kernel_abi/checks.h"
#include "cpu/lower/emitter.h"
#include "cpu/lower/pseudo.h"
#include "cpu/lower/warp_call.h"

namespace pycuda::cpu::lower {

WarpResult warp_call(FunctionLowering& lowering, WarpOp operation, llvm::Value* mask,
                     llvm::Value* operand0, llvm::Value* operand1, llvm::Value* operand2) {
  llvm::IRBuilder<>& b = lowering.builder();
  const auto or_zero = [&](llvm::Value* value) { return value ? value : b.getInt64(0); };
  llvm::Type* pair = llvm::StructType::get(b.getInt64Ty(), b.getInt64Ty());
  llvm::CallInst* call = lowering.pseudo_call(
      pseudo::warp_op, pair,
      {b.getInt32(static_cast<std::uint32_t>(operation)), mask ? mask : b.getInt32(0),
       or_zero(operand0), or_zero(operand1), or_zero(operand2)},
      true);
  const Checks checks = lowering.module().options().checks;
  if (checks.has(Check::Sync))
    call->addFnAttr(llvm::Attribute::get(lowering.context(), pseudo::checked_operation));
  if (checks.has(Check::Race) && operation != WarpOp::ActiveMask && !counts(operation))
    call->addFnAttr(llvm::Attribute::get(lowering.context(), pseudo::ordering_operation));
  return {b.CreateExtractValue(call, 0), b.CreateExtractValue(call, 1)};
}

namespace {

using Kind = ptx::Operand::Kind;

/// Writes d or d|p: the value as `bits` bits and the second result as a predicate.
void write_results(FunctionLowering& lowering, const ptx::Operand& destination, llvm::Value* value,
                   unsigned bits, llvm::Value* predicate) {
  llvm::IRBuilder<>& b = lowering.builder();
  const bool pair = destination.kind == Kind::Pair && destination.elements.size() == 2;
  lowering.write(pair ? destination.elements[0] : destination,
                 b.CreateTrunc(value, lowering.int_type(bits)));
  if (pair) lowering.write(destination.elements[1], b.CreateICmpNE(predicate, b.getInt64(0)));
}

llvm::Value* read_wide(FunctionLowering& lowering, const ptx::Operand& operand, unsigned bits) {
  return lowering.builder().CreateZExt(lowering.read_bits(operand, bits),
                                       lowering.builder().getInt64Ty());
}

/// shfl{.sync}.mode.b32 d{|p}, a, b, c {, mask}
bool emit_shuffle(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const std::vector<ptx::Operand>& operands = instruction.operands;
  const bool sync = instruction.modifiers.sync;
  if (operands.size() != (sync ? 5u : 4u)) return false;
  WarpOp operation{};
  switch (instruction.modifiers.shuffle) {
    case ptx::ShuffleMode::Up:
      operation = WarpOp::ShuffleUp;
      break;
    case ptx::ShuffleMode::Down:
      operation = WarpOp::ShuffleDown;
      break;
    case ptx::ShuffleMode::Bfly:
      operation = WarpOp::ShuffleButterfly;
      break;
    case ptx::ShuffleMode::Idx:
      operation = WarpOp::ShuffleIndex;
      break;
    case ptx::ShuffleMode::None:
      return false;
  }
  const WarpResult result =
      warp_call(lowering, operation, sync ? lowering.read_bits(operands[4], 32) : nullptr,
                read_wide(lowering, operands[1], 32), read_wide(lowering, operands[2], 32),
                read_wide(lowering, operands[3], 32));
  write_results(lowering, operands[0], result.value, 32, result.second);
  return true;
}

/// vote{.sync}.mode d, a {, mask}
bool emit_vote(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const std::vector<ptx::Operand>& operands = instruction.operands;
  const bool sync = instruction.modifiers.sync;
  if (operands.size() != (sync ? 3u : 2u)) return false;
  WarpOp operation{};
  switch (instruction.modifiers.vote) {
    case ptx::VoteMode::All:
      operation = WarpOp::VoteAll;
      break;
    case ptx::VoteMode::Any:
      operation = WarpOp::VoteAny;
      break;
    case ptx::VoteMode::Uni:
      operation = WarpOp::VoteUniform;
      break;
    case ptx::VoteMode::Ballot:
      operation = WarpOp::VoteBallot;
      break;
    case ptx::VoteMode::None:
      return false;
  }
  llvm::IRBuilder<>& b = lowering.builder();
  const WarpResult result =
      warp_call(lowering, operation, sync ? lowering.read_bits(operands[2], 32) : nullptr,
                read_wide(lowering, operands[1], 1));
  lowering.write(operands[0], operation == WarpOp::VoteBallot
                                  ? b.CreateTrunc(result.value, b.getInt32Ty())
                                  : b.CreateICmpNE(result.value, b.getInt64(0)));
  return true;
}

/// match.any.sync.b32 d, a, mask and match.all.sync.b32 d{|p}, a, mask
bool emit_match(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const std::vector<ptx::Operand>& operands = instruction.operands;
  const unsigned bits = ptx::bits_of(instruction.modifiers.type());
  if (operands.size() != 3 || (bits != 32 && bits != 64)) return false;
  const bool all =
      instruction.modifiers.vote == ptx::VoteMode::All || instruction.modifiers.has("all");
  const WarpResult result =
      warp_call(lowering, all ? WarpOp::MatchAll : WarpOp::MatchAny,
                lowering.read_bits(operands[2], 32), read_wide(lowering, operands[1], bits));
  write_results(lowering, operands[0], result.value, 32, result.second);
  return true;
}

/// The sign of a float's bits decides their order as integers: an i32 in the order of the floats,
/// with -0 below 0.
llvm::Value* in_order(llvm::IRBuilder<>& b, llvm::Value* bits) {
  return b.CreateXor(bits, b.CreateAnd(b.CreateAShr(bits, 31), b.getInt32(0x7fffffff)));
}

/// redux.sync.{min,max}{.abs}{.NaN}.f32 d, a, mask, as one of integers. A NaN goes to the end of
/// their order where it does what it should: it wins with .NaN, and loses without.
bool emit_float_reduction(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  llvm::IRBuilder<>& b = lowering.builder();
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const bool is_minimum = modifiers.atomic == ptx::AtomicOp::Min;
  if (!is_minimum && modifiers.atomic != ptx::AtomicOp::Max) return false;
  constexpr std::uint32_t lowest = 0x80000000u, highest = 0x7fffffffu, infinity = 0x7f800000u;
  llvm::Value* bits = lowering.read_bits(instruction.operands[1], 32);
  llvm::Value* magnitude = b.CreateAnd(bits, b.getInt32(0x7fffffff));
  if (modifiers.abs) bits = magnitude;
  llvm::Value* end = b.getInt32(is_minimum == modifiers.nan ? lowest : highest);
  llvm::Value* is_nan = b.CreateICmpUGT(magnitude, b.getInt32(infinity));
  llvm::Value* number = b.CreateSelect(is_nan, end, in_order(b, bits));
  const WarpResult result = warp_call(
      lowering, is_minimum ? WarpOp::ReduceMinS32 : WarpOp::ReduceMaxS32,
      lowering.read_bits(instruction.operands[2], 32), b.CreateZExt(number, b.getInt64Ty()));
  llvm::Value* found = b.CreateTrunc(result.value, b.getInt32Ty());
  lowering.write(
      instruction.operands[0],
      b.CreateSelect(b.CreateICmpEQ(found, end), b.getInt32(0x7fffffff), in_order(b, found)));
  return true;
}

/// redux.sync.op.type d, a, mask
bool emit_reduction(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const std::vector<ptx::Operand>& operands = instruction.operands;
  const ptx::Type type = instruction.modifiers.type();
  if (operands.size() != 3 || ptx::bits_of(type) != 32) return false;
  if (type == ptx::Type::F32) return emit_float_reduction(lowering, instruction);
  const bool is_signed = ptx::is_signed(type);
  WarpOp operation{};
  switch (instruction.modifiers.atomic) {
    case ptx::AtomicOp::Add:
      operation = WarpOp::ReduceAdd;
      break;
    case ptx::AtomicOp::Min:
      operation = is_signed ? WarpOp::ReduceMinS32 : WarpOp::ReduceMinU32;
      break;
    case ptx::AtomicOp::Max:
      operation = is_signed ? WarpOp::ReduceMaxS32 : WarpOp::ReduceMaxU32;
      break;
    case ptx::AtomicOp::And:
      operation = WarpOp::ReduceAnd;
      break;
    case ptx::AtomicOp::Or:
      operation = WarpOp::ReduceOr;
      break;
    case ptx::AtomicOp::Xor:
      operation = WarpOp::ReduceXor;
      break;
    default:
      return false;
  }
  const WarpResult result = warp_call(lowering, operation, lowering.read_bits(operands[2], 32),
                                      read_wide(lowering, operands[1], 32));
  lowering.write(operands[0], lowering.builder().CreateTrunc(result.value, lowering.int_type(32)));
  return true;
}

/// elect.sync d|p, mask: the lowest lane of the mask is elected.
bool emit_elect(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const std::vector<ptx::Operand>& operands = instruction.operands;
  if (operands.size() != 2) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* mask = lowering.read_bits(operands[1], 32);
  warp_call(lowering, WarpOp::Sync, mask);
  llvm::Value* leader =
      b.CreateIntrinsic(llvm::Intrinsic::cttz, {b.getInt32Ty()}, {mask, b.getFalse()});
  llvm::Value* lane =
      lowering.pseudo_call(std::string(pseudo::sreg_prefix) + "laneid", b.getInt32Ty(), {}, false);
  write_results(lowering, operands[0], b.CreateZExt(leader, b.getInt64Ty()), 32,
                b.CreateZExt(b.CreateICmpEQ(lane, leader), b.getInt64Ty()));
  return true;
}

}  // namespace

bool emit_warp(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  if (lowering.module().options().checks.has(Check::Sync)) lowering.track_line();
  switch (instruction.opcode) {
    case ptx::Opcode::shfl:
      return emit_shuffle(lowering, instruction);
    case ptx::Opcode::vote:
      return emit_vote(lowering, instruction);
    case ptx::Opcode::match:
      return emit_match(lowering, instruction);
    case ptx::Opcode::redux:
      return emit_reduction(lowering, instruction);
    case ptx::Opcode::elect:
      return emit_elect(lowering, instruction);
    case ptx::Opcode::activemask: {
      if (instruction.operands.size() != 1) return false;
      const WarpResult result = warp_call(lowering, WarpOp::ActiveMask, nullptr);
      lowering.write(instruction.operands[0],
                     lowering.builder().CreateTrunc(result.value, lowering.int_type(32)));
      return true;
    }
    default:
      return false;
  }
}

}  // namespace pycuda::cpu::lower
