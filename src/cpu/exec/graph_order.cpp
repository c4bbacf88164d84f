// SPDX-License-Identifier: MIT
#include "cpu/exec/graph_order.h"

namespace pycuda::cpu::exec {

GraphOrder::GraphOrder(const Sequence& sequence, StreamOrder& stream)
    : after_(sequence.after),
      stream_(stream),
      branch_of_(after_.size()),
      begin_(stream.now()),
      done_(after_.size()) {
  std::vector<bool> goes_on(after_.size(), false);
  std::size_t branches = 0;
  for (std::size_t step = 0; step < after_.size(); ++step) {
    branch_of_[step] = branches;
    for (const std::size_t before : after_[step]) {
      if (goes_on[before]) continue;
      goes_on[before] = true;
      branch_of_[step] = branch_of_[before];
      break;
    }
    if (branch_of_[step] == branches) ++branches;
  }
}

StreamOrder& GraphOrder::enter(std::size_t step) {
  StreamOrder& branch = stream_.branch(branch_of_[step]);
  branch.join(begin_);
  for (const std::size_t before : after_[step]) branch.join(done_[before]);
  return branch;
}

void GraphOrder::leave(std::size_t step) { done_[step] = stream_.branch(branch_of_[step]).now(); }

void GraphOrder::end() const {
  for (const auto& clock : done_) stream_.join(clock);
}

}  // namespace pycuda::cpu::exec
