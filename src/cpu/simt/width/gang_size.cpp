// SPDX-License-Identifier: MIT
// What a kernel computes, reads and writes, and how its threads part, say how wide its gangs are
// best.
#include "cpu/simt/width/gang_size.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "cpu/simt/analysis/block_coarsening.h"
#include "cpu/simt/analysis/shared_memory.h"
#include "cpu/simt/analysis/slice.h"
#include "cpu/simt/analysis/special_values.h"
#include "cpu/simt/analysis/warp_sites.h"
#include "cpu/simt/memory/memory_passes.h"
#include "cpu/simt/width/compile_cost.h"
#include "cpu/simt/width/gang_work.h"
#include "cpu/simt/width/loop_widths.h"
#include "cpu/simt/width/register_pressure.h"

namespace pycuda::cpu::simt {
namespace {

constexpr unsigned narrow = 16, long_kernel = 1200;

bool is_floating_point_operation(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return call->getIntrinsicID() == llvm::Intrinsic::fma ||
           call->getIntrinsicID() == llvm::Intrinsic::sqrt;
  return llvm::isa<llvm::BinaryOperator>(instruction) && instruction.getType()->isFloatingPointTy();
}

/// Whether 16 of what `store` writes are a whole vector of most processors.
bool fills_vectors(const llvm::Instruction& store) {
  constexpr unsigned least_bits = 32;
  const llvm::DataLayout& layout = store.getDataLayout();
  return layout.getTypeStoreSizeInBits(store.getOperand(0)->getType()) >= least_bits;
}

/// Whether most of what loops access are elements of shared memory that lie apart for each lane,
/// with a constant stride: rows of a tile that threads own, or its columns. Whole vectors are of no
/// use there.
bool strides_in_loops(const GangWork& work) {
  unsigned all = 0, strided = 0;
  for (const Access& access : work.accesses()) {
    if (access.shape.is_uniform() || !work.flow().loop_of(access.instruction->getParent()))
      continue;
    ++all;
    strided += access.stride() == StrideClass::Strided &&
                       std::abs(access.shape.stride) > access.bytes &&
                       is_in_shared(llvm::getLoadStorePointerOperand(access.instruction))
                   ? 1
                   : 0;
  }
  return strided * 2 > all;
}

/// Kernels that take a thread's number apart by powers of two, as transforms do in shared memory,
/// walk neighbours as far as the smaller power reaches: narrow gangs, for which that is a whole
/// vector, are better than wide ones that gather.
bool neighbours_are_near(const GangWork& work) {
  constexpr unsigned share = 5;
  if (work.size().columns <= narrow) return false;
  const GangWork::Counts& wide = work.counts();
  if (wide.gathered == 0 || wide.gathered * share < wide.all) return false;
  const unsigned other = GangWork(work.kernel(), narrow).counts().gathered;
  return (wide.gathered - std::min(wide.gathered, other)) * share >= wide.all;
}

/// Whether `kernel` is compiled soon also for the widest gangs, whose values fill several registers
/// each: it is not long and has no doubles.
bool is_short(llvm::Function& kernel) {
  return kernel.getInstructionCount() <= long_kernel &&
         llvm::none_of(llvm::instructions(kernel), [](const llvm::Instruction& instruction) {
           return instruction.getType()->isDoubleTy();
         });
}

/// Tiles of more rows share little where most elements are gathered, and many of these fill the
/// registers.
bool gathers_most(const GangWork::Counts& counts) {
  constexpr unsigned share = 5, many = 12;
  return counts.gathered >= many && counts.gathered * share >= counts.all * (share - 1);
}

/// Whether what `from` is computed from includes what `load` has read, before.
bool follows(const llvm::Value* from, const llvm::LoadInst& load) {
  return find_in_slice(
      {from},
      [&](const llvm::Instruction& source) {
        if (&source == &load) return Slice::Found;
        return llvm::isa<llvm::LoadInst>(source) || !source.mayReadFromMemory() ? Slice::Through
                                                                                : Slice::Past;
      },
      long_kernel);
}

enum class Chase { None, Counted, UntilFound };

/// Whether threads walk through memory, as searches do: where they read next depends on what they
/// have read, and perhaps also for how long. Each step waits for the one before.
Chase chase_of(llvm::Function& kernel) {
  if (kernel.getInstructionCount() > long_kernel) return Chase::None;
  llvm::DominatorTree dominators(kernel);
  const llvm::LoopInfo loops(dominators);
  Chase found = Chase::None;
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const llvm::Loop* loop = loops.getLoopFor(instruction.getParent());
    if (!loop || !reads_data(instruction)) continue;
    const auto& load = llvm::cast<llvm::LoadInst>(instruction);
    if (!follows(load.getPointerOperand(), load)) continue;
    found = std::max(found, Chase::Counted);
    llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
    loop->getExitingBlocks(exiting);
    if (llvm::any_of(exiting, [&](const llvm::BasicBlock* block) {
          const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
          return branch && branch->isConditional() && follows(branch->getCondition(), load);
        }))
      return Chase::UntilFound;
  }
  return found;
}

/// Operations of a kernel on numbers: floats, and integers that end up in what it stores, not those
/// that only say where.
struct Arithmetic {
  unsigned floats = 0, integers = 0;
  bool doubles = false;  ///< not only in a rare way, as that of cosf for large arguments
};

Arithmetic arithmetic_of(const llvm::Function& kernel) {
  constexpr unsigned rare = 8;
  Arithmetic found;
  unsigned doubles = 0;
  llvm::SmallVector<const llvm::Value*, 8> stored;
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    found.floats += is_floating_point_operation(instruction) ? 1 : 0;
    doubles += instruction.getType()->isDoubleTy() ? 1 : 0;
    if (writes_data(instruction)) stored.push_back(instruction.getOperand(0));
  }
  found.doubles = doubles * rare > found.floats;
  find_in_slice(
      stored,
      [&](const llvm::Instruction& source) {
        if (source.mayReadFromMemory()) return Slice::Past;
        found.integers += source.getType()->isIntegerTy() &&
                                  llvm::isa<llvm::BinaryOperator, llvm::MinMaxIntrinsic>(source)
                              ? 1
                              : 0;
        return Slice::Through;
      },
      kernel.getInstructionCount() + 1);
  return found;
}

/// Whether an access of a loop has the same address in each trip: such places mostly become
/// registers (versioning/promote_accesses), and no memory is moved.
bool stays_in_place(const llvm::Instruction& access, const llvm::LoopInfo& loops) {
  const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&access);
  const llvm::Loop* loop = loops.getLoopFor(access.getParent());
  return pointer && loop && loop->isLoopInvariant(pointer);
}

/// Enough for the widest gangs. Those that wait for one another have less to do at a time.
bool is_much(const Arithmetic& arithmetic, unsigned loads, bool waits) {
  constexpr unsigned much = 13, much_between_barriers = 24, operations_of_load = 3;
  if (waits) return arithmetic.floats >= much_between_barriers;
  return arithmetic.floats >= much ||
         (arithmetic.integers >= much && arithmetic.integers >= operations_of_load * loads);
}

/// Every row that is read is a stream of lines, and a processor fetches no more than about 16 of
/// these ahead.
bool reads_many_rows(const Arithmetic& arithmetic, unsigned loads, const KernelFacts& facts) {
  constexpr unsigned many = 16;
  return !facts.loops && loads > many && arithmetic.floats + arithmetic.integers <= loads;
}

}  // namespace

/// Independent chains of operations hide their latency, and fewer gangs cost less between barriers:
/// so the more lanes, the better, until their values no longer fit into registers. Kernels of more
/// than one dimension are launched with rows of 16 threads or so; blocks smaller than a gang would
/// leave its lanes empty. What only moves memory streams best in the shortest pieces. What waits
/// for memory in each step of a search waits for as many lanes as there are at once.
unsigned choose_lanes(llvm::Function& kernel, const KernelFacts& facts) {
  constexpr unsigned little_arithmetic = 2;
  if (facts.max_threads < 32) return 16;
  unsigned instructions = 0, loads = 0, stores = 0;
  bool waits = false, stores_bytes = false;
  llvm::DominatorTree dominators(kernel);
  const llvm::LoopInfo loops(dominators);
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    ++instructions;
    if (!stays_in_place(instruction, loops)) {
      loads += reads_data(instruction) ? 1 : 0;
      stores += writes_data(instruction) ? 1 : 0;
    }
    stores_bytes |= writes_data(instruction) && !fills_vectors(instruction);
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || !call->getCalledFunction()) continue;
    waits |= call->isConvergent();
    if (const llvm::StringRef name = special_register(call); name == "tid.y" || name == "tid.z")
      return 16;
  }
  const Arithmetic arithmetic = arithmetic_of(kernel);
  const Chase chase = chase_of(kernel);
  if (chase == Chase::UntilFound && !arithmetic.doubles && facts.max_threads >= 64) return 64;
  const bool only_moves =
      loads > stores && arithmetic.floats + arithmetic.integers <= little_arithmetic * stores;
  if (chase == Chase::None && !waits && !stores_bytes && stores != 0 &&
      (only_moves || reads_many_rows(arithmetic, loads, facts)))
    return 16;
  const bool widest = is_much(arithmetic, loads, waits) && instructions <= long_kernel;
  return widest && !arithmetic.doubles && facts.max_threads >= 64 ? 64 : 32;
}

/// The tiles of a kernel whose threads differ along y; of one row if it is to have none. Rows of 16
/// are whole vectors of floats, and blocks of 16 x 16, 32 x 8 or 64 x 4 threads are made of them.
/// The more rows, the more use is made of what is the same for all of them.
GangSize choose_tile(llvm::Function& kernel, const KernelFacts& facts, unsigned lanes,
                     std::uint64_t register_bytes) {
  constexpr unsigned columns = 16;
  if (lanes == 0)
    lanes = fit_registers(kernel, kernel.getInstructionCount() <= long_kernel ? 64 : 32,
                          register_bytes);
  lanes = std::min(lanes, facts.max_threads / columns * columns);
  return lanes > columns ? GangSize(columns, lanes >= 4 * columns ? 4 : 2) : GangSize(lanes);
}

/// Whether each loop ends where a number that it adds to reaches a constant: what the threads of
/// fused blocks take together is then bounded by the code alone.
bool loops_count_to_constants(const ControlFlow& flow) {
  for (llvm::BasicBlock* block : flow.order()) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    const llvm::Loop* const loop = flow.loop_of(block);
    if (!loop || !loop->isLoopExiting(block)) continue;
    const auto* compare = branch && branch->isConditional()
                              ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition())
                              : nullptr;
    if (!compare || !llvm::isa<llvm::ConstantInt>(compare->getOperand(1))) return false;
    const llvm::Value* number = compare->getOperand(0);
    if (const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(number);
        sum && sum->getOpcode() == llvm::Instruction::Add &&
        llvm::isa<llvm::ConstantInt>(sum->getOperand(1)))
      number = sum->getOperand(0);
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(number);
    if (!phi || phi->getParent() != loop->getHeader()) return false;
  }
  return true;
}

/// Whether nothing that `source` accesses is the same for neighbouring rows: tiles, which would
/// read that once for all of theirs, gain nothing then.
bool rows_share_nothing(llvm::Function& kernel) {
  constexpr unsigned rows = 4;
  const GangWork work(kernel, GangSize(narrow, rows));
  return llvm::none_of(work.accesses(), [](const Access& access) {
    return access.shape.is_affine() && !access.shape.by_row;
  });
}

bool walks_rows(const KernelVariant& source, const KernelFacts& facts) {
  constexpr unsigned many_reads = 3;
  const GangWork work(*source.function, source.size);
  const GangWork::Counts& counts = work.counts();
  const bool mostly_narrow = counts.narrow * 2 > counts.all;
  if (counts.gathered != 0) return false;
  if (facts.loops && (!mostly_narrow || !loops_count_to_constants(work.flow()) ||
                      !rows_share_nothing(*source.function)))
    return false;
  if (!mostly_narrow && counts.reads < many_reads * (counts.all - counts.reads)) return false;
  return !work.parts_by_data();
}

/// Fused rows are long: the wider a gang, the less often it asks whether all of it passes a guard.
/// But all of a wide gang takes the long way where one of its lanes is at a border, which weighs
/// more in kernels that are not short.
bool settle_rows(KernelVariant& source, const KernelFacts& facts) {
  constexpr unsigned widest = 64, short_kernel = 150;
  if (!source.chosen || source.warps || source.size.is_tile() || facts.max_threads < widest ||
      has_barriers(*source.function) || !reads_special_register(*source.function, "tid.y") ||
      !coarsenable_block_size(*source.function))
    return false;
  const bool doubles = llvm::any_of(
      llvm::instructions(*source.function),
      [](const llvm::Instruction& instruction) { return instruction.getType()->isDoubleTy(); });
  const GangSize before = source.size;
  const bool is_long = source.function->getInstructionCount() > short_kernel;
  source.size = GangSize(doubles || is_long ? widest / 2 : widest);
  if (walks_rows(source, facts)) return true;
  source.size = before;
  return false;
}

namespace {

/// Gangs that take turns in a loop over the grid ask after each trip how it goes on: the wider, the
/// less often.
unsigned lanes_for_turns(llvm::Function& kernel, unsigned chosen,
                         const target::Processor& processor) {
  constexpr unsigned wide = 32, widest = 64;
  if (kernel.getInstructionCount() > long_kernel || !may_stride_over_grid(kernel, chosen))
    return chosen;
  const unsigned lanes =
      fit_registers(kernel, is_short(kernel) ? widest : wide, processor.register_bytes);
  return std::max(chosen, CompileCost(kernel).fit(lanes, narrow, processor.register_bytes));
}

}  // namespace

void settle_lanes(KernelVariant& source, const KernelFacts& facts) {
  constexpr unsigned widest = 64;
  if (!source.chosen || source.warps) return;
  if (source.size.is_tile()) return;
  const std::uint64_t register_bytes = source.processor->register_bytes;
  std::optional<GangWork> work(std::in_place, *source.function, source.size);
  if (strides_in_loops(*work) || neighbours_are_near(*work)) {
    source.size = GangSize(narrow);
    return;
  }
  if (!facts.loops || has_barriers(*source.function) ||
      reads_special_register(*source.function, "tid.y"))
    return;
  if (facts.max_threads >= widest) {
    const unsigned lanes =
        lanes_for_turns(*source.function, source.size.columns, *source.processor);
    if (lanes != source.size.columns) work.emplace(*source.function, lanes);
    source.size = GangSize(lanes);
  }
  switch (width_for_loops(*work, register_bytes)) {
    case LoopWidth::Few:
      if (source.size.columns > source.processor->streams) source.size = GangSize(narrow);
      break;
    case LoopWidth::Many:
      if (facts.max_threads >= widest && is_short(*source.function) &&
          CompileCost(*source.function).fit(widest, narrow, register_bytes) == widest)
        source.size = GangSize(widest);
      break;
    case LoopWidth::Any:
      break;
  }
}

void fit_masks(KernelVariant& source) {
  const unsigned mask_lanes = source.processor->mask_lanes;
  GangSize& size = source.size;
  if (!source.chosen || source.warps || size.lanes() <= mask_lanes ||
      !GangWork(*source.function, size).parts_by_data())
    return;
  (size.is_tile() ? size.rows : size.columns) /= size.lanes() / mask_lanes;
}

/// What a tile gains is what its rows have in common, and fewer gangs. It loses more where its
/// numbers go to memory and back.
bool gains_by_tiles(KernelVariant& source) {
  constexpr std::uint64_t bytes = 4, registers_of_number = 4;
  if (!source.chosen) return true;
  fit_masks(source);
  std::optional<GangWork> work(std::in_place, *source.function, source.size);
  // Rows that read and write anywhere share nothing; an index that all threads of a block count is
  // split again where gangs agree on its parts, in rows alone.
  if (work->counts().all != 0 && work->counts().gathered == work->counts().all) return false;
  if (source.size.rows > 2 && gathers_most(work->counts())) {
    source.size.rows = 2;
    work.emplace(*source.function, source.size);
  }
  // Some go to memory and back between their uses, at little cost.
  const std::uint64_t most =
      source.processor->register_bytes + source.processor->register_bytes / 2;
  const std::uint64_t live = most_live_numbers(*source.function) * bytes;
  // With more registers for each number, fewer rows still hide the latency of operations.
  const std::uint64_t lanes = registers_of_number * source.processor->vector_bytes / bytes;
  if (live * source.size.lanes() > most && source.size.lanes() > lanes && source.size.rows > 2)
    source.size.rows /= 2;
  return live * source.size.lanes() <= most && !strides_in_loops(*work);
}

}  // namespace pycuda::cpu::simt
