// SPDX-License-Identifier: MIT
// Emitters: cp.async.bulk and cp.reduce.async.bulk. Copies are complete at once, so that their
// groups have nothing to wait for.
#include "cpu/lower/bulk_copy.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cpu/kernel_abi/bulk_copies.h"
#include "cpu/lower/cluster.h"
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

using ptx::Operand;
using ptx::Space;

llvm::Value* bulk_pointer(FunctionLowering& lowering, const Operand& address, Space space,
                          bool in_cluster) {
  if (address.kind != Operand::Kind::Address) {
    lowering.fail("needs an address in brackets");
    return llvm::ConstantPointerNull::get(lowering.builder().getPtrTy());
  }
  if (space != Space::Shared || !in_cluster || address.symbol || !address.has_register_base)
    return lowering.pointer_to(address, space);
  Operand reg = address;
  reg.kind = Operand::Kind::Register;
  reg.offset = 0;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* offset = b.CreateAdd(lowering.read_bits(reg, 32),
                                    b.getInt32(static_cast<std::uint32_t>(address.offset)));
  return cluster_pointer(lowering, offset);
}

std::optional<BulkOperation> bulk_operation_of(const ptx::Modifiers& modifiers) {
  constexpr std::pair<std::string_view, BulkOperation> words[] = {
      {"add", BulkOperation::Add}, {"min", BulkOperation::Min}, {"max", BulkOperation::Max},
      {"inc", BulkOperation::Inc}, {"dec", BulkOperation::Dec}, {"and", BulkOperation::And},
      {"or", BulkOperation::Or},   {"xor", BulkOperation::Xor}};
  for (const auto& [word, operation] : words)
    if (modifiers.has(word)) return operation;
  return std::nullopt;
}

std::optional<BulkType> bulk_type_of(ptx::Type type) {
  switch (type) {
    case ptx::Type::B32:
    case ptx::Type::U32:
      return BulkType::U32;
    case ptx::Type::S32:
      return BulkType::S32;
    case ptx::Type::B64:
    case ptx::Type::U64:
      return BulkType::U64;
    case ptx::Type::S64:
      return BulkType::S64;
    case ptx::Type::F16:
      return BulkType::F16;
    case ptx::Type::BF16:
      return BulkType::BF16;
    case ptx::Type::F32:
      return BulkType::F32;
    case ptx::Type::F64:
      return BulkType::F64;
    default:
      return std::nullopt;
  }
}

bool emit_bulk_copy(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (modifiers.has("commit_group") || modifiers.has("wait_group")) return true;
  if (modifiers.has("tensor")) return emit_tensor_copy(lowering, instruction);
  if (modifiers.has("cp_mask")) return false;
  if (modifiers.has("prefetch")) return true;
  const std::vector<Operand>& operands = instruction.operands;
  const bool has_barrier = modifiers.has("mbarrier::complete_tx::bytes");
  const bool is_multicast = modifiers.has("multicast::cluster");
  const std::size_t needed = 3 + (has_barrier ? 1 : 0) + (is_multicast ? 1 : 0) +
                             (modifiers.has("L2::cache_hint") ? 1 : 0);
  if (operands.size() != needed || !modifiers.has_space) return false;
  const bool to_cluster = modifiers.has("shared::cluster");
  llvm::IRBuilder<>& b = lowering.builder();
  lowering.track_line();
  llvm::Value* to = bulk_pointer(lowering, operands[0], modifiers.space, to_cluster);
  llvm::Value* from = bulk_pointer(lowering, operands[1], modifiers.second_space, false);
  llvm::Value* bytes = lowering.read_bits(operands[2], 32);
  llvm::Value* barrier = has_barrier
                             ? bulk_pointer(lowering, operands[3], Space::Shared, to_cluster)
                             : llvm::ConstantPointerNull::get(b.getPtrTy());
  std::vector<llvm::Value*> arguments{lowering.thread(), to, from, bytes, barrier};
  const char* name = "pycuda_cpu_bulk_copy";
  if (modifiers.has("reduce")) {
    const auto operation = bulk_operation_of(modifiers);
    const auto type =
        bulk_type_of(modifiers.types.empty() ? ptx::Type::None : modifiers.types.back());
    if (!operation || !type || is_multicast) return false;
    arguments.push_back(b.getInt32(bulk_code(*operation, *type)));
    name = "pycuda_cpu_bulk_reduce";
  } else if (is_multicast) {
    use_cluster(lowering);
    arguments.push_back(lowering.read_bits(operands[4], 16));
    arguments.back() = b.CreateZExt(arguments.back(), b.getInt32Ty());
    name = "pycuda_cpu_bulk_multicast";
  }
  lowering.runtime_call(name, b.getVoidTy(), arguments);
  return true;
}

bool emit_bulk_completion(FunctionLowering& lowering, const ptx::Instruction& instruction,
                          std::uint32_t bytes) {
  if (instruction.operands.size() != 3) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  // Without a state space they are of .shared::cluster all the same.
  const Operand& barrier = instruction.operands[2];
  lowering.runtime_call(
      "pycuda_cpu_bulk_complete", b.getVoidTy(),
      {lowering.thread(),
       bulk_pointer(lowering, barrier,
                    instruction.modifiers.has_space ? Space::Shared : Space::Generic,
                    instruction.modifiers.has("shared::cluster")),
       b.getInt32(bytes)});
  return true;
}

}  // namespace pycuda::cpu::lower
