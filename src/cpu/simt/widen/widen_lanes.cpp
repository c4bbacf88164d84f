// SPDX-License-Identifier: MIT
// What a gang does one lane after the other: a loop over the active lanes, lowest first. What
// differs between lanes goes into the loop and out of it through memory, where lanes are found by
// an index.
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/MathExtras.h>

#include <cstddef>
#include <string>

#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/constant_division.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/special_values.h"
#include "cpu/simt/per_lane/per_lane_passes.h"
#include "cpu/simt/widen/widen.h"
#include "cpu/simt/width/line.h"

namespace pycuda::cpu::simt {
namespace {

/// Why `instruction` has no vector form.
std::string name_for_people(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    const llvm::Function* callee = call->getCalledFunction();
    if (!callee) return "one lane after the other: a call through a pointer";
    if (is_lane_function(*callee)) return form_of_lane_function(*callee).str();
    llvm::StringRef name = callee->getName();
    if (name == lower::pseudo::check_alignment)
      return "one lane after the other: a test of alignment";
    name.consume_front("f.");
    return "one lane after the other: a call of " + name.str();
  }
  if (instruction.isAtomic()) return "one lane after the other: atomic";
  if (instruction.isVolatile()) return "one lane after the other: volatile";
  return std::string("one lane after the other: ") + instruction.getOpcodeName();
}

/// What ends a kernel, what names the thread that goes astray, and what is better done so.
bool costs_little(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return llvm::isa<llvm::UnreachableInst>(instruction.getParent()->getTerminator()) ||
         lower::callee_name(instruction) == lower::pseudo::check_alignment ||
         (call && call->getCalledFunction() && is_lane_function(*call->getCalledFunction()));
}

/// The function for a lane's turn that `instruction` calls, or null.
const llvm::Function* called_turn(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && is_lane_function(*callee) && is_serial_block(*callee) ? callee : nullptr;
}

/// How an element of a vector lies in memory: as itself where that is whole bytes.
llvm::Type* stored_type(llvm::Type* type) {
  if (!type->isIntegerTy()) return type;
  const unsigned bits = type->getIntegerBitWidth();
  return llvm::IntegerType::get(type->getContext(),
                                std::max(8u, static_cast<unsigned>(llvm::PowerOf2Ceil(bits))));
}

llvm::SmallVector<llvm::Type*, 2> parts_of(llvm::Type* type) {
  if (auto* parts = llvm::dyn_cast<llvm::StructType>(type))
    return {parts->element_begin(), parts->element_end()};
  return {type};
}

}  // namespace

/// Room for one value of each lane. What is in it is used up before it is given out again.
llvm::AllocaInst* Widener::lane_memory(unsigned number) {
  while (lane_memory_.size() <= number) {
    llvm::AllocaInst* place = slot(llvm::ArrayType::get(b_.getInt64Ty(), lanes_), "lanes");
    place->setAlignment(llvm::Align(64));
    lane_memory_.push_back(place);
  }
  return lane_memory_[number];
}

/// Calls `make` to write the loop's body, with the lane's values of `sources` and its number; what
/// it returns, of type `result` (void: nothing), is the lane's part of the result.
llvm::Value* Widener::for_each_lane(
    llvm::ArrayRef<llvm::Value*> sources, llvm::Type* result,
    llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>, llvm::Value*)> make,
    LaneBody body) {
  // In line the code is as long as there are lanes: a long function is made of loops.
  constexpr unsigned most_in_line = 4096;
  if (is_full(mask_) && body == LaneBody::Short && bodies_in_line_ + lanes_ <= most_in_line) {
    bodies_in_line_ += lanes_;
    return for_each_lane_in_line(sources, result, make);
  }
  unsigned used = 0;
  const auto element = [&](unsigned number, llvm::Type* type, llvm::Value* lane) {
    return b_.CreateGEP(type, lane_memory(number), lane);
  };
  // What the loop reads is made before it.
  llvm::SmallVector<llvm::Value*, 8> bases;
  llvm::SmallVector<unsigned, 8> places;
  for (llvm::Value* source : sources) {
    places.push_back(used);
    if (const Shape shape = shapes_.of(source); !shape.is_varying() && !shape.by_row) {
      bases.push_back(scalar(source));
      continue;
    }
    bases.push_back(nullptr);
    llvm::Value* whole = vector(source);
    const auto parts = parts_of(source->getType());
    for (unsigned i = 0; i < parts.size(); ++i) {
      llvm::Value* part = source->getType()->isStructTy() ? b_.CreateExtractValue(whole, i) : whole;
      llvm::Type* stored = stored_type(parts[i]);
      if (stored != parts[i]) part = b_.CreateZExt(part, wide_type(stored));
      b_.CreateAlignedStore(part, lane_memory(used++), llvm::Align(64));
    }
  }
  const unsigned first_result = used;
  llvm::Type* index_type = b_.getInt64Ty();
  llvm::BasicBlock* before = b_.GetInsertBlock();
  const bool full = is_full(mask_);
  llvm::Value* start = full ? b_.getInt64(0) : b_.CreateZExt(bits_of_mask(), index_type);
  llvm::BasicBlock* loop = new_block("lane");
  llvm::BasicBlock* after = new_block("lanes.done");
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  llvm::PHINode* left = b_.CreatePHI(index_type, 2);
  left->addIncoming(start, before);
  llvm::Value* lane = left;
  if (!full) lane = b_.CreateIntrinsic(llvm::Intrinsic::cttz, {index_type}, {left, b_.getTrue()});
  llvm::SmallVector<llvm::Value*, 8> values;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    llvm::Type* type = sources[s]->getType();
    if (bases[s]) {
      values.push_back(value_at(bases[s], shapes_.of(sources[s]), lane));
      continue;
    }
    const auto parts = parts_of(type);
    llvm::Value* value = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i < parts.size(); ++i) {
      llvm::Type* stored = stored_type(parts[i]);
      llvm::Value* part = b_.CreateLoad(stored, element(places[s] + i, stored, lane));
      if (stored != parts[i]) part = b_.CreateTrunc(part, parts[i]);
      value = type->isStructTy() ? b_.CreateInsertValue(value, part, i) : part;
    }
    values.push_back(value);
  }
  llvm::Value* made = make(values, lane);
  const auto result_parts =
      result->isVoidTy() ? llvm::SmallVector<llvm::Type*, 2>{} : parts_of(result);
  for (unsigned i = 0; i < result_parts.size(); ++i) {
    llvm::Type* stored = stored_type(result_parts[i]);
    llvm::Value* part = result->isStructTy() ? b_.CreateExtractValue(made, i) : made;
    if (stored != result_parts[i]) part = b_.CreateZExt(part, stored);
    b_.CreateStore(part, element(first_result + i, stored, lane));
  }
  llvm::Value* one = llvm::ConstantInt::get(index_type, 1);
  llvm::Value* next = full ? b_.CreateAdd(left, one) : b_.CreateAnd(left, b_.CreateSub(left, one));
  left->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpNE(next, b_.getInt64(full ? lanes_ : 0)), loop, after);
  b_.SetInsertPoint(after);
  if (result->isVoidTy()) return nullptr;
  llvm::Value* all = result->isStructTy() ? llvm::PoisonValue::get(wide_type(result)) : nullptr;
  for (unsigned i = 0; i < result_parts.size(); ++i) {
    llvm::Type* stored = stored_type(result_parts[i]);
    llvm::Value* part =
        b_.CreateAlignedLoad(wide_type(stored), lane_memory(first_result + i), llvm::Align(64));
    if (stored != result_parts[i]) part = b_.CreateTrunc(part, wide_type(result_parts[i]));
    all = all ? b_.CreateInsertValue(all, part, i) : part;
  }
  return all;
}

/// Lane `lane`'s value, in registers alone. Addresses are computed for the lane from the numbers
/// they are made of, which are narrower: several of them leave a vector at once.
llvm::Value* Widener::value_in_line(llvm::Value* value, unsigned lane, unsigned steps) {
  constexpr unsigned most_steps = 6, piece_bits = 64;
  const Shape shape = shapes_.of(value);
  if (!shape.is_varying() && !shape.by_row)
    return value_at(scalar(value), shape, b_.getInt64(lane));
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  llvm::Type* type = value->getType();
  const auto* operation = llvm::dyn_cast_or_null<llvm::BinaryOperator>(instruction);
  const bool follows =
      instruction && instruction->getParent() == block_ && steps < most_steps &&
      ((operation && !divides(*operation) && type->isIntegerTy()) ||
       llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::IntToPtrInst, llvm::GetElementPtrInst>(
           instruction)) &&
      llvm::count_if(
          instruction->operands(),
          [&](const llvm::Use& operand) {
            return shapes_.of(operand.get()).is_varying() || shapes_.of(operand.get()).by_row;
          }) == 1;
  if (follows) {
    llvm::Instruction* copy = instruction->clone();
    for (llvm::Use& operand : copy->operands())
      operand.set(value_in_line(operand.get(), lane, steps + 1));
    b_.Insert(copy);
    return copy;
  }
  if (type->isStructTy()) return lane_of(value, b_.getInt64(lane));
  llvm::Value* whole = vector(value);
  const unsigned bits = type->isIntegerTy() ? type->getIntegerBitWidth() : 0;
  if (bits != 8 && bits != 16 && bits != 32) return b_.CreateExtractElement(whole, lane);
  const unsigned in_piece = piece_bits / bits;
  llvm::Value* pieces =
      b_.CreateBitCast(whole, llvm::FixedVectorType::get(b_.getInt64Ty(), lanes_ / in_piece));
  // Frozen: else the optimiser makes one extraction of each lane of it again.
  llvm::Value* piece = b_.CreateFreeze(b_.CreateExtractElement(pieces, lane / in_piece));
  return b_.CreateTrunc(b_.CreateLShr(piece, std::uint64_t{lane % in_piece} * bits), type);
}

/// One copy of the body for each lane: values come out of registers, where a loop would wait for
/// its memory.
llvm::Value* Widener::for_each_lane_in_line(
    llvm::ArrayRef<llvm::Value*> sources, llvm::Type* result,
    llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>, llvm::Value*)> make) {
  llvm::Value* all = result->isVoidTy() ? nullptr : llvm::PoisonValue::get(wide_type(result));
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    llvm::SmallVector<llvm::Value*, 4> values;
    for (llvm::Value* source : sources) values.push_back(value_in_line(source, lane, 0));
    llvm::Value* made = make(values, b_.getInt64(lane));
    if (!all) continue;
    all = by_part({all, made}, all->getType(), [&](llvm::ArrayRef<llvm::Value*> of) {
      return b_.CreateInsertElement(of[0], of[1], lane);
    });
  }
  return all;
}

/// Lane `lane`'s value of what is not varying and the same in all rows, from lane 0's.
llvm::Value* Widener::value_at(llvm::Value* base, const Shape& shape, llvm::Value* lane) {
  if (shape.is_uniform()) return base;
  const bool pointer = base->getType()->isPointerTy();
  llvm::Type* type = pointer ? b_.getInt64Ty() : base->getType();
  if (rows_ > 1) lane = b_.CreateAnd(lane, columns_ - 1);
  llvm::Value* offset = b_.CreateMul(
      b_.CreateZExtOrTrunc(lane, type),
      llvm::ConstantInt::get(type, llvm::APInt(64, static_cast<std::uint64_t>(shape.stride))
                                       .sextOrTrunc(type->getIntegerBitWidth())));
  return pointer ? b_.CreateGEP(b_.getInt8Ty(), base, offset) : b_.CreateAdd(base, offset);
}

/// What is done for one lane after the other; of threads' turns, each access.
void Widener::note_lane_by_lane(const llvm::Instruction& instruction) {
  const std::string form = name_for_people(instruction);
  if (const llvm::Function* turn = called_turn(instruction)) {
    for (const llvm::Instruction& access : llvm::instructions(*turn)) {
      if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(access))
        note(access, PlanNote::Kind::LaneByLane, form, ForEachThread::Turn, lanes_);
    }
    return;
  }
  note(instruction, PlanNote::Kind::LaneByLane, form,
       costs_little(instruction) ? ForEachThread::Nothing
       : llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)
           ? ForEachThread::Atomic
           : ForEachThread::Other,
       lanes_);
}

llvm::Value* Widener::emit_lane_by_lane(llvm::Instruction& instruction) {
  note_lane_by_lane(instruction);
  llvm::Value* thread = target_->getArg(0);
  bool uses_thread = false;
  llvm::SmallVector<llvm::Value*, 8> sources;
  for (llvm::Use& operand : instruction.operands()) {
    uses_thread |= operand.get() == source_.getArg(0);
    sources.push_back(operand.get());
  }
  // Each lane runs under its own number.
  constexpr std::size_t fields[] = {offsetof(ThreadFrame, tid.x), offsetof(ThreadFrame, linear),
                                    offsetof(ThreadFrame, tid.y), offsetof(ThreadFrame, tid.z)};
  const bool in_line = source_.hasFnAttribute(lies_in_line);
  const std::size_t count = in_line ? 4 : rows_ > 1 ? 3 : 2;
  llvm::Value *first[4] = {}, *width = nullptr, *height = nullptr;
  if (uses_thread) {
    for (std::size_t i = 0; i < count; ++i) first[i] = load_word(b_, thread, fields[i], false);
    if (rows_ > 1 || in_line) width = read_special_register(b_, "ntid.x");
    if (in_line) height = read_special_register(b_, "ntid.y");
  }
  llvm::Value* results = for_each_lane(
      sources, instruction.getType(),
      [&](llvm::ArrayRef<llvm::Value*> values, llvm::Value* lane) -> llvm::Value* {
        if (uses_thread) {
          llvm::Value* number = b_.CreateTrunc(lane, b_.getInt32Ty());
          llvm::Value* distances[4] = {number, number, nullptr, nullptr};
          if (rows_ > 1) {
            distances[2] = b_.CreateUDiv(number, b_.getInt32(columns_));
            distances[0] = b_.CreateURem(number, b_.getInt32(columns_));
            distances[1] = b_.CreateAdd(b_.CreateMul(distances[2], width), distances[0]);
          }
          llvm::Value* numbers[4] = {};
          if (in_line) {
            numbers[1] = b_.CreateAdd(first[0], number);
            const PlaceInBlock own = place_in_block(b_, numbers[1], width, height, Line::Any);
            numbers[0] = own.x, numbers[2] = own.y, numbers[3] = own.z;
          } else {
            for (std::size_t i = 0; i < count; ++i)
              numbers[i] = b_.CreateAdd(first[i], distances[i]);
          }
          for (std::size_t i = 0; i < count; ++i) store_field(b_, thread, fields[i], numbers[i]);
        }
        llvm::Instruction* copy = instruction.clone();
        for (unsigned i = 0; i < values.size(); ++i) copy->setOperand(i, values[i]);
        b_.Insert(copy);
        return copy;
      });
  if (uses_thread) {
    for (std::size_t i = 0; i < count; ++i) store_field(b_, thread, fields[i], first[i]);
  }
  return results;
}

}  // namespace pycuda::cpu::simt
