// SPDX-License-Identifier: MIT
// A ring of slots, one for each of the latest records, and a futex that every end of a record
// wakes. Who waits for another process's record has a thread of this one look at the ring.
#include "cpu/exec/shared_records.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <new>
#include <utility>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

#include "cpu/exec/callback_threads.h"
#include "cpu/exec/event_marker.h"
#include "cpu/exec/interrupts.h"
#include "cpu/exec/page.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::uint64_t slot_count = 2048;
/// Between two looks whether the other process lives.
constexpr long look_nanoseconds = 50'000'000;
constexpr int looks_at_nothing = 100;

enum State : std::uint64_t { Pending = 0, Reached = 1, Failed = 2 };

struct Slot {
  std::atomic<std::uint64_t> record{0};  ///< 4 * number + State
  std::atomic<std::uint64_t> started{0};
  std::atomic<std::int32_t> process{0};
};

}  // namespace

struct SharedRecords::Table {
  std::atomic<std::uint64_t> last{0};    ///< number given to a record
  std::atomic<std::uint64_t> latest{0};  ///< number published
  std::atomic<std::uint32_t> changes{0};
  std::atomic<std::uint32_t> waiting{0};
  Slot slots[slot_count];

  Slot& slot(std::uint64_t number) { return slots[number % slot_count]; }
};

struct SharedRecords::Answer {
  State state;
  bool written = true;  ///< the slot has come to this record
  std::int32_t process = 0;
  bool ended = false;  ///< the process, before it was reached
};

namespace {
constexpr std::uint64_t pages_for(std::uint64_t bytes) {
  return (bytes + page_size - 1) / page_size * page_size;
}
}  // namespace

static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

SharedRecords::SharedRecords(std::byte* pages, std::optional<SharedPages> file)
    : table_(reinterpret_cast<Table*>(pages)), file_(std::move(file)) {}

SharedRecords::~SharedRecords() { munmap(table_, pages_for(sizeof(Table))); }

base::Result<SharedRecords::Pointer, PagesFailure> SharedRecords::with(SharedPages pages,
                                                                       bool own) {
  std::byte* const memory = pages.map(nullptr);
  if (memory == nullptr)
    return PagesFailure{PagesFailure::Reason::NoRoom, "there is no room to map an event's pages"};
  std::optional<SharedPages> kept;
  if (own) {
    new (memory) Table;
    kept.emplace(std::move(pages));
  }
  return Pointer(new SharedRecords(memory, std::move(kept)));
}

base::Result<SharedRecords::Pointer, PagesFailure> SharedRecords::make() {
  PagesName name;
  name.purpose = event_pages;
  name.page_bytes = name.bytes = pages_for(sizeof(Table));
  auto pages = SharedPages::make(name);
  if (!pages) return pages.error();
  return with(std::move(*pages), true);
}

base::Result<SharedRecords::Pointer, PagesFailure> SharedRecords::open(const PagesName& name) {
  auto pages = SharedPages::open(name, event_pages);
  if (!pages) return pages.error();
  if (name.page_bytes != pages_for(sizeof(Table)))
    return PagesFailure{PagesFailure::Reason::NoName, "the handle is of another kind of event"};
  return with(std::move(*pages), false);
}

std::optional<PagesName> SharedRecords::name() const {
  if (!file_) return std::nullopt;
  return file_->name();
}

std::uint64_t SharedRecords::begin() {
  const std::uint64_t number = table_->last.fetch_add(1) + 1;
  if (number > slot_count) {
    const std::uint64_t before = number - slot_count;
    for (int looks = 0;; ++looks) {
      const std::uint32_t seen = table_->changes.load();
      const Answer answer = ask(before, true);
      if (answer.state != Pending || answer.ended) break;
      // A process may end between taking a number and writing to its slot.
      if (!answer.written && looks > looks_at_nothing) break;
      wait_for_change(seen);
    }
  }
  Slot& slot = table_->slot(number);
  slot.process.store(self_.number);
  slot.started.store(self_.started);
  slot.record.store(4 * number + Pending);
  return number;
}

void SharedRecords::publish(std::uint64_t number) {
  std::uint64_t known = table_->latest.load();
  while (known < number && !table_->latest.compare_exchange_weak(known, number)) {
  }
}

void SharedRecords::finish(std::uint64_t number, bool failed) {
  table_->slot(number).record.store(4 * number + (failed ? Failed : Reached));
  table_->changes.fetch_add(1);
#if defined(__linux__)
  if (table_->waiting.load() != 0)
    syscall(SYS_futex, &table_->changes, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
#endif
}

std::uint64_t SharedRecords::latest() const { return table_->latest.load(); }

SharedRecords::Answer SharedRecords::ask(std::uint64_t number, bool about_process) const {
  Slot& slot = table_->slot(number);
  const auto read = [&]() -> Answer {
    const std::uint64_t record = slot.record.load();
    // A slot is given to a later record only when its own is over.
    if (record / 4 > number) return {Reached};
    if (record / 4 < number) return {Pending, false};
    return {static_cast<State>(record % 4), true, slot.process.load()};
  };
  const Answer first = read();
  if (first.state != Pending || !first.written || !about_process) return first;
  if (!has_ended({first.process, slot.started.load()})) return first;
  // It may have come so far as its last act.
  Answer last = read();
  last.ended = last.state == Pending;
  return last;
}

void SharedRecords::settle(Marker& marker, const Answer& answer) const {
  const std::string process = "process " + std::to_string(answer.process);
  if (answer.state == Reached) {
    marker.reach();
  } else if (answer.state == Failed) {
    marker.fail("the work that " + process + " recorded an event behind has failed there");
  } else if (answer.ended) {
    marker.fail(process + " has ended before an event was reached that it had recorded");
  }
}

void SharedRecords::look_at(Marker& marker) const { settle(marker, ask(marker.number(), false)); }

std::shared_ptr<Marker> SharedRecords::await(std::uint64_t number) {
  auto marker = std::make_shared<Marker>(number);
  look_at(*marker);
  if (marker->reached()) return marker;
  const std::unique_lock lock(mutex_);
  for (const auto& known : awaited_) {
    if (known->number() == number) return known;
  }
  awaited_.push_back(marker);
  if (!watched_) {
    try {
      run_on_callback_thread([self = shared_from_this()] { self->watch(); });
    } catch (...) {
      awaited_.pop_back();
      throw;
    }
    watched_ = true;
  }
  return marker;
}

void SharedRecords::watch() {
  for (;;) {
    const std::uint32_t seen = table_->changes.load();
    std::vector<std::shared_ptr<Marker>> markers;
    {
      const std::unique_lock lock(mutex_);
      std::erase_if(awaited_, [](const auto& marker) { return marker->reached(); });
      if (awaited_.empty()) {
        watched_ = false;
        return;
      }
      markers = awaited_;
    }
    bool changed = false;
    for (const auto& marker : markers) {
      settle(*marker, ask(marker->number(), true));
      if (interrupting()) marker->fail("the wait for an event of another process was interrupted");
      changed |= marker->reached();
    }
    if (!changed) wait_for_change(seen);
  }
}

void SharedRecords::wait_for_change(std::uint32_t seen) const {
#if defined(__linux__)
  const timespec limit{0, look_nanoseconds};
  table_->waiting.fetch_add(1);
  syscall(SYS_futex, &table_->changes, FUTEX_WAIT, seen, &limit, nullptr, 0);
  table_->waiting.fetch_sub(1);
#else
  static_cast<void>(seen);
  constexpr timespec nap{0, 1'000'000};
  nanosleep(&nap, nullptr);
#endif
}

}  // namespace pycuda::cpu::exec
