// SPDX-License-Identifier: MIT
// The order of a graph's nodes for the check for races: what its edges ask for, though its steps
// run one after the other.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cpu/exec/stream.h"
#include "cpu/exec/work_order.h"

namespace pycuda::cpu::exec {

/// Of one run of a sequence with edges. Used by the holder of the stream's token.
class GraphOrder {
 public:
  GraphOrder(const Sequence& sequence, StreamOrder& stream);

  /// The place of the step in the order: it comes after those that its edges name.
  StreamOrder& enter(std::size_t step);
  void leave(std::size_t step);
  /// What comes next in the stream comes after all steps.
  void end() const;

 private:
  const std::vector<std::vector<std::size_t>>& after_;
  StreamOrder& stream_;
  /// Steps that come one after the other are as work of a stream.
  std::vector<std::size_t> branch_of_;  ///< by step
  const std::shared_ptr<const WorkClock> begin_;
  std::vector<std::shared_ptr<const WorkClock>> done_;  ///< by step
};

}  // namespace pycuda::cpu::exec
