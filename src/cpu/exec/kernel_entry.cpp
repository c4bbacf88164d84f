// SPDX-License-Identifier: MIT
// Signal handlers that jump out of compiled code, and the per-thread record that they read.
#include "cpu/exec/kernel_entry.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <mutex>
#include <vector>

#include "cpu/exec/block_run.h"
#include "cpu/exec/interrupts.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/page_migration.h"
#include "cpu/exec/probe_process.h"
#include "cpu/exec/stack_fence.h"
#include "cpu/processor/float_control.h"
#include "cpu/processor/signal_context.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::size_t signal_stack_bytes = std::size_t{64} << 10;
constexpr std::array fault_signals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
constexpr std::uintptr_t guard_span = std::uintptr_t{1} << 20;

// Read in signal handlers: the initial-exec model never allocates.
#if defined(__GNUC__)
__attribute__((tls_model("initial-exec")))
#endif
thread_local KernelEntry* current_entry = nullptr;

struct Runners {
  std::mutex mutex;  ///< protects `all`: an entry in it belongs to a living thread
  std::vector<std::pair<KernelEntry*, pthread_t>> all;
};

Runners& runners() {
  static Runners* const instance = new Runners;
  return *instance;
}

struct Chain {
  std::mutex mutex;  ///< taken to install, never in a handler
  std::array<struct sigaction, fault_signals.size()> previous{};
};

Chain& chain() {
  static Chain* const instance = new Chain;
  return *instance;
}

void describe(FaultRecord& record, const char* words) {
  std::strncpy(record.detail, words, sizeof record.detail - 1);
}

int interrupt_signal() {
  // A real-time signal that nobody has claimed; chosen once.
  static const int chosen = [] {
    for (int number = SIGRTMAX - 2; number > SIGRTMIN; --number) {
      struct sigaction now{};
      if (sigaction(number, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
          now.sa_handler == SIG_DFL) {
        return number;
      }
    }
    return SIGURG;
  }();
  return chosen;
}

}  // namespace

/// The handlers; a friend of KernelEntry.
struct FaultSignals {
  static void handle(int number, siginfo_t* info, void* raw_context) {
    if (number == SIGSEGV && info->si_code == SEGV_ACCERR && !in_probe_process() &&
        waited_for_migration(reinterpret_cast<std::uintptr_t>(info->si_addr)))
      return;
    KernelEntry* const entry = current_entry;
    if (entry == nullptr || entry->in_code_ == 0) {
      pass_on(number, info, raw_context);
      return;
    }
    const auto& context = *static_cast<const ucontext_t*>(raw_context);
    FaultRecord record;
    record.signal = number;
    record.program_counter = processor::program_counter(context);
    record.thread = entry->thread_;
    record.address = reinterpret_cast<std::uint64_t>(info->si_addr);
    record.address_known = true;
    judge(*entry, *info, context, record);
    restore_mask(context);
    entry->raise(record);
  }

  static void judge_unaddressed(const ucontext_t& context, FaultRecord& record) {
    const processor::UnaddressedFault fault = processor::judge_unaddressed_fault(context);
    record.kind = fault.is_misaligned ? FaultKind::MisalignedAddress : FaultKind::IllegalAddress;
    record.address_known = fault.address.has_value();
    if (fault.address) record.address = *fault.address;
  }

  /// Of threads that have stacks of their own.
  static bool is_below_own_stack(const FaultRecord& record) {
    if (record.thread == nullptr || record.thread->block == nullptr) return false;
    const auto* const run = static_cast<const BlockRun*>(record.thread->block->block);
    return run != nullptr && run->is_below_stack(*record.thread, record.address);
  }

  static void judge(const KernelEntry& entry, const siginfo_t& info, const ucontext_t& context,
                    FaultRecord& record) {
    switch (record.signal) {
      case SIGSEGV:
        record.kind = FaultKind::IllegalAddress;
        if (info.si_code == SI_KERNEL) {
          judge_unaddressed(context, record);
        } else if (record.address == record.program_counter) {
          record.kind = FaultKind::InvalidProgramCounter;
        } else if ((record.address >= entry.guard_low_ && record.address < entry.stack_low_) ||
                   is_below_own_stack(record)) {
          record.kind = FaultKind::StackOverflow;
        }
        break;
      case SIGBUS:
        record.kind =
            info.si_code == BUS_ADRALN ? FaultKind::MisalignedAddress : FaultKind::IllegalAddress;
        break;
      case SIGFPE:
        record.kind = FaultKind::IllegalInstruction;
        record.address_known = false;
        describe(record, "arithmetic exception");
        break;
      case SIGTRAP:
        record.kind = FaultKind::Trap;
        record.address_known = false;
        break;
      default:
        record.kind = FaultKind::IllegalInstruction;
        record.address_known = false;
    }
  }

  /// The fault is not ours: the handler that was there before decides.
  static void pass_on(int number, siginfo_t* info, void* context) {
    if (in_probe_process()) _exit(1);
    const auto index = static_cast<std::size_t>(
        std::find(fault_signals.begin(), fault_signals.end(), number) - fault_signals.begin());
    const struct sigaction& before = chain().previous[index];
    // When handlers pass the same fault round in a circle, the default action ends it.
    static thread_local const void* last_context = nullptr;
    static thread_local std::uintptr_t last_counter = 0;
    static thread_local int repeats = 0;
    const std::uintptr_t counter =
        processor::program_counter(*static_cast<const ucontext_t*>(context));
    repeats = last_counter == counter && last_context != nullptr ? repeats + 1 : 0;
    last_counter = counter;
    last_context = context;
    const bool simple = (before.sa_flags & SA_SIGINFO) == 0;
    if (repeats > 16 ||
        (simple && (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN))) {
      struct sigaction standard{};
      standard.sa_handler = SIG_DFL;
      sigaction(number, &standard, nullptr);
      if (info->si_code <= 0) raise(number);  // sent by somebody: it does not come again by itself
      return;
    }
    if (simple) {
      before.sa_handler(number);
    } else {
      before.sa_sigaction(number, info, context);
    }
  }

  /// The jump restores no mask, and somebody may have wrapped our handler with a mask of theirs.
  static void restore_mask(const ucontext_t& context) {
    sigset_t mask;
    std::memcpy(&mask, &context.uc_sigmask, std::min(sizeof mask, sizeof context.uc_sigmask));
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  }

  static void interrupt(int, siginfo_t*, void* context) {
    KernelEntry* const entry = current_entry;
    if (entry == nullptr) return;
    LaunchContext* const launch = entry->launch_.load(std::memory_order_relaxed);
    if (launch != nullptr && interrupting()) launch->give_up();
    if (entry->in_runtime_ != 0) entry->is_interrupted_ = 1;
    if (entry->in_code_ == 0 || entry->in_runtime_ != 0) return;
    if (launch == nullptr || !launch->timed_out.load(std::memory_order_relaxed)) return;
    FaultRecord record;
    record.kind = FaultKind::Timeout;
    record.thread = entry->thread_;
    restore_mask(*static_cast<const ucontext_t*>(context));
    entry->raise(record);
  }
};

KernelEntry::KernelEntry() {
  find_stack();
  stack_t present{};
  if (sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE) != 0) {
    void* memory = mmap(nullptr, signal_stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
      stack_t own{};
      own.ss_sp = memory;
      own.ss_size = signal_stack_bytes;
      if (sigaltstack(&own, nullptr) == 0) {
        signal_stack_ = memory;
      } else {
        munmap(memory, signal_stack_bytes);
      }
    }
  }
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, interrupt_signal());
  for (const int number : fault_signals) sigaddset(&wanted, number);
  pthread_sigmask(SIG_UNBLOCK, &wanted, nullptr);
  {
    const std::unique_lock lock(runners().mutex);
    runners().all.emplace_back(this, pthread_self());
  }
  static const int installed = (install_fault_signals(), fence_main_stack(), 0);
  static_cast<void>(installed);
  current_entry = this;
}

KernelEntry::~KernelEntry() {
  current_entry = nullptr;
  {
    const std::unique_lock lock(runners().mutex);
    std::erase_if(runners().all, [this](const auto& runner) { return runner.first == this; });
  }
  if (signal_stack_ != nullptr) {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(signal_stack_, signal_stack_bytes);
  }
}

void KernelEntry::find_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
    stack_low_ = reinterpret_cast<std::uintptr_t>(low);
    guard_low_ = stack_low_ > guard_span ? stack_low_ - guard_span : 0;
  }
  pthread_attr_destroy(&attributes);
}

KernelEntry& KernelEntry::of_this_thread() {
  if (current_entry != nullptr) return *current_entry;
  // On the heap: the loader has little room for the thread-local data of libraries, and others need
  // some of it too.
  struct Own {
    KernelEntry* const entry = new KernelEntry();
    ~Own() { delete entry; }
  };
  thread_local const Own own;
  return *own.entry;
}

bool KernelEntry::run(LaunchContext* launch, void (*body)(void*), void* context) {
  const unsigned control = processor::float_control();
  stack_entry_ = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  launch_.store(launch, std::memory_order_relaxed);
  const bool flushes = launch != nullptr && launch->kernel.facts.processor_flushes;
  const std::uintptr_t local_top = local_stack_.top();
  const bool whole = sigsetjmp(escape_, 0) == 0;
  if (whole) {
    if (flushes) processor::set_float_control(control | processor::flush_subnormals);
    body(context);
  }
  if (flushes || !whole) processor::set_float_control(control);
  launch_.store(nullptr, std::memory_order_relaxed);
  local_stack_.pop(local_top);
  return whole;
}

void KernelEntry::raise(const FaultRecord& record) {
  in_code_ = 0;
  in_runtime_ = 0;
  is_interrupted_ = 0;
  std::memcpy(&fault_, &record, sizeof record);
  siglongjmp(escape_, 1);
}

void KernelEntry::leave_late() {
  is_interrupted_ = 0;
  const LaunchContext* const launch = launch_.load(std::memory_order_relaxed);
  if (launch == nullptr || !launch->timed_out.load(std::memory_order_relaxed)) return;
  FaultRecord record;
  record.kind = FaultKind::Timeout;
  record.thread = thread_;
  raise(record);
}

void install_fault_signals() {
  Chain& links = chain();
  const std::unique_lock lock(links.mutex);
  for (std::size_t i = 0; i < fault_signals.size(); ++i) {
    struct sigaction present{};
    if (sigaction(fault_signals[i], nullptr, &present) != 0) continue;
    if ((present.sa_flags & SA_SIGINFO) != 0 && present.sa_sigaction == FaultSignals::handle) {
      continue;
    }
    links.previous[i] = present;
    struct sigaction ours{};
    ours.sa_sigaction = FaultSignals::handle;
    // Not blocked while handled: the handler leaves by a jump that restores no mask.
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&ours.sa_mask);
    sigaction(fault_signals[i], &ours, nullptr);
  }
  static const bool interrupts = [] {
    struct sigaction ours{};
    ours.sa_sigaction = FaultSignals::interrupt;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
    sigemptyset(&ours.sa_mask);
    return sigaction(interrupt_signal(), &ours, nullptr) == 0;
  }();
  static_cast<void>(interrupts);
}

void interrupt_runners(const LaunchContext& launch) {
  const std::unique_lock lock(runners().mutex);
  for (const auto& [entry, thread] : runners().all) {
    if (entry->runs(launch)) pthread_kill(thread, interrupt_signal());
  }
}

void interrupt_all_runners() {
  const std::unique_lock lock(runners().mutex);
  for (const auto& [entry, thread] : runners().all) pthread_kill(thread, interrupt_signal());
}

}  // namespace pycuda::cpu::exec
