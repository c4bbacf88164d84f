// SPDX-License-Identifier: MIT
// The way into compiled code and the only way out when it faults: signals and runtime calls that do
// not return both jump back here.
#pragma once

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include "cpu/exec/local_stack.h"
#include "cpu/kernel_abi/frames.h"
#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::exec {

struct LaunchContext;

/// What is known at the moment of a fault; plain data, written in a signal handler.
struct FaultRecord {
  FaultKind kind{};
  std::uint64_t address = 0;
  bool address_known = false;
  bool is_handle = false;    ///< the address was given as a texture's or surface's handle
  bool thread_known = true;  ///< false: stopped from outside
  bool for_gang = false;     ///< `thread` is the first of its gang, it may have been another one
  int signal = 0;            ///< 0: a runtime call found it
  std::uintptr_t program_counter = 0;
  ThreadFrame* thread = nullptr;
  const char* headline = nullptr;  ///< what happened, instead of the kind's own words
  char detail[512] = {};           ///< more words for the message, from runtime calls
};

/// One per OS thread that runs compiled code.
class KernelEntry {
 public:
  /// The calling thread's, made (with an alternate signal stack) at first use.
  static KernelEntry& of_this_thread();

  /// Runs body(context). False when compiled code in it faulted: `fault()` says how. All frames
  /// between are skipped, so `body` holds nothing with a destructor while compiled code runs.
  bool run(LaunchContext* launch, void (*body)(void* context), void* context);
  const FaultRecord& fault() const { return fault_; }

  /// Around calls of compiled code: from here on a fault is the kernel's. `thread` is who runs.
  void enter(ThreadFrame* thread) {
    thread_ = thread;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    in_code_ = 1;
  }
  void leave() {
    in_code_ = 0;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  /// The frame of the thread that runs now (of a block's only frame, for plain kernels).
  ThreadFrame* thread() const { return thread_; }

  bool runs(const LaunchContext& launch) const {
    return launch_.load(std::memory_order_relaxed) == &launch;
  }

  /// Leaves compiled code with this fault.
  [[noreturn]] void raise(const FaultRecord& record);

  /// Where compiled code keeps its local arrays. What it leaves there goes when `run` ends.
  LocalStack& local_stack() { return local_stack_; }
  const LocalStack& local_stack() const { return local_stack_; }

  /// The stack that compiled code may use now: from the thread's lowest stack address to where
  /// `run` was called.
  std::uintptr_t stack_low() const { return stack_low_; }
  std::uintptr_t stack_entry() const { return stack_entry_; }

  KernelEntry(const KernelEntry&) = delete;
  KernelEntry& operator=(const KernelEntry&) = delete;

 private:
  friend class RuntimeScope;
  friend struct FaultSignals;
  KernelEntry();
  ~KernelEntry();
  void find_stack();
  /// Ends the launch if it has been stopped.
  void leave_late();

  sigjmp_buf escape_;
  volatile std::sig_atomic_t in_code_ = 0;
  volatile std::sig_atomic_t in_runtime_ = 0;  ///< a runtime call holds locks: stop it only after
  volatile std::sig_atomic_t is_interrupted_ = 0;  ///< meanwhile
  ThreadFrame* volatile thread_ = nullptr;
  std::atomic<LaunchContext*> launch_{nullptr};
  FaultRecord fault_;
  LocalStack local_stack_;
  std::uintptr_t stack_low_ = 0;
  std::uintptr_t stack_entry_ = 0;
  std::uintptr_t guard_low_ = 0;
  void* signal_stack_ = nullptr;
};

/// In a runtime call that must not be left half-done: a launch that is stopped by its time limit
/// waits for the end of the outermost scope. Faults inside still leave at once.
class RuntimeScope {
 public:
  RuntimeScope() : RuntimeScope(KernelEntry::of_this_thread()) {}
  /// With the calling thread's entry, for those who have it at hand.
  explicit RuntimeScope(KernelEntry& entry) : entry_(entry), outer_(entry.in_runtime_) {
    entry_.in_runtime_ = 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~RuntimeScope() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    entry_.in_runtime_ = outer_;
    if (outer_ == 0 && entry_.is_interrupted_ != 0) entry_.leave_late();
  }
  RuntimeScope(const RuntimeScope&) = delete;
  RuntimeScope& operator=(const RuntimeScope&) = delete;

 private:
  KernelEntry& entry_;
  const std::sig_atomic_t outer_;  ///< what `in_runtime_` was before
};

/// Makes sure that our handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGTRAP are the first to be
/// asked; faults outside kernels go on to whatever handlers were there before. Cheap enough for
/// calls that load a module, not for each launch.
void install_fault_signals();

/// Interrupts whatever runs `launch` (its `timed_out` is set): used by the watchdog, again and
/// again until the launch has ended.
void interrupt_runners(const LaunchContext& launch);
/// The same for whatever runs, while `interrupting()`.
void interrupt_all_runners();

}  // namespace pycuda::cpu::exec
