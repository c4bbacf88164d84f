// SPDX-License-Identifier: MIT
// The frame of a lowered function: registers, parameters, blocks, guards, the way out.
#include "cpu/lower/function_lowering.h"

#include <llvm/IR/DebugInfoMetadata.h>

#include <algorithm>
#include <cstddef>

#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/copied_loads.h"
#include "cpu/lower/emitter.h"
#include "cpu/lower/line_notes.h"
#include "cpu/lower/loop_lines.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::lower {
namespace {

bool mentions(const ptx::Operand& operand, ptx::RegisterId id) {
  return (operand.kind == ptx::Operand::Kind::Register && operand.reg == id) ||
         (operand.element && *operand.element == id) ||
         std::ranges::any_of(operand.elements,
                             [id](const ptx::Operand& one) { return mentions(one, id); });
}

/// Whether the instruction runs for the threads for which the one before it does.
bool has_guard_of(const ptx::Instruction& instruction, const ptx::Instruction& before) {
  if (!instruction.guard || instruction.guard != before.guard ||
      instruction.guard_negated != before.guard_negated || instruction.opcode == ptx::Opcode::bra ||
      before.call != nullptr)
    return false;
  return std::ranges::none_of(
      before.operands, [&](const ptx::Operand& one) { return mentions(one, *before.guard); });
}

}  // namespace

FunctionLowering::FunctionLowering(ModuleLowering& module, const ptx::Function& source,
                                   llvm::Function* target)
    : module_(module),
      source_(source),
      target_(target),
      builder_(target->getContext()),
      counting_(*this, module.counted()) {}

llvm::AllocaInst* FunctionLowering::entry_alloca(llvm::Type* type, const llvm::Twine& name) {
  llvm::IRBuilder<> at_entry(entry_, entry_->begin());
  return at_entry.CreateAlloca(type, nullptr, name);
}

llvm::Value* FunctionLowering::aligned_alloca(std::uint64_t bytes, std::uint32_t alignment,
                                              const llvm::Twine& name) {
  // A coroutine's frame is aligned to 64 bytes only; beyond that the address is rounded by hand.
  constexpr std::uint32_t frame_alignment = 64;
  const std::uint64_t slack = alignment > frame_alignment ? alignment : 0;
  llvm::AllocaInst* memory = entry_alloca(
      llvm::ArrayType::get(builder_.getInt8Ty(), std::max<std::uint64_t>(bytes + slack, 1)), name);
  memory->setAlignment(llvm::Align(std::clamp<std::uint32_t>(alignment, 1, frame_alignment)));
  if (slack == 0) return memory;
  llvm::Value* address = builder_.CreateAdd(builder_.CreatePtrToInt(memory, builder_.getInt64Ty()),
                                            builder_.getInt64(alignment - 1));
  return builder_.CreateIntToPtr(builder_.CreateAnd(address, ~std::uint64_t{alignment - 1}),
                                 builder_.getPtrTy());
}

void FunctionLowering::run() {
  entry_ = llvm::BasicBlock::Create(context(), "entry", target_);
  llvm::BasicBlock* setup = llvm::BasicBlock::Create(context(), "setup", target_);
  llvm::BasicBlock* body = llvm::BasicBlock::Create(context(), "body", target_);
  builder_.SetInsertPoint(setup);
  carry_ = entry_alloca(builder_.getInt1Ty(), "cc");
  builder_.CreateStore(builder_.getFalse(), carry_);
  meter_stack();
  make_registers();
  make_parameters();
  make_variables();
  make_source_frame();
  make_blocks();
  builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
  if (!source_frame_) scope_ = module_.scope_of(source_, *target_);
  if (module_.options().checks.has(Check::Init)) copied_loads_ = find_copied_loads(source_);
  emit_body();
  builder_.CreateBr(return_block_);
  builder_.SetInsertPoint(return_block_);
  emit_return();
  llvm::IRBuilder<>(entry_).CreateBr(setup);
  // After an error blocks may have no end.
  if (!module_.failed()) {
    if (module_.options().track_lines) note_lines_of_loops(*target_);
    if (!source_frame_) share_long_expansions();
    promote_registers(*target_, registers_);
  }
  registers_.clear();
}

llvm::Value* FunctionLowering::thread_field(std::size_t offset) {
  return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), thread(), offset);
}

void FunctionLowering::meter_stack() {
  const CallGraph& calls = module_.calls();
  const std::uint32_t index = module_.index_of(source_);
  llvm::Type* word = builder_.getInt32Ty();
  const llvm::Align alignment(4);
  llvm::Value* used = thread_field(offsetof(ThreadFrame, stack_used));
  if (source_.is_entry) {
    const std::vector<std::uint32_t> reached = calls.reachable(index);
    if (std::any_of(reached.begin(), reached.end(),
                    [&](std::uint32_t callee) { return calls.recurses(callee); })) {
      builder_.CreateAlignedStore(builder_.getInt32(0), used, alignment);
    }
    return;
  }
  if (!calls.recurses(index)) return;
  // What a GPU's frame holds at least: the way back, the caller's registers, the variables.
  std::uint64_t frame = 16;
  for (const ptx::Variable& variable : source_.variables) {
    if (variable.space == ptx::Space::Local) frame += (variable.bytes + 15) / 16 * 16;
  }
  constexpr std::uint64_t most = std::uint64_t{1} << 30;
  target_->addFnAttr(pseudo::metered_frame, std::to_string(std::min(frame, most)));
  stack_before_ = builder_.CreateAlignedLoad(word, used, alignment);
  llvm::Value* after = builder_.CreateAdd(
      stack_before_, builder_.getInt32(static_cast<std::uint32_t>(std::min(frame, most))));
  const auto follow = [&](llvm::Value* pointer, std::size_t offset, llvm::Type* type) {
    return builder_.CreateLoad(
        type, builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), pointer, offset));
  };
  llvm::Type* pointer = builder_.getPtrTy();
  llvm::Value* block = follow(thread(), offsetof(ThreadFrame, block), pointer);
  llvm::Value* launch = follow(block, offsetof(BlockFrame, launch), pointer);
  llvm::Value* limit = follow(launch, offsetof(LaunchFrame, stack_bytes), word);
  llvm::BasicBlock* overflow = new_block("overflow");
  llvm::BasicBlock* fits = new_block("fits");
  builder_.CreateCondBr(builder_.CreateICmpUGT(after, limit), overflow, fits);
  builder_.SetInsertPoint(overflow);
  // The line where the function begins that found no room.
  const auto first = std::find_if(source_.body.begin(), source_.body.end(),
                                  [](const ptx::Instruction& one) { return one.source_line != 0; });
  if (module_.options().track_lines && first != source_.body.end())
    note_line(builder_, thread(), first->source_line, first->source_file);
  fault(FaultKind::StackOverflow, builder_.getInt64(0));
  builder_.SetInsertPoint(fits);
  builder_.CreateAlignedStore(after, used, alignment);
}

void FunctionLowering::make_registers() {
  registers_.reserve(source_.registers.size());
  for (const ptx::Register& reg : source_.registers) {
    llvm::Type* type = int_type(std::max(1u, ptx::bits_of(reg.type)));
    if (reg.vector > 1) type = llvm::ArrayType::get(type, reg.vector);
    llvm::AllocaInst* slot = entry_alloca(type);
    // Code that reads a register before writing it is undefined in PTX but common; LLVM must not
    // make more of it.
    registers_.push_back({slot, builder_.CreateStore(llvm::Constant::getNullValue(type), slot)});
  }
}

void FunctionLowering::make_parameters() {
  if (source_.is_entry) {
    const std::vector<std::uint32_t> offsets = parameter_offsets(source_);
    llvm::Value* params = nullptr;
    target_->addFnAttr(pseudo::parameter_bytes, std::to_string(offsets.back()));
    for (std::size_t i = 0; i < source_.parameters.size(); ++i) {
      if (!params) params = pseudo_call(pseudo::params, builder_.getPtrTy(), {}, false);
      parameters_.push_back(
          builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), params, offsets[i]));
    }
    return;
  }
  const Signature signature = module_.signature(source_.returns, source_.parameters);
  unsigned argument = 1;
  returns_.resize(source_.returns.size(), nullptr);
  for (const std::uint32_t index : signature.memory_returns)
    returns_[index] = target_->getArg(argument++);
  for (const std::uint32_t index : signature.scalar_returns) {
    const ptx::Parameter& result = source_.returns[index];
    if (result.is_register) {
      returns_[index] = registers_[result.reg].memory;
      continue;
    }
    llvm::Type* type = int_type(std::max(1u, ptx::bits_of(result.type)));
    llvm::AllocaInst* slot = entry_alloca(type, result.name);
    builder_.CreateStore(llvm::Constant::getNullValue(type), slot);
    returns_[index] = slot;
  }
  for (const ptx::Parameter& parameter : source_.parameters) {
    llvm::Argument* value = target_->getArg(argument++);
    if (parameter.is_array || parameter.vector > 1) {
      if (parameter.is_register) copy_vector(parameter, value, /*to_register=*/true);
      parameters_.push_back(value);
    } else if (parameter.is_register) {
      builder_.CreateStore(value, registers_[parameter.reg].memory);
      parameters_.push_back(registers_[parameter.reg].memory);
    } else {
      llvm::AllocaInst* slot = entry_alloca(value->getType(), parameter.name);
      builder_.CreateStore(value, slot);
      parameters_.push_back(slot);
    }
  }
}

/// Between a vector register and the caller's memory.
void FunctionLowering::copy_vector(const ptx::Parameter& parameter, llvm::Value* memory,
                                   bool to_register) {
  llvm::AllocaInst* slot = registers_[parameter.reg].memory;
  llvm::IntegerType* type = int_type(ptx::bits_of(parameter.type));
  for (unsigned i = 0; i < parameter.vector; ++i) {
    llvm::Value* own = builder_.CreateConstInBoundsGEP2_64(slot->getAllocatedType(), slot, 0, i);
    llvm::Value* there = builder_.CreateConstInBoundsGEP1_64(type, memory, i);
    const llvm::Align any(1);
    if (to_register) {
      builder_.CreateStore(builder_.CreateAlignedLoad(type, there, any), own);
    } else {
      builder_.CreateAlignedStore(builder_.CreateLoad(type, own), there, any);
    }
  }
}

void FunctionLowering::make_variables() {
  const Checks checks = module_.options().checks;
  for (const ptx::Variable& variable : source_.variables) {
    const bool in_memory =
        variable.space == ptx::Space::Local || variable.space == ptx::Space::Param;
    if (!in_memory) {
      variables_.push_back(nullptr);
    } else if ((checks.has(Check::Memory) || checks.has(Check::Init)) &&
               variable.space == ptx::Space::Local) {
      // Where its bounds are known to the byte.
      variables_.push_back(
          push_variable(builder_.getInt64(variable.bytes), variable.alignment, false));
    } else {
      variables_.push_back(aligned_alloca(variable.bytes, variable.alignment, variable.name));
    }
  }
}

void FunctionLowering::make_source_frame() {
  SourceInformation* const known = module_.source_information();
  if (known != nullptr) source_frame_ = SourceFrame::of(*this, *known);
  if (source_frame_) source_frame_->open();
}

void FunctionLowering::make_blocks() {
  for (const ptx::Label& label : source_.labels) label_blocks_.push_back(new_block(label.name));
  return_block_ = new_block("return");
}

void FunctionLowering::emit_body() {
  std::vector<std::vector<ptx::LabelId>> labels_at(source_.body.size() + 1);
  for (ptx::LabelId i = 0; i < source_.labels.size(); ++i) {
    labels_at[std::min<std::size_t>(source_.labels[i].instruction, source_.body.size())].push_back(
        i);
  }
  for (std::size_t i = 0; i <= source_.body.size(); ++i) {
    const bool goes_on = behind_guard_ != nullptr && i < source_.body.size() &&
                         labels_at[i].empty() && has_guard_of(source_.body[i], source_.body[i - 1]);
    if (behind_guard_ != nullptr && !goes_on) end_guarded();
    for (const ptx::LabelId label : labels_at[i]) {
      builder_.CreateBr(label_blocks_[label]);
      builder_.SetInsertPoint(label_blocks_[label]);
      tracked_line_ = 0;
      counting_.at_label();
    }
    if (source_frame_) source_frame_->before(static_cast<std::uint32_t>(i));
    if (i < source_.body.size()) emit_instruction(source_.body[i]);
    if (source_frame_) source_frame_->after(static_cast<std::uint32_t>(i));
  }
}

void FunctionLowering::emit_instruction(const ptx::Instruction& instruction) {
  current_ = &instruction;
  if (scope_) builder_.SetCurrentDebugLocation(module_.location(source_, instruction, scope_));
  if (source_frame_) {
    const auto number = static_cast<std::uint32_t>(&instruction - source_.body.data());
    builder_.SetCurrentDebugLocation(source_frame_->location(number));
    track_line();  // for each line there is code to stop at
  }
  counting_.before(instruction);
  if (instruction.guard && behind_guard_ == nullptr) {
    llvm::Value* guard =
        builder_.CreateLoad(builder_.getInt1Ty(), registers_[*instruction.guard].memory);
    if (instruction.guard_negated) guard = builder_.CreateNot(guard);
    if (instruction.opcode == ptx::Opcode::bra) counting_.branch(instruction, guard);
    llvm::BasicBlock* guarded = new_block();
    behind_guard_ = new_block();
    builder_.CreateCondBr(guard, guarded, behind_guard_);
    builder_.SetInsertPoint(guarded);
    counting_.behind_guard(instruction);
  }
  emit_unguarded(instruction);
  counting_.after(instruction);
  const bool may_go_on = module_.counted() == nullptr && instruction.opcode != ptx::Opcode::bra;
  if (behind_guard_ != nullptr && !may_go_on) end_guarded();
}

void FunctionLowering::end_guarded() {
  builder_.CreateBr(behind_guard_);
  builder_.SetInsertPoint(behind_guard_);
  behind_guard_ = nullptr;
  tracked_line_ = 0;
}

void FunctionLowering::emit_unguarded(const ptx::Instruction& instruction) {
  llvm::BasicBlock* const block = builder_.GetInsertBlock();
  llvm::Instruction* const before = block->empty() ? nullptr : &block->back();
  const Emitter emitter = emitter_of(instruction.opcode);
  if (!emitter || !emitter(*this, instruction)) fail("is not supported by the CPU driver");
  if (builder_.GetInsertBlock() != block || block->empty() || &block->back() == before) return;
  expansions_.push_back({before ? before->getNextNode() : &block->front(), &block->back()});
}

/// The marks of a plan are of instructions that stay where they are.
void FunctionLowering::share_long_expansions() {
  // Numbers of instructions are for readers of the plan, who are to see each.
  if (module_.options().locations == Locations::Instructions ||
      length_as_coroutine(*target_) <= module_.options().longest_unshared)
    return;
  share_expansions(expansions_, [this](llvm::FunctionType* type) {
    return module_.own_function(type, "shared.expansion");
  });
}

void FunctionLowering::emit_return() {
  if (source_frame_) source_frame_->close();
  if (stack_mark_) {
    runtime_call("pycuda_cpu_frame_pop", builder_.getVoidTy(), {thread(), stack_mark_});
  }
  if (stack_before_) {
    builder_.CreateAlignedStore(stack_before_, thread_field(offsetof(ThreadFrame, stack_used)),
                                llvm::Align(4));
  }
  if (source_.is_entry) {
    builder_.CreateRetVoid();
    return;
  }
  const Signature signature = module_.signature(source_.returns, source_.parameters);
  for (const std::uint32_t index : signature.memory_returns) {
    const ptx::Parameter& result = source_.returns[index];
    if (result.is_register) copy_vector(result, returns_[index], /*to_register=*/false);
  }
  llvm::Type* type = signature.type->getReturnType();
  if (signature.scalar_returns.empty()) {
    builder_.CreateRetVoid();
  } else if (signature.scalar_returns.size() == 1) {
    builder_.CreateRet(builder_.CreateLoad(type, returns_[signature.scalar_returns.front()]));
  } else {
    llvm::Value* result = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i < signature.scalar_returns.size(); ++i) {
      result = builder_.CreateInsertValue(
          result,
          builder_.CreateLoad(type->getStructElementType(i), returns_[signature.scalar_returns[i]]),
          i);
    }
    builder_.CreateRet(result);
  }
}

llvm::Value* FunctionLowering::stack_mark() {
  if (!stack_mark_) {
    llvm::IRBuilder<>::InsertPointGuard guard(builder_);
    builder_.SetInsertPoint(entry_);
    stack_mark_ = runtime_call("pycuda_cpu_frame_push", builder_.getPtrTy(),
                               {thread(), builder_.getInt64(0)});
  }
  return stack_mark_;
}

llvm::Value* FunctionLowering::push_variable(llvm::Value* bytes, std::uint32_t alignment,
                                             bool counts) {
  stack_mark();
  return runtime_call("pycuda_cpu_variable_push", builder_.getPtrTy(),
                      {thread(), bytes, builder_.getInt32(std::max<std::uint32_t>(alignment, 1)),
                       builder_.getInt32(counts ? 1 : 0)});
}

llvm::BasicBlock* FunctionLowering::new_block(const llvm::Twine& name) {
  return llvm::BasicBlock::Create(context(), name, target_);
}

llvm::BasicBlock* FunctionLowering::label_block(ptx::LabelId label) { return label_blocks_[label]; }

void FunctionLowering::start_unreachable_block() { builder_.SetInsertPoint(new_block()); }

llvm::Value* FunctionLowering::variable_memory(std::uint32_t index) { return variables_[index]; }
llvm::Value* FunctionLowering::parameter_memory(std::uint32_t index) { return parameters_[index]; }
llvm::Value* FunctionLowering::return_memory(std::uint32_t index) { return returns_[index]; }

llvm::CallInst* FunctionLowering::runtime_call(llvm::StringRef name, llvm::Type* result,
                                               llvm::ArrayRef<llvm::Value*> arguments) {
  std::vector<llvm::Type*> types;
  for (const llvm::Value* argument : arguments) types.push_back(argument->getType());
  llvm::FunctionCallee callee =
      module_.target().getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  llvm::cast<llvm::Function>(callee.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::CallInst* call = builder_.CreateCall(callee, arguments);
  call->setDoesNotThrow();
  return call;
}

llvm::Value* FunctionLowering::pure_call(llvm::StringRef name, llvm::Type* result,
                                         llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::CallInst* call = runtime_call(name, result, arguments);
  llvm::Function* callee = call->getCalledFunction();
  callee->setDoesNotAccessMemory();
  callee->addFnAttr(llvm::Attribute::WillReturn);
  callee->addFnAttr(llvm::Attribute::Speculatable);
  return call;
}

llvm::CallInst* FunctionLowering::pseudo_call(llvm::StringRef name, llvm::Type* result,
                                              llvm::ArrayRef<llvm::Value*> arguments,
                                              bool suspends) {
  std::vector<llvm::Value*> all{thread()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  llvm::CallInst* call = runtime_call(name, result, all);
  llvm::Function* callee = call->getCalledFunction();
  if (suspends) {
    callee->addFnAttr(llvm::Attribute::Convergent);
    callee->addFnAttr(llvm::Attribute::NoDuplicate);
    call->setConvergent();
    call->setCannotDuplicate();
  } else {
    callee->setDoesNotAccessMemory();
    callee->addFnAttr(llvm::Attribute::WillReturn);
    callee->addFnAttr(llvm::Attribute::Speculatable);
  }
  return call;
}

void FunctionLowering::fail(const std::string& message) {
  if (!current_) {
    module_.error(source_.position, message);
    return;
  }
  module_.error(current_->position, "'" + current_->text + "' " + message);
}

void FunctionLowering::emit_apart(llvm::Function& function, llvm::function_ref<void()> body) {
  const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  llvm::Function* const caller = std::exchange(target_, &function);
  builder_.SetInsertPoint(llvm::BasicBlock::Create(context(), "entry", &function));
  builder_.SetCurrentDebugLocation({});
  body();
  target_ = caller;
}

}  // namespace pycuda::cpu::lower
