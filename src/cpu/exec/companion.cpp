// SPDX-License-Identifier: MIT
// One cache line goes to the companion and comes back. How much it is given follows from who had to
// wait for whom; whether it is worth it at all, from the clock.
#include "cpu/exec/companion.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "cpu/exec/cpu_budget.h"
#include "cpu/exec/fork_guard.h"
#include "cpu/exec/ticks.h"
#include "cpu/exec/worker_pool.h"

namespace pycuda::cpu::exec {
namespace {

/// There and back, a cache line takes some 100 ns, and what the launch consists of as long again:
/// below this there is nothing to gain.
constexpr Ticks least_launch = microseconds_in_ticks(3) / 10;
constexpr Ticks hand_over = microseconds_in_ticks(1) / 5;
/// From one launch to the next.
constexpr Ticks longest_period = microseconds_in_ticks(40);
/// So long a companion spins for nothing.
constexpr Ticks patience = microseconds_in_ticks(30);
/// A thread that found the clock so far ahead did not run meanwhile.
constexpr Ticks was_away = microseconds_in_ticks(20);
constexpr Ticks look_around_every = microseconds_in_ticks(1000);
/// Waking a worker costs the caller as much as it gains in so many launches.
constexpr unsigned least_row = 32;
constexpr unsigned longest_row = 4096;
constexpr unsigned sample_every = 32;
constexpr unsigned times_alone = 4;
constexpr unsigned first_step = 8;
/// Until then it is found out how the launch is shared best.
constexpr unsigned first_sample = 256;
/// Launches alone after the first refusal; twice as many after each further one.
constexpr unsigned forgive_after = 4096;
constexpr unsigned most_refusals = 10;

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void prefetch(const void* memory, std::size_t bytes) {
  constexpr std::size_t line = 64;
  for (std::size_t at = 0; at < bytes; at += line)
    __builtin_prefetch(static_cast<const char*>(memory) + at);
}

/// What is known of launches of a kernel with so many blocks.
struct Share {
  const Kernel* kernel = nullptr;
  std::uint64_t blocks = 0;
  /// So long the caller takes by itself: the least of some, since what it works on may lie in the
  /// companion's cache at first.
  Ticks alone = 0;
  unsigned timed = 0;       ///< so often
  unsigned part = 0;        ///< of 64 that the caller runs
  unsigned step = 0;        ///< by which `part` changes; 0: it has settled
  bool grew = false;        ///< at its latest change
  int waits = 0;            ///< for the companion, less those of the companion
  unsigned launches = 0;    ///< shared, or, if refused, not
  unsigned no_quicker = 0;  ///< samples in a row that took as long as `alone`
  unsigned refusals = 0;
  bool refused = false;

  void refuse() {
    refused = true;
    refusals = std::min(refusals + 1, most_refusals);
    launches = 0;
  }
  /// Whether this launch is one of those that run alone since they are no quicker in company.
  bool stays_alone() {
    ++launches;
    if (!refused) return false;
    if (launches < forgive_after << refusals >> 1) return true;
    refused = false;
    timed = 0;
    return false;
  }
  bool must_be_timed() const { return timed < times_alone; }
  void add_time_alone(Ticks time) {
    alone = timed == 0 ? time : std::min(alone, time);
    if (++timed < times_alone) return;
    if (alone < least_launch) return refuse();
    part = static_cast<unsigned>(std::min<Ticks>(60, 32 + 32 * hand_over / alone));
    step = first_step;
    waits = 0;
    launches = no_quicker = 0;
  }
  void caller_waited() {
    if (++waits >= 4) change(true);
  }
  void companion_was_done() {
    if (--waits <= -4) change(false);
  }
  /// Ever less: with each change what lies at the border moves from one core's cache to the
  /// other's.
  void change(bool grow) {
    waits = 0;
    if (grow != grew && step != first_step) step /= 2;
    if (step == 0) return;
    grew = grow;
    part = grow ? std::min(part + step, 62u) : std::max(part - step, 16u);
    if (step == first_step) step /= 2;
  }
};

/// Of the launches of one thread; a direct-mapped table.
struct Shares {
  std::array<Share, 16> entries;

  Share& of(const LaunchContext& launch) {
    const auto kernel = reinterpret_cast<std::uintptr_t>(&launch.kernel) >> 4;
    Share& share = entries[(kernel ^ launch.blocks ^ launch.blocks >> 4) % entries.size()];
    if (share.kernel != &launch.kernel || share.blocks != launch.blocks)
      share = {&launch.kernel, launch.blocks};
    return share;
  }
};

/// The launches of one thread, one after the other. Kept small: every thread has one.
struct Row {
  Ticks last = 0;  ///< when the latest one began
  unsigned length = 0;

  Share& share_of(const LaunchContext& launch) {
    thread_local std::unique_ptr<Shares> shares;
    if (shares == nullptr) shares = std::make_unique<Shares>();
    return shares->of(launch);
  }
};

// A part of each launch: nothing that is made at first use.
thread_local constinit Row own_row;

/// Times without a companion, which get longer as the reasons for them repeat themselves.
class Retreat {
 public:
  constexpr Retreat(Ticks shortest, Ticks longest) : shortest_(shortest), longest_(longest) {}
  /// The end of the next one, from now.
  Ticks next() {
    const Ticks length =
        std::clamp(length_.load(std::memory_order_relaxed) * 2, shortest_, longest_);
    length_.store(length, std::memory_order_relaxed);
    return ticks() + length;
  }
  void forget() { length_.store(0, std::memory_order_relaxed); }

 private:
  const Ticks shortest_, longest_;
  std::atomic<Ticks> length_{0};
};

/// Linux likes to wake a thread on the core of the one that wakes it, though others are idle. While
/// this lives, the calling thread runs elsewhere.
class Elsewhere {
 public:
  explicit Elsewhere(unsigned core) {
    if (static_cast<unsigned>(sched_getcpu()) != core || core >= CPU_SETSIZE) return;
    if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t others = before_;
    CPU_CLR(core, &others);
    moved_ = CPU_COUNT(&others) != 0 && sched_setaffinity(0, sizeof others, &others) == 0;
  }
  ~Elsewhere() {
    if (moved_) sched_setaffinity(0, sizeof before_, &before_);
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;

 private:
  cpu_set_t before_;
  bool moved_ = false;
};

/// There is one: two launches that are shared at once would need cores that small machines lack.
class Companion {
 public:
  static Companion& instance() {
    static Companion* const companion = new Companion;
    return *companion;
  }

  bool serves(const Row& row) const { return served_.load(std::memory_order_relaxed) == &row; }
  unsigned needed_row() const { return needed_row_.load(std::memory_order_relaxed); }
  std::uint64_t launches() const { return parts_.load(std::memory_order_relaxed); }

  /// A worker comes, some time, or not. For a thread whose `row` is this.
  void call(const Row& row);
  /// The caller is on this core now.
  void note_core() {
    core_.store(static_cast<unsigned>(sched_getcpu()), std::memory_order_relaxed);
  }
  /// Runs the launch; the companion may run what the caller does not.
  void share(LaunchContext& launch, Share& share);

 private:
  enum class State : std::uint32_t { None, Open, Taken, Done };
  struct alignas(64) Offer {
    std::atomic<State> state{State::None};
    std::atomic<LaunchContext*> launch{nullptr};
    std::uint64_t first = 0, last = 0;  ///< belong to who has changed `state` last
  };

  void serve();
  void spin();
  bool accept();
  void offer(LaunchContext& launch, Share& share);
  void wait_for_companion();
  void withdrew();
  void retreat(Retreat& reason) {
    not_before_.store(reason.next(), std::memory_order_relaxed);
    served_.store(nullptr, std::memory_order_relaxed);
  }

  Offer offer_;
  alignas(64) std::atomic<const Row*> served_{nullptr};  ///< null: do not offer
  /// A caller uses `offer_`: the companion may have left it meanwhile and serve another one.
  alignas(64) std::atomic<bool> offering_{false};
  std::atomic<const Row*> caller_{nullptr};  ///< has called; its thread may be gone
  std::atomic<unsigned> core_{0};            ///< of the caller, lately
  std::atomic<Ticks> not_before_{0};
  std::atomic<unsigned> needed_row_{least_row};
  /// More threads want to run than there are cores: nothing was lost but a wake.
  Retreat crowded_{microseconds_in_ticks(250), microseconds_in_ticks(64000)};
  /// A launch has waited for a companion that did not run.
  Retreat displaced_{microseconds_in_ticks(4000), microseconds_in_ticks(4000000)};
  unsigned withdrawn_ = 0;                           ///< offers in a row; the caller's
  alignas(64) std::atomic<std::uint64_t> parts_{0};  ///< that companions have run
};

void Companion::call(const Row& row) {
  const Ticks now = row.last;
  if (now < not_before_.load(std::memory_order_relaxed)) return;
  const Row* nobody = nullptr;
  if (!caller_.compare_exchange_strong(nobody, &row, std::memory_order_acq_rel)) return;
  note_core();
  WorkerPool::instance().post(
      {[](const std::shared_ptr<void>&) { Companion::instance().serve(); }, nullptr});
}

void Companion::serve() {
  const Row* const row = caller_.load(std::memory_order_acquire);
  if (machine_is_crowded()) {
    retreat(crowded_);
  } else {
    const Elsewhere elsewhere(core_.load(std::memory_order_relaxed));
    served_.store(row, std::memory_order_release);
    spin();
    served_.store(nullptr, std::memory_order_relaxed);
  }
  caller_.store(nullptr, std::memory_order_release);
}

bool Companion::accept() {
  State open = offer_.state.load(std::memory_order_acquire);
  if (open != State::Open) return false;
  // While the line becomes ours. If it is withdrawn meanwhile, nothing comes of it.
  prefetch(offer_.launch.load(std::memory_order_relaxed), sizeof(LaunchContext));
  if (!offer_.state.compare_exchange_strong(open, State::Taken, std::memory_order_acquire,
                                            std::memory_order_relaxed))
    return false;
  constexpr unsigned processor = 1;
  run_plain_blocks(*offer_.launch.load(std::memory_order_relaxed), offer_.first, offer_.last,
                   processor);
  offer_.state.store(State::Done, std::memory_order_release);
  return true;
}

void Companion::spin() {
  const Row* const row = served_.load(std::memory_order_relaxed);
  const Ticks began = ticks();
  Ticks seen = began, worked = began, looked = began;
  unsigned parts = 0;
  for (;;) {
    for (unsigned i = 0; i < 32; ++i) {
      if (accept()) {
        seen = worked = ticks();
        parts_.store(parts_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        ++parts;
      }
      pause_core();
    }
    const Ticks now = ticks();
    const bool was_displaced = now - seen > was_away;
    seen = now;
    if (served_.load(std::memory_order_relaxed) != row || WorkerPool::instance().has_work()) break;
    if (was_displaced) {
      retreat(displaced_);
      break;
    }
    // On the caller's core there is nothing to gain: others have no core to spare.
    if (static_cast<unsigned>(sched_getcpu()) == core_.load(std::memory_order_relaxed)) {
      retreat(crowded_);
      break;
    }
    if (now - worked > patience) break;
    if (now - looked > look_around_every) {
      if (machine_is_crowded()) {
        retreat(crowded_);
        break;
      }
      looked = seen = ticks();
      crowded_.forget();
    }
  }
  if (seen - began > 10 * look_around_every) displaced_.forget();
  // Short rows end before a companion has made good for the call.
  const unsigned needed = needed_row();
  needed_row_.store(
      parts < needed * 4 ? std::min(needed * 2, longest_row) : std::max(needed / 2, least_row),
      std::memory_order_relaxed);
}

/// The companion has begun, so it will be done soon, if it runs.
void Companion::wait_for_companion() {
  const Ticks began = ticks();
  bool is_late = false;
  for (unsigned pauses = 1; offer_.state.load(std::memory_order_acquire) != State::Done; ++pauses) {
    pause_core();
    if (pauses % 64 != 0) continue;
    if (!is_late && ticks() - began > was_away) {
      is_late = true;
      retreat(displaced_);
    }
    if (is_late) sched_yield();
  }
}

void Companion::withdrew() {
  constexpr unsigned too_many = 3;
  if (++withdrawn_ < too_many) return;
  withdrawn_ = 0;
  retreat(displaced_);
}

void run_alone(LaunchContext& launch) { run_plain_blocks(launch, 0, launch.blocks, 0); }

void Companion::share(LaunchContext& launch, Share& share) {
  if (offering_.exchange(true, std::memory_order_acquire)) return run_alone(launch);
  offer(launch, share);
  offering_.store(false, std::memory_order_release);
}

void Companion::offer(LaunchContext& launch, Share& share) {
  const std::uint64_t middle =
      std::clamp<std::uint64_t>((launch.blocks * share.part + 32) / 64, 1, launch.blocks - 1);
  offer_.launch.store(&launch, std::memory_order_relaxed);
  offer_.first = middle;
  offer_.last = launch.blocks;
  offer_.state.store(State::Open, std::memory_order_release);
  run_plain_blocks(launch, 0, middle, 0);
  State state = offer_.state.load(std::memory_order_acquire);
  if (state == State::Open &&
      offer_.state.compare_exchange_strong(state, State::None, std::memory_order_acquire)) {
    withdrew();
    run_plain_blocks(launch, middle, launch.blocks, 0);
    return;
  }
  withdrawn_ = 0;
  if (state == State::Done) {
    share.companion_was_done();
  } else {
    share.caller_waited();
    wait_for_companion();
  }
}

void run_alone(LaunchContext& launch, Share& share) {
  const Ticks began = ticks();
  run_alone(launch);
  share.add_time_alone(ticks() - began);
}

/// Of a thread without a companion: calls one when it is time.
void run_in_row(LaunchContext& launch, Row& row, Ticks period) {
  Companion& companion = Companion::instance();
  if (period < least_launch || period > longest_period) {
    row.length = 0;
    return run_alone(launch);
  }
  if (++row.length < companion.needed_row()) return run_alone(launch);
  row.length = 0;
  Share& share = row.share_of(launch);
  if (share.stays_alone()) return run_alone(launch);
  if (share.must_be_timed()) {
    run_alone(launch, share);
  } else {
    run_alone(launch);
  }
  // It spins all the time, so the launches should take most of it.
  if (!share.refused && share.alone * 2 >= period) companion.call(row);
}

/// Of a thread with one.
void run_shared(LaunchContext& launch, Row& row) {
  Share& share = row.share_of(launch);
  if (share.stays_alone()) return run_alone(launch);
  if (share.must_be_timed()) return run_alone(launch, share);
  Companion& companion = Companion::instance();
  if (share.launches < first_sample || share.launches % sample_every != 0)
    return companion.share(launch, share);
  companion.note_core();
  const Ticks began = ticks();
  companion.share(launch, share);
  share.no_quicker = ticks() - began < share.alone / 16 * 15 ? 0 : share.no_quicker + 1;
  constexpr unsigned too_many = 3;
  if (share.no_quicker == too_many) share.refuse();
}

}  // namespace

void run_in_company(LaunchContext& launch) {
  static const bool possible = std::min(worker_count(), whole_cores()) > 1;
  if (!possible || launch.blocks < 2) return run_alone(launch);
  Row& row = own_row;
  const Ticks now = ticks();
  const Ticks period = now - row.last;
  row.last = now;
  if (Companion::instance().serves(row)) {
    run_shared(launch, row);
  } else {
    run_in_row(launch, row, period);
  }
}

bool has_companion() { return Companion::instance().serves(own_row); }

std::uint64_t launches_in_company() { return Companion::instance().launches(); }

}  // namespace pycuda::cpu::exec
