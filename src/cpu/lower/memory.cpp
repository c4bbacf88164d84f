// SPDX-License-Identifier: MIT
// Emitters: ld, ldu, st, cp.async.
#include <algorithm>

#include "cpu/lower/bulk_copy.h"
#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/lower/mbarrier.h"
#include "cpu/lower/memory_order.h"
#include "cpu/lower/memory_scopes.h"

namespace pycuda::cpu::lower {

namespace {

/// How an access of one instruction is made.
struct Access {
  ptx::Type type;
  unsigned bits;
  std::uint32_t element_bytes, count;
  llvm::AtomicOrdering ordering;
  bool is_volatile;
  std::uint32_t flags;  ///< AccessFlags of its order
};

Access access_of(const ptx::Modifiers& modifiers, std::size_t elements) {
  Access access{};
  access.type = modifiers.type();
  access.bits = ptx::bits_of(access.type);
  access.element_bytes = access.bits / 8;
  access.count = static_cast<std::uint32_t>(elements);
  access.ordering = memory_order(modifiers.ordering);
  access.is_volatile = modifiers.ordering == ptx::Ordering::Volatile ||
                       modifiers.ordering == ptx::Ordering::Mmio || modifiers.volatile_;
  if (access.is_volatile && access.ordering == llvm::AtomicOrdering::NotAtomic) {
    access.ordering = llvm::AtomicOrdering::Monotonic;
  }
  access.flags = order_flags(modifiers.ordering) |
                 (access.is_volatile ? AccessFlags::strong : std::uint32_t{0}) |
                 scope_flags(modifiers.scope);
  return access;
}

bool is_sane(const Access& access) {
  return access.bits >= 8 && access.count >= 1 && access.element_bytes * access.count <= 32;
}

/// What a load has read first, a word of it, for the check for uninitialised reads.
class FirstWord {
 public:
  FirstWord(FunctionLowering& lowering, const Access& access)
      : b_(lowering.builder()),
        bits_(access.bits),
        is_asked_for_(lowering.read_flags() != 0),
        value_(b_.getInt64(0)) {}

  void add(std::uint32_t number, llvm::Value* element) {
    const std::uint64_t bit = std::uint64_t{bits_} * number;
    if (!is_asked_for_ || bit >= 32) return;
    llvm::Value* word = b_.CreateZExtOrTrunc(element, b_.getInt64Ty());
    value_ = b_.CreateOr(value_, b_.CreateShl(word, bit));
  }
  llvm::Value* value() const { return value_; }

 private:
  llvm::IRBuilder<>& b_;
  const unsigned bits_;
  const bool is_asked_for_;
  llvm::Value* value_;
};

bool emit_load(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  if (instruction.operands.size() < 2) return false;
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const std::vector<ptx::Operand> destinations = lowering.elements(instruction.operands[0]);
  if (destinations.size() != std::max<std::size_t>(modifiers.vector, 1)) return false;
  const Access access = access_of(modifiers, destinations.size());
  if (!is_sane(access)) return false;
  const ptx::Operand& address = instruction.operands[1];
  const ptx::Space space = modifiers.has_space ? modifiers.space : ptx::Space::Generic;
  llvm::Value* pointer =
      lowering.access(address, space, access.element_bytes * access.count,
                      {access.flags | lowering.copy_flag(instruction) | lowering.read_flags()});
  llvm::IRBuilder<>& b = lowering.builder();
  FirstWord first_word(lowering, access);
  const auto note = [&] {
    lowering.note_read(address, space, pointer, access.element_bytes * access.count,
                       lowering.copy_flag(instruction), first_word.value());
    return true;
  };
  llvm::Type* type = lowering.int_type(access.bits);
  const llvm::Align alignment(access.element_bytes);
  const bool sign_extend = ptx::is_signed(access.type);
  if (access.ordering != llvm::AtomicOrdering::NotAtomic) {
    // Each element of a vector is accessed once and whole, which is all that PTX promises.
    for (std::uint32_t i = 0; i < access.count; ++i) {
      llvm::LoadInst* load = b.CreateAlignedLoad(
          type, b.CreateConstInBoundsGEP1_64(type, pointer, i), alignment, access.is_volatile);
      load->setAtomic(access.ordering);
      if (access.is_volatile && space == ptx::Space::Generic) mark_generic_access(*load);
      first_word.add(i, load);
      lowering.write(destinations[i], load, sign_extend);
    }
    return note();
  }
  llvm::Type* whole = access.count == 1 ? type : llvm::FixedVectorType::get(type, access.count);
  llvm::LoadInst* load = b.CreateAlignedLoad(whole, pointer, alignment);
  set_memory_scope(*load, space);
  const bool kernel_parameter = lowering.source().is_entry && address.symbol &&
                                address.symbol->kind == ptx::SymbolRef::Kind::Parameter;
  if (kernel_parameter) {
    load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                      llvm::MDNode::get(lowering.context(), {}));
  }
  if (access.count == 1) {
    first_word.add(0, load);
    lowering.write(destinations[0], load, sign_extend);
    return note();
  }
  for (std::uint32_t i = 0; i < access.count; ++i) {
    llvm::Value* element = b.CreateExtractElement(load, i);
    first_word.add(i, element);
    lowering.write(destinations[i], element, sign_extend);
  }
  return note();
}

/// The elements as two words, which the checks compare with what is there.
AccessNote store_note(FunctionLowering& lowering, const Access& access,
                      const std::vector<llvm::Value*>& values) {
  AccessNote note{AccessFlags::write | access.flags};
  if (!lowering.module().options().checks.note_accesses() || access.bits > 64 ||
      access.element_bytes * access.count > 16)
    return note;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* words[2] = {b.getInt64(0), b.getInt64(0)};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bit = access.bits * i;
    llvm::Value*& word = words[bit / 64];
    word = b.CreateOr(word, b.CreateShl(b.CreateZExt(values[i], b.getInt64Ty()), bit % 64));
  }
  note.low = words[0];
  note.high = words[1];
  return note;
}

bool emit_store(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (instruction.operands.size() < 2 || modifiers.has("bulk")) return false;
  const bool is_async = modifiers.has("async");
  if (is_async && !modifiers.has("mbarrier::complete_tx::bytes")) return false;
  const std::vector<ptx::Operand> sources = lowering.elements(instruction.operands[1]);
  if (sources.size() != std::max<std::size_t>(modifiers.vector, 1)) return false;
  const Access access = access_of(modifiers, sources.size());
  if (!is_sane(access)) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Type* type = lowering.int_type(access.bits);
  std::vector<llvm::Value*> values;
  values.reserve(sources.size());
  for (const ptx::Operand& source : sources)
    values.push_back(b.CreateBitCast(lowering.read(source, access.type), type));
  const ptx::Space space = modifiers.has_space ? modifiers.space : ptx::Space::Generic;
  llvm::Value* pointer =
      lowering.access(instruction.operands[0], space, access.element_bytes * access.count,
                      store_note(lowering, access, values));
  const llvm::Align alignment(access.element_bytes);
  if (access.ordering != llvm::AtomicOrdering::NotAtomic) {
    for (std::uint32_t i = 0; i < access.count; ++i) {
      llvm::StoreInst* store = b.CreateAlignedStore(
          values[i], b.CreateConstInBoundsGEP1_64(type, pointer, i), alignment, access.is_volatile);
      store->setAtomic(access.ordering);
      if (access.is_volatile && space == ptx::Space::Generic) mark_generic_access(*store);
    }
    return true;
  }
  const auto finish = [&] {
    return !is_async ||
           emit_bulk_completion(lowering, instruction, access.element_bytes * access.count);
  };
  if (access.count == 1) {
    set_memory_scope(*b.CreateAlignedStore(values[0], pointer, alignment), space);
    return finish();
  }
  llvm::Value* whole = llvm::PoisonValue::get(llvm::FixedVectorType::get(type, access.count));
  for (std::uint32_t i = 0; i < access.count; ++i)
    whole = b.CreateInsertElement(whole, values[i], i);
  set_memory_scope(*b.CreateAlignedStore(whole, pointer, alignment), space);
  return finish();
}

/// cp.async.{ca,cg}.shared.global [dst], [src], size {, source size or ignore-source predicate} {,
/// policy}: copied at once, which PTX allows; so groups have nothing to wait for.
bool emit_async_copy(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (!modifiers.has("async")) return false;
  if (modifiers.has("bulk")) return emit_bulk_copy(lowering, instruction);
  if (modifiers.has("reduce")) return false;
  if (modifiers.has("mbarrier")) return emit_copy_arrival(lowering, instruction);
  if (modifiers.has("commit_group") || modifiers.has("wait_group") || modifiers.has("wait_all"))
    return true;
  const std::vector<ptx::Operand>& operands = instruction.operands;
  if (operands.size() < 3 || operands[2].kind != ptx::Operand::Kind::Integer) return false;
  const std::uint32_t bytes = static_cast<std::uint32_t>(operands[2].bits);
  if (bytes != 4 && bytes != 8 && bytes != 16) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* to = lowering.access(operands[0], ptx::Space::Shared, bytes, plain_write);
  if (operands.size() == 3 || modifiers.has("cache_hint") || modifiers.has("L2::cache_hint")) {
    if (operands.size() > 4) return false;
  }
  llvm::Value* source_bytes = b.getInt32(bytes);
  const std::size_t policy = modifiers.has("L2::cache_hint") ? 1 : 0;
  if (operands.size() - policy > 3) {
    const ptx::Operand& limit = operands[3];
    const bool is_predicate = lowering.register_bits(limit) == 1;
    if (is_predicate) {
      source_bytes = b.CreateSelect(lowering.read_bits(limit, 1), b.getInt32(0), b.getInt32(bytes));
    } else {
      source_bytes = lowering.read_bits(limit, 32);
    }
  }
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(source_bytes);
      constant && constant->equalsInt(bytes)) {
    llvm::Value* from = lowering.access(operands[1], ptx::Space::Global, bytes, plain_read);
    llvm::Type* type = lowering.int_type(bytes * 8);
    b.CreateAlignedStore(b.CreateAlignedLoad(type, from, llvm::Align(4)), to, llvm::Align(4));
    return true;
  }
  // What the source does not give is zero. Nothing is read from a source of no bytes.
  b.CreateMemSet(to, b.getInt8(0), bytes, llvm::MaybeAlign(4));
  llvm::BasicBlock* copy = lowering.new_block("copy");
  llvm::BasicBlock* done = lowering.new_block();
  source_bytes = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, source_bytes, b.getInt32(bytes));
  b.CreateCondBr(b.CreateICmpNE(source_bytes, b.getInt32(0)), copy, done);
  b.SetInsertPoint(copy);
  llvm::Value* from = lowering.access(operands[1], ptx::Space::Global, 1, plain_read);
  lowering.check_alignment(from, bytes);
  b.CreateMemCpy(to, llvm::MaybeAlign(1), from, llvm::MaybeAlign(1),
                 b.CreateZExt(source_bytes, b.getInt64Ty()));
  b.CreateBr(done);
  b.SetInsertPoint(done);
  return true;
}

}  // namespace

bool emit_memory(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case ptx::Opcode::ld:
    case ptx::Opcode::ldu:
      return emit_load(lowering, instruction);
    case ptx::Opcode::st:
      return emit_store(lowering, instruction);
    case ptx::Opcode::cp:
      return emit_async_copy(lowering, instruction);
    default:
      return false;
  }
}

}  // namespace pycuda::cpu::lower
