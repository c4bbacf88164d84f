// SPDX-License-Identifier: MIT
// Values and instructions of gangs.
#include "cpu/simt/widen/widen.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <cassert>

#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/numbers/number_passes.h"
#include "cpu/target/native_operations.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

llvm::Type* Widener::wide_type(llvm::Type* type) const {
  if (auto* parts = llvm::dyn_cast<llvm::StructType>(type)) {
    llvm::SmallVector<llvm::Type*, 4> wide;
    for (llvm::Type* part : parts->elements()) wide.push_back(wide_type(part));
    return llvm::StructType::get(type->getContext(), wide);
  }
  return llvm::FixedVectorType::get(type, lanes_);
}

/// The type of a value's copy in the gang's function.
llvm::Type* Widener::type_of(const llvm::Value& value) const {
  const Shape shape = shapes_.of(&value);
  if (shape.is_varying()) return wide_type(value.getType());
  return shape.by_row ? llvm::ArrayType::get(value.getType(), rows_) : value.getType();
}

/// Lane 0's value of what is not varying, that of each row's first lane where rows differ; the
/// vector of what is varying.
llvm::Value* Widener::scalar(llvm::Value* value) {
  if (!llvm::isa<llvm::Instruction>(value)) {
    const auto found = local_.find(value);
    return found == local_.end() ? value : found->second;
  }
  if (const auto found = local_.find(value); found != local_.end()) return found->second;
  llvm::Type* type = type_of(*value);
  llvm::AllocaInst*& place = slots_[value];
  assert((place || llvm::isa<llvm::PHINode>(value)) && "a value that its block has not stored");
  if (!place) place = slot(type, value->getName());
  return b_.CreateLoad(type, place);
}

/// Whether the block that is being written may use a value that dominates it. What other blocks
/// compute has memory only where an instruction of yet another block uses it.
bool Widener::is_at_hand(const llvm::Value* value) const {
  return !llvm::isa<llvm::Instruction>(value) || local_.contains(value) || slots_.contains(value);
}

/// The value, not a varying one, in the first lane of a row.
llvm::Value* Widener::row_value(llvm::Value* value, unsigned number) {
  llvm::Value* known = scalar(value);
  return shapes_.of(value).by_row ? b_.CreateExtractValue(known, number) : known;
}

llvm::Value* Widener::row_values(llvm::ArrayRef<llvm::Value*> values) {
  llvm::Value* all = llvm::PoisonValue::get(llvm::ArrayType::get(values.front()->getType(), rows_));
  for (unsigned i = 0; i < rows_; ++i) all = b_.CreateInsertValue(all, values[i], i);
  return all;
}

/// `value` in the form that `other`'s copy has.
llvm::Value* Widener::like(const llvm::Value& other, llvm::Value* value) {
  const Shape shape = shapes_.of(&other);
  if (shape.is_varying()) return wide(value);
  if (!shape.by_row || shapes_.of(value).by_row) return scalar(value);
  return row_values(std::vector<llvm::Value*>(rows_, scalar(value)));
}

/// first, first + stride and so on for each lane of a row, and again for the next row.
llvm::Value* Widener::steps(llvm::Value* first, std::int64_t stride, unsigned lanes) {
  llvm::Value* splat = b_.CreateVectorSplat(lanes, first);
  if (stride == 0) return splat;
  const bool pointer = first->getType()->isPointerTy();
  llvm::Type* type = pointer ? b_.getInt64Ty() : first->getType();
  llvm::SmallVector<llvm::Constant*, 64> distances;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const std::uint64_t distance = static_cast<std::uint64_t>(stride) * (lane % columns_);
    distances.push_back(llvm::ConstantInt::get(
        type, llvm::APInt(64, distance).sextOrTrunc(type->getIntegerBitWidth())));
  }
  llvm::Constant* offsets = llvm::ConstantVector::get(distances);
  return pointer ? b_.CreateGEP(b_.getInt8Ty(), splat, offsets) : b_.CreateAdd(splat, offsets);
}

/// A row's lanes of a vector.
llvm::Value* Widener::row_lanes(llvm::Value* vector, unsigned row) {
  if (rows_ == 1) return vector;
  return b_.CreateShuffleVector(vector, llvm::createSequentialMask(row * columns_, columns_, 0));
}

llvm::Value* Widener::join(llvm::ArrayRef<llvm::Value*> parts) {
  return parts.size() == 1 ? parts.front() : llvm::concatenateVectors(b_, parts);
}

/// One element per lane.
llvm::Value* Widener::vector(llvm::Value* value) {
  const Shape shape = shapes_.of(value);
  llvm::Value* base = scalar(value);
  if (shape.is_varying()) return base;
  if (value->getType()->isStructTy())
    return by_part({base}, wide_type(value->getType()), [&](llvm::ArrayRef<llvm::Value*> of) {
      return b_.CreateVectorSplat(lanes_, of[0]);
    });
  if (!shape.by_row) return steps(base, shape.stride, lanes_);
  llvm::SmallVector<llvm::Value*, 4> parts;
  if (value->getType()->isIntegerTy(1) && shape.stride == 0) {
    // LLVM would put masks together bit by bit; of bytes it makes whole registers.
    for (unsigned i = 0; i < rows_; ++i)
      parts.push_back(
          b_.CreateVectorSplat(columns_, b_.CreateSExt(row_value(value, i), b_.getInt8Ty())));
    llvm::Value* bytes = join(parts);
    return b_.CreateICmpSLT(bytes, llvm::Constant::getNullValue(bytes->getType()));
  }
  for (unsigned i = 0; i < rows_; ++i)
    parts.push_back(steps(row_value(value, i), shape.stride, columns_));
  return join(parts);
}

void Widener::define(llvm::Instruction& instruction, llvm::Value* value) {
  local_[&instruction] = value;
  bool crosses = false;
  for (const llvm::User* user : instruction.users()) {
    const auto* other = llvm::cast<llvm::Instruction>(user);
    crosses |= other->getParent() != instruction.getParent() || llvm::isa<llvm::PHINode>(other);
  }
  if (!crosses) return;
  llvm::AllocaInst*& place = slots_[&instruction];
  if (!place) place = slot(value->getType(), instruction.getName());
  b_.CreateStore(value, place);
  keep_guess(instruction);
}

void Widener::emit(llvm::Instruction& instruction) {
  note_work(instruction);
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
    local_[phi] = scalar(phi);
    return;
  }
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    emit_store(*store);
    return;
  }
  if (auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
    llvm::AllocaInst* all =
        slot(llvm::ArrayType::get(b_.getInt8Ty(), bytes_of_gang(*variable, lanes_)),
             variable->getName());
    all->setAlignment(variable->getAlign());
    if (rows_ == 1) {
      define(instruction, all);
      return;
    }
    const std::uint64_t row_bytes =
        static_cast<std::uint64_t>(Shapes::lane_stride(*variable)) * columns_;
    std::vector<llvm::Value*> starts;
    starts.reserve(rows_);
    for (unsigned i = 0; i < rows_; ++i)
      starts.push_back(b_.CreateConstGEP1_64(b_.getInt8Ty(), all, i * row_bytes));
    define(instruction, row_values(starts));
    return;
  }
  if (llvm::isa<llvm::FenceInst>(instruction)) {
    b_.Insert(instruction.clone());
    return;
  }
  llvm::Value* value = nullptr;
  if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    value = emit_call(*call);
  } else {
    value = shapes_.of(&instruction).is_varying() ? emit_varying(instruction)
                                                  : emit_scalar(instruction);
  }
  if (value && !instruction.getType()->isVoidTy()) define(instruction, value);
}

llvm::Value* Widener::emit_scalar(llvm::Instruction& instruction) {
  const bool by_row = shapes_.of(&instruction).by_row;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      load && !load->hasMetadata(llvm::LLVMContext::MD_invariant_load))
    note_access(*load, by_row ? "broadcast: one load for each row of the tile"
                              : "broadcast: one load for the gang");
  if (!by_row) return emit_row(instruction, 0);
  std::vector<llvm::Value*> values;
  values.reserve(rows_);
  for (unsigned i = 0; i < rows_; ++i) values.push_back(emit_row(instruction, i));
  return row_values(values);
}

/// An address whose index is the extension of a sum with a constant, as an address and a constant
/// distance, if the sum does not wrap: so that the constant can be part of an instruction. Null if
/// it might, or if what the constant is added to is not known here: only the sum may be.
llvm::Value* Widener::emit_distant(const llvm::GetElementPtrInst& address, unsigned number) {
  auto* extension =
      llvm::dyn_cast<llvm::CastInst>(address.getOperand(address.getNumOperands() - 1));
  if (!extension || address.getNumIndices() != 1) return nullptr;
  const bool is_signed = llvm::isa<llvm::SExtInst>(extension);
  auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(extension->getOperand(0));
  if (!sum || (!is_signed && !llvm::isa<llvm::ZExtInst>(extension))) return nullptr;
  using namespace llvm::PatternMatch;
  const llvm::APInt* constant = nullptr;
  if (!match(sum, m_AddLike(m_Value(), m_APInt(constant)))) return nullptr;
  const auto fits = [&](const llvm::Value* value) {
    const Shape shape = shapes_.of(value);
    return shape.bounds && (is_signed || shape.bounds->low >= 0);
  };
  if (!fits(sum) || !fits(sum->getOperand(0)) || !is_at_hand(sum->getOperand(0))) return nullptr;
  llvm::Type* type = extension->getType();
  llvm::Type* element = address.getSourceElementType();
  llvm::Value* near = b_.CreateGEP(
      element, row_value(const_cast<llvm::Value*>(address.getPointerOperand()), number),
      b_.CreateCast(extension->getOpcode(), row_value(sum->getOperand(0), number), type));
  return b_.CreateGEP(element, near,
                      llvm::ConstantInt::get(type, constant->sext(type->getIntegerBitWidth())));
}

llvm::Value* Widener::emit_row(llvm::Instruction& instruction, unsigned number) {
  const Shape shape = shapes_.of(&instruction);
  // That bits are disjoint is known of active lanes only, and lane 0 may not be one of them: it is
  // the sum that the other lanes' values follow from.
  if (instruction.getOpcode() == llvm::Instruction::Or && shape.stride != 0)
    return b_.CreateAdd(row_value(instruction.getOperand(0), number),
                        row_value(instruction.getOperand(1), number));
  if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
    if (llvm::Value* made = emit_distant(*address, number)) return made;
  }
  auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  if (load && shape.by_row && !is_full(mask_)) {
    // Some lane is active, but not one of each row.
    llvm::Value* active = b_.CreateOrReduce(row_lanes(mask_, number));
    llvm::Type* one = llvm::FixedVectorType::get(load->getType(), 1);
    llvm::Value* loaded =
        b_.CreateMaskedLoad(one, row_value(load->getPointerOperand(), number), load->getAlign(),
                            b_.CreateVectorSplat(1, active), llvm::Constant::getNullValue(one));
    return b_.CreateExtractElement(loaded, std::uint64_t{0});
  }
  llvm::Instruction* copy = instruction.clone();
  for (llvm::Use& operand : copy->operands()) {
    if (!llvm::isa<llvm::BasicBlock>(operand.get())) operand.set(row_value(operand.get(), number));
  }
  // Lane 0 may be inactive: what is promised of the active lanes' values need not hold for its
  // value.
  if (!shape.is_uniform()) copy->dropPoisonGeneratingAnnotations();
  b_.Insert(copy);
  return copy;
}

llvm::Value* Widener::emit_varying(llvm::Instruction& instruction) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return emit_load(*load);
  if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) return emit_atomic(*update);
  if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return emit_atomic(*exchange);
  if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    if (operation->isIntDivRem()) return emit_division(*operation);
    llvm::Value* result = b_.CreateBinOp(operation->getOpcode(), wide(operation->getOperand(0)),
                                         wide(operation->getOperand(1)));
    if (auto* made = llvm::dyn_cast<llvm::Instruction>(result)) made->copyIRFlags(operation);
    return result;
  }
  if (auto* operation = llvm::dyn_cast<llvm::UnaryOperator>(&instruction))
    return b_.CreateUnOp(operation->getOpcode(), wide(operation->getOperand(0)));
  if (auto* compare = llvm::dyn_cast<llvm::CmpInst>(&instruction))
    return b_.CreateCmp(compare->getPredicate(), wide(compare->getOperand(0)),
                        wide(compare->getOperand(1)));
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction))
    return b_.CreateCast(cast->getOpcode(), wide(cast->getOperand(0)), wide_type(cast->getType()));
  if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    llvm::Value* condition = shapes_.of(choice->getCondition()).is_uniform()
                                 ? scalar(choice->getCondition())
                                 : wide(choice->getCondition());
    return b_.CreateSelect(condition, wide(choice->getTrueValue()), wide(choice->getFalseValue()));
  }
  if (llvm::isa<llvm::FreezeInst>(instruction))
    return b_.CreateFreeze(wide(instruction.getOperand(0)));
  if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
    llvm::SmallVector<llvm::Value*, 4> indices;
    for (llvm::Value* index : address->indices())
      indices.push_back(shapes_.of(index).is_uniform() ? scalar(index) : wide(index));
    return b_.CreateGEP(address->getSourceElementType(), wide(address->getPointerOperand()),
                        indices);
  }
  if (auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction))
    return b_.CreateExtractValue(wide(extract->getAggregateOperand()), extract->getIndices());
  if (auto* insert = llvm::dyn_cast<llvm::InsertValueInst>(&instruction))
    return b_.CreateInsertValue(wide(insert->getAggregateOperand()),
                                wide(insert->getInsertedValueOperand()), insert->getIndices());
  return emit_lane_by_lane(instruction);
}

llvm::Value* Widener::emit_special(llvm::CallInst& call) {
  const llvm::StringRef called = lower::callee_name(call);
  llvm::StringRef name = called;
  if (name.consume_front(std::string(pseudo::sreg_prefix) + "lanemask.")) {
    llvm::SmallVector<llvm::Constant*, 32> masks;
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      const std::uint32_t own = 1u << (lane % 32), below = own - 1;
      const std::uint32_t mask = name == "eq"   ? own
                                 : name == "lt" ? below
                                 : name == "le" ? below | own
                                 : name == "ge" ? ~below
                                                : ~(below | own);
      masks.push_back(b_.getInt32(mask));
    }
    return llvm::ConstantVector::get(masks);
  }
  if (called == std::string(pseudo::sreg_prefix) + "laneid") return b_.getInt32(0);
  // Read once, at the start: the gang's frame does not change while it runs.
  llvm::Value* value = at_start(called.str(), [&](llvm::IRBuilder<>& b) {
    llvm::CallInst* read = b.CreateCall(call.getCalledFunction(), {target_->getArg(0)});
    read->setAttributes(call.getAttributes());
    return read;
  });
  if (!shapes_.of(&call).by_row) return value;
  std::vector<llvm::Value*> numbers;
  numbers.reserve(rows_);
  for (unsigned i = 0; i < rows_; ++i) numbers.push_back(b_.CreateAdd(value, b_.getInt32(i)));
  return row_values(numbers);
}

llvm::Value* Widener::emit_call(llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee) return emit_lane_by_lane(call);
  const llvm::StringRef name = callee->getName();
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::donothing:
      return nullptr;
    default:
      break;
  }
  if (call.getIntrinsicID() == llvm::Intrinsic::not_intrinsic && name.starts_with("ptx.")) {
    if (name == pseudo::barrier_sync || name == gang_pause) {
      note(call, PlanNote::Kind::Barrier,
           name == gang_pause ? "the gang lets the others do their trip of the loop"
                              : "the gang waits for the block's other gangs");
      auto* copy = llvm::cast<llvm::CallInst>(emit_scalar(call));
      copy->setConvergent();
      return copy;
    }
    if (name == pseudo::warp_op) return emit_warp_operation(call);
    if (name == gang_all || name == gang_none) return emit_question(call, name == gang_all);
    if (name == gang_small) return are_small(call);
    if (name == active_all)
      return b_.CreateNot(
          any(b_.CreateAnd(mask_, b_.CreateNot(b_.CreateFreeze(wide(call.getArgOperand(0)))))));
    if (name.starts_with(gang_first)) return scalar(call.getArgOperand(0));
    if (name.starts_with(gang_last))
      return value_at(scalar(call.getArgOperand(0)), shapes_.of(call.getArgOperand(0)),
                      b_.getInt32(lanes_ - 1));
    return emit_special(call);
  }
  if (name == pseudo::check_alignment) {
    emit_alignment_check(call);
    return nullptr;
  }
  if (emit_check(call)) return nullptr;
  if (name.starts_with(pseudo::update_prefix)) return emit_update(call);
  if (!call.getType()->isVoidTy() && !shapes_.of(&call).is_varying()) return emit_scalar(call);
  if (target::is_native_operation(call)) {
    llvm::SmallVector<llvm::Value*, 2> operands;
    for (llvm::Value* operand : call.args()) operands.push_back(wide(operand));
    return target::widen_native(b_, call, operands);
  }
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  if (id == llvm::Intrinsic::fptosi_sat || id == llvm::Intrinsic::fptoui_sat) {
    return convert_saturating(b_, wide(call.getArgOperand(0)), wide_type(call.getType()),
                              id == llvm::Intrinsic::fptosi_sat);
  }
  if (id != llvm::Intrinsic::not_intrinsic && llvm::isTriviallyVectorizable(id)) {
    llvm::SmallVector<llvm::Value*, 4> arguments;
    llvm::SmallVector<llvm::Type*, 2> types;
    if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1))
      types.push_back(wide_type(call.getType()));
    bool possible = true;
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      const bool scalar_argument = llvm::isVectorIntrinsicWithScalarOpAtArg(id, i);
      if (scalar_argument) possible &= shapes_.of(call.getArgOperand(i)).is_uniform();
      arguments.push_back(scalar_argument ? scalar(call.getArgOperand(i))
                                          : wide(call.getArgOperand(i)));
      if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(i)))
        types.push_back(arguments.back()->getType());
    }
    if (possible) return b_.CreateIntrinsic(id, types, arguments);
  }
  return emit_lane_by_lane(call);
}

llvm::Value* Widener::lane_of(llvm::Value* value, llvm::Value* lane) {
  const Shape shape = shapes_.of(value);
  if (shape.is_uniform()) return scalar(value);
  return by_part({wide(value)}, value->getType(), [&](llvm::ArrayRef<llvm::Value*> of) {
    return b_.CreateExtractElement(of[0], lane);
  });
}

llvm::Value* Widener::by_part(
    llvm::ArrayRef<llvm::Value*> values, llvm::Type* type,
    llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*> parts)> make) {
  if (!type->isStructTy()) return make(values);
  llvm::Value* all = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < type->getStructNumElements(); ++i) {
    llvm::SmallVector<llvm::Value*, 2> parts;
    for (llvm::Value* value : values) parts.push_back(b_.CreateExtractValue(value, i));
    all = b_.CreateInsertValue(all, make(parts), i);
  }
  return all;
}

llvm::Value* Widener::at_start(const std::string& name,
                               llvm::function_ref<llvm::Value*(llvm::IRBuilder<>& b)> make) {
  llvm::Value*& value = specials_[name];
  if (!value) {
    llvm::IRBuilder<> at_entry(entry_);
    value = make(at_entry);
  }
  return value;
}

llvm::IntegerType* Widener::bits_type() { return b_.getIntNTy(std::max(lanes_, 32u)); }

llvm::Value* Widener::bits_of_mask() {
  return b_.CreateZExt(b_.CreateBitCast(mask_, b_.getIntNTy(lanes_)), bits_type());
}

}  // namespace pycuda::cpu::simt
