// SPDX-License-Identifier: MIT
// Structures of a few equal parts, one per lane: whole vectors are loaded or stored and their
// elements put in order, instead of one access for each lane and part.
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "cpu/lower/memory_scopes.h"
#include "cpu/simt/source_lines.h"
#include "cpu/simt/widen.h"

namespace pycuda::cpu::simt {
namespace {

constexpr std::int64_t most_parts = 4;
/// Elements are put in order within vectors of so many bytes.
constexpr std::uint64_t vector_bytes = 64;

/// An address as another one and a constant distance.
std::pair<const llvm::Value*, std::int64_t> base_of(const llvm::Instruction& access,
                                                    const llvm::DataLayout& layout) {
  const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&access);
  llvm::APInt distance(64, 0);
  const llvm::Value* base =
      pointer->stripAndAccumulateConstantOffsets(layout, distance, /*AllowNonInbounds=*/true);
  return {base, distance.getSExtValue()};
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
               !is_line_note(*at) && !lower::are_in_other_spaces(*at, *parts.front())) {
      return false;
    }
  }
  return true;
}

}  // namespace

/// The accesses of `access`'s block that together touch every byte from the first lane's first part
/// to the last lane's last part, by part; empty if there are not all of them.
std::vector<llvm::Instruction*> Widener::structure_of(llvm::Instruction& access) const {
  const llvm::DataLayout& layout = source_.getParent()->getDataLayout();
  llvm::Type* type = llvm::getLoadStoreType(&access);
  const auto shape_of = [&](llvm::Instruction& one) {
    const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&one);
    const Shape proved = shapes_.of(pointer);
    return proved.is_varying() ? guesses_.of(pointer) : proved;
  };
  const Shape shape = shape_of(access);
  const auto bytes = static_cast<std::int64_t>(layout.getTypeStoreSize(type).getFixedValue());
  if (!is_full(mask_) || !shape.is_affine() || shape.stride % bytes != 0 ||
      shape.stride / bytes < 2 || shape.stride / bytes > most_parts ||
      layout.getTypeSizeInBits(type) != layout.getTypeStoreSizeInBits(type))
    return {};
  const auto count = static_cast<std::size_t>(shape.stride / bytes);
  const auto [base, own] = base_of(access, layout);
  std::vector<llvm::Instruction*> found;
  std::vector<std::int64_t> distances;
  for (llvm::Instruction& other : *access.getParent()) {
    if (other.getOpcode() != access.getOpcode() || llvm::getLoadStoreType(&other) != type) continue;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&other); load && !load->isSimple()) continue;
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&other); store && !store->isSimple())
      continue;
    const auto [start, distance] = base_of(other, layout);
    // Parts lie at most one structure apart: which of them is the first shows when all are known.
    if (start != base || distance <= own - shape.stride || distance >= own + shape.stride ||
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

/// The addresses of an access to a part of a structure in the rows' first lanes, and whether the
/// others follow from them.
std::vector<llvm::Value*> Widener::structure_address(llvm::Value* pointer, llvm::Value*& holds) {
  holds = b_.getTrue();
  return shapes_.of(pointer).is_varying() ? guess(pointer, holds) : pointers_of_rows(pointer);
}

/// `whole` if `holds` is a constant, else as `either`.
std::vector<llvm::Value*> Widener::unless_known(
    llvm::Value* holds, llvm::function_ref<std::vector<llvm::Value*>()> whole,
    llvm::function_ref<std::vector<llvm::Value*>()> apart) {
  return llvm::isa<llvm::Constant>(holds) ? whole() : either(holds, whole, apart);
}

llvm::Value* Widener::emit_interleaved_load(llvm::LoadInst& load) {
  if (const auto known = parted_.find(&load); known != parted_.end()) return known->second;
  const std::vector<llvm::Instruction*> parts = structure_of(load);
  if (parts.empty()) return nullptr;
  llvm::Value* holds = nullptr;
  const std::vector<llvm::Value*> own = structure_address(load.getPointerOperand(), holds);
  if (own.empty()) return nullptr;
  const llvm::DataLayout& layout = source_.getParent()->getDataLayout();
  const std::uint64_t bytes = layout.getTypeStoreSize(load.getType()).getFixedValue();
  const auto count = static_cast<unsigned>(parts.size());
  const auto width =
      std::min(columns_, static_cast<unsigned>(std::max<std::uint64_t>(vector_bytes / bytes, 1)));
  const auto from_own = [&](const llvm::Instruction& part, llvm::Value* place) {
    const std::int64_t distance = base_of(part, layout).second - base_of(load, layout).second;
    return b_.CreateGEP(b_.getInt8Ty(), place, b_.getInt64(static_cast<std::uint64_t>(distance)));
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
        for (unsigned part = 0; part < count; ++part)
          pieces[part].push_back(pick(loaded, width, [&](unsigned lane) {
            const unsigned at = lane * count + part;
            return std::pair{at / width, at % width};
          }));
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
    for (const std::vector<llvm::Value*>& piece : pieces)
      values.push_back(llvm::concatenateVectors(b_, piece));
    return values;
  };
  const auto apart = [&] {
    llvm::Value* pointers = pointers_again(load.getPointerOperand());
    std::vector<llvm::Value*> values;
    values.reserve(count);
    for (llvm::Instruction* part : parts)
      values.push_back(gather(*llvm::cast<llvm::LoadInst>(part), from_own(*part, pointers)));
    return values;
  };
  const std::vector<llvm::Value*> values = unless_known(holds, whole, apart);
  for (unsigned part = 0; part < count; ++part) parted_[parts[part]] = values[part];
  return parted_[&load];
}

/// The stores of a structure's parts happen where the last one of them stands.
bool Widener::emit_interleaved_store(llvm::StoreInst& store) {
  const std::vector<llvm::Instruction*> parts = structure_of(store);
  if (parts.empty()) return false;
  for (const llvm::Instruction* part : parts) {
    if (store.comesBefore(part)) return true;
  }
  llvm::Value* holds = nullptr;
  const std::vector<llvm::Value*> own = structure_address(store.getPointerOperand(), holds);
  const llvm::DataLayout& layout = source_.getParent()->getDataLayout();
  llvm::Type* element = store.getValueOperand()->getType();
  const std::uint64_t bytes = layout.getTypeStoreSize(element).getFixedValue();
  const auto count = static_cast<unsigned>(parts.size());
  const auto width =
      std::min(columns_, static_cast<unsigned>(std::max<std::uint64_t>(vector_bytes / bytes, 1)));
  const auto from_own = [&](const llvm::Instruction& part, llvm::Value* place) {
    const std::int64_t distance = base_of(part, layout).second - base_of(store, layout).second;
    return b_.CreateGEP(b_.getInt8Ty(), place, b_.getInt64(static_cast<std::uint64_t>(distance)));
  };
  const llvm::Align alignment = std::min(store.getAlign(), llvm::Align(bytes));
  std::vector<llvm::Value*> values;
  values.reserve(count);
  for (llvm::Instruction* part : parts)
    values.push_back(wide(llvm::cast<llvm::StoreInst>(part)->getValueOperand()));
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
      for (unsigned i = 0; i < count; ++i) {
        llvm::Value* ordered = pick(pieces, width, [&](unsigned lane) {
          const unsigned at = i * width + lane;
          return std::pair{at % count, at / count};
        });
        b_.CreateAlignedStore(
            ordered,
            b_.CreateConstGEP1_64(b_.getInt8Ty(), start, (column * count + i * width) * bytes),
            alignment);
      }
    }
    return std::vector<llvm::Value*>();
  };
  const auto apart = [&] {
    llvm::Value* pointers = pointers_again(store.getPointerOperand());
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
