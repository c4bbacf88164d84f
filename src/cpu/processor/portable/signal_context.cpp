// SPDX-License-Identifier: MIT
#include "cpu/processor/signal_context.h"

namespace pycuda::cpu::processor {

std::uintptr_t program_counter(const ucontext_t& context) {
#if defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
  static_cast<void>(context);
  return 0;
#endif
}

UnaddressedFault judge_unaddressed_fault(const ucontext_t&) { return {}; }

}  // namespace pycuda::cpu::processor
