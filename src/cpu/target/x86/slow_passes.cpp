// SPDX-License-Identifier: MIT
#include "cpu/target/target_machine.h"

namespace pycuda::cpu::target {

std::span<const char* const> options_against_slow_passes() {
  // X86DomainReassignment moves integer arithmetic to mask registers where it can. It hardly ever
  // can, and its search takes time that grows with the square of a block's length.
  static constexpr const char* options[] = {"disable-x86-domain-reassignment"};
  return options;
}

bool takes_list_scheduler() { return true; }

}  // namespace pycuda::cpu::target
