// SPDX-License-Identifier: MIT
// Rounds, loops over gangs, and the choice of the next region.

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cpu/kernel_abi/frames.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/special_values.h"
#include "cpu/simt/blocks/block_passes.h"
#include "cpu/simt/blocks/block_rows.h"
#include "cpu/simt/blocks/peeled_gangs.h"
#include "cpu/simt/widen/place_stores.h"

namespace pycuda::cpu::simt {
namespace {

constexpr std::uint32_t ended = 0;
/// Not all gangs are in the same state.
constexpr std::uint32_t mixed = 0xffffffff;
/// Regions that run for all gangs in turn and, where gangs are in different states, for one of
/// them: longer ones have one copy for both, since a call costs little beside them and compiling
/// takes time in proportion.
constexpr unsigned most_for_two_copies = 1500;

/// Whether gangs may wait at a pause while others do at a barrier.
bool mixes_waits(const Regions& full, const Regions* tail) {
  const auto begin = full.behind_pause.begin() + 1, end = full.behind_pause.end();
  const bool barriers = std::find(begin, end, false) != end || (tail && tail->functions.size() > 1);
  return barriers && std::find(begin, end, true) != end;
}

/// Whether gangs may be in different states, so that each of them is run by itself.
bool may_mix(const Regions& regions) {
  return std::any_of(regions.functions.begin(), regions.functions.end(),
                     [](const llvm::Function* region) { return !only_exit(*region); });
}

bool ask_for_number(const Regions& regions) {
  return std::any_of(regions.functions.begin(), regions.functions.end(),
                     [](const llvm::Function* region) { return asks_for_number(*region); });
}

/// A function that runs the region which comes next for a gang. `name`, i32 (thread, frame, x, y,
/// z, lanes, index, gangs, state): calls the region that comes next in `state` with the other
/// arguments, and returns what it does. Never inlined.
llvm::Function* make_region_chooser(const Regions& regions, const llvm::Twine& name) {
  llvm::Function& first = *regions.functions.front();
  llvm::IRBuilder<> b(first.getContext());
  std::vector<llvm::Type*> types(first.getFunctionType()->params());
  types.push_back(b.getInt32Ty());
  llvm::Function* chooser =
      llvm::Function::Create(llvm::FunctionType::get(b.getInt32Ty(), types, false),
                             llvm::Function::InternalLinkage, name, first.getParent());
  chooser->addFnAttr(llvm::Attribute::NoUnwind);
  chooser->addFnAttr(llvm::Attribute::NullPointerIsValid);
  chooser->addFnAttr(llvm::Attribute::NoInline);
  const auto new_block = [&](const char* label) {
    return llvm::BasicBlock::Create(first.getContext(), label, chooser);
  };
  b.SetInsertPoint(new_block("entry"));
  const unsigned last = static_cast<unsigned>(chooser->arg_size()) - 1;
  llvm::BasicBlock* never = new_block("never");
  llvm::SwitchInst* choice = b.CreateSwitch(chooser->getArg(last), never);
  std::vector<llvm::Value*> arguments;
  arguments.reserve(last);
  for (unsigned i = 0; i < last; ++i) arguments.push_back(chooser->getArg(i));
  for (std::size_t number = 0; number < regions.functions.size(); ++number) {
    llvm::BasicBlock* run = new_block("region");
    choice->addCase(b.getInt32(regions.state_before(number)), run);
    b.SetInsertPoint(run);
    b.CreateRet(b.CreateCall(regions.functions[number], arguments));
  }
  // The states lie near arrays that the kernel may overrun.
  b.SetInsertPoint(never);
  b.CreateIntrinsic(llvm::Intrinsic::trap, {}, {});
  b.CreateUnreachable();
  return chooser;
}

class RegionLoop {
 public:
  RegionLoop(const Regions& full, const Regions* tail, std::uint64_t frame_bytes,
             llvm::StringRef name, GangSize size, bool agree, std::optional<Dim3> block)
      : full_(full),
        tail_(tail),
        frame_bytes_(frame_bytes),
        name_(name),
        size_(size),
        known_block_(block),
        mixes_waits_(mixes_waits(full, tail)),
        agree_(agree && may_mix(full)),
        mixes_(!agree && may_mix(full)),
        numbered_(ask_for_number(full) || (tail && ask_for_number(*tail))),
        module_(*full.functions.front()->getParent()),
        b_(module_.getContext()) {}

  llvm::Function* run();

 private:
  struct Gang {
    llvm::Value *x, *y, *z, *state, *frame, *index;
  };
  struct Round {
    llvm::Value *any, *all;  ///< the gangs' new states, or-ed and and-ed
  };

  llvm::BasicBlock* block(const llvm::Twine& label) {
    return llvm::BasicBlock::Create(module_.getContext(), label, function_);
  }
  bool runs_in_line(const Dim3& block, unsigned least) const;
  llvm::Instruction* enter(llvm::Value* has_tails, llvm::BasicBlock* round, llvm::BasicBlock* done);
  void run_rounds(llvm::Value* has_tails, llvm::BasicBlock* entry, llvm::BasicBlock* round,
                  llvm::BasicBlock* done);
  void finish_function(llvm::Instruction* end_of_entry);
  void read_launch();
  llvm::StoreInst* put(std::size_t offset, llvm::Value* value) {
    return store_field(b_, function_->getArg(1), offset, value);
  }
  /// A loop over the full gangs, or over the tails, of all rows. `body` gives a gang's new state,
  /// which is kept in memory with `keep`.
  Round loop(bool tails, bool keep, const std::function<llvm::Value*(const Gang&)>& body);
  /// The place of the gang that starts at `x`, in a row whose first gang and thread are given.
  Gang start_gang(llvm::Value* x, llvm::Value* y, llvm::Value* z, llvm::Value* first_gang,
                  llvm::Value* first_thread);
  /// All regions, one after the other, for blocks of one row of whole gangs.
  void run_in_line(const std::vector<std::uint32_t>& order, const std::vector<unsigned>& first,
                   llvm::BasicBlock* done);
  llvm::Value* call(llvm::Function& region, const Gang& gang);
  llvm::Value* is_pausing(llvm::Value* state) {
    return b_.CreateIsNotNull(b_.CreateAnd(state, b_.getInt32(pausing)));
  }
  llvm::Value* goes_on(llvm::Value* state);
  llvm::Value* step(llvm::Function& chooser, const Gang& gang, llvm::Value* state);

  const Regions& full_;
  const Regions* tail_;
  const std::uint64_t frame_bytes_;
  const std::string name_;
  const GangSize size_;
  const std::optional<Dim3> known_block_;  ///< its threads, if all blocks are alike
  const bool mixes_waits_;
  /// Gangs are never in different states, although regions have several exits. Where they have one
  /// each, LLVM finds out; told so from the start it makes longer code (a tree: 1.4 times).
  const bool agree_;
  const bool mixes_;     ///< gangs may be in different states
  const bool numbered_;  ///< somebody asks for threads' numbers in their blocks
  llvm::Module& module_;
  llvm::IRBuilder<> b_;
  llvm::Function* function_ = nullptr;
  llvm::Value *width_ = nullptr, *height_ = nullptr, *rows_ = nullptr, *full_end_ = nullptr;
  llvm::Value *per_row_ = nullptr, *states_ = nullptr, *frames_ = nullptr, *gangs_ = nullptr;
  llvm::Value* some_pause_ = nullptr;  ///< i1: a gang waits at a pause
  std::vector<llvm::CallInst*> inline_;
  std::vector<Place> places_;
};

void RegionLoop::read_launch() {
  const BlockRows rows = read_rows(b_, *function_, size_, tail_ != nullptr);
  width_ = rows.width;
  height_ = rows.height;
  rows_ = rows.all;
  full_end_ = rows.full_end;
  per_row_ = b_.CreateUDiv(b_.CreateAdd(width_, b_.getInt32(size_.columns - 1)),
                           b_.getInt32(size_.columns));
  llvm::Value* memory =
      load_field(b_, function_->getArg(1), offsetof(ThreadFrame, scratch), b_.getPtrTy(), false);
  states_ = memory;
  llvm::Value* gangs = b_.CreateMul(b_.CreateUDiv(rows_, b_.getInt32(size_.rows)), per_row_);
  gangs_ = b_.CreateZExt(gangs, b_.getInt64Ty());
  llvm::Value* bytes = b_.CreateShl(gangs_, 2);
  bytes = b_.CreateAnd(b_.CreateAdd(bytes, b_.getInt64(255)), b_.getInt64(~std::uint64_t{255}));
  frames_ = b_.CreateGEP(b_.getInt8Ty(), memory, bytes);
}

RegionLoop::Gang RegionLoop::start_gang(llvm::Value* x, llvm::Value* y, llvm::Value* z,
                                        llvm::Value* first_gang, llvm::Value* first_thread) {
  places_.push_back({b_.GetInsertBlock(), {put(offsetof(ThreadFrame, tid.x), x)}, {}});
  if (numbered_)
    places_.back().stores.push_back(
        put(offsetof(ThreadFrame, linear), b_.CreateAdd(first_thread, x)));
  llvm::Value* index = b_.CreateZExt(
      b_.CreateAdd(first_gang, b_.CreateUDiv(x, b_.getInt32(size_.columns))), b_.getInt64Ty());
  llvm::Value* state = b_.CreateGEP(b_.getInt32Ty(), states_, index);
  llvm::Value* frame = frames_;
  if (full_.frames == Frames::Apart)
    frame = b_.CreateGEP(b_.getInt8Ty(), frames_, b_.CreateMul(index, b_.getInt64(frame_bytes_)));
  places_.back().kept = {state, frame};
  return {x, y, z, state, frame, index};
}

RegionLoop::Round RegionLoop::loop(bool tails, bool keep,
                                   const std::function<llvm::Value*(const Gang&)>& body) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* row = block("row");
  llvm::BasicBlock* gang = block("gang");
  llvm::BasicBlock* row_end = block("row.end");
  llvm::BasicBlock* next_row = block("row.next");
  llvm::BasicBlock* after = block("round.end");
  b_.CreateBr(row);
  b_.SetInsertPoint(row);
  const auto phi = [&](llvm::Value* first, llvm::BasicBlock* from) {
    llvm::PHINode* value = b_.CreatePHI(b_.getInt32Ty(), 2);
    value->addIncoming(first, from);
    return value;
  };
  llvm::PHINode* number = phi(b_.getInt32(0), before);
  llvm::PHINode* y = phi(b_.getInt32(0), before);
  llvm::PHINode* z = phi(b_.getInt32(0), before);
  llvm::PHINode* row_any = phi(b_.getInt32(0), before);
  llvm::PHINode* row_all = phi(b_.getInt32(mixed), before);
  put(offsetof(ThreadFrame, tid.y), y);
  put(offsetof(ThreadFrame, tid.z), z);
  llvm::Value* row_start = b_.CreateMul(number, width_);
  llvm::Value* first_gang = b_.CreateMul(b_.CreateUDiv(number, b_.getInt32(size_.rows)), per_row_);
  b_.CreateBr(gang);

  b_.SetInsertPoint(gang);
  llvm::PHINode* x = phi(tails ? full_end_ : b_.getInt32(0), row);
  llvm::PHINode* any = phi(row_any, row);
  llvm::PHINode* all = phi(row_all, row);
  const Gang own = start_gang(x, y, z, first_gang, row_start);
  llvm::Value* next = body(own);
  if (keep) b_.CreateAlignedStore(next, own.state, llvm::Align(4));
  llvm::Value* any_next = b_.CreateOr(any, next);
  llvm::Value* all_next = b_.CreateAnd(all, next);
  llvm::BasicBlock* gang_end = b_.GetInsertBlock();
  if (tails) {
    b_.CreateBr(row_end);
  } else {
    llvm::Value* x_next = b_.CreateAdd(x, b_.getInt32(size_.columns));
    b_.CreateCondBr(b_.CreateICmpULT(x_next, full_end_), gang, row_end);
    x->addIncoming(x_next, gang_end);
    any->addIncoming(any_next, gang_end);
    all->addIncoming(all_next, gang_end);
  }

  b_.SetInsertPoint(row_end);
  llvm::Value* number_next = b_.CreateAdd(number, b_.getInt32(size_.rows));
  b_.CreateCondBr(b_.CreateICmpULT(number_next, rows_), next_row, after);
  // Many blocks have one row.
  b_.SetInsertPoint(next_row);
  number->addIncoming(number_next, next_row);
  step_row(b_, y, z, height_, size_.rows);
  row_any->addIncoming(any_next, next_row);
  row_all->addIncoming(all_next, next_row);
  b_.CreateBr(row);
  b_.SetInsertPoint(after);
  return {any_next, all_next};
}

llvm::Value* RegionLoop::call(llvm::Function& region, const Gang& gang) {
  llvm::CallInst* run =
      b_.CreateCall(&region, {function_->getArg(1), gang.frame, gang.x, gang.y, gang.z,
                              b_.getInt32(size_.lanes()), gang.index, gangs_});
  run->setDoesNotThrow();
  if (mixes_ && region.getInstructionCount() > most_for_two_copies) {
    region.addFnAttr(llvm::Attribute::NoInline);
  } else {
    inline_.push_back(run);
  }
  return run;
}

void RegionLoop::run_in_line(const std::vector<std::uint32_t>& order,
                             const std::vector<unsigned>& first, llvm::BasicBlock* done) {
  llvm::Value* zero = b_.getInt32(0);
  put(offsetof(ThreadFrame, tid.y), zero);
  put(offsetof(ThreadFrame, tid.z), zero);
  for (const std::uint32_t number : order) {
    const auto run = [&](llvm::Value* x) {
      call(*full_.functions[number], start_gang(x, zero, zero, zero, zero));
    };
    for (unsigned gang = 0; gang < first[number]; ++gang) {
      llvm::BasicBlock* start = block("first.gang");
      b_.CreateBr(start);
      b_.SetInsertPoint(start);
      run(b_.getInt32(gang * size_.columns));
    }
    llvm::Value* behind = b_.getInt32(first[number] * size_.columns);
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::BasicBlock* rest = block("rest.gang");
    llvm::BasicBlock* after = block("region.end");
    b_.CreateCondBr(b_.CreateICmpULT(behind, full_end_), rest, after);
    b_.SetInsertPoint(rest);
    llvm::PHINode* x = b_.CreatePHI(b_.getInt32Ty(), 2);
    run(x);
    llvm::Value* x_next = b_.CreateNUWAdd(x, b_.getInt32(size_.columns));
    x->addIncoming(behind, before);
    x->addIncoming(x_next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpULT(x_next, full_end_), rest, after);
    b_.SetInsertPoint(after);
  }
  b_.CreateBr(done);
}

/// Whether a gang in `state` goes on: while another one pauses, only if it does so too.
llvm::Value* RegionLoop::goes_on(llvm::Value* state) {
  llvm::Value* lives = b_.CreateICmpNE(state, b_.getInt32(ended));
  if (!mixes_waits_) return lives;
  return b_.CreateAnd(lives, b_.CreateOr(b_.CreateNot(some_pause_), is_pausing(state)));
}

/// The new state of a gang that goes on; that of others does not change.
llvm::Value* RegionLoop::step(llvm::Function& chooser, const Gang& gang, llvm::Value* state) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* run = block("step");
  llvm::BasicBlock* done = block("stepped");
  b_.CreateCondBr(goes_on(state), run, done);
  b_.SetInsertPoint(run);
  llvm::Value* lanes = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, b_.CreateSub(width_, gang.x),
                                                b_.getInt32(size_.lanes()));
  llvm::CallInst* next = b_.CreateCall(&chooser, {function_->getArg(1), gang.frame, gang.x, gang.y,
                                                  gang.z, lanes, gang.index, gangs_, state});
  next->setDoesNotThrow();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  llvm::PHINode* result = b_.CreatePHI(b_.getInt32Ty(), 2);
  result->addIncoming(state, before);
  result->addIncoming(next, run);
  return result;
}

/// Whether such blocks are one row of whole gangs, at least `least` of them.
bool RegionLoop::runs_in_line(const Dim3& block, unsigned least) const {
  return block.y * block.z == 1 && block.x % size_.columns == 0 && block.x >= least * size_.columns;
}

/// Ends the entry: blocks of one row of whole gangs may run in line, the others in rounds. Where
/// all blocks run in line, nothing branches to `round`.
llvm::Instruction* RegionLoop::enter(llvm::Value* has_tails, llvm::BasicBlock* round,
                                     llvm::BasicBlock* done) {
  const auto order = only_order(full_);
  const std::vector<unsigned> first_of =
      order ? peeled_gangs(full_, size_) : std::vector<unsigned>();
  if (first_of.empty()) return b_.CreateBr(round);
  llvm::BasicBlock* in_line = block("in.line");
  const unsigned most = *std::max_element(first_of.begin(), first_of.end());
  llvm::Instruction* end_of_entry = nullptr;
  if (known_block_ && runs_in_line(*known_block_, most)) {
    end_of_entry = b_.CreateBr(in_line);
  } else {
    llvm::Value* reaches = b_.CreateICmpUGE(full_end_, b_.getInt32(most * size_.columns));
    llvm::Value* one_row = b_.CreateICmpEQ(rows_, b_.getInt32(1));
    llvm::Value* fits = b_.CreateAnd(b_.CreateAnd(one_row, reaches), b_.CreateNot(has_tails));
    end_of_entry = b_.CreateCondBr(fits, in_line, round);
  }
  b_.SetInsertPoint(in_line);
  run_in_line(*order, first_of, done);
  return end_of_entry;
}

/// What is done once the loop is complete. Arguments are read at `end_of_entry`.
void RegionLoop::finish_function(llvm::Instruction* end_of_entry) {
  for (llvm::CallInst* region : inline_) inline_call(*region);
  llvm::StringMap<llvm::Value*> known;
  known["block"] = function_->getArg(0);
  replace_special_values(*function_, known, end_of_entry);
  sink_places(places_);
  keep_places(*function_, *function_->getArg(1));
  reduce_line_notes(*function_);
}

/// From `round` on, which only `entry` branches to: rounds until no gang waits any more.
void RegionLoop::run_rounds(llvm::Value* has_tails, llvm::BasicBlock* entry,
                            llvm::BasicBlock* round, llvm::BasicBlock* done) {
  llvm::Function* full_step = agree_ ? nullptr : make_region_chooser(full_, name_ + ".step");
  llvm::Function* tail_step = tail_ ? make_region_chooser(*tail_, name_ + ".tail.step") : nullptr;
  llvm::BasicBlock* choose = block("choose");
  llvm::BasicBlock* tails = block("tails");
  llvm::BasicBlock* end = block("rounds.end");

  b_.SetInsertPoint(entry->getTerminator());
  llvm::Value* start = b_.CreateSelect(b_.CreateIsNotNull(full_end_), b_.getInt32(full_.fresh()),
                                       b_.getInt32(ended));
  b_.SetInsertPoint(round);
  llvm::PHINode* state = b_.CreatePHI(b_.getInt32Ty(), 2, "state");
  llvm::PHINode* first = b_.CreatePHI(b_.getInt1Ty(), 2, "first");
  state->addIncoming(start, entry);
  first->addIncoming(b_.getTrue(), entry);
  llvm::PHINode* some_pause = b_.CreatePHI(b_.getInt1Ty(), 2, "some.pause");
  some_pause->addIncoming(b_.getFalse(), entry);
  some_pause_ = some_pause;
  llvm::Value* go_on = mixes_waits_ ? goes_on(state) : b_.getTrue();
  b_.CreateCondBr(go_on, choose, tails);

  b_.SetInsertPoint(choose);
  llvm::BasicBlock* any_state = block("mixed");
  llvm::SwitchInst* choice = b_.CreateSwitch(state, any_state);
  choice->addCase(b_.getInt32(ended), tails);
  b_.SetInsertPoint(tails);
  llvm::PHINode* after = b_.CreatePHI(b_.getInt32Ty(), 2);
  after->addIncoming(state, round);
  after->addIncoming(b_.getInt32(ended), choose);
  llvm::PHINode* any_full = b_.CreatePHI(b_.getInt32Ty(), 2);
  any_full->addIncoming(state, round);
  any_full->addIncoming(b_.getInt32(ended), choose);
  const auto finish = [&](const Round& result) {
    llvm::Value* common = result.any;
    if (!agree_)
      common = b_.CreateSelect(b_.CreateICmpEQ(result.any, result.all), common, b_.getInt32(mixed));
    after->addIncoming(common, b_.GetInsertBlock());
    any_full->addIncoming(result.any, b_.GetInsertBlock());
    b_.CreateBr(tails);
  };
  std::vector<llvm::BasicBlock*> common;
  for (std::uint32_t number = 0; number < full_.functions.size(); ++number) {
    common.push_back(block("common"));
    choice->addCase(b_.getInt32(full_.state_before(number)), common.back());
  }
  for (std::uint32_t number = 0; number < full_.functions.size(); ++number) {
    b_.SetInsertPoint(common[number]);
    const auto exit = only_exit(*full_.functions[number]);
    const Round result = loop(false, !agree_ && !exit, [&](const Gang& gang) {
      return call(*full_.functions[number], gang);
    });
    if (!exit) {
      finish(result);
      continue;
    }
    // All gangs go on at the same place: no need to look at what each of them said.
    after->addIncoming(b_.getInt32(*exit), b_.GetInsertBlock());
    any_full->addIncoming(b_.getInt32(*exit), b_.GetInsertBlock());
    b_.CreateCondBr(has_tails, tails, *exit == ended ? done : common[*exit & ~pausing]);
  }
  b_.SetInsertPoint(any_state);
  if (!agree_) {
    finish(loop(false, true, [&](const Gang& gang) {
      return step(*full_step, gang,
                  b_.CreateAlignedLoad(b_.getInt32Ty(), gang.state, llvm::Align(4)));
    }));
  } else {
    b_.CreateUnreachable();
  }

  b_.SetInsertPoint(end);
  llvm::PHINode* waiting = b_.CreatePHI(b_.getInt32Ty(), 2);
  waiting->addIncoming(b_.getInt32(ended), tails);
  b_.SetInsertPoint(tails);
  if (tail_) {
    llvm::BasicBlock* run_tails = block("tails.run");
    b_.CreateCondBr(has_tails, run_tails, end);
    b_.SetInsertPoint(run_tails);
    const Round result = loop(true, true, [&](const Gang& gang) {
      llvm::Value* known = b_.CreateAlignedLoad(b_.getInt32Ty(), gang.state, llvm::Align(4));
      return step(*tail_step, gang, b_.CreateSelect(first, b_.getInt32(tail_->fresh()), known));
    });
    waiting->addIncoming(result.any, b_.GetInsertBlock());
  }
  b_.CreateBr(end);

  b_.SetInsertPoint(end);
  state->addIncoming(after, end);
  first->addIncoming(b_.getFalse(), end);
  some_pause->addIncoming(is_pausing(b_.CreateOr(any_full, waiting)), end);
  b_.CreateCondBr(b_.CreateIsNull(b_.CreateOr(after, waiting)), done, round);
}

llvm::Function* RegionLoop::run() {
  function_ = new_block_function(*full_.functions.front(), name_);
  function_->addFnAttr(runs_regions);
  llvm::BasicBlock* entry = block("entry");
  llvm::BasicBlock* round = block("round");
  llvm::BasicBlock* done = block("done");
  b_.SetInsertPoint(entry);
  read_launch();
  llvm::Value* has_tails = tail_ ? b_.CreateICmpNE(full_end_, width_) : b_.getFalse();
  llvm::Instruction* end_of_entry = enter(has_tails, round, done);
  if (round->use_empty()) {
    round->eraseFromParent();
  } else {
    run_rounds(has_tails, entry, round, done);
  }
  b_.SetInsertPoint(done);
  b_.CreateRetVoid();
  finish_function(end_of_entry);
  return function_;
}

}  // namespace

llvm::Function* make_region_loop(const Regions& full, const Regions* tail,
                                 std::uint64_t frame_bytes, llvm::StringRef name, GangSize size,
                                 bool agree, std::optional<Dim3> block) {
  return RegionLoop(full, tail, frame_bytes, name, size, agree, block).run();
}

}  // namespace pycuda::cpu::simt
