// SPDX-License-Identifier: MIT
// Which places of a loop can be registers, the loop's copy that leaves them in memory, and the
// values of those places.

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

#include <algorithm>
#include <vector>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/line_notes.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/shared_memory.h"
#include "cpu/simt/analysis/slice.h"
#include "cpu/simt/analysis/warp_sites.h"
#include "cpu/simt/versioning/loop_ranges.h"
#include "cpu/simt/versioning/region_copy.h"
#include "cpu/simt/versioning/versioning_passes.h"

namespace pycuda::cpu::simt {
namespace {

/// Loops of no more trips are not worth it: what an unrolled loop leaves over.
constexpr unsigned fewest_trips = 4;
/// Longer loops, and more in one function, are left as they are.
constexpr std::size_t longest_loop = 300, most_promotions = 8;
/// The copies may make a function so much longer, or by this part of it.
constexpr std::size_t most_copied = 400, copied_part = 4;
/// So many ranges of other accesses are compared with places.
constexpr std::size_t most_tests = 12;

/// Memory whose address is the same in all trips.
struct Place {
  const llvm::SCEV* address = nullptr;
  llvm::Type* type = nullptr;
  std::int64_t bytes = 0;
  std::vector<llvm::Instruction*> accesses;
  bool stores = false;
  bool kept = true;  ///< becomes a register
  bool reads_first = false;
};

/// What other accesses reach.
struct Other {
  Range range;
  bool stores;
};

/// Writes a place's values as those of a register.
class Register : public llvm::LoadAndStorePromoter {
 public:
  using LoadAndStorePromoter::LoadAndStorePromoter;
  llvm::function_ref<void()> at_exits;
  void doExtraRewritesBeforeFinalDeletion() override { at_exits(); }
};

class Promotion {
 public:
  Promotion(llvm::Loop& loop, Evolution& evolution)
      : loop_(loop),
        function_(*loop.getHeader()->getParent()),
        layout_(function_.getDataLayout()),
        dominators_(evolution.dominators),
        ranges_(loop, evolution, layout_) {
    loop.getExitingBlocks(leaving_);
    const unsigned most = evolution.of->getSmallConstantMaxTripCount(&loop);
    few_trips_ = most != 0 && most <= fewest_trips;
  }

  bool finds();
  /// The loop's copy, if it has got one.
  llvm::BasicBlock* write();

 private:
  bool collects();
  bool collects(llvm::Instruction& access);
  bool is_executed_first(const llvm::Instruction& instruction) const;
  bool is_overwritten_before(const llvm::Instruction& load, const Place& place) const;
  bool needs_first_value(Place& place) const;
  void choose();
  void drop(Place& place);
  bool is_apart(Place& place, Place& other);
  bool is_gain(const Place& place) const;
  std::size_t tests() const;
  bool is_tested(const Place& place, bool stores) const {
    return place.kept && (place.stores || stores);
  }
  void share_pointer(Place& place, llvm::IRBuilderBase& b);
  llvm::Value* test();
  llvm::BasicBlock* add_copy(llvm::Value* apart);
  void keep_in_register(Place& place, llvm::ArrayRef<llvm::BasicBlock*> exits);
  static void store_at(llvm::BasicBlock& exit, const Place& place, llvm::Value* value,
                       llvm::Value* stored);

  llvm::Loop& loop_;
  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  const llvm::DominatorTree& dominators_;
  LoopRanges ranges_;
  bool few_trips_ = false;
  llvm::SmallVector<llvm::BasicBlock*, 4> leaving_;
  std::vector<Place> places_;
  std::vector<Other> others_;
  bool reads_anywhere_ = false,
       stores_anywhere_ = false;        ///< at addresses that nothing is known of
  llvm::BasicBlock* before_ = nullptr;  ///< of the loop with registers
};

/// Whether `pointer` is of a local variable, and whether all is known that may be at its address.
enum class Local { No, Own, Unknown };
Local is_local(const llvm::Value* pointer) {
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer));
  if (variable)
    return llvm::PointerMayBeCaptured(variable, true, true) ? Local::Unknown : Local::Own;
  const bool found = find_in_slice({pointer}, [](const llvm::Instruction& source) {
    if (llvm::isa<llvm::AllocaInst>(source)) return Slice::Found;
    return llvm::isa<llvm::LoadInst, llvm::CallInst>(source) ? Slice::Past : Slice::Through;
  });
  return found ? Local::Unknown : Local::No;
}

bool Promotion::finds() {
  if (few_trips_ || !loop_.isInnermost() || !loop_.getLoopPreheader() || !loop_.getLoopLatch() ||
      leaving_.empty() || !collects())
    return false;
  choose();
  return llvm::any_of(places_, [](const Place& place) { return place.kept; });
}

bool Promotion::collects() {
  std::size_t count = 0;
  bool stores = false;
  for (llvm::BasicBlock* block : loop_.blocks()) {
    count += block->size();
    for (const llvm::Instruction& instruction : *block)
      stores |= llvm::isa<llvm::StoreInst>(instruction) && !lower::is_line_note(instruction);
  }
  if (!stores || count > longest_loop) return false;
  for (llvm::BasicBlock* block : loop_.blocks()) {
    if (!llvm::isa<llvm::BranchInst>(block->getTerminator())) return false;
    for (llvm::Instruction& instruction : *block) {
      if (lower::is_line_note(instruction) ||
          lower::callee_name(instruction) == lower::pseudo::check_alignment)
        continue;
      if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) {
        if (!collects(instruction)) return false;
      } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
                 instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects() ||
                 (call && (call->isConvergent() || call->cannotDuplicate()))) {
        return false;
      }
    }
  }
  return true;
}

bool Promotion::collects(llvm::Instruction& access) {
  if (access.isVolatile() || access.isAtomic()) return false;
  if (access.hasMetadata(llvm::LLVMContext::MD_invariant_load)) return true;
  llvm::Value* pointer = llvm::getLoadStorePointerOperand(&access);
  const Local local = is_local(pointer);
  if (local != Local::No) return local == Local::Own;
  llvm::Type* type = llvm::getLoadStoreType(&access);
  const bool stores = llvm::isa<llvm::StoreInst>(access);
  const auto bytes = static_cast<std::int64_t>(layout_.getTypeStoreSize(type).getFixedValue());
  const llvm::SCEV* address = ranges_.address_of(pointer);
  // What threads of a block share, they may exchange without being seen to.
  if (ranges_.is_fixed(address) && !may_be_in_shared(pointer)) {
    auto place = llvm::find_if(places_, [&](const Place& known) {
      return known.address == address && known.type == type;
    });
    if (place == places_.end()) place = places_.insert(place, Place{address, type, bytes, {}});
    place->accesses.push_back(&access);
    place->stores |= stores;
    return true;
  }
  const auto range = ranges_.range_of(address, bytes);
  if (!range || (!range->step->isZero() && !ranges_.is_counted())) {
    (stores ? stores_anywhere_ : reads_anywhere_) = true;
    return true;
  }
  const bool joined = llvm::any_of(others_, [&](Other& other) {
    return other.stores == stores && ranges_.join(other.range, *range);
  });
  if (!joined) others_.push_back({*range, stores});
  return true;
}

/// Whether each thread that enters the loop comes there in the first trip.
bool Promotion::is_executed_first(const llvm::Instruction& instruction) const {
  const auto comes_before = [&](const llvm::BasicBlock* end) {
    return dominators_.dominates(instruction.getParent(), end);
  };
  return comes_before(loop_.getLoopLatch()) && llvm::all_of(leaving_, comes_before);
}

bool Promotion::is_overwritten_before(const llvm::Instruction& load, const Place& place) const {
  return llvm::any_of(place.accesses, [&](const llvm::Instruction* other) {
    return llvm::isa<llvm::StoreInst>(other) && dominators_.dominates(other, &load);
  });
}

/// Whether there is a load that may read what was there before the loop.
bool Promotion::needs_first_value(Place& place) const {
  return llvm::any_of(place.accesses, [&](const llvm::Instruction* access) {
    return llvm::isa<llvm::LoadInst>(access) && !is_overwritten_before(*access, place);
  });
}

void Promotion::drop(Place& place) {
  place.kept = false;
  const auto range = ranges_.range_of(place.address, place.bytes);
  if (range)
    others_.push_back({*range, place.stores});
  else
    (place.stores ? stores_anywhere_ : reads_anywhere_) = true;
}

/// Whether two places are not known to have bytes in common.
bool Promotion::is_apart(Place& place, Place& other) {
  const auto distance = ranges_.distance(place.address, other.address);
  return !distance || *distance >= place.bytes || *distance <= -other.bytes;
}

/// Whether it is worth a register: what is not stored is read once anyway where nothing else is.
bool Promotion::is_gain(const Place& place) const {
  return place.stores || llvm::any_of(others_, [](const Other& other) { return other.stores; }) ||
         llvm::any_of(places_, [](const Place& other) { return other.kept && other.stores; });
}

void Promotion::choose() {
  for (Place& place : places_) {
    if (!place.kept) continue;
    place.reads_first = needs_first_value(place);
    const bool is_sure =
        !place.reads_first || llvm::any_of(place.accesses, [&](const llvm::Instruction* access) {
          return llvm::isa<llvm::LoadInst>(access) && is_executed_first(*access);
        });
    if (!is_sure) drop(place);
  }
  for (Place& place : places_) {
    for (Place& other : places_) {
      if (&place == &other || !is_tested(place, other.stores) || is_apart(place, other)) continue;
      drop(place);
      if (other.kept) drop(other);
    }
  }
  for (Place& place : places_) {
    if (is_tested(place, false) && reads_anywhere_) drop(place);
    if (place.kept && stores_anywhere_) drop(place);
  }
  for (Place& place : places_) {
    if (place.kept && !is_gain(place)) drop(place);
  }
  // Those that are only read gain least.
  for (const bool stores : {false, true}) {
    for (Place& place : places_) {
      if (tests() > most_tests && place.kept && place.stores == stores) drop(place);
    }
  }
}

std::size_t Promotion::tests() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    for (const Other& other : others_) count += is_tested(places_[i], other.stores);
    for (std::size_t j = 0; j < i; ++j)
      count += places_[j].kept && is_tested(places_[i], places_[j].stores);
  }
  return count;
}

/// Writes whether all places lie apart from what else the loop touches. Null: they do.
llvm::Value* Promotion::test() {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    for (const Other& other : others_) {
      if (is_tested(place, other.stores))
        ranges_.need_apart(place.address, place.bytes, other.range);
    }
    for (std::size_t j = 0; j < i; ++j) {
      const Place& second = places_[j];
      if (!second.kept || !is_tested(place, second.stores) ||
          ranges_.distance(place.address, second.address))
        continue;
      ranges_.need_apart(place.address, place.bytes,
                         *ranges_.range_of(second.address, second.bytes));
    }
  }
  return ranges_.condition();
}

/// A copy of the loop as it is, for threads whose places do not lie apart.
llvm::BasicBlock* Promotion::add_copy(llvm::Value* apart) {
  llvm::BasicBlock* header = loop_.getHeader();
  llvm::Instruction* end = before_->getTerminator();
  llvm::IRBuilder<> b(end);
  // All threads of a gang go the same way.
  apart = ask_by_name(b, active_all, b.getInt1Ty(), apart);
  Blocks blocks;
  blocks.insert(loop_.block_begin(), loop_.block_end());
  llvm::ValueToValueMapTy map;
  llvm::MDNode* mark = llvm::MDNode::get(function_.getContext(), {});
  for (llvm::BasicBlock* block : copy_region(function_, blocks, ".memory", map)) {
    for (llvm::Instruction& instruction : *block) {
      if (llvm::getLoadStorePointerOperand(&instruction))
        instruction.setMetadata(unlisted_access, mark);
    }
  }
  auto* copy = llvm::cast<llvm::BasicBlock>(map[header]);
  llvm::SmallVector<llvm::BasicBlock*, 4> exits;
  loop_.getUniqueExitBlocks(exits);
  for (llvm::BasicBlock* exit : exits) {
    for (llvm::PHINode& phi : exit->phis()) {
      for (unsigned i = 0, count = phi.getNumIncomingValues(); i < count; ++i) {
        if (!blocks.contains(phi.getIncomingBlock(i))) continue;
        llvm::Value* value = phi.getIncomingValue(i);
        const auto found = map.find(value);
        phi.addIncoming(found == map.end() ? value : static_cast<llvm::Value*>(found->second),
                        llvm::cast<llvm::BasicBlock>(map[phi.getIncomingBlock(i)]));
      }
    }
  }
  const auto way_to = [&](llvm::BasicBlock* loop, const char* name) {
    llvm::BasicBlock* way = llvm::BasicBlock::Create(function_.getContext(), name, &function_);
    llvm::BranchInst::Create(loop, way)->setDebugLoc(end->getDebugLoc());
    loop->replacePhiUsesWith(before_, way);
    return way;
  };
  llvm::BasicBlock* const to_copy = way_to(copy, "memory");
  llvm::BasicBlock* const to_loop = way_to(header, "registers");
  b.CreateCondBr(apart, to_loop, to_copy);
  end->eraseFromParent();
  before_ = to_loop;
  return copy;
}

/// The notes of a line that come before `access` in its block, once more at `b`.
void repeat_note(const llvm::Instruction& access, llvm::IRBuilderBase& b) {
  llvm::SmallVector<const llvm::Instruction*, 2> notes;
  for (const llvm::Instruction* before = access.getPrevNode(); before && notes.size() < 2;
       before = before->getPrevNode()) {
    if (lower::is_line_note(*before)) notes.push_back(before);
  }
  for (const llvm::Instruction* note : llvm::reverse(notes)) {
    llvm::Instruction* copy = note->clone();
    const auto* address = llvm::cast<llvm::StoreInst>(note)->getPointerOperand();
    if (const auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(address))
      copy->setOperand(llvm::StoreInst::getPointerOperandIndex(), b.Insert(step->clone()));
    b.Insert(copy);
  }
}

/// Behind the loop, what a thread has stored last. With `stored`, if it has.
void Promotion::store_at(llvm::BasicBlock& exit, const Place& place, llvm::Value* value,
                         llvm::Value* stored) {
  const auto* model = llvm::cast<llvm::StoreInst>(*llvm::find_if(
      place.accesses, [](const auto* one) { return llvm::isa<llvm::StoreInst>(one); }));
  llvm::Instruction* at = &*exit.getFirstInsertionPt();
  if (stored) at = llvm::SplitBlockAndInsertIfThen(stored, at, false);
  llvm::IRBuilder<> b(at);
  b.SetCurrentDebugLocation(model->getDebugLoc());
  repeat_note(*model, b);
  auto* last = llvm::cast<llvm::StoreInst>(model->clone());
  last->setOperand(0, value);
  for (const llvm::Instruction* access : place.accesses) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(access))
      last->setAlignment(std::min(last->getAlign(), store->getAlign()));
  }
  b.Insert(last);
}

void Promotion::keep_in_register(Place& place, llvm::ArrayRef<llvm::BasicBlock*> exits) {
  llvm::SSAUpdater values, stores;
  llvm::SmallVector<llvm::Instruction*, 8> accesses(place.accesses.begin(), place.accesses.end());
  Register promoter(accesses, values, "kept");  // makes `values` empty
  stores.Initialize(llvm::Type::getInt1Ty(function_.getContext()), "stored");
  llvm::Value* first = llvm::Constant::getNullValue(place.type);
  if (place.reads_first) {
    const auto* model = llvm::cast<llvm::LoadInst>(
        *llvm::find_if(place.accesses, [&](const llvm::Instruction* access) {
          return llvm::isa<llvm::LoadInst>(access) && is_executed_first(*access);
        }));
    llvm::IRBuilder<> b(before_->getTerminator());
    repeat_note(*model, b);
    first = b.Insert(model->clone());
  }
  values.AddAvailableValue(before_, first);
  stores.AddAvailableValue(before_, llvm::ConstantInt::getFalse(function_.getContext()));
  bool is_sure = true;
  for (const llvm::BasicBlock* leaving : leaving_) {
    is_sure &= llvm::any_of(place.accesses, [&](const llvm::Instruction* access) {
      return llvm::isa<llvm::StoreInst>(access) &&
             dominators_.dominates(access->getParent(), leaving);
    });
  }
  for (const llvm::Instruction* access : place.accesses) {
    if (llvm::isa<llvm::StoreInst>(access))
      stores.AddAvailableValue(const_cast<llvm::BasicBlock*>(access->getParent()),
                               llvm::ConstantInt::getTrue(function_.getContext()));
  }
  const auto at_exits = [&] {
    if (!place.stores) return;
    for (llvm::BasicBlock* exit : exits) {
      llvm::Value* value = values.GetValueInMiddleOfBlock(exit);
      llvm::Value* stored = is_sure ? nullptr : stores.GetValueInMiddleOfBlock(exit);
      store_at(*exit, place, value, stored);
    }
  };
  promoter.at_exits = at_exits;
  promoter.run(accesses);
}

/// All accesses to a place take one pointer, which is known before the loop.
void Promotion::share_pointer(Place& place, llvm::IRBuilderBase& b) {
  llvm::Value* pointer = nullptr;
  for (llvm::Instruction* access : place.accesses) {
    llvm::Value* own = llvm::getLoadStorePointerOperand(access);
    if (loop_.isLoopInvariant(own)) pointer = own;
  }
  if (pointer) {
    auto* number = llvm::dyn_cast<llvm::IntToPtrInst>(pointer);
    ranges_.note_value(place.address,
                       number ? number->getOperand(0) : b.CreatePtrToInt(pointer, b.getInt64Ty()));
  } else {
    pointer = b.CreateIntToPtr(ranges_.write(place.address, b.getInt64Ty()), b.getPtrTy());
  }
  for (llvm::Instruction* access : place.accesses)
    access->setOperand(llvm::isa<llvm::StoreInst>(access) ? 1 : 0, pointer);
}

llvm::BasicBlock* Promotion::write() {
  before_ = loop_.getLoopPreheader();
  llvm::IRBuilder<> b(before_->getTerminator());
  ranges_.write_before(before_->getTerminator());
  for (Place& place : places_) {
    if (place.kept) share_pointer(place, b);
  }
  llvm::Value* const apart = test();
  llvm::BasicBlock* const copy = apart ? add_copy(apart) : nullptr;
  llvm::SmallVector<llvm::BasicBlock*, 4> exits, own;
  loop_.getUniqueExitBlocks(exits);
  for (llvm::BasicBlock* exit : exits) {
    llvm::SmallVector<llvm::BasicBlock*, 4> from;
    for (llvm::BasicBlock* block : llvm::predecessors(exit)) {
      if (loop_.contains(block)) from.push_back(block);
    }
    own.push_back(llvm::SplitBlockPredecessors(exit, from, ".kept"));
  }
  for (Place& place : places_) {
    if (place.kept) keep_in_register(place, own);
  }
  return copy;
}

/// Whether `loop` is in the code of gangs that a guard divides, of which most kernels have one more
/// for whole gangs.
bool is_of_divided_gangs(const llvm::Loop& loop, const llvm::DominatorTree& dominators) {
  const auto* node = dominators.getNode(loop.getHeader());
  for (; node; node = node->getIDom()) {
    if (node->getBlock()->getTerminator()->hasMetadata(divergent_branch)) return true;
  }
  return false;
}

}  // namespace

bool promote_accesses(llvm::Function& function) {
  if (exchanges_in_step(function)) return false;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> done;
  const std::size_t most =
      std::max<std::size_t>(most_copied, function.getInstructionCount() / copied_part);
  std::size_t grown = 0, changes = 0;
  for (bool again = true; again && changes < most_promotions;) {
    again = false;
    Evolution evolution(function);
    for (llvm::Loop* loop : evolution.loops.getLoopsInPreorder()) {
      if (!done.insert(loop->getHeader()).second ||
          is_of_divided_gangs(*loop, evolution.dominators))
        continue;
      std::size_t length = 0;
      for (const llvm::BasicBlock* block : loop->blocks()) length += block->size();
      Promotion promotion(*loop, evolution);
      if (grown + length > most || !promotion.finds()) continue;
      grown += length;
      ++changes;
      if (const llvm::BasicBlock* copy = promotion.write()) done.insert(copy);
      again = true;
      break;
    }
  }
  return changes != 0;
}

}  // namespace pycuda::cpu::simt
