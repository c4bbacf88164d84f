// SPDX-License-Identifier: MIT
// Pass: gathers of neighbouring parts of structures become a load of all these parts for each lane.
#pragma once

#include <cstdint>

namespace llvm {
class Module;
}  // namespace llvm

namespace pycuda::cpu::jit {

/// What the processor offers to structure_gathers.
struct StructureLoads {
  std::uint64_t register_bytes = 16;  ///< of its vectors: 16, 32 or 64
  bool masks = false;                 ///< loads of some elements of a vector
  unsigned fewest_parts = 2;          ///< that are worth it
};

/// Before: the x, y and z of the points that a list names are gathers of their own, with the same
/// mask, each of which reads every lane's point. After: each lane's point is read once, and
/// shuffles put its parts in order. Only bytes that the gathers read are read. Of lanes that are
/// masked out a place on the stack is read, so that there are no branches. Comes after
/// index_gathers, for the end of the pipeline. True if anything changed.
bool join_structure_gathers(llvm::Module& module, const StructureLoads& loads);

}  // namespace pycuda::cpu::jit
