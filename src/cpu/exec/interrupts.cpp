// SPDX-License-Identifier: MIT
// One thread that naps, and asks a long wait's signals of the handler that counts them.
#include "cpu/exec/interrupts.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

#include "cpu/exec/counted_interrupts.h"
#include "cpu/exec/fork_guard.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/last_thread.h"
#include "cpu/exec/service_thread.h"
#include "cpu/exec/signal_handlers.h"
#include "cpu/exec/worker_pool.h"

namespace pycuda::cpu::exec {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// A wait that a nap has seen twice is long.
constexpr milliseconds shortest_nap{50};
/// While nothing happens.
constexpr milliseconds longest_nap{100};
constexpr milliseconds repeat_after{20};
/// With the naps less than the second in which a user wants to see that something happens.
constexpr milliseconds patience{750};

/// How long a signal waits for its handler.
constexpr milliseconds slice_length{50};
thread_local bool slices = false;
/// How many scopes of this thread forbid to call the program; a handler is one.
thread_local int no_handlers = 0;
std::atomic<bool (*)()> handle_signals{nullptr};

std::atomic<const unsigned long long*> watched_waits{nullptr};
std::atomic<int> abandonable_waits{0};

unsigned long long load(const unsigned long long* waits) {
  return __atomic_load_n(waits, __ATOMIC_ACQUIRE);
}

/// The number under which the waits of a program's last thread are stopped: no wait reaches it.
constexpr unsigned long long last_wait = ~0ull;

/// Lets everything that runs end, again and again while `goes_on()`: a runner may be between two
/// blocks, or inside a runtime call. From when `is_due()`.
template <class GoesOn, class IsDue>
void stop_when_due(unsigned long long wait, const GoesOn& goes_on, const IsDue& is_due) {
  for (; goes_on(); std::this_thread::sleep_for(repeat_after)) {
    if (!is_due()) continue;
    internal::stopped_wait.store(wait);
    interrupt_all_runners();
  }
  internal::stopped_wait.store(0);
}

/// Whether an interrupt came before the wait of the program's last thread, while what it waits for
/// ran.
bool last_thread_is_interrupted() {
  return last_thread_waits() && counted_interrupts::any_unsettled();
}

void attend(const unsigned long long* waits, unsigned long long wait) {
  counted_interrupts::look();
  Clock::time_point deadline = Clock::time_point::max();
  stop_when_due(
      wait, [=] { return load(waits) == wait; },
      [&] {
        if (abandonable_waits.load() > 0) return false;
        const auto count = counted_interrupts::count_in(wait);
        const auto now = Clock::now();
        // The last thread's wait may have begun a while before it was known as that.
        const bool concerned = count == 1 || last_thread_is_interrupted();
        if (concerned && deadline == Clock::time_point::max()) deadline = now + patience;
        return count > 1 || deadline <= now;
      });
}

void attend_last_thread() {
  const auto deadline = Clock::now() + patience;
  stop_when_due(last_wait, last_thread_waits, [=] { return deadline <= Clock::now(); });
}

/// Whether no interrupt can concern what the program has queued any more.
bool nothing_runs() { return !WorkerPool::is_made() || WorkerPool::instance().is_idle(); }

void watch(const unsigned long long* waits) {
  milliseconds nap = shortest_nap;
  for (unsigned long long seen = 0;;) {
    std::this_thread::sleep_for(nap);
    if (last_thread_is_interrupted()) attend_last_thread();
    const unsigned long long now = load(waits);
    const std::uint64_t so_far = counted_interrupts::count();
    const bool idle = now % 2 == 0 && nothing_runs();
    if (idle) counted_interrupts::settle(so_far);
    if (now == seen && idle) {
      counted_interrupts::retire(now);
    } else if (now == seen && now % 2 == 1) {
      attend(waits, now);
    } else {
      counted_interrupts::look();
    }
    nap = now == seen ? std::min(nap * 2, longest_nap) : shortest_nap;
    seen = now;
  }
}

/// The number of the program's wait if its first thread waits now, and this is it; otherwise 0.
unsigned long long watched_wait() noexcept {
  const unsigned long long* const waits = watched_waits.load();
  if (waits == nullptr) return 0;
  const unsigned long long wait = load(waits);
  static thread_local const bool first_thread = syscall(SYS_gettid) == getpid();
  return wait % 2 == 1 && first_thread ? wait : 0;
}

}  // namespace

bool internal::is_in_wait(unsigned long long number) noexcept {
  if (number == last_wait) return last_thread_waits();
  const unsigned long long* const waits = watched_waits.load(std::memory_order_relaxed);
  return waits != nullptr && load(waits) == number;
}

void expect_interrupts() {
  if (watched_wait() != 0) counted_interrupts::look();
}

void wait_in_slices(bool now) noexcept { slices = now; }

void handle_signals_by(bool (*handle)()) { handle_signals.store(handle); }

NoSignalHandlers::NoSignalHandlers() { ++no_handlers; }
NoSignalHandlers::~NoSignalHandlers() { --no_handlers; }

milliseconds wait_slice() {
  if (!slices && (no_handlers != 0 || handle_signals.load() == nullptr)) return milliseconds(0);
  const unsigned long long wait = watched_wait();
  return wait != 0 && counted_interrupts::count_in(wait) == 0 ? slice_length : milliseconds(0);
}

void end_wait_slice() {
  if (wait_slice().count() == 0) return;
  if (slices) throw WaitSliceOver();
  const NoSignalHandlers none;
  if (handle_signals.load()()) interrupt_wait();
}

void end_interrupted_wait() {
  if (slices || no_handlers != 0 || handle_signals.load() == nullptr) return;
  const unsigned long long wait = watched_wait();
  if (wait == 0 || counted_interrupts::count_in(wait) == 0) return;
  const NoSignalHandlers none;
  handle_signals.load()();
}

void interrupt_wait() {
  const unsigned long long wait = watched_wait();
  if (wait != 0 && counted_interrupts::count_in(wait) == 0) counted_interrupts::add(wait);
}

AbandonableWait::AbandonableWait() : wait_(watched_wait()) {
  if (!watched()) return;
  counted_interrupts::look();
  ++abandonable_waits;
}

AbandonableWait::~AbandonableWait() {
  if (watched()) --abandonable_waits;
}

bool AbandonableWait::interrupted() const noexcept {
  return watched() && counted_interrupts::count_in(wait_) != 0;
}

void watch_waits(const unsigned long long* waits) {
  if (forked()) return;
  const unsigned long long* none = nullptr;
  // Looked at first: an exchange would cost each wait as much as all the rest.
  if (watched_waits.load() == nullptr && watched_waits.compare_exchange_strong(none, waits)) {
    counted_interrupts::count_by(waits);
    start_service_thread([waits] { watch(waits); });
  }
  counted_interrupts::expect();
}

}  // namespace pycuda::cpu::exec
