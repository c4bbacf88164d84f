// SPDX-License-Identifier: MIT
// Pass: a function for one thread becomes a function for a gang of threads, one lane each.
#pragma once

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cpu/kernel_abi/frames.h"
#include "cpu/simt/analysis/constant_division.h"
#include "cpu/simt/analysis/divergence.h"
#include "cpu/simt/analysis/lane_constants.h"
#include "cpu/simt/analysis/lane_distances.h"
#include "cpu/simt/analysis/plan.h"
#include "cpu/simt/analysis/shape.h"
#include "cpu/target/target.h"

namespace pycuda::cpu::simt {

/// Writes the gang's function. Uniform and affine values stay scalars (those of lane 0; where the
/// rows of a tile differ, an array of each row's first lane's), others become vectors. Blocks that
/// own a mask are skipped when no lane wants to run them, so whatever runs has an active lane: that
/// is what makes scalar accesses to uniform addresses safe in divergent code. What crosses blocks
/// goes through memory of the entry block; mem2reg makes registers of it.
class Widener {
 public:
  /// `source` is in the form that ControlFlow asks for. With `full`, every lane has a thread.
  Widener(llvm::Function& source, const ControlFlow& flow, const Shapes& shapes,
          const Shapes& guesses, GangSize size, bool full, const target::Processor& processor);

  /// Writes down in `plan` which forms are chosen from now on.
  void record_in(Plan& plan) { plan_ = &plan; }
  /// The finished function, named `name`, of source's type.
  llvm::Function* run(const llvm::Twine& name);

 private:
  // Control flow.
  void emit_block(llvm::BasicBlock& block);
  bool emit_counting_latch(llvm::BasicBlock& block, const llvm::BitVector& pending);
  void emit_end(llvm::BasicBlock& block);
  void forget_last_trip(const llvm::BasicBlock& header);
  llvm::BasicBlock* emptied(const llvm::BasicBlock& header, const llvm::BitVector& pending);
  llvm::BasicBlock* continue_at(llvm::BitVector pending);
  void send(const llvm::BasicBlock& from, const llvm::BasicBlock& to, llvm::Value* lanes);
  llvm::Value* any(llvm::Value* mask);

  // Values.
  llvm::Type* wide_type(llvm::Type* type) const;
  llvm::Value* scalar(llvm::Value* value);
  llvm::Type* type_of(const llvm::Value& value) const;
  bool is_at_hand(const llvm::Value* value) const;
  llvm::Value* row_value(llvm::Value* value, unsigned number);
  llvm::Value* row_values(llvm::ArrayRef<llvm::Value*> values);
  llvm::Value* like(const llvm::Value& other, llvm::Value* value);
  llvm::Value* steps(llvm::Value* first, std::int64_t stride, unsigned lanes);
  llvm::Value* row_lanes(llvm::Value* vector, unsigned row);
  llvm::Value* join(llvm::ArrayRef<llvm::Value*> parts);
  llvm::Value* vector(llvm::Value* value);
  llvm::Value* wide(llvm::Value* value) {
    return shapes_.of(value).is_varying() ? scalar(value) : vector(value);
  }
  llvm::Value* constant_mask(bool value);
  void define(llvm::Instruction& instruction, llvm::Value* value);
  llvm::AllocaInst* slot(llvm::Type* type, const llvm::Twine& name);
  llvm::BasicBlock* new_block(const llvm::Twine& name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, target_);
  }
  std::int64_t bytes_of(llvm::Type* type) const {
    return static_cast<std::int64_t>(layout_.getTypeStoreSize(type).getFixedValue());
  }
  /// The address, or each of them, so many bytes further.
  llvm::Value* further(llvm::Value* pointer, std::int64_t bytes) {
    return b_.CreateGEP(b_.getInt8Ty(), pointer, b_.getInt64(static_cast<std::uint64_t>(bytes)));
  }
  /// What `make` makes of `values`, or of each of their parts if they are structures; as `type`.
  llvm::Value* by_part(llvm::ArrayRef<llvm::Value*> values, llvm::Type* type,
                       llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*> parts)> make);
  /// What `make` makes where the gang starts, once for each name.
  llvm::Value* at_start(const std::string& name,
                        llvm::function_ref<llvm::Value*(llvm::IRBuilder<>& b)> make);

  // Instructions.
  void emit(llvm::Instruction& instruction);
  llvm::Value* emit_varying(llvm::Instruction& instruction);
  llvm::Value* emit_scalar(llvm::Instruction& instruction);
  llvm::Value* emit_row(llvm::Instruction& instruction, unsigned number);
  llvm::Value* emit_distant(const llvm::GetElementPtrInst& address, unsigned number);
  llvm::Value* emit_division(llvm::BinaryOperator& operation);
  llvm::Value* divide_words(llvm::Value* dividend, llvm::Value* divisor, bool is_signed);
  llvm::Value* divide_long(llvm::Value* dividend, llvm::Value* divisor);
  llvm::Value* emit_call(llvm::CallInst& call);
  llvm::Value* emit_special(llvm::CallInst& call);
  llvm::Value* emit_warp_operation(llvm::CallInst& call);
  llvm::Value* emit_count(WarpOp operation, llvm::CallInst& call);
  void count_divergence(llvm::Value* value, std::uint32_t word);
  llvm::CallInst* call_counter(const char* name, std::uint32_t word, std::uint32_t access,
                               llvm::ArrayRef<llvm::Value*> rest);
  llvm::AllocaInst* in_memory(llvm::Value* addresses);
  void count_phase(llvm::Value* value, llvm::ArrayRef<std::uint64_t> distances, std::uint32_t word,
                   std::uint32_t access);
  void count_access(llvm::Value* value, std::uint32_t word, std::uint32_t access);
  void add_to_counter(std::uint32_t word, llvm::Value* number);
  llvm::Value* counter(std::uint32_t word);
  llvm::Value* emit_vote(WarpOp operation, llvm::Value* values);
  llvm::Value* emit_match_any(llvm::Value* values);
  llvm::Value* emit_match_all(llvm::Value* values);
  llvm::Value* emit_reduction(WarpOp operation, llvm::Value* values);
  llvm::Value* emit_shuffle(WarpOp operation, llvm::CallInst& call);
  llvm::Value* taken(llvm::CallInst& call, llvm::Value* there, llvm::Value* moved,
                     llvm::Value* values);
  llvm::Value* emit_broadcast(llvm::CallInst& shuffle);
  llvm::Value* pair(llvm::Value* first, llvm::Value* second);
  llvm::Value* lanes_in(llvm::Value* lanes);
  llvm::Value* emit_question(llvm::CallInst& call, bool all);
  llvm::Value* are_small(llvm::CallInst& call);
  llvm::Value* compare_all(const Shapes::Question& question);
  void emit_alignment_check(llvm::CallInst& check);
  bool emit_check(llvm::CallInst& call);
  void emit_memory_check(llvm::CallInst& check);
  void emit_access_note(llvm::CallInst& note);
  void emit_race_note(llvm::CallInst& note, std::uint64_t flags);
  struct RacingAccess;
  struct RacingRow;
  llvm::Value* word_states();
  llvm::Value* word_field(std::size_t offset, llvm::Type* type, bool invariant);
  llvm::Value* word_base();
  llvm::Value* read_by_many(llvm::Value* base);
  llvm::LoadInst* load_states(llvm::Type* type, llvm::Value* at);
  llvm::Value* state_of(const RacingRow& row);
  llvm::Value* beside_state(llvm::Value* state, llvm::Value* array);
  llvm::Value* state_array();
  llvm::Value* stamp_of(llvm::Value* thread, llvm::Value* warp = nullptr);
  llvm::Value* first_thread(unsigned row);
  llvm::Value* place_told(const llvm::CallInst& note);
  llvm::Value* starts_in_block(llvm::ConstantInt* span);
  llvm::Value* are_words_of_block(const RacingAccess& access, llvm::ArrayRef<RacingRow> rows);
  llvm::Value* look_at_words(const RacingAccess& access, RacingRow& row);
  llvm::Value* are_fresh(const RacingRow& row);
  llvm::Value* join_readers(const RacingAccess& access, RacingRow& row);
  void put_readers(const RacingRow& row);
  void emit_read_of_unknown(const RacingAccess& access, RacingRow& row, llvm::BasicBlock* put,
                            llvm::BasicBlock* call, llvm::BasicBlock* after);
  void put_words(const RacingAccess& access, const RacingRow& row);
  llvm::Value* look_at_word(const RacingAccess& access, RacingRow& row);
  void put_word(const RacingAccess& access, const RacingRow& row);
  llvm::Value* tell_of_row(const RacingAccess& access, unsigned row);
  void tell_of_lanes(llvm::CallInst& note, const RacingAccess& access);
  void emit_filling_note(llvm::CallInst& note, std::uint64_t flags);
  void emit_read_note(llvm::CallInst& note);
  void emit_barrier_note(llvm::CallInst& note);
  void emit_passed_note();
  void note_warp_operation(llvm::CallInst& call, llvm::Value* absent);
  void note_warp_order(const llvm::CallInst& call);
  void change_order(const char* name, llvm::ArrayRef<llvm::Value*> arguments);
  void tell(const char* name, llvm::Value* lanes, llvm::CallInst& note, std::uint64_t flags,
            bool has_values);
  llvm::Value* active(llvm::Value* condition);
  llvm::Value* bits_of(llvm::Value* lanes);
  void seldom(llvm::Value* condition, const char* name, llvm::function_ref<void()> body);
  void where(llvm::Value* condition, const char* name, llvm::function_ref<void()> body,
             llvm::MDNode* weights = nullptr);
  llvm::CallInst* call_checks(const char* name, llvm::ArrayRef<llvm::Value*> arguments,
                              llvm::Type* result = nullptr);
  struct Allowed;
  llvm::Value* allowed_ranges();
  Allowed allowed_range(const llvm::CallInst& check);
  llvm::Value* lanes_are_allowed(llvm::Value* address, const Allowed& allowed);
  llvm::Value* ends_are_allowed(llvm::Value* address, const Allowed& allowed);
  std::uint64_t packed_access(std::uint64_t bytes, std::uint64_t flags,
                              std::uint32_t first_lane = 0) const;
  llvm::Value* in_memory(llvm::Value* value, unsigned number);
  void note_lane_by_lane(const llvm::Instruction& instruction);
  llvm::Value* emit_lane_by_lane(llvm::Instruction& instruction);
  /// A short body, of one block, may be written down once for each lane.
  enum class LaneBody { Long, Short };
  llvm::Value* for_each_lane(
      llvm::ArrayRef<llvm::Value*> sources, llvm::Type* result,
      llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>, llvm::Value*)> make,
      LaneBody body = LaneBody::Long);
  llvm::Value* value_in_line(llvm::Value* value, unsigned lane, unsigned steps);
  llvm::Value* for_each_lane_in_line(
      llvm::ArrayRef<llvm::Value*> sources, llvm::Type* result,
      llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>, llvm::Value*)> make);
  llvm::Value* value_at(llvm::Value* base, const Shape& shape, llvm::Value* lane);
  llvm::AllocaInst* lane_memory(unsigned number);
  llvm::Value* emit_atomic(llvm::AtomicRMWInst& operation);
  llvm::Value* emit_atomic(llvm::AtomicCmpXchgInst& operation);
  llvm::Value* exchange_where_equal(llvm::AtomicCmpXchgInst& operation);
  llvm::Value* emit_update(llvm::CallInst& call);
  void prefetch_for_lanes(llvm::Value* pointer);
  llvm::Value* sums_before(llvm::Value* values);
  llvm::Value* stays_in_range(llvm::Value* first, std::int64_t stride, bool is_signed);
  llvm::Value* has_one_quotient(const ConstantDivision& division, llvm::Value* first,
                                std::int64_t stride);
  struct Guessed;
  llvm::Value* first_of_guess(llvm::Value* value, Guessed& guessed);
  llvm::Value* make_first_of_guess(llvm::Value* value, Guessed& guessed);
  llvm::Value* all_choose(llvm::Instruction& choice, unsigned operand);
  std::vector<llvm::Value*> guess(llvm::Value* value, llvm::Value*& holds);
  void keep_guess(llvm::Instruction& instruction);
  llvm::Value* make_again(llvm::Value* value, llvm::DenseMap<llvm::Value*, llvm::Value*>& made,
                          unsigned& steps);
  llvm::Value* pointers_again(llvm::Value* pointer) {
    llvm::DenseMap<llvm::Value*, llvm::Value*> made;
    unsigned steps = 0;
    return shapes_.of(pointer).is_varying() ? make_again(pointer, made, steps) : vector(pointer);
  }
  using Values = std::vector<llvm::Value*>;
  /// Runs `whole` where `condition` holds and `apart` elsewhere; what they return becomes one.
  Values either(llvm::Value* condition, llvm::function_ref<Values()> whole,
                llvm::function_ref<Values()> apart, llvm::MDNode* weights);
  /// The same where `condition` is likely to hold.
  Values either(llvm::Value* condition, llvm::function_ref<Values()> whole,
                llvm::function_ref<Values()> apart) {
    llvm::MDBuilder weights(b_.getContext());
    return either(condition, whole, apart, weights.createLikelyBranchWeights());
  }
  std::vector<llvm::Value*> first_or_test(llvm::Value* address, llvm::Type* type,
                                          llvm::Value*& holds, bool& looks);
  void prefetch_next_trip(const llvm::LoadInst& load, llvm::ArrayRef<llvm::Value*> first);
  llvm::Value* growth_of(llvm::Value* value, const llvm::Loop& loop, unsigned steps);
  bool has_list(const llvm::Loop& loop);
  void prefetch_next_row(const llvm::LoadInst& load, llvm::ArrayRef<llvm::Value*> first);
  void prefetch_list(const llvm::LoadInst& load, llvm::ArrayRef<llvm::Value*> first);
  bool prefetch_over_barrier(const llvm::LoadInst& load, llvm::ArrayRef<llvm::Value*> first);
  void prefetch_lines(const llvm::LoadInst& load, llvm::ArrayRef<llvm::Value*> first,
                      llvm::Value* distance);
  void fetch_ahead(const llvm::LoadInst& load, llvm::ArrayRef<llvm::Value*> first);
  bool is_adjacent(const Shape& address, llvm::Type* type) const;
  llvm::Value* load_of_two(llvm::LoadInst& load);
  bool follows_list(const llvm::LoadInst& load) const;
  llvm::Value* gather(llvm::LoadInst& load, llvm::Value* pointers);
  llvm::Value* test_adjacent(llvm::Value* pointers, std::int64_t bytes,
                             std::vector<llvm::Value*>& first);
  llvm::Value* load_rows(llvm::LoadInst& load, llvm::ArrayRef<llvm::Value*> first);
  void store_rows(llvm::StoreInst& store, llvm::ArrayRef<llvm::Value*> first);
  std::vector<llvm::Value*> pointers_of_rows(llvm::Value* pointer);
  llvm::Value* emit_load(llvm::LoadInst& load);
  void prefetch_behind(llvm::LoadInst& load);
  std::vector<llvm::Instruction*> structure_of(llvm::Instruction& access) const;
  llvm::Value* pick(const std::vector<llvm::Value*>& vectors, unsigned lanes,
                    llvm::function_ref<std::pair<unsigned, unsigned>(unsigned lane)> place);
  std::vector<llvm::Value*> part(const std::vector<llvm::Value*>& vectors, unsigned width);
  std::vector<llvm::Value*> unite(const std::vector<llvm::Value*>& parts, unsigned width);
  std::vector<llvm::Value*> structure_address(llvm::Value* pointer, llvm::Value*& holds);
  Values unless_known(llvm::Value* holds, llvm::function_ref<Values()> whole,
                      llvm::function_ref<Values()> apart);
  /// Null if the load is none of several that together read whole structures.
  llvm::Value* emit_interleaved_load(llvm::LoadInst& load);
  /// False if the store is none of several that together write whole structures.
  bool emit_interleaved_store(llvm::StoreInst& store);
  /// Null if the lanes' places are not known, or of no use.
  llvm::Value* load_known_places(llvm::LoadInst& load);
  llvm::Value* load_vectors(llvm::LoadInst& load, llvm::Value* first,
                            llvm::ArrayRef<std::int64_t> places,
                            llvm::ArrayRef<std::int64_t> starts);
  llvm::Value* load_each(llvm::LoadInst& load, llvm::Value* first,
                         llvm::ArrayRef<std::int64_t> places);
  /// False if the lanes' places are not known, or of no use.
  bool store_known_places(llvm::StoreInst& store);
  struct PlacedStores;
  PlacedStores stores_beside(llvm::StoreInst& store);
  struct StoresOfBase;
  const StoresOfBase* stores_of_base(llvm::StoreInst& store);
  void find_known_stores(llvm::BasicBlock& block);
  bool may_wait(const PlacedStores& stores);
  void store_vectors(const PlacedStores& stores);
  llvm::Value* in_first_lane(llvm::Value* value);
  void emit_store(llvm::StoreInst& store);
  void note(const llvm::Instruction& instruction, PlanNote::Kind kind, const llvm::Twine& form,
            ForEachThread each = ForEachThread::Nothing, std::size_t threads = 0);
  void note_access(const llvm::Instruction& access, const llvm::Twine& form,
                   ForEachThread each = ForEachThread::Nothing) {
    note(access, PlanNote::Kind::Access, form, each, lanes_);
  }
  void note_work(const llvm::Instruction& instruction);
  double trips() const;
  llvm::Value* lane_of(llvm::Value* value, llvm::Value* lane);
  bool is_full(llvm::Value* mask) const;
  /// An integer with a bit for each lane, of 32 bits or more.
  llvm::IntegerType* bits_type();
  llvm::Value* bits_of_mask();

  llvm::Function& source_;
  const llvm::DataLayout& layout_;
  const ControlFlow& flow_;
  const Shapes& shapes_;
  const Shapes& guesses_;  ///< where accesses that cannot be proved to be adjacent may well be
  LaneDistances distances_;
  LaneConstants constants_;
  const unsigned columns_, rows_, lanes_;
  const bool full_;
  const bool waits_;  ///< there are barriers or warp operations
  const target::Processor& processor_;
  Plan* plan_ = nullptr;
  /// Cycles by place in the PTX and block: of several copies of a place the dearest one counts.
  std::map<std::pair<std::string, std::uint32_t>, std::map<const llvm::BasicBlock*, double>> work_;
  llvm::Function* target_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
  llvm::IRBuilder<> b_;
  const llvm::BasicBlock* block_ = nullptr;  ///< that is being written
  llvm::Value* mask_ = nullptr;              ///< of the block that is being written
  llvm::DenseMap<const llvm::Value*, llvm::Value*>
      local_;  ///< values of the block that is being written
  llvm::DenseMap<const llvm::Value*, llvm::AllocaInst*> slots_;
  /// Of values that may be affine: those of rows' first lanes, then whether the others follow.
  llvm::DenseMap<const llvm::Value*, std::vector<llvm::AllocaInst*>> guess_slots_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::AllocaInst*>
      sent_;  ///< lanes that will run an owner next
  llvm::DenseMap<const llvm::BasicBlock*, llvm::AllocaInst*>
      masks_;  ///< lanes that ran an owner last
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> starts_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*>
      bodies_;  ///< of loops' headers, behind the question whether there are lanes
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BitVector>
      pending_;  ///< blocks still to be visited, by position
  llvm::DenseMap<const llvm::Instruction*, llvm::Value*> parted_;  ///< loads of parts of structures
  llvm::DenseMap<const llvm::Loop*, bool> have_lists_;             ///< has_list's answers
  llvm::StringMap<llvm::Value*> specials_;
  std::vector<llvm::AllocaInst*> lane_memory_;
  unsigned bodies_in_line_ = 0;  ///< written down by for_each_lane_in_line
  unsigned lanes_apart_ = 0;     ///< of known places, with a load of their own
  llvm::BasicBlock* stores_known_of_ = nullptr;
  std::map<std::pair<LaneDistances::Sum, std::int64_t>, std::shared_ptr<StoresOfBase>>
      known_stores_;  ///< of that block, by base and the bytes of an element
};

}  // namespace pycuda::cpu::simt
