// SPDX-License-Identifier: MIT

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cpu/jit/finishing_passes.h"
#include "cpu/lower/line_notes.h"

namespace pycuda::cpu::jit {
namespace {

using namespace llvm::PatternMatch;

/// Loads are of up to this many bytes for each lane: shuffles move such pieces of registers.
constexpr unsigned piece_bytes = 16;

/// Addresses of lanes: `base + scale * index + distance`, or `index + distance` without a base.
struct Addresses {
  llvm::Value* base = nullptr;   ///< a pointer or a number, of all lanes
  llvm::Value* index = nullptr;  ///< of each lane; pointers without a base
  unsigned extension = 0;        ///< the opcode that makes 64 bits of `index`; 0: has them
  std::uint64_t scale = 1;
  std::int64_t distance = 0;

  bool is_beside(const Addresses& other) const {
    return base == other.base && index == other.index && extension == other.extension &&
           scale == other.scale;
  }
};

/// Takes constants out of a sum of numbers or of an address.
llvm::Value* without_constants(llvm::Value* value, std::int64_t& distance,
                               const llvm::DataLayout& layout) {
  while (true) {
    llvm::Value* rest = nullptr;
    const llvm::APInt* constant = nullptr;
    if (match(value, m_IntToPtr(m_Value(rest))) || match(value, m_PtrToInt(m_Value(rest)))) {
      if (rest->getType()->getScalarSizeInBits() == 64 || rest->getType()->isPtrOrPtrVectorTy()) {
        value = rest;
        continue;
      }
    }
    if (match(value, m_AddLike(m_Value(rest), m_APInt(constant)))) {
      distance += constant->getSExtValue();
      value = rest;
      continue;
    }
    const auto* address = llvm::dyn_cast<llvm::GEPOperator>(value);
    llvm::APInt offset(64, 0);
    if (!address || !address->accumulateConstantOffset(layout, offset) ||
        address->getPointerOperand()->getType() != address->getType())
      return value;
    distance += offset.getSExtValue();
    value = const_cast<llvm::Value*>(address->getPointerOperand());
  }
}

Addresses addresses_of(llvm::Value* pointers, const llvm::DataLayout& layout) {
  Addresses found;
  pointers = without_constants(pointers, found.distance, layout);
  found.index = pointers;
  const auto* sum = llvm::dyn_cast<llvm::GetElementPtrInst>(pointers);
  if (!sum || sum->getNumIndices() != 1 || sum->getPointerOperandType()->isVectorTy() ||
      !sum->getOperand(1)->getType()->isVectorTy())
    return found;
  found.base = without_constants(sum->getOperand(0), found.distance, layout);
  found.index = sum->getOperand(1);
  found.scale = layout.getTypeAllocSize(sum->getSourceElementType()).getFixedValue();
  while (const auto* extension = llvm::dyn_cast<llvm::CastInst>(found.index)) {
    const unsigned opcode = extension->getOpcode();
    if ((opcode != llvm::Instruction::SExt && opcode != llvm::Instruction::ZExt) ||
        (found.extension != 0 && found.extension != opcode) ||
        extension->getSrcTy()->getScalarSizeInBits() < 32)
      break;
    found.extension = opcode;
    found.index = extension->getOperand(0);
  }
  if (found.index->getType()->getScalarSizeInBits() == 64) found.extension = 0;
  // Of several gathers from one vector of pointers, index_gathers makes the constants bases.
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(found.base)) {
    found.distance += constant->getSExtValue();
    found.base = nullptr;
  }
  return found;
}

struct Part {
  llvm::IntrinsicInst* gather;
  Addresses from;
};

/// Gathers that differ in constant distances only, with nothing between them that writes.
struct Structure {
  llvm::Value* mask;
  std::uint64_t bytes;  ///< of each part
  std::vector<Part> parts;
};

class Joining {
 public:
  Joining(llvm::Function& function, const StructureLoads& loads)
      : function_(function),
        loads_(loads),
        layout_(function.getDataLayout()),
        b_(function.getContext()) {}

  bool run() {
    std::vector<Structure> found;
    for (llvm::BasicBlock& block : function_) find(block, found);
    bool changed = false;
    for (Structure& structure : found) changed |= join(structure);
    return changed;
  }

 private:
  void find(llvm::BasicBlock& block, std::vector<Structure>& found);
  bool join(Structure& structure);
  void emit(llvm::ArrayRef<Part> run, unsigned count, const Structure& structure);
  std::vector<llvm::Value*> lane_pointers(const Part& first, std::int64_t start, llvm::Value* mask);
  llvm::Value* load_parts(llvm::Type* element, unsigned parts, llvm::Value* from,
                          llvm::Align alignment);
  llvm::Value* shuffle(llvm::Value* a, llvm::Value* b, llvm::ArrayRef<unsigned> elements);
  std::vector<llvm::Value*> transpose(llvm::ArrayRef<llvm::Value*> pieces, unsigned parts);
  llvm::AllocaInst* memory(llvm::AllocaInst*& kept, std::uint64_t bytes);

  llvm::Function& function_;
  const StructureLoads& loads_;
  const llvm::DataLayout& layout_;
  unsigned lanes_parted_ = 0;
  llvm::IRBuilder<> b_;
  llvm::AllocaInst* addresses_ = nullptr;  ///< the lanes' numbers on their way to scalar registers
  llvm::AllocaInst* nothing_ = nullptr;    ///< what lanes that are masked out read
};

bool is_joinable(const llvm::IntrinsicInst& gather, const llvm::DataLayout& layout) {
  const auto* type = llvm::cast<llvm::FixedVectorType>(gather.getType());
  const std::uint64_t bits = layout.getTypeSizeInBits(type->getElementType());
  return (bits == 32 || bits == 64) && !type->getElementType()->isPointerTy() &&
         type->getNumElements() * bits / 8 >= piece_bytes &&
         llvm::isPowerOf2_32(type->getNumElements()) &&
         (llvm::isa<llvm::UndefValue>(gather.getArgOperand(3)) ||
          match(gather.getArgOperand(2), m_AllOnes()));
}

void Joining::find(llvm::BasicBlock& block, std::vector<Structure>& found) {
  std::size_t open = found.size();  // from here on, others may still join
  for (llvm::Instruction& instruction : block) {
    auto* gather = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!gather || gather->getIntrinsicID() != llvm::Intrinsic::masked_gather) {
      if ((instruction.mayWriteToMemory() || instruction.mayThrow() || !instruction.willReturn()) &&
          !lower::is_line_note(instruction))
        open = found.size();
      continue;
    }
    if (!is_joinable(*gather, layout_)) continue;
    const Part part{gather, addresses_of(gather->getArgOperand(0), layout_)};
    llvm::Value* mask = gather->getArgOperand(2);
    const std::uint64_t bytes = layout_.getTypeStoreSize(gather->getType()->getScalarType());
    const auto same = std::find_if(
        found.begin() + static_cast<std::ptrdiff_t>(open), found.end(), [&](const Structure& one) {
          return one.mask == mask && one.bytes == bytes &&
                 one.parts.front().gather->getType()->getPrimitiveSizeInBits() ==
                     gather->getType()->getPrimitiveSizeInBits() &&
                 one.parts.front().from.is_beside(part.from);
        });
    if (same != found.end()) {
      same->parts.push_back(part);
    } else {
      found.push_back({mask, bytes, {part}});
    }
  }
}

/// Takes runs of parts, none missing between them, out of a structure.
bool Joining::join(Structure& structure) {
  std::vector<Part>& parts = structure.parts;
  const auto distance = [&](std::size_t number) { return parts[number].from.distance; };
  const auto bytes = static_cast<std::int64_t>(structure.bytes);
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.from.distance < b.from.distance; });
  bool changed = false;
  for (std::size_t first = 0; first < parts.size();) {
    std::size_t end = first + 1;  // of the run; the same part may be in it twice
    while (end < parts.size() &&
           (distance(end) == distance(end - 1) || distance(end) - distance(end - 1) == bytes))
      ++end;
    // Of 5 that are left, 3 and 2 rather than 4 and 1.
    const auto length = static_cast<std::size_t>((distance(end - 1) - distance(first)) / bytes + 1);
    const std::size_t most = piece_bytes / structure.bytes;
    const std::size_t count = length == most + 1 && most > 2 ? most - 1 : std::min(length, most);
    std::size_t behind = first;
    while (behind < end &&
           distance(behind) - distance(first) < static_cast<std::int64_t>(count) * bytes)
      ++behind;
    if (count >= loads_.fewest_parts && count >= 2) {
      emit(llvm::ArrayRef(parts).slice(first, behind - first), static_cast<unsigned>(count),
           structure);
      changed = true;
    }
    first = behind;
  }
  return changed;
}

llvm::AllocaInst* Joining::memory(llvm::AllocaInst*& kept, std::uint64_t bytes) {
  llvm::IRBuilder<> entry(&function_.getEntryBlock(), function_.getEntryBlock().begin());
  auto* type = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  if (!kept) {
    kept = entry.CreateAlloca(type);
    kept->setAlignment(llvm::Align(64));
  } else if (layout_.getTypeAllocSize(kept->getAllocatedType()) < bytes) {
    kept->setAllocatedType(type);
  }
  return kept;
}

/// Where each lane's parts begin. The way through memory takes a load for each lane; out of vector
/// registers it would be two or three instructions.
std::vector<llvm::Value*> Joining::lane_pointers(const Part& first, std::int64_t start,
                                                 llvm::Value* mask) {
  llvm::Value* pointers = first.gather->getArgOperand(0);
  const auto lanes = llvm::cast<llvm::FixedVectorType>(pointers->getType())->getNumElements();
  // What the index is may have been a gather until now.
  const Addresses from = addresses_of(pointers, layout_);
  llvm::Value* base = nullptr;
  llvm::Value* numbers = nullptr;
  const bool is_full = match(mask, m_AllOnes());
  if (is_full && from.base) {
    base = from.base->getType()->isPointerTy() ? from.base
                                               : b_.CreateIntToPtr(from.base, b_.getPtrTy());
    base = b_.CreateGEP(b_.getInt8Ty(), base, b_.getInt64(static_cast<std::uint64_t>(start)));
    numbers = from.index;
  } else {
    numbers = b_.CreateGEP(b_.getInt8Ty(), pointers,
                           b_.getInt64(static_cast<std::uint64_t>(start - from.distance)));
    if (!is_full)
      numbers = b_.CreateSelect(mask, numbers,
                                b_.CreateVectorSplat(lanes, memory(nothing_, piece_bytes)));
  }
  llvm::Type* element = numbers->getType()->getScalarType();
  const std::uint64_t bytes = layout_.getTypeStoreSize(element).getFixedValue();
  llvm::AllocaInst* kept = memory(addresses_, lanes * bytes);
  b_.CreateAlignedStore(numbers, kept, llvm::Align(64));
  std::vector<llvm::Value*> found;
  found.reserve(lanes);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    llvm::Value* number = b_.CreateAlignedLoad(
        element, b_.CreateConstGEP1_64(b_.getInt8Ty(), kept, std::uint64_t{lane} * bytes),
        llvm::Align(bytes));
    if (base) {
      if (from.extension != 0)
        number = b_.CreateCast(static_cast<llvm::Instruction::CastOps>(from.extension), number,
                               b_.getInt64Ty());
      number = b_.CreateGEP(llvm::ArrayType::get(b_.getInt8Ty(), from.scale), base, number);
    }
    found.push_back(number);
  }
  return found;
}

/// One lane's parts in a vector of 16 bytes, three of them in its elements 0, 1 and 3 where loads
/// have no masks.
llvm::Value* Joining::load_parts(llvm::Type* element, unsigned parts, llvm::Value* from,
                                 llvm::Align alignment) {
  const auto most =
      static_cast<unsigned>(std::uint64_t{piece_bytes} * 8 / layout_.getTypeSizeInBits(element));
  auto* piece = llvm::FixedVectorType::get(element, most);
  if (parts == most) return b_.CreateAlignedLoad(piece, from, alignment);
  auto* pair = llvm::FixedVectorType::get(element, 2);
  if (parts == 2) return b_.CreateAlignedLoad(pair, from, alignment);
  if (loads_.masks)
    return b_.CreateMaskedLoad(
        piece, from, alignment,
        llvm::ConstantVector::get({b_.getTrue(), b_.getTrue(), b_.getTrue(), b_.getFalse()}));
  const std::uint64_t bytes = piece_bytes / most;
  llvm::Value* first = b_.CreateAlignedLoad(pair, from, alignment);
  llvm::Value* last = b_.CreateAlignedLoad(pair, b_.CreateConstGEP1_64(b_.getInt8Ty(), from, bytes),
                                           std::min(alignment, llvm::Align(bytes)));
  return llvm::concatenateVectors(b_, {first, last});
}

/// Elements of each 16 bytes of `a` and `b`, by their numbers in those of `a` and then of `b`.
llvm::Value* Joining::shuffle(llvm::Value* a, llvm::Value* b, llvm::ArrayRef<unsigned> elements) {
  const auto total = llvm::cast<llvm::FixedVectorType>(a->getType())->getNumElements();
  const auto of_piece = static_cast<unsigned>(elements.size());
  llvm::SmallVector<int, 16> mask;
  for (unsigned piece = 0; piece < total; piece += of_piece) {
    for (const unsigned element : elements)
      mask.push_back(static_cast<int>(element < of_piece ? piece + element
                                                         : total + piece + element - of_piece));
  }
  return b_.CreateShuffleVector(a, b, mask);
}

/// Each part of a register's lanes. `pieces` hold 16 bytes each: of a lane, or of two.
std::vector<llvm::Value*> Joining::transpose(llvm::ArrayRef<llvm::Value*> pieces, unsigned parts) {
  const unsigned of_piece =
      llvm::cast<llvm::FixedVectorType>(pieces.front()->getType())->getNumElements();
  const unsigned count = parts == 2 ? 2 : of_piece;
  llvm::SmallVector<llvm::Value*, 4> rows;  // of pieces that are `count` apart
  for (unsigned row = 0; row < count; ++row) {
    llvm::SmallVector<llvm::Value*, 4> own;
    for (std::size_t piece = row; piece < pieces.size(); piece += count)
      own.push_back(pieces[piece]);
    rows.push_back(llvm::concatenateVectors(b_, own));
  }
  if (of_piece == 2) return {shuffle(rows[0], rows[1], {0, 2}), shuffle(rows[0], rows[1], {1, 3})};
  if (parts == 2)
    return {shuffle(rows[0], rows[1], {0, 2, 4, 6}), shuffle(rows[0], rows[1], {1, 3, 5, 7})};
  llvm::Value* low[] = {shuffle(rows[0], rows[1], {0, 4, 1, 5}),
                        shuffle(rows[2], rows[3], {0, 4, 1, 5})};
  llvm::Value* high[] = {shuffle(rows[0], rows[1], {2, 6, 3, 7}),
                         shuffle(rows[2], rows[3], {2, 6, 3, 7})};
  std::vector<llvm::Value*> found{shuffle(low[0], low[1], {0, 1, 4, 5}),
                                  shuffle(low[0], low[1], {2, 3, 6, 7})};
  if (parts == 4 || loads_.masks) found.push_back(shuffle(high[0], high[1], {0, 1, 4, 5}));
  if (parts == 4 || !loads_.masks) found.push_back(shuffle(high[0], high[1], {2, 3, 6, 7}));
  return found;
}

/// Writes the loads of a run's `count` parts before the first of its gathers.
void Joining::emit(llvm::ArrayRef<Part> run, unsigned count, const Structure& structure) {
  const Part& earliest = *std::min_element(
      run.begin(), run.end(),
      [](const Part& a, const Part& b) { return a.gather->comesBefore(b.gather); });
  b_.SetInsertPoint(earliest.gather);
  const std::int64_t start = run.front().from.distance;
  const llvm::Align alignment = llvm::cast<llvm::ConstantInt>(run.front().gather->getArgOperand(1))
                                    ->getMaybeAlignValue()
                                    .valueOrOne();
  const auto* type = llvm::cast<llvm::FixedVectorType>(earliest.gather->getType());
  llvm::Type* element = type->getElementType();
  const unsigned lanes = type->getNumElements();
  // There is a load for each, with its address and its place in a vector.
  constexpr unsigned most_lanes = 8192;
  if (lanes_parted_ + lanes > most_lanes) return;
  lanes_parted_ += lanes;
  const unsigned width =
      std::min(lanes, static_cast<unsigned>(loads_.register_bytes / structure.bytes));
  const std::vector<llvm::Value*> pointers = lane_pointers(earliest, start, structure.mask);
  std::vector<std::vector<llvm::Value*>> values(count);
  for (unsigned first = 0; first < lanes; first += width) {
    llvm::SmallVector<llvm::Value*, 16> pieces;
    for (unsigned lane = first; lane < first + width; ++lane) {
      pieces.push_back(load_parts(element, count, pointers[lane], alignment));
      if (count * structure.bytes == piece_bytes / 2 && lane % 2 != 0) {
        llvm::Value* second = pieces.pop_back_val();
        pieces.back() = llvm::concatenateVectors(b_, {pieces.back(), second});
      }
    }
    const std::vector<llvm::Value*> parts = transpose(pieces, count);
    for (unsigned part = 0; part < count; ++part) values[part].push_back(parts[part]);
  }
  std::vector<llvm::Value*> whole;
  whole.reserve(count);
  for (const std::vector<llvm::Value*>& of_part : values)
    whole.push_back(llvm::concatenateVectors(b_, of_part));
  for (const Part& part : run) {
    llvm::Value* value =
        whole[static_cast<std::size_t>(part.from.distance - start) / structure.bytes];
    part.gather->replaceAllUsesWith(b_.CreateBitCast(value, part.gather->getType()));
  }
  // Only now: what is new stands before the earliest of them.
  for (const Part& part : run) part.gather->eraseFromParent();
}

}  // namespace

bool join_structure_gathers(llvm::Function& function, const StructureLoads& loads) {
  return !function.isDeclaration() && Joining(function, loads).run();
}

}  // namespace pycuda::cpu::jit
