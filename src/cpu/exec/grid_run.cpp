// SPDX-License-Identifier: MIT
// Cuts a grid into chunks, counts them, and decides what is small enough to run in the caller.
#include "cpu/exec/grid_run.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "cpu/exec/block_run.h"
#include "cpu/exec/block_times.h"
#include "cpu/exec/child_launches.h"
#include "cpu/exec/cpu_budget.h"
#include "cpu/exec/fault_message.h"
#include "cpu/exec/slow_kernels.h"
#include "cpu/variants/launch_form.h"

namespace pycuda::cpu::exec {
namespace {

// One instruction of one thread is taken for half a nanosecond.
constexpr std::uint64_t small_launch = 40000;      // ~20 us
constexpr std::uint64_t small_chunk = 20000;       // ~10 us: a worker takes microseconds to wake
constexpr std::uint64_t small_chunk_time = 10000;  // the same in nanoseconds
/// An H100's. A program may count on as many of its blocks being there as any GPU has room for.
constexpr std::uint64_t processors_of_large_gpu = 132;
constexpr auto slow_time = std::chrono::microseconds(60);

// In a gang, which does one instruction for all of its threads, it takes that much less. A core
// takes a small launch of gangs sooner than it hands one over: 2^14 threads of saxpy take 1.3 us.
constexpr std::uint64_t gain_of_gangs = 16;

std::uint64_t cost_per_block(const Kernel& kernel, const Dim3& block, bool gangs) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  return std::max<std::uint64_t>(1, kernel.facts.cost * threads / (gangs ? gain_of_gangs : 1));
}

std::uint64_t block_count(const LaunchRequest& request) {
  return std::uint64_t{request.grid.x} * request.grid.y * request.grid.z;
}

/// How many clusters (of one block, usually) a GPU with so many processors would hold at once:
/// spin-waits between so many make progress. A cooperative launch holds all of its blocks.
std::int32_t resident_blocks(const LaunchContext& launch, bool cooperative,
                             std::uint64_t processors) {
  std::uint64_t resident = launch.blocks;
  if (!cooperative) {
    const std::uint64_t warps = (launch.threads + 31) / 32;
    const std::uint64_t by_threads = 64 / warps;
    const std::uint64_t shared = launch.shared_bytes - launch.kernel.facts.shared_gap_bytes;
    const std::uint64_t by_shared = (std::uint64_t{164} << 10) / (shared + 1024);
    const std::uint64_t per_processor =
        std::clamp<std::uint64_t>(std::min(by_threads, by_shared), 1, 32);
    resident = std::min(resident, per_processor * processors);
  }
  resident = std::max<std::uint64_t>(resident / launch.cluster_blocks, 1);
  return static_cast<std::int32_t>(
      std::min<std::uint64_t>(resident, WorkerPool::unlimited / 2 - 1));
}

unsigned workers_of(const LaunchRequest& request) {
  return request.processors != nullptr ? request.processors->size() : worker_count();
}

/// The worker's place among those that may run the launch.
std::size_t share_of(const LaunchRequest& request, unsigned processor) {
  if (request.processors == nullptr) return processor;
  const auto& all = request.processors->processors();
  return static_cast<std::size_t>(std::ranges::lower_bound(all, processor) - all.begin());
}

}  // namespace

bool runs_in_caller(const LaunchRequest& request) {
  // A launch must not wait for the kernel: how often a loop runs is known to nobody.
  // And only what the workers run has room for the launches of a kernel.
  if (request.kernel->facts.loops || request.kernel->facts.calls_device_runtime()) return false;
  const bool gangs = variants::uses_gangs(request.kernel->facts, request.grid, request.block);
  if (request.kernel->facts.suspends && !gangs) return false;
  const std::uint64_t blocks = block_count(request);
  if (blocks > small_launch) return false;
  return cost_per_block(*request.kernel, request.block, gangs) * blocks <= small_launch &&
         !slow_kernels().too_many(request.kernel, blocks);
}

void run_in_caller(const LaunchRequest& request, FaultSink& faults) {
  const CheckedWork counted(request.checks);
  LaunchContext launch(request, faults);
  const unsigned processor = request.processors != nullptr ? request.processors->first() : 0;
  if (!launch.choice.work && !slow_kernels().worth_timing(request.kernel, launch.blocks)) {
    run_plain_blocks(launch, 0, launch.blocks, processor);
    return;
  }
  const auto before = std::chrono::steady_clock::now();
  run_plain_blocks(launch, 0, launch.blocks, processor);
  const auto time = std::chrono::steady_clock::now() - before;
  if (time > slow_time) {
    slow_kernels().add(request.kernel, launch.blocks);
  } else {
    slow_kernels().was_quick(request.kernel, launch.blocks);
  }
  launch.add_run_time(time);
}

GridRun::GridRun(LaunchRequest request, FaultSink& faults, Task finished)
    : Job(request.processors),
      request_(std::move(request)),
      launch_(request_, faults),
      code_(launch_),
      finished_(std::move(finished)) {
  choose_chunks();
}

void GridRun::choose_chunks() {
  const std::uint64_t workers = workers_of(request_);
  std::uint64_t per_chunk = 1;
  if (!launch_.suspends) {
    // Sixteen chunks a worker balance uneven blocks well.
    per_chunk = launch_.blocks / (workers * 16);
    // The trip counts of loops are unknown: a few blocks may be much work, unless an earlier launch
    // has shown that they are not.
    if (const std::uint64_t time = expected_block_time(launch_.kernel); time != 0) {
      per_chunk = std::max(per_chunk, small_chunk_time / time);
    } else if (!launch_.kernel.facts.loops) {
      per_chunk = std::max(
          per_chunk,
          small_chunk / cost_per_block(launch_.kernel, launch_.frame.block, launch_.gangs));
    }
    // Gangs that take turns in stepping over the grid walk memory in runs as long as a chunk.
    if (launch_.most_fused > 1 && launch_.kernel.facts.strides_over_grid)
      per_chunk = std::min((launch_.blocks + workers - 1) / workers, launch_.most_fused);
  }
  const std::uint64_t units =
      launch_.suspends ? launch_.blocks / launch_.cluster_blocks : launch_.blocks;
  // The pool counts chunks in 32 bits.
  per_chunk = std::max({per_chunk, units >> 30, std::uint64_t{1}});
  blocks_per_chunk_ = per_chunk;
  chunks_ = static_cast<std::uint32_t>((units + per_chunk - 1) / per_chunk);
  chunks_left_.store(chunks_, std::memory_order_relaxed);
}

void GridRun::split_chunks() {
  const unsigned workers = workers_of(request_);
  // Where races are looked for, blocks begin in order.
  if (launch_.suspends || launch_.races != nullptr || workers == 1 || chunks_ < 2 * workers) return;
  shares_ = std::vector<Share>(workers);
  for (unsigned i = 0; i < workers; ++i) {
    shares_[i].next.store(static_cast<std::uint32_t>(std::uint64_t{chunks_} * i / workers),
                          std::memory_order_relaxed);
    shares_[i].end = static_cast<std::uint32_t>(std::uint64_t{chunks_} * (i + 1) / workers);
  }
}

std::uint32_t GridRun::chunk_for(std::uint32_t chunk, unsigned processor) {
  if (shares_.empty()) return chunk;
  // There is a chunk for each that the pool has handed out.
  for (std::size_t i = share_of(request_, processor);; ++i) {
    Share& share = shares_[i % shares_.size()];
    if (share.next.load(std::memory_order_relaxed) >= share.end) continue;
    const std::uint32_t next = share.next.fetch_add(1, std::memory_order_relaxed);
    if (next < share.end) return next;
  }
}

void GridRun::run_here(unsigned processor) {
  const auto before = std::chrono::steady_clock::now();
  run_plain_blocks(launch_, 0, launch_.blocks, processor);
  const auto time = std::chrono::steady_clock::now() - before;
  if (launch_.stopped.load(std::memory_order_relaxed)) {
    if (launch_.timed_out.load(std::memory_order_relaxed))
      launch_.report(FaultKind::Timeout, nullptr, nullptr, why_stopped(launch_));
    return;
  }
  note_block_time(launch_.kernel, launch_.blocks, time);
  if (launch_.choice.work) launch_.add_run_time(time);
}

bool GridRun::worth_waking() const {
  return chunks_ > 1 || launch_.suspends || launch_.kernel.facts.calls_device_runtime() ||
         expected_block_time(launch_.kernel) == 0;
}

JobHandle GridRun::submit(std::unique_ptr<GridRun> run) {
  run->split_chunks();
  std::int32_t room = WorkerPool::unlimited;
  if (run->launch_.suspends) {
    const bool cooperative = run->request_.cooperative;
    room = resident_blocks(run->launch_, cooperative, workers_of(run->request_));
    run->resident_ = static_cast<std::uint32_t>(room);
    const std::int32_t most = resident_blocks(run->launch_, cooperative, processors_of_large_gpu);
    run->more_blocks_.store(most - room, std::memory_order_relaxed);
  }
  GridRun* const own = run.release();
  return WorkerPool::instance().submit(own, own->chunks_, room);
}

JobHandle GridRun::start(LaunchRequest request, FaultSink& faults, Task finished,
                         CheckedWork queued) {
  auto run = std::unique_ptr<GridRun>(new GridRun(std::move(request), faults, std::move(finished)));
  queued = CheckedWork();
  return submit(std::move(run));
}

std::optional<JobHandle> GridRun::run_or_start(LaunchRequest request, FaultSink& faults,
                                               Task finished, CheckedWork queued) {
  auto run = std::unique_ptr<GridRun>(new GridRun(std::move(request), faults, std::move(finished)));
  queued = CheckedWork();
  const std::optional<unsigned> worker = WorkerPool::this_worker();
  if (!worker || !may_run(run->request_.processors, *worker) || run->worth_waking())
    return submit(std::move(run));
  run->run_here(*worker);
  return std::nullopt;
}

void GridRun::count_turn(bool advanced, const BlockRun& block) {
  // Blocks that advance may do so from barrier to barrier of a loop that waits.
  constexpr std::uint32_t idle_turns_of_each = 4, turns_of_each = 16;
  if (advanced) {
    idle_turns_.store(0, std::memory_order_relaxed);
    patience_.renew();
  }
  std::atomic<std::uint32_t>& turns = advanced ? turns_ : idle_turns_;
  const std::uint32_t most = (advanced ? turns_of_each : idle_turns_of_each) * resident_;
  if (turns.fetch_add(1, std::memory_order_relaxed) + 1 < most) return;
  turns.store(0, std::memory_order_relaxed);
  if (!advanced && patience_.runs_out(Patience::Clock::now()))
    tell_of_waiting(launch_.kernel.facts.name, patience_.limit(), block.waiting_text());
  const auto more = static_cast<std::int32_t>(resident_ / 4 + 1);
  for (std::int32_t i = 0; i < more; ++i) {
    if (more_blocks_.fetch_sub(1, std::memory_order_relaxed) <= 0) {
      more_blocks_.store(0, std::memory_order_relaxed);
      return;
    }
    WorkerPool::instance().make_room(*this);
  }
}

void GridRun::run_chunk(std::uint32_t chunk, unsigned processor) {
  chunk = chunk_for(chunk, processor);
  LaunchContext& launch = code_.for_next_blocks();
  const std::uint64_t first = chunk * blocks_per_chunk_;
  std::uint64_t last = std::min(first + blocks_per_chunk_, launch_.blocks);
  if (launch_.suspends && launch_.cluster_blocks > 1) {
    last = std::min(last, launch_.blocks / launch_.cluster_blocks);
    run_clusters(first, last, processor);
  } else if (launch.suspends) {
    run_suspending(launch, first, last, processor);
  } else {
    const auto before = std::chrono::steady_clock::now();
    run_plain_blocks(launch, first, last, processor);
    const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - before;
    run_time_.fetch_add(time.count(), std::memory_order_relaxed);
    end_chunk();
  }
}

/// A chunk of blocks that suspend, one after the other; it gives its worker away while it spins.
class ParkedBlock final : public Parked {
 public:
  ParkedBlock(GridRun& grid, LaunchContext& launch, std::uint64_t next, std::uint64_t last)
      : Parked(grid.request_.processors), grid_(grid), launch_(launch), next_(next), last_(last) {}

  bool resume(unsigned processor) override {
    if (!launch_.stopped.load(std::memory_order_relaxed) && run_ == nullptr && !begin()) {
      WorkerPool::instance().park(this);
      return false;
    }
    for (;;) {
      const BlockRun::Outcome outcome = launch_.stopped.load(std::memory_order_relaxed)
                                            ? BlockRun::Outcome::Stopped
                                            : run_->run(processor);
      if (outcome == BlockRun::Outcome::Spinning) {
        const bool advanced = run_->advanced();
        grid_.count_turn(advanced, *run_);
        WorkerPool::instance().park(this);
        return advanced;
      }
      if (outcome == BlockRun::Outcome::Finished) grid_.turns_.store(0, std::memory_order_relaxed);
      if (outcome == BlockRun::Outcome::Finished && next_ < last_) {
        run_->start(next_++);
        continue;
      }
      if (run_ != nullptr) {
        // It may not have run since the time was over.
        if (launch_.timed_out.load(std::memory_order_relaxed)) run_->report_late();
        BlockRun::recycle(std::move(run_));
      }
      GridRun& grid = grid_;
      delete this;
      grid.end_chunk();
      return true;
    }
  }

 private:
  /// Starts the first block, or reports that this is not possible. False: blocks that run now have
  /// the memory.
  bool begin() {
    bool others_have_some = false;
    run_ = BlockRun::acquire(launch_, launch_.kernel, &others_have_some);
    if (run_ != nullptr) {
      run_->start(next_++);
      return true;
    }
    // Blocks of a cooperative launch wait for each other; races are looked for in order.
    const bool may_wait = !grid_.request_.cooperative && launch_.races == nullptr;
    if (may_wait && others_have_some) return false;
    launch_.report(FaultKind::OutOfMemory, nullptr, nullptr, "no memory to run its threads");
    return true;
  }

  GridRun& grid_;
  LaunchContext& launch_;
  std::unique_ptr<BlockRun> run_;  ///< null before the first block
  std::uint64_t next_;
  const std::uint64_t last_;
};

/// A chunk of clusters, one after the other. The blocks of one take turns on one worker.
class ParkedCluster final : public Parked {
 public:
  ParkedCluster(GridRun& grid, std::vector<std::unique_ptr<BlockRun>> runs, std::uint64_t first,
                std::uint64_t last)
      : Parked(grid.request_.processors),
        grid_(grid),
        runs_(std::move(runs)),
        next_(first),
        last_(last) {
    start_next();
  }

  bool resume(unsigned processor) override {
    for (;;) {
      const Round round = run_round(processor);
      if (round.stopped) return end();
      if (unfinished_ == 0) {
        grid_.turns_.store(0, std::memory_order_relaxed);
        if (next_ == last_) return end();
        start_next();
        continue;
      }
      if (round.advanced && (!round.woke || ++rounds_ % rounds_in_turn != 0)) continue;
      if (!round.advanced && !round.spinning) {
        runs_[static_cast<std::size_t>(std::countr_zero(unfinished_))]->report_deadlock();
        return end();
      }
      grid_.count_turn(round.advanced,
                       *runs_[static_cast<std::size_t>(std::countr_zero(unfinished_))]);
      WorkerPool::instance().park(this);
      return round.advanced;
    }
  }

 private:
  struct Round {
    bool advanced = false, woke = false, spinning = false, stopped = false;
  };

  void start_next() {
    std::array<BlockRun*, most_cluster_blocks> blocks{};
    for (std::uint32_t rank = 0; rank < runs_.size(); ++rank) {
      runs_[rank]->start(grid_.launch_.block_in_cluster(next_, rank));
      blocks[rank] = runs_[rank].get();
    }
    cluster_.start({blocks.data(), runs_.size()});
    unfinished_ = (1u << runs_.size()) - 1;
    ++next_;
  }

  Round run_round(unsigned processor) {
    Round round;
    for (std::uint32_t left = unfinished_; left != 0; left &= left - 1) {
      BlockRun& run = *runs_[static_cast<std::size_t>(std::countr_zero(left))];
      const BlockRun::Outcome outcome = grid_.launch_.stopped.load(std::memory_order_relaxed)
                                            ? BlockRun::Outcome::Stopped
                                            : run.run(processor);
      if (outcome == BlockRun::Outcome::Stopped) {
        round.stopped = true;
        return round;
      }
      round.advanced |= run.advanced();
      round.woke |= run.woke();
      round.spinning |= outcome == BlockRun::Outcome::Spinning;
      if (outcome == BlockRun::Outcome::Finished) unfinished_ &= ~(left & (~left + 1));
    }
    return round;
  }

  bool end() {
    if (grid_.launch_.timed_out.load(std::memory_order_relaxed)) runs_.front()->report_late();
    for (std::unique_ptr<BlockRun>& run : runs_) BlockRun::recycle(std::move(run));
    GridRun& grid = grid_;
    delete this;
    grid.end_chunk();
    return true;
  }

  GridRun& grid_;
  std::vector<std::unique_ptr<BlockRun>> runs_;  ///< by rank
  Cluster cluster_;
  std::uint32_t unfinished_ = 0;  ///< a bit for each block
  /// In which blocks advanced, and threads of them waited for others.
  std::uint32_t rounds_ = 0;
  static constexpr std::uint32_t rounds_in_turn = 64;
  std::uint64_t next_;
  const std::uint64_t last_;
};

void GridRun::run_clusters(std::uint64_t first, std::uint64_t last, unsigned processor) {
  std::vector<std::unique_ptr<BlockRun>> runs;
  while (!launch_.stopped.load(std::memory_order_relaxed) && runs.size() < launch_.cluster_blocks) {
    runs.push_back(BlockRun::acquire(launch_, launch_.kernel));
    if (runs.back() == nullptr)
      launch_.report(FaultKind::OutOfMemory, nullptr, nullptr, "no memory to run its threads");
  }
  if (runs.size() < launch_.cluster_blocks || runs.back() == nullptr) {
    end_chunk();
    return;
  }
  (new ParkedCluster(*this, std::move(runs), first, last))->resume(processor);
}

void GridRun::run_suspending(LaunchContext& launch, std::uint64_t first, std::uint64_t last,
                             unsigned processor) {
  (new ParkedBlock(*this, launch, first, last))->resume(processor);
}

void GridRun::end_chunk() {
  WorkerPool& pool = WorkerPool::instance();
  std::uint32_t done = 1;
  patience_.renew();
  code_.share_stop();
  if (launch_.stopped.load(std::memory_order_relaxed)) {
    done += pool.cancel_rest(*this);
  } else {
    pool.make_room(*this);
  }
  if (chunks_left_.fetch_sub(done, std::memory_order_acq_rel) != done) return;
  if (launch_.timed_out.load(std::memory_order_relaxed)) {
    launch_.report(FaultKind::Timeout, nullptr, nullptr, why_stopped(launch_));
  }
  code_.count_time();
  if (!launch_.suspends && !code_.has_changed() && !launch_.stopped.load(std::memory_order_relaxed))
    note_block_time(launch_.kernel, launch_.blocks,
                    std::chrono::nanoseconds(run_time_.load(std::memory_order_relaxed)));
  Task finished = std::move(finished_);
  std::unique_ptr<ChildLaunches> children = launch_.take_children();
  pool.retire(*this);
  delete this;
  if (children != nullptr) {
    ChildLaunches::run(std::move(children), std::move(finished));
  } else {
    finished.run(finished.subject);
  }
}

}  // namespace pycuda::cpu::exec
