// SPDX-License-Identifier: MIT
// What the lanes of a warp compute together.
#pragma once

#include <cstdint>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu::exec {

/// Executes `op` for the lanes of `participants`, whose frames are warp[lane]: reads their operands
/// and writes their results. A shuffle from a lane that does not take part gives the lane's own
/// value.
void execute_warp_op(WarpOp op, std::uint32_t participants, ThreadFrame* warp);

/// Whether `thread`, which is at a warp operation, waits there for the lanes of its warp that may
/// still come (simt/blocks/warp_turns.h): no operation of the program. Operations that count are
/// turns too.
inline bool is_at_turn(const ThreadFrame& thread) {
  const auto op = static_cast<WarpOp>(thread.detail);
  return thread.mask == 0 && (op == WarpOp::Sync || counts(op));
}

/// The PTX name of an operation, for messages.
const char* warp_op_name(WarpOp op);

}  // namespace pycuda::cpu::exec
