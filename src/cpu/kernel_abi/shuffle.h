// SPDX-License-Identifier: MIT
// Which lane a shuffle reads, by PTX's rule: for single threads and for vectors.
#pragma once

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu {

/// The lane that a lane's value comes from: itself if the place is out of range.
struct ShuffleSource {
  unsigned lane;
  bool in_range;
};

/// Of shfl's operands `b` (a distance or a lane, below 32) and `c` (clamp and segment). Whether the
/// other lane takes part is for the caller to ask.
constexpr ShuffleSource shuffle_source(WarpOp op, unsigned lane, unsigned b, unsigned c) {
  const unsigned clamp = c & 31, segment = c >> 8 & 31;
  const unsigned lowest = lane & segment, limit = lowest | (clamp & ~segment);
  unsigned source = lowest | (b & ~segment);
  if (op == WarpOp::ShuffleUp) {
    if (lane < limit + b) return {lane, false};
    return {lane - b, true};
  }
  if (op == WarpOp::ShuffleDown) source = lane + b;
  if (op == WarpOp::ShuffleButterfly) source = lane ^ b;
  return source <= limit ? ShuffleSource{source, true} : ShuffleSource{lane, false};
}

}  // namespace pycuda::cpu
