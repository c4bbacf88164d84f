// SPDX-License-Identifier: MIT
// Pass: a gang's function with barriers becomes one function for each way from barrier to barrier.
#pragma once

#include <llvm/IR/Function.h>

#include <cstdint>
#include <vector>

namespace pycuda::cpu::simt {

/// A gang's state, a region's number, has this bit where the gang waits at a pause: those that wait
/// at a barrier stay there until the others, too, have got to one.
inline constexpr std::uint32_t pausing = std::uint32_t{1} << 30;

/// Where gangs keep what lives across barriers and cannot be recomputed.
enum class Frames : std::uint8_t {
  Apart,     ///< each gang in a frame of its own
  Together,  ///< all gangs each value in turn: who walks over many gangs reads no more than it
             ///< needs
};

/// The regions of a gang function, between its barriers and pauses. Region 0 starts at the kernel's
/// start, region k > 0 behind barrier k. Each is `i32 (ptr %thread, ptr %frame, i32 x, i32 y, i32
/// z, i32 lanes, i64 index, i64 gangs)`: it runs one gang, whose first thread is (x, y, z), to the
/// next barrier or pause, whose state it returns, or to its end (0). `frame` is the gang's own, or
/// that of all `gangs`, of which it is number `index`.
struct Regions {
  Frames frames = Frames::Apart;
  std::vector<llvm::Function*> functions;
  std::vector<bool> behind_pause;  ///< by region
  std::uint32_t state(std::size_t region) const {
    return static_cast<std::uint32_t>(region) | (behind_pause[region] ? pausing : 0);
  }
  /// Also a state: the gang has not run yet.
  std::uint32_t fresh() const { return static_cast<std::uint32_t>(functions.size()); }
  /// Of a gang whose next region this is.
  std::uint32_t state_before(std::size_t region) const {
    return region == 0 ? fresh() : state(region);
  }
  std::uint64_t frame_bytes = 0;
  std::uint64_t frame_alignment = 1;
};

/// How many instructions the regions of `gang` would have together, at most.
std::size_t region_instructions(const llvm::Function& gang);

/// `gang` is void (ptr %thread), all its barriers are for the whole block; it is gone afterwards.
Regions split_at_barriers(llvm::Function& gang, llvm::StringRef name,
                          Frames frames = Frames::Apart);

}  // namespace pycuda::cpu::simt
