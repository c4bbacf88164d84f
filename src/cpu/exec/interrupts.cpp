// SPDX-License-Identifier: MIT
// One thread that naps, and during a long wait a signal handler before the program's own.
#include "cpu/exec/interrupts.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/quiet_thread.h"

namespace pycuda::cpu::exec {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// A wait that a nap has seen twice is long.
constexpr milliseconds shortest_nap{50};
/// While nothing happens.
constexpr milliseconds longest_nap{800};
constexpr milliseconds repeat_after{20};
constexpr milliseconds patience{1000};

/// Counts SIGINT while it lives, and passes each on to the handler that was there. Without one
/// nothing is counted: the signal then ends the process, or is ignored.
class CountedInterrupts {
 public:
  CountedInterrupts() {
    count_.store(0);
    if (sigaction(SIGINT, nullptr, &before_) != 0) return;
    const bool plain = (before_.sa_flags & SA_SIGINFO) == 0;
    if (plain && (before_.sa_handler == SIG_DFL || before_.sa_handler == SIG_IGN)) return;
    struct sigaction ours = before_;
    ours.sa_sigaction = &handle;
    ours.sa_flags |= SA_SIGINFO;
    installed_ = sigaction(SIGINT, &ours, nullptr) == 0;
  }
  CountedInterrupts(const CountedInterrupts&) = delete;
  CountedInterrupts& operator=(const CountedInterrupts&) = delete;
  ~CountedInterrupts() {
    struct sigaction present{};
    if (!installed_ || sigaction(SIGINT, nullptr, &present) != 0) return;
    // The program may have set another meanwhile.
    const bool ours = (present.sa_flags & SA_SIGINFO) != 0 && present.sa_sigaction == &handle;
    if (ours) sigaction(SIGINT, &before_, nullptr);
  }

  int count() const { return count_.load(); }

 private:
  static void handle(int number, siginfo_t* info, void* context) {
    count_.fetch_add(1);
    if ((before_.sa_flags & SA_SIGINFO) != 0) {
      before_.sa_sigaction(number, info, context);
    } else {
      before_.sa_handler(number);
    }
  }

  /// Of the only one there is; it stays for a handler that still runs.
  inline static struct sigaction before_{};
  inline static std::atomic<int> count_{0};
  bool installed_ = false;
};

unsigned long long load(const unsigned long long* waits) {
  return __atomic_load_n(waits, __ATOMIC_ACQUIRE);
}

void attend(const unsigned long long* waits, unsigned long long wait) {
  const CountedInterrupts interrupts;
  Clock::time_point deadline = Clock::time_point::max();
  while (load(waits) == wait) {
    const auto now = Clock::now();
    if (interrupts.count() == 1 && deadline == Clock::time_point::max()) deadline = now + patience;
    if (interrupts.count() > 1 || deadline <= now) {
      // Again and again: a runner may be between two blocks, or inside a runtime call.
      internal::stop_everything.store(true);
      interrupt_all_runners();
    }
    std::this_thread::sleep_for(repeat_after);
  }
  internal::stop_everything.store(false);
}

void watch(const unsigned long long* waits) {
  milliseconds nap = shortest_nap;
  for (unsigned long long seen = 0;;) {
    std::this_thread::sleep_for(nap);
    const unsigned long long now = load(waits);
    if (now == seen && now % 2 == 1) attend(waits, now);
    nap = now == seen ? std::min(nap * 2, longest_nap) : shortest_nap;
    seen = now;
  }
}

}  // namespace

void watch_waits(const unsigned long long* waits) {
  static std::atomic<bool> watched{false};
  if (watched.exchange(true)) return;
  start_quiet_thread([waits] { watch(waits); });
}

}  // namespace pycuda::cpu::exec
