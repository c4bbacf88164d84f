// SPDX-License-Identifier: MIT
// A pointer into such a variable is replaced by how far it lies behind the variable's start, in one
// thread's own counting: element by element, that distance is the gang's lanes times as large.

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/bit.h>
#include <llvm/Analysis/Utils/Local.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/memory/memory_passes.h"

namespace pycuda::cpu::simt {
namespace {

/// Larger elements than the smallest by more are not put together from it.
constexpr std::uint64_t most_parts = 4;
constexpr std::uint64_t largest_element = 8;
/// Vectors start where a line of the cache does.
constexpr std::uint64_t line_bytes = 64;

/// What is done with one variable's memory.
struct Uses {
  llvm::SetVector<llvm::Instruction*> pointers;  ///< what is computed from its address
  std::vector<llvm::Instruction*> accesses;
  std::vector<llvm::CallInst*> checks;    ///< of alignment
  std::vector<llvm::Instruction*> notes;  ///< of its lifetime
  std::uint64_t smallest = largest_element, largest = 1;
};

bool is_check(const llvm::Instruction& instruction) {
  return lower::callee_name(instruction) == lower::pseudo::check_alignment;
}

bool is_pointer(const Uses& uses, const llvm::Value& value) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  return instruction && uses.pointers.contains(const_cast<llvm::Instruction*>(instruction));
}

/// Whether `user` computes another address of the variable from `operand`.
bool computes_address(const llvm::Instruction& user, const llvm::Value& operand,
                      llvm::Align alignment) {
  switch (user.getOpcode()) {
    case llvm::Instruction::GetElementPtr:
      return !user.getType()->isVectorTy() && user.getOperand(0) == &operand &&
             llvm::count(user.operand_values(), &operand) == 1;
    case llvm::Instruction::PtrToInt:
      return user.getType()->isIntegerTy(64);
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::PHI:
    case llvm::Instruction::Freeze:
      return true;
    case llvm::Instruction::Select:
      return user.getOperand(0) != &operand;
    case llvm::Instruction::Add:
      return user.getOperand(0) != user.getOperand(1);
    case llvm::Instruction::Sub:
      return user.getOperand(0) == &operand && user.getOperand(1) != &operand;
    case llvm::Instruction::Or: {
      // A sum whose terms the variable's alignment keeps apart.
      const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(user.getOperand(1));
      return llvm::cast<llvm::PossiblyDisjointInst>(user).isDisjoint() && constant &&
             constant->getValue().ult(alignment.value());
    }
    default:
      return false;
  }
}

/// Of an access to the variable: in how many bytes it is aligned and how many it takes; none if it
/// is no plain one.
bool note_access(llvm::Instruction& access, const llvm::Value& pointer, Uses& uses) {
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&access);
  if (access.isVolatile() || access.isAtomic() || (store && store->getValueOperand() == &pointer))
    return false;
  llvm::Type* type = llvm::getLoadStoreType(&access);
  if (!type->isIntegerTy() && !type->isFloatingPointTy()) return false;
  const std::uint64_t bits = type->getScalarSizeInBits(), bytes = bits / 8;
  if (bits % 8 != 0 || !llvm::has_single_bit(bytes) || bytes > largest_element) return false;
  uses.smallest = std::min({uses.smallest, bytes, llvm::getLoadStoreAlignment(&access).value()});
  uses.largest = std::max(uses.largest, bytes);
  uses.accesses.push_back(&access);
  return true;
}

/// Everything that may reach the variable's memory; nothing if some of it is not known.
std::optional<Uses> uses_of(llvm::AllocaInst& variable) {
  Uses uses;
  uses.pointers.insert(&variable);
  for (std::size_t i = 0; i < uses.pointers.size(); ++i) {
    llvm::Instruction* pointer = uses.pointers[i];
    for (llvm::User* user : pointer->users()) {
      auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
      if (!instruction) return std::nullopt;
      if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) {
        if (!note_access(*instruction, *pointer, uses)) return std::nullopt;
      } else if (is_check(*instruction)) {
        uses.checks.push_back(llvm::cast<llvm::CallInst>(instruction));
      } else if (instruction->isLifetimeStartOrEnd()) {
        uses.notes.push_back(instruction);
      } else if (computes_address(*instruction, *pointer, variable.getAlign())) {
        uses.pointers.insert(instruction);
      } else {
        return std::nullopt;
      }
    }
  }
  // Of several addresses each must be the variable's, of two numbers one.
  for (llvm::Instruction* pointer : uses.pointers) {
    const auto is_own = [&](const llvm::Value* value) { return is_pointer(uses, *value); };
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(pointer)) {
      if (!llvm::all_of(phi->incoming_values(), is_own)) return std::nullopt;
    } else if (llvm::isa<llvm::SelectInst>(pointer)) {
      if (!is_own(pointer->getOperand(1)) || !is_own(pointer->getOperand(2))) return std::nullopt;
    } else if (llvm::isa<llvm::BinaryOperator>(pointer)) {
      if (is_own(pointer->getOperand(0)) == is_own(pointer->getOperand(1))) return std::nullopt;
    } else if (llvm::isa<llvm::GetElementPtrInst>(pointer)) {
      if (std::any_of(pointer->op_begin() + 1, pointer->op_end(), is_own)) return std::nullopt;
    }
  }
  if (uses.accesses.empty() || uses.largest > most_parts * uses.smallest) return std::nullopt;
  return uses;
}

/// Writes the distances beside the pointers.
class Distances {
 public:
  explicit Distances(const Uses& uses)
      : uses_(uses), layout_(uses.pointers.front()->getDataLayout()) {
    llvm::Type* integer = llvm::Type::getInt64Ty(uses.pointers.front()->getContext());
    known_[uses.pointers.front()] = llvm::ConstantInt::get(integer, 0);
    llvm::SmallVector<std::pair<llvm::PHINode*, llvm::PHINode*>, 8> joined;
    for (llvm::Instruction* pointer : uses.pointers) {
      auto* phi = llvm::dyn_cast<llvm::PHINode>(pointer);
      if (!phi) continue;
      llvm::PHINode* own = llvm::PHINode::Create(integer, phi->getNumIncomingValues(), "distance");
      own->insertBefore(phi->getIterator());
      known_[phi] = own;
      joined.emplace_back(phi, own);
    }
    for (const auto& [phi, own] : joined) {
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        own->addIncoming(of(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
    }
  }

  llvm::Value* of(llvm::Value* pointer) {
    if (llvm::Value* found = known_.lookup(pointer)) return found;
    auto* instruction = llvm::cast<llvm::Instruction>(pointer);
    llvm::Value* distance = computed(*instruction);
    known_[pointer] = distance;
    return distance;
  }

 private:
  llvm::Value* computed(llvm::Instruction& pointer) {
    llvm::IRBuilder<> b(&pointer);
    const auto term = [&](unsigned operand) {
      llvm::Value* value = pointer.getOperand(operand);
      return is_pointer(uses_, *value) ? of(value) : value;
    };
    switch (pointer.getOpcode()) {
      case llvm::Instruction::GetElementPtr:
        return b.CreateAdd(of(pointer.getOperand(0)),
                           llvm::emitGEPOffset(&b, layout_, &pointer, /*NoAssumptions=*/true));
      case llvm::Instruction::Select:
        return b.CreateSelect(pointer.getOperand(0), of(pointer.getOperand(1)),
                              of(pointer.getOperand(2)));
      case llvm::Instruction::Sub:
        return b.CreateSub(term(0), term(1));
      case llvm::Instruction::Add:
      case llvm::Instruction::Or:
        return b.CreateAdd(term(0), term(1));
      case llvm::Instruction::Freeze:
        return b.CreateFreeze(of(pointer.getOperand(0)));
      default:
        return of(pointer.getOperand(0));
    }
  }

  const Uses& uses_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> known_;
};

/// The same access in a variable of which each element has `bytes` bytes and as many copies as the
/// gang has lanes.
void rewrite(llvm::Instruction& access, llvm::AllocaInst& variable, llvm::Value* distance,
             std::uint64_t bytes, unsigned lanes) {
  llvm::IRBuilder<> b(&access);
  llvm::Type* type = llvm::getLoadStoreType(&access);
  const std::uint64_t parts = type->getScalarSizeInBits() / 8 / bytes;
  llvm::Value* scaled = b.CreateMul(distance, b.getInt64(lanes));
  const auto place = [&](std::uint64_t part) {
    llvm::Value* at = part == 0 ? scaled : b.CreateAdd(scaled, b.getInt64(part * bytes * lanes));
    return b.CreateGEP(b.getInt8Ty(), &variable, at);
  };
  auto* load = llvm::dyn_cast<llvm::LoadInst>(&access);
  const llvm::Align alignment(bytes);
  if (parts == 1) {
    llvm::Value* first = place(0);
    if (load) {
      load->setOperand(llvm::LoadInst::getPointerOperandIndex(), first);
      load->setAlignment(alignment);
    } else {
      auto& store = llvm::cast<llvm::StoreInst>(access);
      store.setOperand(llvm::StoreInst::getPointerOperandIndex(), first);
      store.setAlignment(alignment);
    }
    return;
  }
  llvm::Type* whole = b.getIntNTy(type->getScalarSizeInBits());
  llvm::Type* part = b.getIntNTy(static_cast<unsigned>(bytes * 8));
  if (load) {
    llvm::Value* value = llvm::ConstantInt::get(whole, 0);
    for (std::uint64_t i = 0; i < parts; ++i) {
      llvm::Value* found = b.CreateZExt(b.CreateAlignedLoad(part, place(i), alignment), whole);
      value = b.CreateOr(value, b.CreateShl(found, i * bytes * 8));
    }
    load->replaceAllUsesWith(b.CreateBitCast(value, type));
  } else {
    llvm::Value* value =
        b.CreateBitCast(llvm::cast<llvm::StoreInst>(access).getValueOperand(), whole);
    for (std::uint64_t i = 0; i < parts; ++i)
      b.CreateAlignedStore(b.CreateTrunc(b.CreateLShr(value, i * bytes * 8), part), place(i),
                           alignment);
  }
  access.eraseFromParent();
}

void interleave(llvm::AllocaInst& variable, const Uses& uses, unsigned lanes) {
  Distances distances(uses);
  for (llvm::Instruction* access : uses.accesses)
    rewrite(*access, variable, distances.of(llvm::getLoadStorePointerOperand(access)),
            uses.smallest, lanes);
  for (llvm::CallInst* check : uses.checks) {
    for (llvm::Use& operand : check->args()) {
      if (is_pointer(uses, *operand.get())) operand.set(distances.of(operand.get()));
    }
  }
  for (llvm::Instruction* note : uses.notes) note->eraseFromParent();
  for (llvm::Instruction* pointer : llvm::drop_begin(uses.pointers))
    pointer->replaceAllUsesWith(llvm::PoisonValue::get(pointer->getType()));
  for (llvm::Instruction* pointer : llvm::drop_begin(uses.pointers)) pointer->eraseFromParent();
  llvm::LLVMContext& context = variable.getContext();
  variable.setMetadata(
      interleaved_by_element,
      llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
                                     llvm::Type::getInt64Ty(context), uses.smallest))));
  variable.setAlignment(std::max(variable.getAlign(), llvm::Align(line_bytes)));
}

}  // namespace

unsigned interleave_local_arrays(llvm::Function& function, GangSize size) {
  llvm::MapVector<llvm::AllocaInst*, Uses> known;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!variable || interleaved_bytes(*variable)) continue;
    if (std::optional<Uses> uses = uses_of(*variable)) known[variable] = std::move(*uses);
  }
  if (known.empty()) return 0;
  ControlFlow flow(function);
  const Shapes shapes(function, flow, size);
  known.remove_if([&](const auto& entry) {
    return llvm::none_of(entry.second.accesses, [&](const llvm::Instruction* access) {
      const Shape place = shapes.of(llvm::getLoadStorePointerOperand(access));
      return place.is_affine() && place.stride == Shapes::lane_stride(*entry.first);
    });
  });
  for (auto& [variable, uses] : known) interleave(*variable, uses, size.lanes());
  return static_cast<unsigned>(known.size());
}

}  // namespace pycuda::cpu::simt
