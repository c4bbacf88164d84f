// SPDX-License-Identifier: MIT
// Threads with stacks of their own: contexts of the C library that the scheduler and they switch
// between. To a debugger a thread that waits is in a call.
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <new>

#include "cpu/kernel_abi/frames.h"
#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::exec {
namespace {

/// At the top of a thread's memory; the stack is what lies below.
struct alignas(64) ThreadStack {
  ResumeFunction resume;  ///< what the scheduler calls
  ThreadFrame* thread;
  void (*body)(ThreadFrame* thread);
  ucontext_t own, scheduler;
};
static_assert(offsetof(ThreadStack, resume) == 0);

void resume(void* memory) {
  auto& stack = *static_cast<ThreadStack*>(memory);
  swapcontext(&stack.scheduler, &stack.own);
}

/// Contexts take numbers of 32 bits.
void run(unsigned low, unsigned high) {
  auto& stack = *reinterpret_cast<ThreadStack*>(std::uintptr_t{high} << 32 | low);
  stack.body(stack.thread);
  stack.thread->state = ThreadState::Exited;
  swapcontext(&stack.own, &stack.scheduler);
}

}  // namespace
}  // namespace pycuda::cpu::exec

using pycuda::cpu::ThreadFrame;
namespace exec = pycuda::cpu::exec;

void pycuda_cpu_begin_on_stack(ThreadFrame* thread, void* memory, void (*body)(ThreadFrame* thread),
                               std::uint64_t bytes, std::uint32_t by_stack_limit) {
  bytes += sizeof(exec::ThreadStack) + alignof(exec::ThreadStack);
  if (memory == nullptr) {
    thread->scratch = bytes;
    thread->stack_used = by_stack_limit;
    thread->detail = 1;
    return;
  }
  bytes += std::uint64_t{by_stack_limit} * thread->block->launch->stack_bytes;
  const auto low = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t address = (low + bytes - sizeof(exec::ThreadStack)) /
                                 alignof(exec::ThreadStack) * alignof(exec::ThreadStack);
  auto& stack =
      *new (reinterpret_cast<void*>(address)) exec::ThreadStack{exec::resume, thread, body, {}, {}};
  thread->coroutine = &stack;
  getcontext(&stack.own);
  stack.own.uc_stack.ss_sp = memory;
  stack.own.uc_stack.ss_size = address - low;
  makecontext(&stack.own, reinterpret_cast<void (*)()>(exec::run), 2,
              static_cast<unsigned>(address), static_cast<unsigned>(address >> 32));
  exec::resume(&stack);
}

void pycuda_cpu_wait_on_stack(ThreadFrame* thread) {
  auto& stack = *static_cast<exec::ThreadStack*>(thread->coroutine);
  swapcontext(&stack.own, &stack.scheduler);
}
