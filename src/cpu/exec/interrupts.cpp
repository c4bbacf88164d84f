// SPDX-License-Identifier: MIT
// One thread that naps, and during a long wait a signal handler before the program's own.
#include "cpu/exec/interrupts.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/service_thread.h"

namespace pycuda::cpu::exec {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// A wait that a nap has seen twice is long.
constexpr milliseconds shortest_nap{50};
/// While nothing happens. A SIGINT in a wait that no nap has seen yet stops nothing.
constexpr milliseconds longest_nap{100};
constexpr milliseconds repeat_after{20};
/// With the naps less than the second in which a user wants to see that something happens.
constexpr milliseconds patience{750};

std::atomic<const unsigned long long*> watched_waits{nullptr};
std::atomic<int> abandonable_waits{0};

unsigned long long load(const unsigned long long* waits) {
  return __atomic_load_n(waits, __ATOMIC_ACQUIRE);
}

/// Counts SIGINT while any of these lives, or between begin() and end(), and passes each on to the
/// handler that was there. Without one nothing is counted: the signal then ends the process, or is
/// ignored.
class CountedInterrupts {
 public:
  CountedInterrupts() { begin(); }
  CountedInterrupts(const CountedInterrupts&) = delete;
  CountedInterrupts& operator=(const CountedInterrupts&) = delete;
  ~CountedInterrupts() { end(); }

  static void begin() {
    const std::lock_guard lock(mutex_);
    if (users_++ == 0) count_.store(0);
    // Always: the program may have set another handler since the first of them began.
    install();
  }
  static void end() {
    const std::lock_guard lock(mutex_);
    if (--users_ == 0) remove();
  }
  static int count() { return count_.load(); }
  /// The number of the program's wait that the latest came in; even where it came in none.
  static unsigned long long latest() { return latest_.load(); }

 private:
  static void install() {
    struct sigaction present{};
    if (sigaction(SIGINT, nullptr, &present) != 0 || is_ours(present)) return;
    const bool plain = (present.sa_flags & SA_SIGINFO) == 0;
    if (plain && (present.sa_handler == SIG_DFL || present.sa_handler == SIG_IGN)) return;
    before_ = present;
    struct sigaction ours = before_;
    ours.sa_sigaction = &handle;
    ours.sa_flags |= SA_SIGINFO;
    sigaction(SIGINT, &ours, nullptr);
  }

  static void remove() {
    struct sigaction present{};
    if (sigaction(SIGINT, nullptr, &present) != 0) return;
    // The program may have set another meanwhile.
    if (is_ours(present)) sigaction(SIGINT, &before_, nullptr);
  }

  static bool is_ours(const struct sigaction& present) {
    return (present.sa_flags & SA_SIGINFO) != 0 && present.sa_sigaction == &handle;
  }

  static void handle(int number, siginfo_t* info, void* context) {
    count_.fetch_add(1);
    if (const unsigned long long* const waits = watched_waits.load()) latest_.store(load(waits));
    if ((before_.sa_flags & SA_SIGINFO) != 0) {
      before_.sa_sigaction(number, info, context);
    } else {
      before_.sa_handler(number);
    }
  }

  /// It stays for a handler that still runs.
  inline static struct sigaction before_{};
  inline static std::atomic<int> count_{0};
  inline static std::atomic<unsigned long long> latest_{0};
  inline static std::mutex mutex_;  ///< protects users_ and what handler there is
  inline static int users_ = 0;
};

void attend(const unsigned long long* waits, unsigned long long wait) {
  const CountedInterrupts interrupts;
  Clock::time_point deadline = Clock::time_point::max();
  for (; load(waits) == wait; std::this_thread::sleep_for(repeat_after)) {
    if (abandonable_waits.load() > 0) continue;
    const auto now = Clock::now();
    if (interrupts.count() == 1 && deadline == Clock::time_point::max()) deadline = now + patience;
    if (interrupts.count() > 1 || deadline <= now) {
      // Again and again: a runner may be between two blocks, or inside a runtime call.
      internal::stopped_wait.store(wait);
      interrupt_all_runners();
    }
  }
  internal::stopped_wait.store(0);
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

/// The number of the program's wait if its first thread waits now, and this is it; otherwise 0.
unsigned long long watched_wait() noexcept {
  const unsigned long long* const waits = watched_waits.load();
  if (waits == nullptr) return 0;
  const unsigned long long wait = load(waits);
  return wait % 2 == 1 && syscall(SYS_gettid) == getpid() ? wait : 0;
}

}  // namespace

bool internal::is_in_wait(unsigned long long number) noexcept {
  const unsigned long long* const waits = watched_waits.load(std::memory_order_relaxed);
  return waits != nullptr && load(waits) == number;
}

NotedInterrupts::NotedInterrupts() : wait_(watched_wait()) {
  if (wait_ != 0) CountedInterrupts::begin();
}

NotedInterrupts::~NotedInterrupts() {
  if (wait_ != 0) CountedInterrupts::end();
}

AbandonableWait::AbandonableWait() {
  if (watched()) ++abandonable_waits;
}

AbandonableWait::~AbandonableWait() {
  if (watched()) --abandonable_waits;
}

bool AbandonableWait::interrupted() const noexcept {
  return watched() && CountedInterrupts::latest() == wait_;
}

void watch_waits(const unsigned long long* waits) {
  const unsigned long long* none = nullptr;
  if (!watched_waits.compare_exchange_strong(none, waits)) return;
  start_service_thread([waits] { watch(waits); });
}

}  // namespace pycuda::cpu::exec
