// SPDX-License-Identifier: MIT
// Addresses to pointers, and what goes before an access: the line for messages, the test of its
// alignment, and the checks of checked mode.
#include <cstddef>

#include "cpu/kernel_abi/checks.h"
#include "cpu/kernel_abi/frames.h"
#include "cpu/kernel_abi/runtime_calls.h"
#include "cpu/lower/cluster.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/lower/line_notes.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::lower {

using SymbolKind = ptx::SymbolRef::Kind;

llvm::Value* FunctionLowering::shared_base() {
  llvm::CallInst* base = pseudo_call(pseudo::shared_base, builder_.getPtrTy(), {}, false);
  constexpr std::uint64_t window_alignment = 128;
  base->addRetAttr(llvm::Attribute::getWithAlignment(context(), llvm::Align(window_alignment)));
  return base;
}

llvm::Value* FunctionLowering::is_in_shared(llvm::Value* address) {
  llvm::Value* base = builder_.CreatePtrToInt(shared_base(), builder_.getInt64Ty());
  llvm::Value* bytes = pseudo_call(std::string(pseudo::sreg_prefix) + "total_smem_size",
                                   builder_.getInt32Ty(), {}, false);
  bytes = builder_.CreateAdd(bytes, builder_.getInt32(reserved_shared_bytes));
  return builder_.CreateICmpULT(builder_.CreateSub(address, base),
                                builder_.CreateZExt(bytes, builder_.getInt64Ty()));
}

ptx::Space FunctionLowering::symbol_space(const ptx::SymbolRef& symbol) const {
  switch (symbol.kind) {
    case SymbolKind::ModuleVariable:
      return module_.source().variables[symbol.index].space;
    case SymbolKind::LocalVariable:
      return source_.variables[symbol.index].space;
    case SymbolKind::Parameter:
    case SymbolKind::ReturnParameter:
      return ptx::Space::Param;
    case SymbolKind::Function:
      break;
  }
  return ptx::Space::Generic;
}

llvm::Value* FunctionLowering::symbol_address(const ptx::SymbolRef& symbol, std::int64_t offset) {
  const auto at_offset = [&](llvm::Value* base) {
    return offset == 0 ? base : builder_.CreateConstGEP1_64(builder_.getInt8Ty(), base, offset);
  };
  if (symbol_space(symbol) == ptx::Space::Shared) {
    const bool of_module = symbol.kind == SymbolKind::ModuleVariable;
    const ptx::Variable& variable =
        of_module ? module_.source().variables[symbol.index] : source_.variables[symbol.index];
    if (is_dynamic_shared(variable)) {
      llvm::Value* start =
          pseudo_call(pseudo::dynamic_shared_offset, builder_.getInt32Ty(), {}, false);
      // It is so in any case: with it, accesses are known to be aligned.
      const std::uint32_t alignment = dynamic_shared_alignment(variable);
      start = builder_.CreateAnd(start, builder_.getInt32(-alignment));
      return builder_.CreateAdd(builder_.CreateZExt(start, builder_.getInt64Ty()),
                                builder_.getInt64(offset));
    }
    const std::uint64_t start =
        of_module ? module_.shared().module_offset(symbol.index)
                  : module_.shared().function_offset(module_.index_of(source_), symbol.index);
    return builder_.CreateAdd(builder_.getInt64(start), builder_.getInt64(offset));
  }
  switch (symbol.kind) {
    case SymbolKind::ModuleVariable: {
      const ptx::Variable& variable = module_.source().variables[symbol.index];
      if (variable.space != ptx::Space::Global && variable.space != ptx::Space::Const) {
        fail("uses '" + variable.name +
             "': variables of this state space are not supported by the CPU driver");
      }
      return at_offset(module_.variable(symbol.index));
    }
    case SymbolKind::LocalVariable: {
      if (variables_[symbol.index]) return at_offset(variables_[symbol.index]);
      fail(
          "uses '" + source_.variables[symbol.index].name +
          "': variables of this state space are not supported by the CPU driver inside a function");
      return llvm::ConstantPointerNull::get(builder_.getPtrTy());
    }
    case SymbolKind::Parameter:
      return at_offset(parameters_[symbol.index]);
    case SymbolKind::ReturnParameter:
      return at_offset(returns_[symbol.index]);
    case SymbolKind::Function: {
      const std::uint32_t number = resolve_alias(module_.source(), symbol.index);
      const ptx::Function& function = module_.source().functions[number];
      if (function.is_defined && function.is_entry) return module_.kernel_address(number);
      if (function.is_defined) return module_.function(number);
      fail("takes the address of '" + function.name + "', which the module does not define");
      return llvm::ConstantPointerNull::get(builder_.getPtrTy());
    }
  }
  return llvm::ConstantPointerNull::get(builder_.getPtrTy());
}

llvm::Value* FunctionLowering::operand_address(const ptx::Operand& operand) {
  if (!operand.element) return symbol_address(*operand.symbol, operand.offset);
  // Everything behind the array's start is a number of 32 bits.
  llvm::Value* start = symbol_address(*operand.symbol, 0);
  ptx::Operand index;
  index.kind = ptx::Operand::Kind::Register;
  index.reg = *operand.element;
  llvm::Value* bytes =
      builder_.CreateMul(read_bits(index, 32), builder_.getInt32(operand.element_bytes));
  bytes = builder_.CreateAdd(bytes, builder_.getInt32(static_cast<std::uint32_t>(operand.offset)));
  bytes = builder_.CreateZExt(bytes, builder_.getInt64Ty());
  if (start->getType()->isPointerTy())
    return builder_.CreateGEP(builder_.getInt8Ty(), start, bytes);
  return builder_.CreateAdd(start, bytes);
}

llvm::Value* FunctionLowering::pointer_to(const ptx::Operand& address, ptx::Space space) {
  llvm::Type* byte = builder_.getInt8Ty();
  if (address.symbol) {
    llvm::Value* base = operand_address(address);
    if (base->getType()->isPointerTy()) return base;
    return builder_.CreateGEP(byte, shared_base(), base);
  }
  ptx::Operand reg = address;
  reg.kind = ptx::Operand::Kind::Register;
  reg.offset = 0;
  if (is_narrow(address, space)) return narrow_pointer(address, space);
  if (space == ptx::Space::Shared) {
    // Offsets are 32-bit numbers and wrap as such, so a stray one stays within the range reserved
    // behind the window.
    llvm::Value* offset = address.has_register_base ? read_bits(reg, 32) : builder_.getInt32(0);
    offset =
        builder_.CreateAdd(offset, builder_.getInt32(static_cast<std::uint32_t>(address.offset)));
    // Of the two spaces of a copy this one is looked at where the copy is emitted.
    const bool of_cluster = current_ != nullptr && current_->modifiers.has("shared::cluster") &&
                            current_->opcode != ptx::Opcode::cp;
    if (of_cluster) return cluster_pointer(*this, offset);
    return builder_.CreateGEP(byte, shared_base(),
                              builder_.CreateZExt(offset, builder_.getInt64Ty()));
  }
  if (!address.has_register_base) {
    return builder_.CreateIntToPtr(builder_.getInt64(static_cast<std::uint64_t>(address.offset)),
                                   builder_.getPtrTy());
  }
  llvm::Value* base = builder_.CreateIntToPtr(read_bits(reg, 64), builder_.getPtrTy());
  return address.offset == 0 ? base : builder_.CreateConstGEP1_64(byte, base, address.offset);
}

llvm::Value* FunctionLowering::access(const ptx::Operand& address, ptx::Space space,
                                      std::uint32_t bytes, const AccessNote& note) {
  if (address.kind != ptx::Operand::Kind::Address) {
    fail("needs an address in brackets");
    return llvm::ConstantPointerNull::get(builder_.getPtrTy());
  }
  if (space == ptx::Space::Local && !address.symbol && !address.has_register_base) {
    fail("has a constant address of .local, which is not supported by the CPU driver");
    return llvm::ConstantPointerNull::get(builder_.getPtrTy());
  }
  llvm::Value* pointer = pointer_to(address, space);
  const ptx::Space actual = address.symbol ? symbol_space(*address.symbol) : space;
  guard_access(pointer, actual, bytes, bytes, note);
  return pointer;
}

void FunctionLowering::guard_access(llvm::Value* pointer, ptx::Space space, std::uint32_t bytes,
                                    std::uint32_t alignment, const AccessNote& note) {
  if (space == ptx::Space::Param) return;
  const Checks checks = module_.options().checks;
  if (current_) counting_.access(*current_, pointer, space, bytes, note.flags);
  if (space == ptx::Space::Local && !checks.has(Check::Memory) && !checks.has(Check::Init)) return;
  track_line();
  check_alignment(pointer, alignment);
  if (checks.has(Check::Memory)) {
    llvm::CallInst* call = runtime_call(
        pseudo::check_access, builder_.getVoidTy(),
        {thread(), builder_.CreatePtrToInt(pointer, builder_.getInt64Ty()),
         builder_.getInt32(bytes),
         builder_.getInt32(note.flags & (AccessFlags::write | AccessFlags::update) ? 1 : 0),
         builder_.getInt32(no_check_site)});
    // It reads the thread's frame.
    call->getCalledFunction()->setOnlyAccessesInaccessibleMemOrArgMem();
  }
  if (is_noted(space)) note_access(pointer, space, bytes, note);
}

/// Nobody else accesses what is local.
bool FunctionLowering::is_noted(ptx::Space space) const {
  const Checks checks = module_.options().checks;
  if (!checks.note_accesses() || space == ptx::Space::Param || space == ptx::Space::Const)
    return false;
  return space != ptx::Space::Local || checks.has(Check::Init);
}

namespace {

/// What a note reads, besides the thread's frame, is the program's memory.
void set_effects_of_note(llvm::CallInst& call) {
  call.getCalledFunction()->setMemoryEffects(llvm::MemoryEffects::readOnly() |
                                             llvm::MemoryEffects::inaccessibleOrArgMemOnly());
}

}  // namespace

std::uint32_t FunctionLowering::read_flags() const {
  const Checks checks = module_.options().checks;
  return checks.has(Check::Init) ? AccessFlags::read_later : 0;
}

void FunctionLowering::note_read(const ptx::Operand& address, ptx::Space space,
                                 llvm::Value* pointer, std::uint32_t bytes, std::uint32_t flags,
                                 llvm::Value* low) {
  const ptx::Space actual = address.symbol ? symbol_space(*address.symbol) : space;
  if (!module_.options().checks.has(Check::Init) || !is_noted(actual)) return;
  llvm::CallInst* call =
      runtime_call(pseudo::note_read, builder_.getVoidTy(),
                   {thread(), builder_.CreatePtrToInt(pointer, builder_.getInt64Ty()),
                    builder_.getInt32(bytes), builder_.getInt32(flags), low});
  set_effects_of_note(*call);
}

void FunctionLowering::note_access(llvm::Value* pointer, ptx::Space space, std::uint32_t bytes,
                                   const AccessNote& note) {
  const Checks checks = module_.options().checks;
  if (!checks.note_accesses()) return;
  // Reads that are told of later are of no interest yet, unless they race.
  const bool later = (note.flags & AccessFlags::read_later) != 0;
  if (later && !checks.has(Check::Race)) return;
  llvm::Value* zero = builder_.getInt64(0);
  std::uint32_t flags = note.flags;
  if (note.low != nullptr) flags |= AccessFlags::has_value;
  if (checks.has(Check::Race) && space != ptx::Space::Local) flags |= AccessFlags::may_race;
  if (space == ptx::Space::Shared) flags |= AccessFlags::shared;
  if (checks.has(Check::Init) && !later) flags |= AccessFlags::of_init;
  llvm::CallInst* call = runtime_call(
      pseudo::note_access, builder_.getVoidTy(),
      {thread(), builder_.CreatePtrToInt(pointer, builder_.getInt64Ty()), builder_.getInt32(bytes),
       builder_.getInt32(flags), note.low != nullptr ? note.low : zero,
       note.high != nullptr ? note.high : zero});
  set_effects_of_note(*call);
}

void FunctionLowering::check_alignment(llvm::Value* pointer, std::uint32_t alignment) {
  llvm::Value* address = builder_.CreatePtrToInt(pointer, builder_.getInt64Ty());
  check_alignment(address, address, alignment);
}

void FunctionLowering::check_alignment(llvm::Value* address, llvm::Value* tested,
                                       std::uint32_t alignment) {
  if (alignment <= 1) return;
  llvm::CallInst* call =
      runtime_call(pseudo::check_alignment, builder_.getVoidTy(),
                   {thread(), tested, address, builder_.getInt64(alignment - 1)});
  call->getCalledFunction()->setOnlyAccessesInaccessibleMemory();
}

void FunctionLowering::fault(FaultKind kind, llvm::Value* address) {
  llvm::CallInst* call =
      runtime_call("pycuda_cpu_fault", builder_.getVoidTy(),
                   {thread(), builder_.getInt32(static_cast<std::uint32_t>(kind)), address});
  call->setDoesNotReturn();
  builder_.CreateUnreachable();
}

void FunctionLowering::track_line() {
  if (!module_.options().track_lines || !current_ || current_->source_line == 0) return;
  if (current_->source_line == tracked_line_ && current_->source_file == tracked_file_) return;
  tracked_line_ = current_->source_line;
  tracked_file_ = current_->source_file;
  note_line(builder_, thread(), tracked_line_, tracked_file_);
}

}  // namespace pycuda::cpu::lower
