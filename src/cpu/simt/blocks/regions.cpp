// SPDX-License-Identifier: MIT
// What lives across each barrier, and a copy of the function for each place where a gang starts.
#include "cpu/simt/blocks/regions.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/AttributeMask.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

#include <algorithm>
#include <cassert>
#include <string>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

namespace {

/// More is of no use to vectors in memory.
constexpr llvm::Align usual_alignment = llvm::Align::Constant<64>();
constexpr llvm::Align most_alignment = llvm::Align::Constant<256>();
/// Longer computations are not repeated behind a barrier.
constexpr unsigned most_repeated = 24;

std::vector<llvm::CallInst*> barriers_of(const llvm::Function& function) {
  std::vector<llvm::CallInst*> barriers;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::StringRef name = lower::callee_name(instruction);
    if (name == pseudo::barrier_sync || name == gang_pause)
      barriers.push_back(const_cast<llvm::CallInst*>(llvm::cast<llvm::CallInst>(&instruction)));
  }
  return barriers;
}

class Splitter {
 public:
  Splitter(llvm::Function& gang, llvm::StringRef name, Frames frames) : gang_(gang), name_(name) {
    regions_.frames = frames;
  }

  Regions run() {
    regions_.behind_pause.push_back(false);
    for (llvm::CallInst* barrier : barriers_of(gang_)) {
      after_.push_back(barrier->getParent()->splitBasicBlock(barrier->getNextNode()));
      barriers_.push_back(barrier);
      regions_.behind_pause.push_back(lower::callee_name(*barrier) == gang_pause);
    }
    find_live_values();
    place_variables();
    for (unsigned number = 0; number <= barriers_.size(); ++number)
      regions_.functions.push_back(make(number));
    regions_.frame_bytes = llvm::alignTo(frame_bytes_, frame_alignment_);
    regions_.frame_alignment = frame_alignment_.value();
    gang_.eraseFromParent();
    return regions_;
  }

 private:
  using Values = std::vector<llvm::Instruction*>;

  bool is_repeatable(const llvm::Instruction& instruction) const;
  unsigned repeated_length(llvm::Value* value, unsigned limit) const;
  bool is_cheap(llvm::Instruction& instruction) const {
    return repeated_length(&instruction, most_repeated) <= most_repeated;
  }
  void find_live_values();
  void place_values(const Values& kept);
  void place_variables();
  struct Place {
    std::uint64_t offset, bytes;
  };
  Place place(std::uint64_t bytes, llvm::Align alignment);
  llvm::Align alignment_of(const llvm::Instruction& value) const {
    return std::min(gang_.getDataLayout().getPrefTypeAlign(value.getType()), usual_alignment);
  }
  llvm::Value* repeat(llvm::Value* value, llvm::IRBuilder<>& b, llvm::ValueToValueMapTy& made,
                      const llvm::ValueToValueMapTy& map) const;
  llvm::Value* address(llvm::IRBuilder<>& b, llvm::Function& region, Place place) const;
  void name_gang(llvm::Function& region) const;
  /// With their places in the frame.
  using Stores = std::vector<std::pair<llvm::WeakVH, std::uint64_t>>;
  using Loads = std::vector<std::pair<llvm::LoadInst*, std::uint64_t>>;
  Stores end_at_barriers(llvm::Function& region, const llvm::ValueToValueMapTy& map) const;
  static void drop_unchanged_stores(const Stores& kept, const Loads& loads);
  llvm::Function* make(unsigned number);

  llvm::Function& gang_;
  const std::string name_;
  Regions regions_;
  std::vector<llvm::CallInst*> barriers_;
  std::vector<llvm::BasicBlock*> after_;
  std::vector<Values> live_;  ///< by barrier, what is used behind it and computed before
  llvm::MapVector<const llvm::Instruction*, Place> offsets_;  ///< in the frame
  std::uint64_t frame_bytes_ = 0;
  llvm::Align frame_alignment_;
};

/// Whether `value` is a number in any case, so that freezing it a second time gives the same one.
bool is_never_poison(const llvm::Value* value, unsigned depth = 0) {
  constexpr unsigned most_depth = 6;
  if (llvm::isa<llvm::Argument>(value)) return true;
  if (llvm::isa<llvm::Constant>(value)) return llvm::isGuaranteedNotToBeUndefOrPoison(value);
  if (depth == most_depth) return false;
  if (llvm::isa<llvm::CallInst>(value))
    return lower::callee_name(*value).starts_with(pseudo::sreg_prefix);
  if (const llvm::Value* splat = llvm::getSplatValue(value))
    return is_never_poison(splat, depth + 1);
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || instruction->hasPoisonGeneratingAnnotations()) return false;
  switch (instruction->getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Mul:
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
    case llvm::Instruction::ICmp:
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::Trunc:
      return std::all_of(
          instruction->op_begin(), instruction->op_end(),
          [&](const llvm::Use& operand) { return is_never_poison(operand.get(), depth + 1); });
    default:
      return false;
  }
}

bool Splitter::is_repeatable(const llvm::Instruction& instruction) const {
  if (const auto* frozen = llvm::dyn_cast<llvm::FreezeInst>(&instruction))
    return is_never_poison(frozen->getOperand(0));
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    const llvm::Function* callee = call->getCalledFunction();
    return callee && call->doesNotAccessMemory() && !call->isConvergent() &&
           (callee->getName().starts_with("ptx.") || callee->isIntrinsic());
  }
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return load->isSimple() && load->hasMetadata(llvm::LLVMContext::MD_invariant_load);
  return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst, llvm::CmpInst,
                   llvm::SelectInst, llvm::InsertElementInst, llvm::ShuffleVectorInst,
                   llvm::ExtractElementInst, llvm::UnaryOperator>(instruction);
}

unsigned Splitter::repeated_length(llvm::Value* value, unsigned limit) const {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction) return 0;
  if (llvm::isa<llvm::AllocaInst>(instruction)) return 1;
  if (limit == 0 || !is_repeatable(*instruction)) return most_repeated + 1;
  unsigned length = 1;
  for (llvm::Value* operand : instruction->operands()) {
    if (length > limit) break;
    length += repeated_length(operand, limit - std::min(limit, length));
  }
  return length;
}

void Splitter::find_live_values() {
  live_.resize(after_.size());
  Values kept;
  for (llvm::Instruction& instruction : llvm::instructions(gang_)) {
    if (llvm::isa<llvm::AllocaInst>(instruction) || instruction.use_empty()) continue;
    llvm::DenseSet<const llvm::BasicBlock*> live;
    std::vector<const llvm::BasicBlock*> pending;
    for (const llvm::Use& use : instruction.uses()) {
      const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) {
        if (phi->getIncomingBlock(use) != instruction.getParent())
          pending.push_back(phi->getIncomingBlock(use));
      } else if (user->getParent() != instruction.getParent()) {
        pending.push_back(user->getParent());
      }
    }
    while (!pending.empty()) {
      const llvm::BasicBlock* block = pending.back();
      pending.pop_back();
      if (block == instruction.getParent() || !live.insert(block).second) continue;
      pending.insert(pending.end(), llvm::pred_begin(block), llvm::pred_end(block));
    }
    bool lives = false;
    for (std::size_t i = 0; i < after_.size(); ++i) {
      if (!live.contains(after_[i])) continue;
      live_[i].push_back(&instruction);
      lives = true;
    }
    if (lives && !is_cheap(instruction)) kept.push_back(&instruction);
  }
  place_values(kept);
}

/// What a phi is from one trip to the next has one place where the two are never needed behind the
/// same barrier: so it is not moved when a trip ends.
void Splitter::place_values(const Values& kept) {
  const auto barriers = static_cast<unsigned>(live_.size());
  std::vector<llvm::BitVector> behind(kept.size(), llvm::BitVector(barriers));
  llvm::DenseMap<const llvm::Value*, std::size_t> numbers;
  llvm::EquivalenceClasses<std::size_t> together;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    numbers[kept[i]] = i;
    together.insert(i);
  }
  for (unsigned barrier = 0; barrier < barriers; ++barrier) {
    for (const llvm::Instruction* value : live_[barrier]) {
      if (const auto found = numbers.find(value); found != numbers.end())
        behind[found->second].set(barrier);
    }
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(kept[i]);
    if (!phi) continue;
    for (const llvm::Value* value : phi->incoming_values()) {
      const auto found = numbers.find(value);
      if (found == numbers.end()) continue;
      const std::size_t one = together.getLeaderValue(i),
                        other = together.getLeaderValue(found->second);
      if (one == other || behind[one].anyCommon(behind[other])) continue;
      const llvm::BitVector both = behind[one] |= behind[other];
      behind[*together.unionSets(one, other)] = both;
    }
  }
  const llvm::DataLayout& layout = gang_.getDataLayout();
  llvm::DenseMap<std::size_t, Place> places;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto [found, is_new] = places.try_emplace(together.getLeaderValue(i));
    if (is_new)
      found->second = place(layout.getTypeAllocSize(kept[i]->getType()).getFixedValue(),
                            alignment_of(*kept[i]));
    offsets_[kept[i]] = found->second;
  }
}

Splitter::Place Splitter::place(std::uint64_t bytes, llvm::Align alignment) {
  alignment = std::min(alignment, most_alignment);
  frame_alignment_ = std::max(frame_alignment_, alignment);
  if (regions_.frames == Frames::Together) bytes = llvm::alignTo(bytes, alignment);
  const std::uint64_t offset = llvm::alignTo(frame_bytes_, alignment);
  frame_bytes_ = offset + bytes;
  return {offset, bytes};
}

llvm::Value* Splitter::address(llvm::IRBuilder<>& b, llvm::Function& region, Place place) const {
  llvm::Value* frame = region.getArg(1);
  if (regions_.frames == Frames::Apart)
    return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame, place.offset);
  llvm::Value* all =
      b.CreateGEP(b.getInt8Ty(), frame, b.CreateMul(region.getArg(7), b.getInt64(place.offset)));
  return b.CreateGEP(b.getInt8Ty(), all, b.CreateMul(region.getArg(6), b.getInt64(place.bytes)));
}

/// Variables keep their contents across barriers, so all of them lie in the frame.
void Splitter::place_variables() {
  const llvm::DataLayout& layout = gang_.getDataLayout();
  for (llvm::Instruction& instruction : llvm::instructions(gang_)) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!variable) continue;
    const auto bytes = variable->getAllocationSize(layout);
    assert(bytes && "a variable of unknown size in a gang function");
    offsets_[variable] = place(bytes->getFixedValue(), variable->getAlign());
  }
}

/// The value of the function being made, computed again where `b` writes.
llvm::Value* Splitter::repeat(llvm::Value* value, llvm::IRBuilder<>& b,
                              llvm::ValueToValueMapTy& made,
                              const llvm::ValueToValueMapTy& map) const {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || llvm::isa<llvm::AllocaInst>(instruction)) {
    const auto found = map.find(value);
    return found == map.end() ? value : static_cast<llvm::Value*>(found->second);
  }
  if (const auto found = made.find(value); found != made.end()) return found->second;
  llvm::Instruction* copy = instruction->clone();
  for (llvm::Use& operand : copy->operands()) operand.set(repeat(operand.get(), b, made, map));
  b.Insert(copy);
  made[value] = copy;
  return copy;
}

/// Where the gang lies in its block are the function's arguments.
void Splitter::name_gang(llvm::Function& region) const {
  const std::string special(pseudo::sreg_prefix);
  const llvm::StringMap<unsigned> arguments{
      {special + "tid.x", 2}, {special + "tid.y", 3}, {special + "tid.z", 4}, {gang_lanes, 5}};
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(region))) {
    const auto found = arguments.find(lower::callee_name(instruction));
    if (found == arguments.end()) continue;
    instruction.replaceAllUsesWith(region.getArg(found->second));
    instruction.eraseFromParent();
  }
}

/// Moves what `entry` loads of the frame to where it is used, unless that is in a loop: many gangs
/// take no way that needs all of it. The frame changes at a region's ends alone.
void sink_loads(llvm::Function& region, llvm::BasicBlock& entry) {
  std::vector<llvm::LoadInst*> loads;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(entry)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load || load->hasMetadata(llvm::LLVMContext::MD_invariant_load)) continue;
    if (load->use_empty()) {
      load->eraseFromParent();
    } else {
      loads.push_back(load);
    }
  }
  if (loads.empty()) return;
  const llvm::DominatorTree dominators(region);
  const llvm::LoopInfo loops(dominators);
  for (llvm::LoadInst* load : loads) {
    llvm::BasicBlock* block = nullptr;
    for (const llvm::Use& use : load->uses()) {
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
      llvm::BasicBlock* own = phi ? phi->getIncomingBlock(use) : user->getParent();
      block = block ? dominators.findNearestCommonDominator(block, own) : own;
    }
    while (loops.getLoopFor(block)) block = dominators.getNode(block)->getIDom()->getBlock();
    if (block != &entry) load->moveBefore(*block, block->getFirstInsertionPt());
  }
}

/// `defined` is `value` where the region starts.
void replace_live_value(llvm::Instruction& defined, llvm::Value* value, llvm::BasicBlock& entry) {
  llvm::SSAUpdater updater;
  updater.Initialize(defined.getType(), "live");
  updater.AddAvailableValue(&entry, value);
  updater.AddAvailableValue(defined.getParent(), &defined);
  for (llvm::Use& use : llvm::make_early_inc_range(defined.uses())) {
    auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    if (user->getParent() != defined.getParent() || llvm::isa<llvm::PHINode>(user))
      updater.RewriteUse(use);
  }
}

/// A region returns at each barrier, after it has stored what is live there.
Splitter::Stores Splitter::end_at_barriers(llvm::Function& region,
                                           const llvm::ValueToValueMapTy& map) const {
  llvm::IRBuilder<> b(region.getContext());
  Stores kept;
  for (unsigned i = 0; i < barriers_.size(); ++i) {
    auto* barrier = llvm::cast<llvm::CallInst>(map.lookup(barriers_[i]));
    llvm::BasicBlock* block = barrier->getParent();
    b.SetInsertPoint(barrier);
    for (llvm::Instruction* value : live_[i]) {
      const auto offset = offsets_.find(value);
      if (offset == offsets_.end()) continue;
      kept.emplace_back(b.CreateAlignedStore(map.lookup(value), address(b, region, offset->second),
                                             alignment_of(*value)),
                        offset->second.offset);
    }
    b.CreateRet(b.getInt32(regions_.state(i + 1)));
    llvm::BasicBlock* next = block->getTerminator()->getSuccessor(0);
    next->removePredecessor(block);
    while (&block->back() != barrier) block->back().eraseFromParent();
    barrier->eraseFromParent();
  }
  return kept;
}

/// What is as it was found needs no store. Some stores went with blocks that nothing leads to.
void Splitter::drop_unchanged_stores(const Stores& kept, const Loads& loads) {
  for (const auto& [handle, offset] : kept) {
    auto* store = llvm::cast_or_null<llvm::StoreInst>(static_cast<llvm::Value*>(handle));
    for (const auto& [load, from] : loads) {
      if (!store || store->getValueOperand() != load || from != offset) continue;
      store->eraseFromParent();
      break;
    }
  }
}

llvm::Function* Splitter::make(unsigned number) {
  llvm::LLVMContext& context = gang_.getContext();
  llvm::Type* i32 = llvm::Type::getInt32Ty(context);
  llvm::Type* i64 = llvm::Type::getInt64Ty(context);
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  llvm::Function* region = llvm::Function::Create(
      llvm::FunctionType::get(i32, {pointer, pointer, i32, i32, i32, i32, i64, i64}, false),
      llvm::Function::InternalLinkage, name_ + "." + std::to_string(number), gang_.getParent());
  llvm::ValueToValueMapTy map;
  map[gang_.getArg(0)] = region->getArg(0);
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  llvm::CloneFunctionInto(region, &gang_, map, llvm::CloneFunctionChangeType::LocalChangesOnly,
                          returns);
  region->setLinkage(llvm::Function::InternalLinkage);
  region->removeRetAttrs(llvm::AttributeFuncs::typeIncompatible(i32));
  region->addParamAttr(1, llvm::Attribute::NoAlias);
  region->addParamAttr(1, llvm::Attribute::getWithAlignment(context, frame_alignment_));
  llvm::IRBuilder<> b(context);

  llvm::BasicBlock* old_entry = &region->getEntryBlock();
  llvm::BasicBlock* entry = llvm::BasicBlock::Create(context, "start", region, old_entry);
  b.SetInsertPoint(entry);
  for (auto& [original, offset] : offsets_) {
    if (!llvm::isa<llvm::AllocaInst>(original)) continue;
    auto* variable = llvm::cast<llvm::Instruction>(map[original]);
    llvm::Value* place = address(b, *region, offset);
    variable->replaceAllUsesWith(place);
    variable->eraseFromParent();
    map[original] = place;
  }
  // What the gang finds when it starts here.
  Loads loads;
  llvm::MapVector<llvm::Instruction*, llvm::Value*> found;
  llvm::BasicBlock* start = old_entry;
  if (number != 0) {
    start = llvm::cast<llvm::BasicBlock>(map[after_[number - 1]]);
    llvm::ValueToValueMapTy made;
    for (llvm::Instruction* value : live_[number - 1]) {
      const auto offset = offsets_.find(value);
      if (offset == offsets_.end()) {
        found[value] = repeat(value, b, made, map);
        continue;
      }
      llvm::LoadInst* load = b.CreateAlignedLoad(
          value->getType(), address(b, *region, offset->second), alignment_of(*value));
      found[value] = load;
      loads.emplace_back(load, offset->second.offset);
    }
  }
  b.CreateBr(start);

  for (llvm::ReturnInst* end : returns) {
    llvm::ReturnInst::Create(context, llvm::ConstantInt::get(i32, 0), end->getIterator());
    end->eraseFromParent();
  }
  const Stores kept = end_at_barriers(*region, map);
  for (auto& [original, value] : found)
    replace_live_value(*llvm::cast<llvm::Instruction>(map[original]), value, *entry);
  llvm::removeUnreachableBlocks(*region);
  name_gang(*region);
  drop_unchanged_stores(kept, loads);
  sink_loads(*region, *entry);
  return region;
}

}  // namespace

/// A region ends at the next barriers: of straight code that has many, each is a short piece.
std::size_t region_instructions(const llvm::Function& gang) {
  const std::vector<llvm::CallInst*> barriers = barriers_of(gang);
  const llvm::DenseSet<const llvm::Instruction*> ends(barriers.begin(), barriers.end());
  std::size_t all = 0;
  const auto add_region = [&](const llvm::Instruction* start) {
    llvm::DenseSet<const llvm::BasicBlock*> reached;
    std::vector<const llvm::Instruction*> pending{start};
    while (!pending.empty()) {
      const llvm::Instruction* instruction = pending.back();
      const llvm::BasicBlock* block = instruction->getParent();
      pending.pop_back();
      while (instruction && !ends.contains(instruction)) {
        instruction = instruction->getNextNode();
        ++all;
      }
      if (instruction) continue;
      for (const llvm::BasicBlock* next : llvm::successors(block)) {
        if (reached.insert(next).second) pending.push_back(&next->front());
      }
    }
  };
  add_region(&gang.getEntryBlock().front());
  for (const llvm::CallInst* barrier : barriers) add_region(barrier->getNextNode());
  return all;
}

Regions split_at_barriers(llvm::Function& gang, llvm::StringRef name, Frames frames) {
  return Splitter(gang, name, frames).run();
}

}  // namespace pycuda::cpu::simt
