// SPDX-License-Identifier: MIT
// An access that the lanes of a gang make at once, as compiled code reports it.
#pragma once

#include <bit>
#include <cstdint>

#include "cpu/kernel_abi/checks.h"
#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu::exec {

struct GangAccess {
  const ThreadFrame& gang;
  AccessOfGang what;
  std::uint64_t lanes = 0;  ///< a bit for each that makes it; bit 0 is `what.first_lane`
  const std::uint64_t* addresses = nullptr;  ///< of the lanes; null: `first` + lane * `stride`
  std::uint64_t first = 0;
  std::int64_t stride = 0;
  const std::uint64_t* low = nullptr;  ///< by lane, what is written; null: not known
  const std::uint64_t* high = nullptr;

  std::uint64_t address(unsigned lane) const {
    return addresses != nullptr ? addresses[lane]
                                : first + lane * static_cast<std::uint64_t>(stride);
  }
  /// Lanes whose addresses turn out to lie side by side are a row.
  void find_row() {
    const auto lowest = static_cast<unsigned>(std::countr_zero(lanes));
    const auto highest = static_cast<unsigned>(std::bit_width(lanes) - 1);
    const std::uint64_t start = addresses[lowest] - std::uint64_t{lowest} * what.bytes;
    if (addresses[highest] != start + std::uint64_t{highest} * what.bytes) return;
    std::uint64_t differences = 0;
    if ((lanes & (lanes + 1)) == 0) {
      for (unsigned lane = 0; lane < highest; ++lane)
        differences |= addresses[lane] ^ (start + std::uint64_t{lane} * what.bytes);
    } else {
      each(lanes, [&](unsigned lane) {
        differences |= addresses[lane] ^ (start + std::uint64_t{lane} * what.bytes);
      });
    }
    if (differences != 0) return;
    first = start;
    stride = what.bytes;
    addresses = nullptr;
  }
  /// The number of a lane's thread in the block.
  std::uint32_t thread(unsigned lane) const {
    lane += what.first_lane;
    if (what.in_line) return gang.tid.x + lane;
    if (lane < what.columns) return gang.linear + lane;
    return gang.linear + lane / what.columns * gang.block->launch->block.x + lane % what.columns;
  }
  /// Whether no two lanes access the same byte.
  bool is_apart() const {
    const auto bytes = static_cast<std::int64_t>(what.bytes);
    return (lanes & (lanes - 1)) == 0 ||
           (addresses == nullptr && (stride >= bytes || stride <= -bytes));
  }
  bool writes() const { return (what.flags & AccessFlags::write) != 0; }
  bool is_strong() const { return (what.flags & AccessFlags::strong) != 0; }

  /// Calls visit(lane) for those of `lanes`.
  template <class Visit>
  static void each(std::uint64_t lanes, Visit&& visit) {
    for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(std::countr_zero(lanes)));
  }
};

}  // namespace pycuda::cpu::exec
