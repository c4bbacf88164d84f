// SPDX-License-Identifier: MIT
// Pass: a gang's function with barriers becomes one function for each way from barrier to barrier.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>
#include <vector>

namespace pycuda::cpu::simt {

/// The regions of a gang function, between its barriers and pauses. Region 0 starts at the kernel's
/// start, region k > 0 behind barrier k. Each is `i32 (ptr %thread, ptr %frame, i32 x, i32 y, i32
/// z, i32 lanes)`: it runs one gang, whose first thread is (x, y, z), to the next barrier, whose
/// number it returns, or to its end (0). What lives across barriers and cannot simply be computed
/// again lies in the gang's frame.
struct Regions {
  std::vector<llvm::Function*> functions;
  std::uint64_t frame_bytes = 0;
  std::uint64_t frame_alignment = 1;
};

/// How many instructions the regions of `gang` would have together, at most.
std::size_t region_instructions(const llvm::Function& gang);

/// `gang` is void (ptr %thread), all its barriers are for the whole block, or all are pauses; it is
/// gone afterwards.
Regions split_at_barriers(llvm::Function& gang, llvm::StringRef name);

}  // namespace pycuda::cpu::simt
