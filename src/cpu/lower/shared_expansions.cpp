// SPDX-License-Identifier: MIT
// Reads of registers go before the call, writes after it; what is between them moves. Two
// expansions are equal if their instructions are, one by one, with operands that have the same
// place.
#include "cpu/lower/shared_expansions.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "cpu/lower/approximations.h"
#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::lower {
namespace {

/// Shorter ones are not worth a call.
constexpr std::uint64_t shortest = 8;
/// Fewer are not worth a function.
constexpr std::size_t fewest = 4;
/// What an approximate function becomes: 29 instructions for tanh, more for a few.
constexpr std::uint64_t length_of_approximation = 30;

/// What a place where a thread waits becomes in a coroutine.
constexpr std::uint64_t length_of_wait = 30;
/// With fewer places it is the call that takes longer.
constexpr unsigned fewest_waits = 3;

/// A warp operation of lanes that it names: it may have its place in common with another one.
bool is_masked_wait(const llvm::Instruction& instruction) {
  if (callee_name(instruction) != pseudo::warp_op) return false;
  const auto* mask =
      llvm::dyn_cast<llvm::ConstantInt>(llvm::cast<llvm::CallBase>(instruction).getArgOperand(2));
  return !mask || !mask->isZero();
}

std::uint64_t length_of(const llvm::Instruction& instruction) {
  return callee_name(instruction).starts_with(approximation::prefix) ? length_of_approximation : 1;
}

bool is_variable(const llvm::Value* pointer) { return llvm::isa<llvm::AllocaInst>(pointer); }

/// Not what makes threads wait at a place of their own, or is bound to its block.
bool is_movable(const llvm::Instruction& instruction) {
  if (instruction.isTerminator() || llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction))
    return false;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    if ((call->isConvergent() || call->cannotDuplicate()) && !is_masked_wait(*call)) return false;
  }
  return llvm::none_of(instruction.operands(), [](const llvm::Use& operand) {
    return llvm::isa<llvm::MetadataAsValue, llvm::BasicBlock, llvm::InlineAsm>(operand);
  });
}

/// An expansion in its parts.
struct Parts {
  std::vector<llvm::LoadInst*> reads;
  std::vector<llvm::Instruction*> moved;
  std::vector<llvm::StoreInst*> writes;
  llvm::SmallSetVector<llvm::Value*, 8> inputs;         ///< of what is moved
  llvm::SmallSetVector<llvm::Instruction*, 4> outputs;  ///< what is moved and used elsewhere
  llvm::Instruction* last = nullptr;
  unsigned waits = 0;

  bool take(const Expansion& expansion);
  void find_inputs_and_outputs();
  std::vector<std::uintptr_t> key() const;

 private:
  bool take(llvm::Instruction& instruction);
};

bool Parts::take(const Expansion& expansion) {
  last = expansion.last;
  if (expansion.first->getParent() != last->getParent() || last->isTerminator()) return false;
  std::uint64_t length = 0;
  for (llvm::Instruction* at = expansion.first; at != last->getNextNode(); at = at->getNextNode()) {
    if (!take(*at)) return false;
  }
  for (const llvm::Instruction* instruction : moved) length += length_of(*instruction);
  if (length < shortest || (waits != 0 && waits < fewest_waits)) return false;
  find_inputs_and_outputs();
  return true;
}

bool Parts::take(llvm::Instruction& instruction) {
  auto* read = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  if (read && is_variable(read->getPointerOperand())) {
    reads.push_back(read);
    // Reads will be before all writes.
    return llvm::none_of(writes, [&](const llvm::StoreInst* write) {
      return write->getPointerOperand() == read->getPointerOperand();
    });
  }
  auto* write = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  if (write && is_variable(write->getPointerOperand()) && !is_variable(write->getValueOperand())) {
    writes.push_back(write);
    return true;
  }
  moved.push_back(&instruction);
  waits += is_masked_wait(instruction) ? 1 : 0;
  return is_movable(instruction);
}

void Parts::find_inputs_and_outputs() {
  const llvm::SmallPtrSet<const llvm::Value*, 32> inside(moved.begin(), moved.end());
  inputs.clear();
  outputs.clear();
  inputs.insert(last->getFunction()->getArg(0));  // the thread, as everywhere
  for (llvm::Instruction* instruction : moved) {
    for (llvm::Value* operand : instruction->operands()) {
      if (!llvm::isa<llvm::Constant>(operand) && !inside.contains(operand)) inputs.insert(operand);
    }
    if (llvm::any_of(instruction->users(),
                     [&](const llvm::User* user) { return !inside.contains(user); }))
      outputs.insert(instruction);
  }
}

/// Equal for equal expansions. The same key is not all yet: Instruction::isSameOperationAs.
std::vector<std::uintptr_t> Parts::key() const {
  std::vector<std::uintptr_t> words;
  llvm::DenseMap<const llvm::Value*, std::size_t> places;
  const auto pointer = [](const void* value) { return reinterpret_cast<std::uintptr_t>(value); };
  for (llvm::Value* input : inputs) {
    places.try_emplace(input, places.size());
    words.push_back(pointer(input->getType()));
  }
  for (const llvm::Instruction* instruction : moved) {
    words.push_back(instruction->getOpcode() | instruction->getRawSubclassOptionalData() << 16 |
                    std::uintptr_t{outputs.contains(const_cast<llvm::Instruction*>(instruction))}
                        << 32);
    words.push_back(pointer(instruction->getType()));
    for (const llvm::Value* operand : instruction->operands()) {
      const auto place = places.find(operand);
      words.push_back(place == places.end() ? pointer(operand) : place->second);
    }
    places.try_emplace(instruction, places.size());
  }
  return words;
}

bool are_equal(const Parts& one, const Parts& other) {
  for (std::size_t i = 0; i < one.moved.size(); ++i) {
    if (!one.moved[i]->isSameOperationAs(other.moved[i])) return false;
  }
  return true;
}

llvm::FunctionType* type_of(const Parts& parts, llvm::LLVMContext& context) {
  std::vector<llvm::Type*> arguments, results;
  for (const llvm::Value* input : parts.inputs) arguments.push_back(input->getType());
  for (const llvm::Instruction* output : parts.outputs) results.push_back(output->getType());
  llvm::Type* result = results.empty()       ? llvm::Type::getVoidTy(context)
                       : results.size() == 1 ? results.front()
                                             : llvm::StructType::get(context, results);
  return llvm::FunctionType::get(result, arguments, false);
}

/// Copies what is moved into `function`.
void write_body(const Parts& parts, llvm::Function& function) {
  llvm::LLVMContext& context = function.getContext();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", &function));
  llvm::DenseMap<llvm::Value*, llvm::Value*> copies;
  unsigned next = 0;
  for (llvm::Value* input : parts.inputs) copies[input] = function.getArg(next++);
  bool touches_memory = false;
  for (llvm::Instruction* instruction : parts.moved) {
    llvm::Instruction* copy = builder.Insert(instruction->clone());
    copy->setDebugLoc({});
    for (llvm::Use& operand : copy->operands()) {
      if (llvm::Value* found = copies.lookup(operand)) operand.set(found);
    }
    copies[instruction] = copy;
    touches_memory |= copy->mayReadOrWriteMemory();
  }
  // What is asked of the thread, as its number, is in memory later.
  if (!touches_memory && function.getArg(0)->use_empty()) function.setDoesNotAccessMemory();
  function.addFnAttr(llvm::Attribute::NoInline);
  if (parts.outputs.empty()) {
    builder.CreateRetVoid();
  } else if (parts.outputs.size() == 1) {
    builder.CreateRet(copies[parts.outputs.front()]);
  } else {
    llvm::Value* all = llvm::PoisonValue::get(function.getReturnType());
    unsigned index = 0;
    for (llvm::Instruction* output : parts.outputs)
      all = builder.CreateInsertValue(all, copies[output], index++);
    builder.CreateRet(all);
  }
}

void call_instead(Parts& parts, llvm::Function& function) {
  // A value from another expansion may have become a call's result by now.
  parts.find_inputs_and_outputs();
  llvm::Instruction* after = parts.last->getNextNode();
  llvm::IRBuilder<> builder(after);
  builder.SetCurrentDebugLocation({});
  llvm::CallInst* call =
      builder.CreateCall(&function, llvm::ArrayRef<llvm::Value*>(parts.inputs.getArrayRef()));
  if (parts.waits != 0) {
    call->setConvergent();
    call->addFnAttr(llvm::Attribute::NoDuplicate);
  }
  unsigned index = 0;
  for (llvm::Instruction* output : parts.outputs) {
    output->replaceAllUsesWith(parts.outputs.size() == 1
                                   ? static_cast<llvm::Value*>(call)
                                   : builder.CreateExtractValue(call, index++));
  }
  for (llvm::LoadInst* read : parts.reads) read->moveBefore(call);
  for (llvm::StoreInst* write : parts.writes) write->moveBefore(after);
  for (llvm::Instruction* instruction : llvm::reverse(parts.moved)) instruction->eraseFromParent();
}

}  // namespace

std::uint64_t expanded_length(const llvm::Function& function) {
  std::uint64_t length = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    length += length_of(instruction);
  return length;
}

std::uint64_t length_as_coroutine(const llvm::Function& function) {
  std::uint64_t length = expanded_length(function);
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    length += is_masked_wait(instruction) ? length_of_wait : 0;
  return length;
}

void share_expansions(llvm::ArrayRef<Expansion> expansions,
                      llvm::function_ref<llvm::Function*(llvm::FunctionType*)> make_function) {
  std::map<std::vector<std::uintptr_t>, std::size_t> numbers;
  std::vector<std::vector<Parts>> groups;  // in the order of the first of each
  for (const Expansion& expansion : expansions) {
    Parts parts;
    if (!parts.take(expansion)) continue;
    const std::size_t number = numbers.try_emplace(parts.key(), groups.size()).first->second;
    if (number == groups.size()) groups.emplace_back();
    std::vector<Parts>& group = groups[number];
    if (group.empty() || are_equal(group.front(), parts)) group.push_back(std::move(parts));
  }
  for (std::vector<Parts>& group : groups) {
    if (group.size() < fewest) continue;
    group.front().find_inputs_and_outputs();
    llvm::Function* function =
        make_function(type_of(group.front(), group.front().last->getContext()));
    write_body(group.front(), *function);
    for (Parts& parts : group) call_instead(parts, *function);
  }
}

}  // namespace pycuda::cpu::lower
