// SPDX-License-Identifier: MIT
// Kernels whose threads suspend, written by hand as the compiler makes them: a frame whose first
// word is the function that resumes it.
#pragma once

#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include "cpu/kernel_abi/frames.h"
#include "cpu/kernel_abi/kernel.h"

namespace pycuda::cpu::exec::tests {

/// The frame of a thread: a program counter and some registers that survive a suspension.
struct HandThread {
  ResumeFunction resume = nullptr;
  ThreadFrame* thread = nullptr;
  int step = 0;  ///< where to go on
  std::int64_t r[4] = {0, 0, 0, 0};

  template <class Value>
  Value parameter(std::size_t offset = 0) const {
    Value value;
    __builtin_memcpy(&value, thread->block->launch->params + offset, sizeof value);
    return value;
  }
  std::uint32_t lane() const { return thread->linear % 32; }
  std::uint32_t linear() const { return thread->linear; }
  std::uint32_t block_x() const { return thread->block->ctaid.x; }

  void exit() { thread->state = ThreadState::Exited; }
  void yield() { thread->state = ThreadState::Yielded; }
  void barrier(std::uint64_t id = 0, std::uint64_t count = 0) {
    thread->operand[0] = id;
    thread->operand[1] = count;
    thread->state = ThreadState::AtBarrier;
  }
  void barrier_arrive(std::uint64_t id, std::uint64_t count) {
    barrier(id, count);
    thread->state = ThreadState::AtBarrierArrive;
  }
  void barrier_reduce(std::uint64_t id, BarrierReduce kind, bool predicate) {
    barrier(id);
    thread->operand[2] = predicate;
    thread->detail = static_cast<std::uint32_t>(kind);
    thread->state = ThreadState::AtBarrierReduce;
  }
  void warp(WarpOp op, std::uint32_t mask, std::uint64_t a = 0, std::uint64_t b = 0,
            std::uint64_t c = 0, std::uint32_t site = 0) {
    thread->operand[0] = a;
    thread->operand[1] = b;
    thread->operand[2] = c;
    thread->mask = mask;
    thread->detail = static_cast<std::uint32_t>(op);
    thread->site = site;
    thread->state = ThreadState::AtWarpOp;
  }
};

/// A kernel from a function that runs one thread from `step` to its next suspension.
template <auto run>
Kernel suspending_kernel(std::string name) {
  Kernel kernel;
  kernel.facts.name = std::move(name);
  kernel.facts.suspends = true;
  kernel.facts.cost = 10;
  kernel.coroutine_bytes = sizeof(HandThread);
  kernel.start_thread = [](ThreadFrame* thread, std::byte* memory) {
    auto* const frame = new (memory) HandThread;
    frame->resume = [](void* coroutine) { run(*static_cast<HandThread*>(coroutine)); };
    frame->thread = thread;
    thread->coroutine = frame;
    run(*frame);
  };
  return kernel;
}

}  // namespace pycuda::cpu::exec::tests
