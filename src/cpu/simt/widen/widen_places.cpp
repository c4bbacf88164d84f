// SPDX-License-Identifier: MIT
// Accesses whose lanes lie at distances that are known: whole vectors and shuffles, or one access
// for each place, which both take less time than gathers and scatters do.
#include <llvm/Analysis/VectorUtils.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cpu/lower/line_notes.h"
#include "cpu/lower/memory_scopes.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {
namespace {

constexpr std::int64_t vector_bytes = 64;
/// More vectors than that are no cheaper than an access for each place.
constexpr std::size_t most_vectors = 4;
constexpr std::size_t most_parts = 8;

std::string place_form(const Shape& address) {
  if (!address.is_affine()) return "known places: ";
  return "strided by " + std::to_string(address.stride) + " bytes: ";
}

/// Bytes of an element that vectors are made of and shuffled by; 0 for others.
std::int64_t element_bytes(const llvm::Type& type) {
  if (!type.isIntegerTy() && !type.isFloatingPointTy()) return 0;
  const unsigned bits = type.getScalarSizeInBits();
  return bits == 32 || bits == 64 ? bits / 8 : 0;
}

std::vector<std::int64_t> from_first(const LaneDistances::Distances& found) {
  std::vector<std::int64_t> offsets;
  offsets.reserve(found.lanes.size());
  for (const std::uint64_t lane : found.lanes)
    offsets.push_back(static_cast<std::int64_t>(lane - found.lanes.front()));
  return offsets;
}

/// How far the first lane lies behind a multiple of a vector's size; -1 if that is not known.
std::int64_t first_in_vector(const LaneDistances::Distances& found) {
  constexpr auto below = static_cast<std::uint64_t>(vector_bytes - 1);
  if ((found.zeros & below) != below) return -1;
  return static_cast<std::int64_t>(found.lanes.front() & below);
}

/// Where vectors start that hold all elements from `places` on, in order; nothing if that takes too
/// many. They are at multiples of their size, if it is known where those are, else nowhere but
/// between the first and the last element and not in wide gaps: so only pages are read that hold
/// an element.
std::vector<std::int64_t> vectors_of(std::vector<std::int64_t> places, std::int64_t bytes,
                                     std::int64_t in_vector) {
  constexpr std::int64_t page_bytes = 4096;
  std::sort(places.begin(), places.end());
  const std::int64_t last = places.back() + bytes - vector_bytes;
  if (in_vector < 0 && last < places.front()) return {};
  std::vector<std::int64_t> starts;
  std::int64_t before = places.front();
  for (const std::int64_t place : places) {
    if ((place - places.front()) % bytes != 0 || (in_vector < 0 && place - before > page_bytes))
      return {};
    before = place;
    if (!starts.empty() && place + bytes <= starts.back() + vector_bytes) continue;
    if (starts.size() == most_vectors) return {};
    starts.push_back(in_vector < 0 ? std::min(place, last)
                                   : place - ((in_vector + place) & (vector_bytes - 1)));
  }
  return starts;
}

std::size_t number_of_places(llvm::ArrayRef<std::int64_t> places) {
  std::vector<std::int64_t> sorted(places.begin(), places.end());
  std::sort(sorted.begin(), sorted.end());
  return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
}

}  // namespace

/// A value of this block, or one that it uses, known by its distances, in the first lane: computed
/// from scalars once more, as far as those are of this block too: others may have no memory.
llvm::Value* Widener::in_first_lane(llvm::Value* value) {
  if (!shapes_.of(value).is_varying()) return scalar(value);
  auto* instruction = llvm::cast<llvm::Instruction>(value);
  if (instruction->getParent() != block_)
    return b_.CreateExtractElement(wide(value), std::uint64_t{0});
  llvm::Instruction* copy = instruction->clone();
  const unsigned operands = llvm::isa<llvm::CallInst>(copy) ? 1 : copy->getNumOperands();
  for (unsigned i = 0; i < operands; ++i)
    copy->setOperand(i, in_first_lane(instruction->getOperand(i)));
  b_.Insert(copy);
  return copy;
}

/// The elements at `places` behind `first`, from vectors that start at `starts`.
llvm::Value* Widener::load_vectors(llvm::LoadInst& load, llvm::Value* first,
                                   llvm::ArrayRef<std::int64_t> places,
                                   llvm::ArrayRef<std::int64_t> starts) {
  const std::int64_t bytes = element_bytes(*load.getType());
  const auto width = static_cast<unsigned>(vector_bytes / bytes);
  llvm::Type* type = llvm::FixedVectorType::get(load.getType(), width);
  std::vector<llvm::Value*> vectors;
  for (const std::int64_t start : starts) {
    llvm::Value* place =
        b_.CreateGEP(b_.getInt8Ty(), first, b_.getInt64(static_cast<std::uint64_t>(start)));
    vectors.push_back(b_.CreateAlignedLoad(type, place, load.getAlign()));
  }
  const auto of_lane = [&](unsigned lane) {
    unsigned number = 0;
    while (places[lane] < starts[number] || places[lane] + bytes > starts[number] + vector_bytes)
      ++number;
    return std::pair{number, static_cast<unsigned>((places[lane] - starts[number]) / bytes)};
  };
  if (vectors.size() > 1) return pick(vectors, width, of_lane);
  llvm::SmallVector<int, 16> order;
  for (unsigned lane = 0; lane < width; ++lane)
    order.push_back(static_cast<int>(of_lane(lane).second));
  return b_.CreateShuffleVector(vectors.front(), order);
}

/// The same by a load for each place.
llvm::Value* Widener::load_each(llvm::LoadInst& load, llvm::Value* first,
                                llvm::ArrayRef<std::int64_t> places) {
  std::map<std::int64_t, int> numbers;
  std::vector<int> order;
  for (const std::int64_t place : places)
    order.push_back(numbers.try_emplace(place, static_cast<int>(numbers.size())).first->second);
  llvm::Value* all = llvm::PoisonValue::get(
      llvm::FixedVectorType::get(load.getType(), static_cast<unsigned>(places.size())));
  for (const auto& [place, number] : numbers) {
    llvm::Value* pointer =
        b_.CreateGEP(b_.getInt8Ty(), first, b_.getInt64(static_cast<std::uint64_t>(place)));
    llvm::LoadInst* one = b_.CreateAlignedLoad(load.getType(), pointer, load.getAlign());
    one->copyMetadata(load, {llvm::LLVMContext::MD_invariant_load});
    all = b_.CreateInsertElement(all, one, static_cast<std::uint64_t>(number));
  }
  return numbers.size() == places.size() ? all : b_.CreateShuffleVector(all, order);
}

llvm::Value* Widener::load_known_places(llvm::LoadInst& load) {
  constexpr unsigned most_lanes_apart = 4096;
  const std::int64_t bytes = element_bytes(*load.getType());
  if (bytes == 0 || !is_full(mask_) || lanes_apart_ > most_lanes_apart) return nullptr;
  llvm::Value* pointer = load.getPointerOperand();
  const Shape shape = shapes_.of(pointer);
  std::vector<llvm::Value*> first;  // of rows
  std::vector<std::int64_t> all;    // of one row
  std::int64_t in_vector = -1;
  if (rows_ > 1) {
    if (!shape.is_affine()) return nullptr;
    first = pointers_of_rows(pointer);
    for (unsigned column = 0; column < columns_; ++column) all.push_back(shape.stride * column);
  } else {
    const LaneDistances::Distances* found = distances_.find(*pointer);
    if (!found) return nullptr;
    first = {in_first_lane(pointer)};
    all = from_first(*found);
    in_vector = first_in_vector(*found);
    if (in_vector % bytes != 0) in_vector = -1;
  }
  const auto width = static_cast<std::size_t>(vector_bytes / bytes);
  // Of a row narrower than a vector, that vector's last lanes repeat the last place.
  const std::size_t step = std::min(width, all.size());
  if (step < width) all.resize(width, all.back());
  std::vector<llvm::Value*> parts;
  std::size_t vectors = 0, apart = 0;
  for (llvm::Value* start : first) {
    for (std::size_t lane = 0; lane < all.size(); lane += width) {
      const auto places = llvm::ArrayRef(all).slice(lane, width);
      const std::size_t distinct = number_of_places(places);
      const std::vector<std::int64_t> starts = vectors_of(places.vec(), bytes, in_vector);
      if (!starts.empty() && (starts.size() <= 2 || starts.size() < distinct)) {
        vectors += starts.size();
        parts.push_back(load_vectors(load, start, places, starts));
      } else {
        apart += distinct;
        parts.push_back(load_each(load, start, places));
      }
      if (step < width)
        parts.back() = b_.CreateShuffleVector(
            parts.back(), llvm::createSequentialMask(0, static_cast<unsigned>(step), 0));
    }
  }
  // What is the same for all rows is there once.
  const std::vector<llvm::Value*> once = parts;
  while (parts.size() * step < lanes_) parts.insert(parts.end(), once.begin(), once.end());
  lanes_apart_ += static_cast<unsigned>(apart);
  const std::string loads =
      apart == 0
          ? std::to_string(vectors) + (vectors == 1 ? " vector" : " vectors") + ", put in order"
      : apart == lanes_ ? std::string("a load for each thread")
                        : std::to_string(apart + vectors) + " loads";
  note(load, PlanNote::Kind::Access, place_form(shape) + loads,
       apart == 0 ? ForEachThread::Nothing : ForEachThread::Load, apart);
  return llvm::concatenateVectors(b_, parts);
}

/// Stores of one block whose places together are a row of elements without gaps, each once: they
/// happen where the last of them stands.
struct Widener::PlacedStores {
  struct Element {
    std::size_t store;
    unsigned lane;
  };
  std::vector<llvm::StoreInst*> stores;      ///< in the order of the block
  std::map<std::int64_t, Element> elements;  ///< by their place behind the first store's first lane
  std::int64_t bytes = 0;
};

/// Of one block, the stores whose lanes lie at known distances from the same base, with the places
/// of all their elements in order.
struct Widener::StoresOfBase {
  struct Element {
    std::int64_t place;  ///< behind the first store's first lane
    std::size_t store;
    unsigned lane;
  };
  std::vector<llvm::StoreInst*> stores;  ///< in the order of the block
  std::vector<Element> elements;
};

/// What is known of all stores of a block is found out once.
const Widener::StoresOfBase* Widener::stores_of_base(llvm::StoreInst& store) {
  if (store.getParent() != stores_known_of_) {
    stores_known_of_ = store.getParent();
    find_known_stores(*stores_known_of_);
  }
  const LaneDistances::Distances* own = distances_.find(*store.getPointerOperand());
  if (!own) return nullptr;
  const auto found =
      known_stores_.find({own->base, element_bytes(*store.getValueOperand()->getType())});
  return found == known_stores_.end() ? nullptr : found->second.get();
}

void Widener::find_known_stores(llvm::BasicBlock& block) {
  known_stores_.clear();
  for (llvm::Instruction& instruction : block) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (!store || !store->isSimple()) continue;
    const std::int64_t bytes = element_bytes(*store->getValueOperand()->getType());
    if (bytes == 0) continue;
    const Shape shape = shapes_.of(store->getPointerOperand());
    const LaneDistances::Distances* places = distances_.find(*store->getPointerOperand());
    if (!places || shape.is_uniform() || (shape.is_affine() && shape.stride == bytes) ||
        !structure_of(*store).empty())
      continue;
    auto& all = known_stores_[{places->base, bytes}];
    if (!all) all = std::make_shared<StoresOfBase>();
    all->stores.push_back(store);
  }
  for (const auto& [base, all] : known_stores_) {
    const auto lanes_of = [&](const llvm::StoreInst* store) -> const std::vector<std::uint64_t>& {
      return distances_.find(*store->getPointerOperand())->lanes;
    };
    const std::uint64_t origin = lanes_of(all->stores.front()).front();
    for (std::size_t i = 0; i < all->stores.size(); ++i) {
      const std::vector<std::uint64_t>& lanes = lanes_of(all->stores[i]);
      for (unsigned lane = 0; lane < lanes_; ++lane)
        all->elements.push_back({static_cast<std::int64_t>(lanes[lane] - origin), i, lane});
    }
    std::ranges::stable_sort(all->elements, {}, &StoresOfBase::Element::place);
  }
}

Widener::PlacedStores Widener::stores_beside(llvm::StoreInst& store) {
  PlacedStores found;
  found.bytes = element_bytes(*store.getValueOperand()->getType());
  const StoresOfBase* const all = found.bytes != 0 ? stores_of_base(store) : nullptr;
  if (all == nullptr) return found;
  const auto& sorted = all->elements;
  const auto first_place = [&](const llvm::StoreInst* of) {
    const std::uint64_t origin =
        distances_.find(*all->stores.front()->getPointerOperand())->lanes.front();
    return static_cast<std::int64_t>(distances_.find(*of->getPointerOperand())->lanes.front() -
                                     origin);
  };
  // The row around the store's own elements. More than `most` are too many.
  const std::size_t most = most_parts * lanes_;
  const auto own =
      std::ranges::lower_bound(sorted, first_place(&store), {}, &StoresOfBase::Element::place);
  if (own == sorted.end() || own->place != first_place(&store)) return found;
  auto first = static_cast<std::size_t>(own - sorted.begin()), end = first + 1;
  const auto follows = [&](std::size_t at) {
    return sorted[at].place == sorted[at - 1].place + found.bytes;
  };
  while (first > 0 && end - first <= most && follows(first)) --first;
  while (end < sorted.size() && end - first <= most && follows(end)) ++end;
  if (end - first > most) return found;
  std::map<std::size_t, unsigned> counts;  // by store, in the order of the block
  for (std::size_t at = first; at < end; ++at) ++counts[sorted[at].store];
  bool is_here = false;
  for (const auto& [number, count] : counts) {
    if (count != lanes_) return found;
    is_here |= all->stores[number] == &store;
  }
  if (!is_here) return found;
  std::map<std::size_t, std::size_t> numbers;
  for (const auto& [number, count] : counts) {
    numbers[number] = found.stores.size();
    found.stores.push_back(all->stores[number]);
  }
  const std::int64_t start = first_place(found.stores.front());
  for (std::size_t at = first; at < end; ++at)
    found.elements[sorted[at].place - start] = {numbers[sorted[at].store], sorted[at].lane};
  return found;
}

/// Whether nothing between the stores could tell that the earlier ones happen with the last one.
bool Widener::may_wait(const PlacedStores& stores) {
  std::size_t next = 1;
  for (llvm::Instruction* at = stores.stores.front()->getNextNode(); next < stores.stores.size();
       at = at->getNextNode()) {
    if (at == stores.stores[next]) {
      ++next;
      continue;
    }
    if (lower::is_line_note(*at)) continue;
    if (at->mayThrow() || !at->willReturn()) return false;
    if (!at->mayReadOrWriteMemory() || lower::are_in_other_spaces(*at, *stores.stores.front()))
      continue;
    const llvm::Value* pointer = llvm::getLoadStorePointerOperand(at);
    const LaneDistances::Distances* other = pointer ? distances_.find(*pointer) : nullptr;
    const LaneDistances::Distances* own =
        distances_.find(*stores.stores.front()->getPointerOperand());
    if (!other || at->isVolatile() || at->isAtomic() || other->base != own->base) return false;
    const auto bytes = static_cast<std::int64_t>(source_.getParent()
                                                     ->getDataLayout()
                                                     .getTypeStoreSize(llvm::getLoadStoreType(at))
                                                     .getFixedValue());
    for (const std::uint64_t lane : other->lanes) {
      const auto place = static_cast<std::int64_t>(lane - own->lanes.front());
      if (place + bytes > stores.elements.begin()->first &&
          place < stores.elements.rbegin()->first + stores.bytes)
        return false;
    }
  }
  return true;
}

void Widener::store_vectors(const PlacedStores& stores) {
  const auto width = static_cast<unsigned>(vector_bytes / stores.bytes);
  llvm::Type* element = b_.getIntNTy(static_cast<unsigned>(stores.bytes) * 8);
  llvm::Value* first = in_first_lane(stores.stores.front()->getPointerOperand());
  llvm::Align alignment = stores.stores.front()->getAlign();
  std::vector<llvm::Value*> values;
  for (llvm::StoreInst* store : stores.stores) {
    alignment = std::min(alignment, store->getAlign());
    values.push_back(b_.CreateBitCast(wide(store->getValueOperand()), wide_type(element)));
  }
  auto at = stores.elements.begin();
  while (at != stores.elements.end()) {
    const std::int64_t start = at->first;
    std::vector<std::pair<std::size_t, unsigned>> sources;
    std::vector<llvm::Value*> pieces;
    std::vector<std::pair<unsigned, unsigned>> places;
    for (unsigned i = 0; i < width; ++i, ++at) {
      const std::pair<std::size_t, unsigned> source{at->second.store, at->second.lane / width};
      const auto known = std::find(sources.begin(), sources.end(), source);
      places.emplace_back(known - sources.begin(), at->second.lane % width);
      if (known != sources.end()) continue;
      sources.push_back(source);
      pieces.push_back(b_.CreateShuffleVector(
          values[source.first], llvm::createSequentialMask(source.second * width, width, 0)));
    }
    if (pieces.size() == 1) pieces.push_back(llvm::PoisonValue::get(pieces.front()->getType()));
    llvm::Value* ordered = pick(pieces, width, [&](unsigned lane) { return places[lane]; });
    llvm::Value* pointer =
        b_.CreateGEP(b_.getInt8Ty(), first, b_.getInt64(static_cast<std::uint64_t>(start)));
    b_.CreateAlignedStore(ordered, pointer, alignment);
  }
}

bool Widener::store_known_places(llvm::StoreInst& store) {
  if (!is_full(mask_)) return false;
  const PlacedStores found = stores_beside(store);
  if (found.stores.empty() || !may_wait(found)) return false;
  const Shape shape = shapes_.of(store.getPointerOperand());
  note_access(store, place_form(shape) + "whole vectors, put in order" +
                         (found.stores.size() > 1 ? " with what other stores write" : ""));
  if (&store == found.stores.back()) store_vectors(found);
  return true;
}

}  // namespace pycuda::cpu::simt
