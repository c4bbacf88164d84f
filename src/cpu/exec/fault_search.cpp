// SPDX-License-Identifier: MIT
// The gang's threads again, twice, on their scalar path.
#include "cpu/exec/fault_search.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <future>
#include <limits>
#include <memory>
#include <utility>

#include "cpu/exec/background.h"
#include "cpu/exec/block_run.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/probe_process.h"
#include "cpu/exec/shared_arena.h"
#include "cpu/exec/stream.h"
#include "cpu/variants/table.h"

namespace pycuda::cpu::exec {
namespace {

constexpr auto time_limit = std::chrono::milliseconds(1000);
/// Compiling takes some tens of milliseconds, seconds where other programs take all processors or
/// where the kernel's module is busy with another form.
constexpr auto compile_limit = std::chrono::seconds(20);
constexpr std::size_t most_lanes = 64;
/// The widest access of a vector instruction: what the processor names is one of its bytes.
constexpr std::uint64_t vector_bytes = 64;
constexpr std::uint64_t too_far = std::numeric_limits<std::uint64_t>::max();

/// A fault of one thread. Addresses in shared memory are as in the block that faulted first.
struct Sighting {
  bool faulted = false;
  FaultKind kind{};
  bool address_known = false;
  std::uint64_t address = 0;
  std::uintptr_t program_counter = 0;
  std::uint32_t source_line = 0, source_file = 0;
  bool operator==(const Sighting&) const = default;
  bool is_of_same_code(const Sighting& other) const {
    return kind == other.kind && program_counter == other.program_counter &&
           source_line == other.source_line && source_file == other.source_file;
  }
};

struct Candidate {
  Dim3 block, thread;
  std::uint64_t block_number = 0;
  std::uint32_t linear = 0;
  Sighting seen;
  bool again = false;  ///< the same in the second run
};

struct Answer {
  bool found = false;
  FaultedThread thread;
};

bool is_canonical(std::uint64_t address) {
  const auto sign = static_cast<std::int64_t>(address) >> 47;
  return sign == 0 || sign == -1;
}

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

/// The launch's kernel with the form for threads, or null. If that is not made yet, it is now: on
/// the thread whose work is waited for when the process ends, since this one is a worker.
const Kernel* with_threads(const LaunchContext& launch) {
  if (launch.kernel.facts.forms.has(Form::Threads)) return &launch.kernel;
  std::promise<const Kernel*> promise;
  std::future<const Kernel*> made = promise.get_future();
  run_in_background(
      [promise = std::make_shared<decltype(promise)>(std::move(promise)),
       table = launch.kernel.table, held = launch.request.keep_alive] {
        const variants::Made code = table->make(variants::Variant::of(Form::Threads));
        promise->set_value(code ? *code : nullptr);
      },
      Priority::AtOnce);
  if (made.wait_for(compile_limit) != std::future_status::ready) return nullptr;
  // Work that cannot be done breaks its promise.
  try {
    return made.get();
  } catch (const std::exception&) {
    return nullptr;
  }
}

class Search {
 public:
  Search(LaunchContext& launch, const FaultRecord& record, const BlockFrame& block)
      : launch_(launch), record_(record), block_(block) {
    list_candidates();
  }

  /// What needs memory, before the process is copied.
  bool prepare() {
    kernel_ = with_threads(launch_);
    if (kernel_ == nullptr) return false;
    if (!kernel_->facts.suspends) return kernel_->run_block != nullptr;
    run_ = BlockRun::acquire(launch_, *kernel_);
    if (run_ != nullptr) run_->prepare_variables();
    return run_ != nullptr;
  }
  void run(Answer& answer);
  void recycle() {
    if (run_ != nullptr) BlockRun::recycle(std::move(run_));
  }

 private:
  void list_candidates();
  void run_alone(Candidate& candidate);
  void run_block(std::uint64_t number);
  void note(Candidate& candidate, const FaultRecord& record);
  std::uint64_t distance_of(const Sighting& sighting) const;
  std::size_t first_of_row(std::size_t lane) const;
  std::size_t only_one() const;
  void choose(Answer& answer) const;

  LaunchContext& launch_;
  const Kernel* kernel_ = nullptr;  ///< in the form for threads
  const FaultRecord record_;        ///< runs overwrite the one that they leave
  const BlockFrame& block_;
  std::unique_ptr<BlockRun> run_;
  std::array<Candidate, most_lanes> candidates_;
  std::size_t count_ = 0;
  std::uint64_t block_number_ = 0;  ///< of the block that runs now
  bool second_ = false;
};

/// The gang's threads by their numbers. Gangs begin at multiples of their size.
void Search::list_candidates() {
  const KernelFacts& facts = launch_.kernel.facts;
  const Dim3 grid = launch_.frame.grid, size = launch_.frame.block;
  const Dim3 at = record_.thread->tid;
  const std::uint32_t columns = launch_.tiles ? facts.tile_columns : facts.gang_lanes;
  const std::uint32_t rows = launch_.tiles ? facts.tile_rows : 1;
  if (in_lines(launch_.frame)) {
    const std::uint32_t first = number_of_thread(size, at) / columns * columns;
    for (std::uint32_t number = first; number < first + columns && count_ < most_lanes; ++number) {
      if (number >= launch_.threads) break;
      Candidate& candidate = candidates_[count_++];
      candidate.block = block_.ctaid;
      candidate.thread = thread_of_number(size, number);
      candidate.block_number =
          candidate.block.x +
          std::uint64_t{grid.x} * (candidate.block.y + std::uint64_t{grid.y} * candidate.block.z);
      candidate.linear = number;
    }
    return;
  }
  const std::uint32_t x = at.x / columns * columns, y = at.y / rows * rows;
  const std::uint32_t width = std::max(block_.row_threads, size.x);
  for (std::uint32_t lane = 0; lane < columns * rows && count_ < most_lanes; ++lane) {
    const std::uint32_t own_x = x + lane % columns, own_y = y + lane / columns;
    if (own_x >= width || own_y >= size.y) continue;
    Candidate& candidate = candidates_[count_++];
    candidate.block = block_.ctaid;
    candidate.block.x += own_x / size.x;
    candidate.thread = {own_x % size.x, own_y, at.z};
    candidate.block_number =
        candidate.block.x +
        std::uint64_t{grid.x} * (candidate.block.y + std::uint64_t{grid.y} * candidate.block.z);
    candidate.linear = candidate.thread.x + size.x * (own_y + size.y * at.z);
  }
}

void Search::note(Candidate& candidate, const FaultRecord& record) {
  Sighting sighting;
  sighting.faulted = true;
  sighting.kind = record.kind;
  sighting.address_known = record.address_known;
  sighting.address = record.address;
  sighting.program_counter = record.program_counter;
  sighting.source_line = record.thread->source_line;
  sighting.source_file = record.thread->source_file;
  const auto arena =
      reinterpret_cast<std::uint64_t>(record.thread->block->shared) - SharedArena::guard_bytes;
  constexpr std::uint64_t reached =
      SharedArena::guard_bytes + std::numeric_limits<std::uint32_t>::max();
  if (record.address_known && record.address - arena <= reached)
    sighting.address += reinterpret_cast<std::uint64_t>(block_.shared) -
                        reinterpret_cast<std::uint64_t>(record.thread->block->shared);
  if (second_) {
    candidate.again = sighting == candidate.seen;
  } else {
    candidate.seen = sighting;
  }
}

void Search::run_alone(Candidate& candidate) {
  struct Alone {
    const Kernel& kernel;
    KernelEntry& entry;
    BlockFrame block;
    ThreadFrame thread;
  } alone{*kernel_, KernelEntry::of_this_thread(), block_, {}};
  alone.block.ctaid = candidate.block;
  alone.thread.block = &alone.block;
  alone.thread.tid = candidate.thread;
  alone.thread.linear = candidate.linear;
  alone.thread.mask = 1;
  const bool whole = alone.entry.run(
      &launch_,
      [](void* context) {
        Alone& own = *static_cast<Alone*>(context);
        own.entry.enter(&own.thread);
        own.kernel.run_block(&own.block, &own.thread);
        own.entry.leave();
      },
      &alone);
  if (!whole) note(candidate, alone.entry.fault());
}

void Search::run_block(std::uint64_t number) {
  block_number_ = number;
  run_->start(number);
  run_->run_past_faults(
      block_.processor,
      [](void* context, const FaultRecord& record) {
        Search& own = *static_cast<Search*>(context);
        for (std::size_t i = 0; i < own.count_; ++i) {
          Candidate& candidate = own.candidates_[i];
          if (candidate.block_number == own.block_number_ &&
              candidate.linear == record.thread->linear)
            own.note(candidate, record);
        }
      },
      this);
}

/// In the copy. The second run goes the other way round: threads find what those behind them left.
void Search::run(Answer& answer) {
  launch_.stopped.store(false, std::memory_order_relaxed);
  launch_.timed_out.store(false, std::memory_order_relaxed);
  const bool alone = run_ == nullptr;
  const auto runs_block = [&](std::size_t i, std::size_t before) {
    return i == 0 || candidates_[i].block_number != candidates_[before].block_number;
  };
  for (std::size_t i = 0; i < count_; ++i) {
    if (alone) {
      run_alone(candidates_[i]);
    } else if (runs_block(i, i - 1)) {
      run_block(candidates_[i].block_number);
    }
  }
  second_ = true;
  for (std::size_t i = count_; i-- > 0;) {
    if (alone) {
      if (candidates_[i].seen.faulted) run_alone(candidates_[i]);
    } else if (runs_block(i, i - 1)) {
      run_block(candidates_[i].block_number);
    }
  }
  choose(answer);
}

/// How far a thread's fault is from the gang's: the bytes between what they touched, or too far.
std::uint64_t Search::distance_of(const Sighting& sighting) const {
  // What is no address was found in a register: of several lanes' there, one.
  if (!record_.address_known || !is_canonical(record_.address)) {
    const bool no_address = sighting.address_known && !is_canonical(sighting.address);
    return no_address || !sighting.address_known || sighting.kind == record_.kind ? 0 : too_far;
  }
  if (sighting.kind != record_.kind || !sighting.address_known) return too_far;
  const std::uint64_t bytes = distance(sighting.address, record_.address);
  if (bytes < vector_bytes) return bytes;
  // Where all lanes are misaligned or none is, one test is for all, of the first one's address.
  const bool tested = record_.signal == 0 && record_.kind == FaultKind::MisalignedAddress &&
                      sighting.source_line == record_.thread->source_line &&
                      sighting.source_file == record_.thread->source_file;
  return tested ? vector_bytes : too_far;
}

/// A gang's access is several vectors, in an order of the compiler's choice. Of threads with places
/// side by side, at equal distances, the first one is taken, not the first of a vector.
std::size_t Search::first_of_row(std::size_t lane) const {
  const auto alike = [&](std::size_t other) {
    return other < count_ && candidates_[other].again &&
           candidates_[other].seen.is_of_same_code(candidates_[lane].seen);
  };
  const auto step_to = [&](std::size_t other) {
    return candidates_[other].seen.address - candidates_[other - 1].seen.address;
  };
  const bool goes_on = alike(lane + 1);
  if (lane == 0 || !alike(lane - 1) || (!goes_on && lane == 1)) return lane;
  const std::uint64_t step = step_to(goes_on ? lane + 1 : lane);
  if (!goes_on && (!alike(lane - 2) || step_to(lane - 1) != step)) return lane;
  while (lane > 0 && alike(lane - 1) && step_to(lane) == step) --lane;
  return lane;
}

/// The only thread that goes astray in that line. A thread's arrays lie elsewhere when it runs
/// alone than in a gang, so its address tells nothing; none is chosen among several.
std::size_t Search::only_one() const {
  // Without an address the kind is a guess.
  if (record_.address_known && record_.kind != FaultKind::IllegalAddress) return count_;
  std::size_t found = count_;
  for (std::size_t i = 0; i < count_; ++i) {
    const Candidate& candidate = candidates_[i];
    if (!candidate.seen.faulted) continue;
    if (found != count_ || !candidate.again || candidate.seen.kind != FaultKind::IllegalAddress ||
        candidate.seen.source_line != record_.thread->source_line ||
        candidate.seen.source_file != record_.thread->source_file)
      return count_;
    found = i;
  }
  return found;
}

void Search::choose(Answer& answer) const {
  std::size_t nearest = count_;
  std::uint64_t least = too_far;
  for (std::size_t i = 0; i < count_; ++i) {
    const Candidate& candidate = candidates_[i];
    if (!candidate.seen.faulted || !candidate.again) continue;
    const std::uint64_t bytes = distance_of(candidate.seen);
    if (bytes >= least) continue;
    nearest = i;
    least = bytes;
  }
  nearest = nearest == count_ ? only_one() : first_of_row(nearest);
  if (nearest == count_) return;
  const Candidate& chosen = candidates_[nearest];
  answer.found = true;
  answer.thread = {
      chosen.block,     chosen.thread,       chosen.seen.source_line,  chosen.seen.source_file,
      chosen.seen.kind, chosen.seen.address, chosen.seen.address_known};
}

}  // namespace

bool stands_for_gang(const LaunchContext& launch, const FaultRecord& record) {
  if (!launch.gangs || !record.thread_known || record.thread == nullptr) return false;
  const bool of_access =
      record.kind == FaultKind::IllegalAddress || record.kind == FaultKind::MisalignedAddress;
  if (record.signal != 0) return of_access;
  // Calls are made for each lane under its own number, but for tests of what all lanes have.
  const KernelFacts& facts = launch.kernel.facts;
  const Dim3 at = record.thread->tid;
  const bool is_first = launch.tiles ? at.x % facts.tile_columns == 0 && at.y % facts.tile_rows == 0
                                     : at.x % facts.gang_lanes == 0;
  return record.kind == FaultKind::MisalignedAddress && is_first;
}

std::optional<FaultedThread> find_faulted_thread(LaunchContext& launch, const FaultRecord& record,
                                                 const BlockFrame& block) {
  Search search(launch, record, block);
  if (!search.prepare()) return std::nullopt;
  Answer answer;
  const bool whole = run_in_probe_process(
      [](void* context, void* result) {
        static_cast<Search*>(context)->run(*static_cast<Answer*>(result));
      },
      &search, &answer, sizeof answer, time_limit);
  search.recycle();
  if (!whole || !answer.found) return std::nullopt;
  return answer.thread;
}

}  // namespace pycuda::cpu::exec
