// SPDX-License-Identifier: MIT
// A copy or fill of pitched memory, in up to three dimensions.
#pragma once

#include <cstdint>
#include <string>

#include "cpu/exec/fault.h"

namespace pycuda::cpu::exec {

struct PitchedTransfer {
  std::uint64_t to = 0, to_pitch = 0, to_slice = 0;  ///< bytes from row to row, slice to slice
  std::uint64_t from = 0, from_pitch = 0, from_slice = 0;
  bool fills = false;  ///< with `value`, from nowhere
  std::uint32_t value = 0;
  std::uint32_t element = 1;  ///< bytes of a value: 1, 2 or 4; rows hold whole ones
  std::uint64_t width = 0, height = 1, depth = 1;  ///< bytes, rows, slices

  bool empty() const { return width == 0 || height == 0 || depth == 0; }
  /// From the first byte to the last one that is touched, or the most there can be.
  std::uint64_t to_bytes() const { return bytes(to_pitch, to_slice); }
  std::uint64_t from_bytes() const { return bytes(from_pitch, from_slice); }

 private:
  std::uint64_t bytes(std::uint64_t pitch, std::uint64_t slice) const;
};

/// Runs it on the calling thread. Memory that was freed meanwhile is a fault, whose message names
/// `whose` operation it was.
void run_pitched_transfer(const PitchedTransfer& box, const std::string& kernel,
                          const std::string& whose, FaultSink& faults);

}  // namespace pycuda::cpu::exec
