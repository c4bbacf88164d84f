// SPDX-License-Identifier: MIT
#include "cpu/processor/signal_context.h"

namespace pycuda::cpu::processor {

std::uintptr_t program_counter(const ucontext_t& context) { return context.uc_mcontext.pc; }

/// The system gives the address of every fault but those of alignment.
UnaddressedFault judge_unaddressed_fault(const ucontext_t&) { return {}; }

}  // namespace pycuda::cpu::processor
