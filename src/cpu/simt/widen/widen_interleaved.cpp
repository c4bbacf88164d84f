// SPDX-License-Identifier: MIT
// Structures of a few equal parts, one per lane: whole vectors are loaded or stored and their
// elements put in order, instead of one access for each lane and part.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/line_notes.h"
#include "cpu/lower/memory_scopes.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {
namespace {

constexpr std::int64_t most_parts = 8;
/// Elements are put in order within vectors of so many bytes.
constexpr std::uint64_t vector_bytes = 64;

/// An address as another one, or as a number in the block's shared memory, and a constant distance.
struct Place {
  const llvm::Value* base;
  std::int64_t distance;
  bool in_shared = false;  ///< `base` is a number of 32 bits, to which `distance` is added as such
};

/// The number `gep` has added to the start of shared memory; null if it is something else.
const llvm::Value* shared_offset(const llvm::Value* pointer) {
  const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(pointer);
  if (!gep || gep->getNumIndices() != 1 || !gep->getSourceElementType()->isIntegerTy(8))
    return nullptr;
  const auto* offset = llvm::dyn_cast<llvm::ZExtInst>(gep->getOperand(1));
  if (lower::callee_name(*gep->getPointerOperand()) != lower::pseudo::shared_base) return nullptr;
  return offset && offset->getSrcTy()->isIntegerTy(32) ? offset->getOperand(0) : nullptr;
}

Place place_of(const llvm::Instruction& access) {
  using namespace llvm::PatternMatch;
  const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&access);
  std::int64_t distance = 0;
  const llvm::Value* base =
      llvm::GetPointerBaseWithConstantOffset(pointer, distance, access.getDataLayout());
  const llvm::Value* offset = shared_offset(base);
  if (!offset) return {base, distance};
  const llvm::Value* rest = nullptr;
  const llvm::APInt* number = nullptr;
  for (; match(offset, m_AddLike(m_Value(rest), m_APInt(number))); offset = rest)
    distance += number->getSExtValue();
  return {offset, distance, true};
}

/// The one of `parts` from whose address the others' follow. In shared memory that is the first
/// one's: where it lies in the window, the next bytes are those that sums of 32 bits tell, and
/// where it does not, it faults. Null if its address is not known yet where `access` stands.
llvm::Instruction* anchor_of(const std::vector<llvm::Instruction*>& parts,
                             llvm::Instruction& access) {
  if (!place_of(access).in_shared) return &access;
  const auto* address =
      llvm::dyn_cast<llvm::Instruction>(llvm::getLoadStorePointerOperand(parts.front()));
  const bool is_known =
      !address || address->getParent() != access.getParent() || address->comesBefore(&access);
  return is_known ? parts.front() : nullptr;
}

/// The address of `part`, given that `place` is the address of `anchor`.
llvm::Value* beside(llvm::IRBuilderBase& b, llvm::Value* place, const llvm::Instruction& part,
                    const llvm::Instruction& anchor) {
  const std::int64_t distance = place_of(part).distance - place_of(anchor).distance;
  return b.CreateGEP(b.getInt8Ty(), place, b.getInt64(static_cast<std::uint64_t>(distance)));
}

unsigned elements_of_vector(std::uint64_t bytes) {
  return static_cast<unsigned>(std::max<std::uint64_t>(vector_bytes / bytes, 1));
}

/// Whether `parts`, in the order of the block, may happen at once: between the first and the last
/// one nothing else touches memory in a way that could tell.
bool may_join(const std::vector<llvm::Instruction*>& parts) {
  const bool stores = llvm::isa<llvm::StoreInst>(parts.front());
  std::size_t next = 1;
  for (const llvm::Instruction* at = parts.front()->getNextNode(); next < parts.size();
       at = at->getNextNode()) {
    if (at == parts[next]) {
      ++next;
    } else if ((at->mayWriteToMemory() || at->mayThrow() || !at->willReturn() ||
                (stores && at->mayReadFromMemory())) &&
               !lower::is_line_note(*at) && !lower::are_in_other_spaces(*at, *parts.front())) {
      return false;
    }
  }
  return true;
}

}  // namespace

/// The accesses of `access`'s block that together touch every byte from the first lane's first part
/// to the last lane's last part, by part; empty if there are not all of them.
std::vector<llvm::Instruction*> Widener::structure_of(llvm::Instruction& access) const {
  llvm::Type* type = llvm::getLoadStoreType(&access);
  const auto shape_of = [&](llvm::Instruction& one) {
    const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&one);
    const Shape proved = shapes_.of(pointer);
    return proved.is_varying() ? guesses_.of(pointer) : proved;
  };
  const Shape shape = shape_of(access);
  const std::int64_t bytes = bytes_of(type);
  if (!is_full(mask_) || !shape.is_affine() || shape.stride % bytes != 0 ||
      shape.stride / bytes < 2 || shape.stride / bytes > most_parts ||
      layout_.getTypeSizeInBits(type) != layout_.getTypeStoreSizeInBits(type))
    return {};
  const auto count = static_cast<std::size_t>(shape.stride / bytes);
  const Place own = place_of(access);
  std::vector<llvm::Instruction*> found;
  std::vector<std::int64_t> distances;
  for (llvm::Instruction& other : *access.getParent()) {
    // Optimisation may have made a part's float the integer of the same bits.
    if (other.getOpcode() != access.getOpcode() ||
        !llvm::CastInst::isBitCastable(llvm::getLoadStoreType(&other), type))
      continue;
    if (other.isVolatile() || other.isAtomic()) continue;
    const Place place = place_of(other);
    const std::int64_t distance = place.distance;
    // Parts lie at most one structure apart: which of them is the first shows when all are known.
    if (place.base != own.base || place.in_shared != own.in_shared ||
        distance <= own.distance - shape.stride || distance >= own.distance + shape.stride ||
        std::find(distances.begin(), distances.end(), distance) != distances.end() ||
        !(shape_of(other) == shape))
      continue;
    found.push_back(&other);
    distances.push_back(distance);
  }
  // Not when another access to the same part comes first.
  if (found.size() != count || std::find(found.begin(), found.end(), &access) == found.end() ||
      !may_join(found))
    return {};
  const std::int64_t first = *std::min_element(distances.begin(), distances.end());
  std::vector<llvm::Instruction*> parts(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t place = distances[i] - first;
    if (place % bytes != 0 || place >= shape.stride) return {};
    parts[static_cast<std::size_t>(place / bytes)] = found[i];
  }
  return parts;
}

/// Lane after lane, what `place` says of each: the number of a vector and an element of it.
llvm::Value* Widener::pick(const std::vector<llvm::Value*>& vectors, unsigned lanes,
                           llvm::function_ref<std::pair<unsigned, unsigned>(unsigned lane)> place) {
  const auto own_lanes =
      llvm::cast<llvm::FixedVectorType>(vectors.front()->getType())->getNumElements();
  llvm::Value* picked = vectors.front();
  for (unsigned number = 1; number < vectors.size(); ++number) {
    llvm::SmallVector<int, 64> mask;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const auto [from, element] = place(lane);
      const int kept = number == 1 ? static_cast<int>(element) : static_cast<int>(lane);
      mask.push_back(from < number    ? kept
                     : from == number ? static_cast<int>(own_lanes + element)
                                      : llvm::PoisonMaskElem);
    }
    picked = b_.CreateShuffleVector(picked, vectors[number], mask);
  }
  return picked;
}

/// The parts of structures of which `vectors`, as many as there are parts, are the elements in
/// memory. Halves of the parts at a time take fewer shuffles than one part after the other.
std::vector<llvm::Value*> Widener::part(const std::vector<llvm::Value*>& vectors, unsigned width) {
  const auto count = static_cast<unsigned>(vectors.size());
  std::vector<llvm::Value*> parts;
  parts.reserve(count);
  if (count % 2 != 0) {
    for (unsigned number = 0; number < count; ++number)
      parts.push_back(pick(vectors, width, [&](unsigned lane) {
        const unsigned at = lane * count + number;
        return std::pair{at / width, at % width};
      }));
    return parts;
  }
  std::vector<llvm::Value*> halves[2];
  for (unsigned odd = 0; odd < 2; ++odd) {
    for (unsigned i = 0; i < count; i += 2)
      halves[odd].push_back(b_.CreateShuffleVector(vectors[i], vectors[i + 1],
                                                   llvm::createStrideMask(odd, 2, width)));
    halves[odd] = part(halves[odd], width);
  }
  for (unsigned number = 0; number < count; ++number)
    parts.push_back(halves[number % 2][number / 2]);
  return parts;
}

/// The other way round.
std::vector<llvm::Value*> Widener::unite(const std::vector<llvm::Value*>& parts, unsigned width) {
  const auto count = static_cast<unsigned>(parts.size());
  std::vector<llvm::Value*> vectors;
  vectors.reserve(count);
  if (count % 2 != 0) {
    for (unsigned number = 0; number < count; ++number)
      vectors.push_back(pick(parts, width, [&](unsigned lane) {
        const unsigned at = number * width + lane;
        return std::pair{at % count, at / count};
      }));
    return vectors;
  }
  std::vector<llvm::Value*> halves[2];
  for (unsigned number = 0; number < count; ++number) halves[number % 2].push_back(parts[number]);
  for (std::vector<llvm::Value*>& half : halves) half = unite(half, width);
  for (unsigned i = 0; i < count; ++i) {
    llvm::SmallVector<int, 64> mask;
    for (unsigned lane = 0; lane < width; ++lane)
      mask.push_back(static_cast<int>(lane % 2 * width + (i % 2 * width + lane) / 2));
    vectors.push_back(b_.CreateShuffleVector(halves[0][i / 2], halves[1][i / 2], mask));
  }
  return vectors;
}

/// The addresses of an access to a part of a structure in the rows' first lanes, and whether the
/// others follow from them.
std::vector<llvm::Value*> Widener::structure_address(llvm::Value* pointer, llvm::Value*& holds) {
  holds = b_.getTrue();
  return shapes_.of(pointer).is_varying() ? guess(pointer, holds) : pointers_of_rows(pointer);
}

/// `whole` if `holds` is a constant, else as `either`.
Widener::Values Widener::unless_known(llvm::Value* holds, llvm::function_ref<Values()> whole,
                                      llvm::function_ref<Values()> apart) {
  return llvm::isa<llvm::Constant>(holds) ? whole() : either(holds, whole, apart);
}

llvm::Value* Widener::emit_interleaved_load(llvm::LoadInst& load) {
  if (const auto known = parted_.find(&load); known != parted_.end()) return known->second;
  const std::vector<llvm::Instruction*> parts = structure_of(load);
  if (parts.empty()) return nullptr;
  const llvm::Instruction* anchor = anchor_of(parts, load);
  if (!anchor) return nullptr;
  llvm::Value* address = const_cast<llvm::Value*>(llvm::getLoadStorePointerOperand(anchor));
  llvm::Value* holds = nullptr;
  const std::vector<llvm::Value*> own = structure_address(address, holds);
  if (own.empty()) return nullptr;
  const auto bytes = static_cast<std::uint64_t>(bytes_of(load.getType()));
  const auto count = static_cast<unsigned>(parts.size());
  const unsigned width = std::min(columns_, elements_of_vector(bytes));
  const auto from_own = [&](const llvm::Instruction& part, llvm::Value* place) {
    return beside(b_, place, part, *anchor);
  };
  llvm::Type* type = llvm::FixedVectorType::get(load.getType(), width);
  const llvm::Align alignment = std::min(load.getAlign(), llvm::Align(bytes));
  const auto whole = [&] {
    std::vector<std::vector<llvm::Value*>> pieces(count);
    for (llvm::Value* pointer : own) {
      llvm::Value* start = from_own(*parts.front(), pointer);
      for (unsigned first = 0; first < columns_; first += width) {
        std::vector<llvm::Value*> loaded;
        loaded.reserve(count);
        for (unsigned i = 0; i < count; ++i)
          loaded.push_back(b_.CreateAlignedLoad(
              type,
              b_.CreateConstGEP1_64(b_.getInt8Ty(), start, (first * count + i * width) * bytes),
              alignment));
        const std::vector<llvm::Value*> taken_apart = part(loaded, width);
        for (unsigned i = 0; i < count; ++i) pieces[i].push_back(taken_apart[i]);
      }
    }
    // What is the same for all rows is there once.
    for (std::vector<llvm::Value*>& of_part : pieces) {
      const std::vector<llvm::Value*> once = of_part;
      while (of_part.size() * width < lanes_)
        of_part.insert(of_part.end(), once.begin(), once.end());
    }
    std::vector<llvm::Value*> values;
    values.reserve(count);
    for (unsigned i = 0; i < count; ++i)
      values.push_back(b_.CreateBitCast(llvm::concatenateVectors(b_, pieces[i]),
                                        wide_type(parts[i]->getType())));
    return values;
  };
  const auto apart = [&] {
    llvm::Value* pointers = pointers_again(address);
    std::vector<llvm::Value*> values;
    values.reserve(count);
    for (llvm::Instruction* part : parts)
      values.push_back(gather(*llvm::cast<llvm::LoadInst>(part), from_own(*part, pointers)));
    return values;
  };
  const std::vector<llvm::Value*> values = unless_known(holds, whole, apart);
  for (unsigned i = 0; i < count; ++i) parted_[parts[i]] = values[i];
  return parted_[&load];
}

/// The stores of a structure's parts happen where the last one of them stands.
bool Widener::emit_interleaved_store(llvm::StoreInst& store) {
  const std::vector<llvm::Instruction*> parts = structure_of(store);
  if (parts.empty()) return false;
  for (const llvm::Instruction* part : parts) {
    if (store.comesBefore(part)) return true;
  }
  const llvm::Instruction* anchor = anchor_of(parts, store);
  if (!anchor) anchor = &store;
  llvm::Value* address = const_cast<llvm::Value*>(llvm::getLoadStorePointerOperand(anchor));
  llvm::Value* holds = nullptr;
  const std::vector<llvm::Value*> own = structure_address(address, holds);
  llvm::Type* element = store.getValueOperand()->getType();
  const auto bytes = static_cast<std::uint64_t>(bytes_of(element));
  const auto count = static_cast<unsigned>(parts.size());
  const unsigned width = std::min(columns_, elements_of_vector(bytes));
  const auto from_own = [&](const llvm::Instruction& part, llvm::Value* place) {
    return beside(b_, place, part, *anchor);
  };
  const llvm::Align alignment = std::min(store.getAlign(), llvm::Align(bytes));
  std::vector<llvm::Value*> values;
  values.reserve(count);
  for (llvm::Instruction* part : parts)
    values.push_back(b_.CreateBitCast(wide(llvm::cast<llvm::StoreInst>(part)->getValueOperand()),
                                      wide_type(element)));
  const auto whole = [&] {
    for (unsigned first = 0; first < lanes_; first += width) {
      std::vector<llvm::Value*> pieces;
      pieces.reserve(count);
      for (llvm::Value* value : values)
        pieces.push_back(
            b_.CreateShuffleVector(value, llvm::createSequentialMask(first, width, 0)));
      llvm::Value* start =
          from_own(*parts.front(), own[own.size() == rows_ ? first / columns_ : 0]);
      const unsigned column = first % columns_;
      const std::vector<llvm::Value*> ordered = unite(pieces, width);
      for (unsigned i = 0; i < count; ++i)
        b_.CreateAlignedStore(
              ordered[i],
              b_.CreateConstGEP1_64(b_.getInt8Ty(), start, (column * count + i * width) * bytes),
              alignment)
            ->setDebugLoc(parts[i]->getDebugLoc());
    }
    return std::vector<llvm::Value*>();
  };
  const auto apart = [&] {
    llvm::Value* pointers = pointers_again(address);
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return parts[a]->comesBefore(parts[b]); });
    for (const std::size_t part : order)
      b_.CreateMaskedScatter(values[part], from_own(*parts[part], pointers), alignment, mask_);
    return std::vector<llvm::Value*>();
  };
  if (!own.empty()) {
    unless_known(holds, whole, apart);
  } else {
    apart();
  }
  return true;
}

}  // namespace pycuda::cpu::simt
