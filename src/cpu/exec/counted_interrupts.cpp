// SPDX-License-Identifier: MIT
#include "cpu/exec/counted_interrupts.h"

#include <linux/membarrier.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>

namespace pycuda::cpu::exec::counted_interrupts {
namespace {

std::atomic<const unsigned long long*> numbers{nullptr};

unsigned long long present_number() {
  const unsigned long long* const waits = numbers.load();
  return waits != nullptr ? __atomic_load_n(waits, __ATOMIC_ACQUIRE) : 0;
}

/// The number of a wait and, in the lowest byte, how many signals have come in it.
std::atomic<std::uint64_t> latest{0};

std::atomic<std::uint64_t> all{0};
std::atomic<std::uint64_t> settled{0};

void note(unsigned long long wait) {
  std::uint64_t before = latest.load();
  std::uint64_t after = 0;
  do {
    const bool first = before >> 8 != (wait & (~std::uint64_t{0} >> 8));
    if (!first && (before & 0xff) == 0xff) return;
    after = first ? std::uint64_t{wait} << 8 | 1 : before + 1;
  } while (!latest.compare_exchange_weak(before, after));
}

/// One for each handler of the program. A slot never changes its `program`: a handler that a
/// library saved and calls, which may be one of ours, must not come back to that library's own.
struct Slot {
  struct sigaction program{};   ///< the handler that is called
  struct sigaction replaced{};  ///< what `remove` restores: the same handler, with its flags
};
constexpr std::size_t slot_count = 8;
std::array<Slot, slot_count> slots;
std::size_t slots_used = 0;  // protected by the mutex, as what handler there is

std::mutex& mutex() {
  static auto* const one = new std::mutex;
  return *one;
}
std::atomic<bool> expected{false};  // changed with the mutex

bool membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }
/// `retire` makes the other threads' accesses ordered too, so that each wait needs no fence.
/// Written before the first wait.
bool retire_orders_all = false;

using Handler = void (*)(int, siginfo_t*, void*);

template <std::size_t slot>
void handle(int number, siginfo_t* info, void* context) {
  const unsigned long long wait = present_number();
  all.fetch_add(1);
  note(wait);
  const struct sigaction& program = slots[slot].program;
  if ((program.sa_flags & SA_SIGINFO) != 0) {
    program.sa_sigaction(number, info, context);
  } else {
    program.sa_handler(number);
  }
  // A wait that has begun meanwhile in another thread may have looked for a signal too early.
  const unsigned long long now = present_number();
  if (now != wait) note(now);
}

template <std::size_t... slot>
constexpr std::array<Handler, sizeof...(slot)> handlers_of(std::index_sequence<slot...>) {
  return {&handle<slot>...};
}
constexpr std::array<Handler, slot_count> handlers =
    handlers_of(std::make_index_sequence<slot_count>());

bool is_plain(const struct sigaction& action) { return (action.sa_flags & SA_SIGINFO) == 0; }

/// The slot whose handler this is; slot_count for the program's own.
std::size_t slot_of(const struct sigaction& action) {
  std::size_t slot = is_plain(action) ? slot_count : 0;
  while (slot < slot_count && action.sa_sigaction != handlers[slot]) ++slot;
  return slot;
}

bool have_same_handler(const struct sigaction& one, const struct sigaction& other) {
  if (is_plain(one) != is_plain(other)) return false;
  return is_plain(one) ? one.sa_handler == other.sa_handler
                       : one.sa_sigaction == other.sa_sigaction;
}

/// With the mutex.
void install() {
  struct sigaction present{};
  if (sigaction(SIGINT, nullptr, &present) != 0 || slot_of(present) != slot_count) return;
  if (is_plain(present) && (present.sa_handler == SIG_DFL || present.sa_handler == SIG_IGN)) return;
  std::size_t slot = 0;
  while (slot < slots_used && !have_same_handler(slots[slot].program, present)) ++slot;
  if (slot == slot_count) return;
  if (slot == slots_used) slots[slots_used++].program = present;
  slots[slot].replaced = present;
  struct sigaction ours = present;
  ours.sa_sigaction = handlers[slot];
  ours.sa_flags |= SA_SIGINFO;
  sigaction(SIGINT, &ours, nullptr);
}

/// With the mutex.
void remove() {
  struct sigaction present{};
  if (sigaction(SIGINT, nullptr, &present) != 0) return;
  // The program may have set another meanwhile.
  const std::size_t slot = slot_of(present);
  if (slot != slot_count) sigaction(SIGINT, &slots[slot].replaced, nullptr);
}

}  // namespace

void count_by(const unsigned long long* waits) {
  retire_orders_all = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  numbers.store(waits);
}

void expect() {
  // After the number, as `retire` reads that after what it stores: one of both sees the other.
  if (retire_orders_all) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  if (!expected.load()) look();
}

void look() {
  const std::lock_guard lock(mutex());
  expected.store(true);
  install();
}

void retire(unsigned long long seen) {
  const std::lock_guard lock(mutex());
  if (!expected.load()) return;
  expected.store(false);
  if (retire_orders_all && !membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) {
    expected.store(true);
    return;
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (present_number() == seen) {
    remove();
  } else {
    expected.store(true);
  }
}

std::uint8_t count_in(unsigned long long wait) {
  const std::uint64_t now = latest.load();
  return now >> 8 == (wait & (~std::uint64_t{0} >> 8)) ? static_cast<std::uint8_t>(now & 0xff) : 0;
}

void add(unsigned long long wait) {
  all.fetch_add(1);
  note(wait);
}

std::uint64_t count() { return all.load(); }
void settle(std::uint64_t count) { settled.store(count); }
bool any_unsettled() { return all.load() != settled.load(); }

}  // namespace pycuda::cpu::exec::counted_interrupts
