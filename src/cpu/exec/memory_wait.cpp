// SPDX-License-Identifier: MIT
// One thread looks at all that is waited for: often at first, then once in a millisecond.
#include "cpu/exec/memory_wait.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cpu/exec/callback_threads.h"
#include "cpu/exec/fault_message.h"
#include "cpu/exec/fault_recovery.h"
#include "cpu/exec/interrupts.h"
#include "cpu/exec/last_thread.h"
#include "cpu/exec/service_thread.h"
#include "cpu/exec/shared_mappings.h"
#include "cpu/exec/watchdog.h"
#include "cpu/exec/work_order.h"

namespace pycuda::cpu::exec {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr microseconds shortest_nap{20};
constexpr microseconds longest_nap{1000};

/// Nothing if there is no such memory.
std::optional<std::uint64_t> read_word(const MemoryCondition& condition) {
  std::uint64_t word = 0;
  const bool read = runs_without_fault([&] {
    if (condition.bytes == 8) {
      word = __atomic_load_n(reinterpret_cast<const std::uint64_t*>(condition.address),
                             __ATOMIC_ACQUIRE);
    } else {
      word = __atomic_load_n(reinterpret_cast<const std::uint32_t*>(condition.address),
                             __ATOMIC_ACQUIRE);
    }
  });
  return read ? std::optional(word) : std::nullopt;
}

void report(FaultSink& faults, FaultKind kind, const MemoryCondition& condition,
            const std::string& why) {
  Fault fault;
  fault.kind = kind;
  fault.address = condition.address;
  fault.message = "a stream's wait for the value at address " + hexadecimal(condition.address);
  const std::string place = describe_address(condition.address);
  if (!place.empty()) fault.message += ", " + place + ",";
  fault.message += " " + why;
  faults.report(fault);
}

struct Waiting {
  MemoryCondition condition;
  FaultSink* faults;  ///< lives as long as its streams have work
  Task resume;
  std::optional<Clock::time_point> deadline;
};

/// Whether nothing that the program has queued runs or could run, and so write to memory: all of
/// it waits. Work moves between workers and callback threads, and is missed in neither, because
/// both count what they are given.
bool nothing_runs() {
  const CallbackCounts before = callback_counts();
  if (before.unfinished != 0 || !WorkerPool::instance().is_idle()) return false;
  const CallbackCounts after = callback_counts();
  return after.unfinished == 0 && after.begun == before.begun;
}

/// Whether the wait is over, for whatever reason.
bool is_over(const Waiting& waiting) {
  if (waiting.faults->poisoned()) return true;
  const std::optional<std::uint64_t> word = read_word(waiting.condition);
  if (!word) {
    report(*waiting.faults, FaultKind::IllegalAddress, waiting.condition,
           "ended: the memory cannot be read any more");
    return true;
  }
  if (holds(waiting.condition, *word)) return true;
  if (interrupting()) {
    report(*waiting.faults, FaultKind::Timeout, waiting.condition,
           "was stopped by the user's interrupt");
    return true;
  }
  if (waiting.deadline && Clock::now() >= *waiting.deadline) {
    report(*waiting.faults, FaultKind::Timeout, waiting.condition,
           "was stopped by the time limit (PYCUDA_CPU_TIMEOUT)");
    return true;
  }
  return false;
}

/// So that writes that nobody waits for cost nothing.
std::atomic<bool> any_waiting{false};

class MemoryWatch {
 public:
  static MemoryWatch& instance() {
    static MemoryWatch* const watch = new MemoryWatch;
    return *watch;
  }

  void add(Waiting waiting) {
    const std::unique_lock lock(mutex_);
    waiting_.push_back(std::move(waiting));
    any_waiting.store(true);
    changed_ = true;
    wake_.notify_one();
  }

  void look_now() {
    const std::unique_lock lock(mutex_);
    changed_ = true;
    wake_.notify_one();
  }

 private:
  MemoryWatch() {
    start_service_thread([this] { watch(); });
  }

  void watch() {
    microseconds nap = shortest_nap;
    std::unique_lock lock(mutex_);
    for (;;) {
      if (waiting_.empty()) wake_.wait(lock, [this] { return !waiting_.empty(); });
      if (std::exchange(changed_, false)) nap = shortest_nap;
      // With the lock: who looks away from a wait finds it in the list or resumed.
      std::erase_if(waiting_, [](Waiting& waiting) {
        if (!is_over(waiting)) return false;
        WorkerPool::instance().post(std::move(waiting.resume));
        return true;
      });
      if (last_thread_waits() && nothing_runs()) give_up_endless();
      if (waiting_.empty()) {
        any_waiting.store(false);
        continue;
      }
      wake_.wait_for(lock, nap, [this] { return changed_; });
      nap = std::min(nap * 2, longest_nap);
    }
  }

  /// All waits, unless one has ended meanwhile or another process may end one: what runs then may
  /// end others.
  void give_up_endless() {
    if (std::any_of(waiting_.begin(), waiting_.end(), is_over)) return;
    std::vector<std::uintptr_t> places;
    places.reserve(waiting_.size());
    for (const Waiting& waiting : waiting_) places.push_back(waiting.condition.address);
    if (may_be_shared(places)) return;
    for (Waiting& waiting : waiting_) {
      if (!waiting.faults->poisoned())
        report(*waiting.faults, FaultKind::Timeout, waiting.condition,
               "was given up when the program ended: nothing is left that could write the value");
      WorkerPool::instance().post(std::move(waiting.resume));
    }
    waiting_.clear();
  }

  std::mutex mutex_;  ///< protects what follows
  std::condition_variable wake_;
  std::vector<Waiting> waiting_;
  bool changed_ = false;  ///< something was added or written since the last look
};

}  // namespace

bool holds(const MemoryCondition& condition, std::uint64_t word) {
  const bool wide = condition.bytes == 8;
  const auto narrow = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits); };
  switch (condition.comparison) {
    case MemoryCondition::Comparison::AtLeast:
      return wide ? static_cast<std::int64_t>(word - condition.value) >= 0
                  : static_cast<std::int32_t>(narrow(word) - narrow(condition.value)) >= 0;
    case MemoryCondition::Comparison::Equal:
      return wide ? word == condition.value : narrow(word) == narrow(condition.value);
    case MemoryCondition::Comparison::AnyBit:
      return (wide ? word & condition.value : narrow(word & condition.value)) != 0;
    case MemoryCondition::Comparison::AnyMissing:
      return (wide ? ~(word | condition.value) : narrow(~(word | condition.value))) != 0;
  }
  return true;
}

bool when_memory_holds(const MemoryCondition& condition, FaultSink& faults, Task resume) {
  Waiting waiting{condition, &faults, {}, std::nullopt};
  if (is_over(waiting)) return true;
  if (const auto limit = time_limit()) waiting.deadline = Clock::now() + *limit;
  waiting.resume = std::move(resume);
  MemoryWatch::instance().add(std::move(waiting));
  return false;
}

bool write_word(std::uint64_t address, std::uint64_t value, std::uint8_t bytes) {
  if (keeps_work_order()) {
    if (const auto work = TransferScope::work()) MemoryOrder::release(address, work->clock());
  }
  const bool written = runs_without_fault([=] {
    if (bytes == 8) {
      __atomic_store_n(reinterpret_cast<std::uint64_t*>(address), value, __ATOMIC_SEQ_CST);
    } else {
      __atomic_store_n(reinterpret_cast<std::uint32_t*>(address), static_cast<std::uint32_t>(value),
                       __ATOMIC_SEQ_CST);
    }
  });
  if (any_waiting.load()) MemoryWatch::instance().look_now();
  return written;
}

}  // namespace pycuda::cpu::exec
