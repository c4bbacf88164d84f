// SPDX-License-Identifier: MIT
// Passes over finished code, where the processor says what is best.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cpu/kernel_abi/facts.h"
#include "cpu/simt/analysis/plan.h"

namespace llvm {
class Function;
class Instruction;
class Module;
class TargetMachine;
}  // namespace llvm

namespace pycuda::cpu::jit {

/// A kernel loses its tiles where making code of them would take seconds. Erases the tiles of
/// kernels that are made of too many instructions of the processor: a tile has up to 64 lanes, and
/// what the processor has no vector form for (a division in 64 bits, a gather of bytes) is done for
/// each of them, in code of its own. Blocks of whole tiles run in gangs then. After gangs are
/// widened and functions have their target's attributes. `plans`, if any, say so.
void drop_costly_tiles(llvm::Module& module, std::vector<KernelFacts>& kernels,
                       llvm::TargetMachine& target, std::vector<simt::Plan>* plans);

/// Gathers and scatters address memory by one base and an index for each lane, of 32 bits where
/// these hold it. Before: the pointers of a gather or scatter are each lane's own sum of 64 bits.
/// After: where all lanes add one number to a base that they share, they are `getelementptr T, ptr
/// base, number`, which the instructions of the processor add and scale by themselves; with numbers
/// of 32 bits they move twice as many lanes at once. Returns whether anything changed. What the
/// sums were made of is left behind, dead where nothing else uses it.
bool index_gathers(llvm::Function& function);

/// LLVM's passes narrow a comparison of widened 16-bit floats to one of the floats themselves,
/// which a processor without arithmetic on them compares one element at a time. Compares f16 and
/// bf16 as f32, which is exact; f16 only if the host cannot compare it. For the end of the
/// pipeline: earlier, the comparisons would be narrowed again. True if anything changed; then
/// values may be widened twice.
bool widen_half_comparisons(llvm::Module& module, bool host_compares_halves);

/// Masked accesses that the processor has no instruction for. Replaces masked loads and stores that
/// `target` lacks, often those of bytes and halves, by a test and a loop over the active lanes. The
/// code generator would make a branch for each lane, which is most of the code of a kernel on
/// bytes. Where all lanes are active, a load or store of the whole vector remains. Gathers and
/// scatters become the loop alone. True if anything changed.
bool loop_over_masked_lanes(llvm::Module& module, llvm::TargetMachine& target);

/// What a coroutine computes again behind a suspension instead of keeping it in its frame. For
/// LLVM's CoroSplit: whether an instruction is computed again. Those are that it takes by itself,
/// with few others that its value needs. LLVM copies all of these for each use, however many: a
/// chain of a thousand that is read in a thousand places would become a million instructions. A
/// longer chain is kept in the frame here and there.
std::function<bool(llvm::Instruction&)> recomputed_values();

/// Gathers of all lanes, where a processor reads the lanes one by one faster. Makes each gather
/// that no lane is masked out of one load for each lane. Masked ones stay: they would need a branch
/// for each lane, and so do those marked simt::indirect_access, and those of a long function behind
/// thousands of such loads. Comes after index_gathers. For the end of the pipeline. True if
/// anything changed.
bool scalarise_gathers(llvm::Function& function);

/// Long blocks become several, since much takes time that grows with the square of a block. Cuts
/// blocks of more than `most` instructions into pieces of as many, each of which jumps to the next.
/// Splitting a block moves all that follows, and code is selected and scheduled for whole blocks.
void split_blocks(llvm::Function& function, unsigned most);

/// What the processor offers to join_structure_gathers.
struct StructureLoads {
  std::uint64_t register_bytes = 16;  ///< of its vectors: 16, 32 or 64
  bool masks = false;                 ///< loads of some elements of a vector
  unsigned fewest_parts = 2;          ///< that are worth it
};

/// Gathers of neighbouring parts of structures become a load of all these parts for each lane.
/// Before: the x, y and z of the points that a list names are gathers of their own, with the same
/// mask, each of which reads every lane's point. After: each lane's point is read once, and
/// shuffles put its parts in order. Only bytes that the gathers read are read. Of lanes that are
/// masked out a place on the stack is read, so that there are no branches. Comes after
/// index_gathers, for the end of the pipeline. True if anything changed.
bool join_structure_gathers(llvm::Function& function, const StructureLoads& loads);

}  // namespace pycuda::cpu::jit
