// SPDX-License-Identifier: MIT
// A gang has the frame of its first thread. A query about one of its lanes is made under that
// lane's numbers.
#pragma once

#include "cpu/exec/launch_context.h"
#include "cpu/kernel_abi/checks.h"

namespace pycuda::cpu::exec {

/// Lets a gang's frame name one lane after the other. Holds nothing: a fault may leave by a jump,
/// and then the frame names the lane at fault.
class GangLanes {
 public:
  GangLanes(ThreadFrame& gang, const AccessOfGang& access)
      : gang_(gang), tid_(gang.tid), linear_(gang.linear), access_(access) {}

  void become(unsigned lane) {
    const Dim3& block = gang_.block->launch->block;
    if (access_.in_line) {
      gang_.linear = tid_.x + lane;
      gang_.tid = thread_of_number(block, gang_.linear);
      return;
    }
    const unsigned column = lane % access_.columns, row = lane / access_.columns;
    gang_.tid = {tid_.x + column, tid_.y + row, tid_.z};
    gang_.linear = linear_ + row * block.x + column;
  }
  /// The frame is that of the first thread again.
  void leave() {
    gang_.tid = tid_;
    gang_.linear = linear_;
  }

 private:
  ThreadFrame& gang_;
  const Dim3 tid_;
  const std::uint32_t linear_;
  const AccessOfGang access_;
};

}  // namespace pycuda::cpu::exec
