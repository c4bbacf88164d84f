// SPDX-License-Identifier: MIT
// Cuts a grid into chunks, counts them, and decides what is small enough to run in the caller.
#include "cpu/exec/grid_run.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "cpu/exec/cpu_budget.h"

namespace pycuda::cpu::exec {
namespace {

// One instruction of one thread is taken for half a nanosecond.
constexpr std::uint64_t small_launch = 40000;  // ~20 us
constexpr std::uint64_t small_chunk = 20000;   // ~10 us: a worker takes microseconds to wake
constexpr auto slow_time = std::chrono::microseconds(60);

std::uint64_t cost_per_block(const Kernel& kernel, const Dim3& block) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  return std::max<std::uint64_t>(1, kernel.facts.cost * threads);
}

/// Kernels whose launches took longer than their length suggests (they loop). A direct-mapped
/// table: a collision costs speed, nothing else.
struct SlowKernels {
  struct Entry {
    std::atomic<const Kernel*> kernel{nullptr};
    std::atomic<std::uint64_t> blocks{0};  ///< so many were too many
  };
  std::array<Entry, 256> entries;

  Entry& of(const Kernel* kernel) {
    return entries[(reinterpret_cast<std::uintptr_t>(kernel) >> 4) % entries.size()];
  }
  void add(const Kernel* kernel, std::uint64_t blocks) {
    Entry& entry = of(kernel);
    entry.blocks.store(blocks, std::memory_order_relaxed);
    entry.kernel.store(kernel, std::memory_order_relaxed);
  }
  bool too_many(const Kernel* kernel, std::uint64_t blocks) {
    const Entry& entry = of(kernel);
    return entry.kernel.load(std::memory_order_relaxed) == kernel &&
           blocks * 2 > entry.blocks.load(std::memory_order_relaxed);
  }
};

SlowKernels& slow_kernels() {
  static SlowKernels* const kernels = new SlowKernels;
  return *kernels;
}

std::uint64_t block_count(const LaunchRequest& request) {
  return std::uint64_t{request.grid.x} * request.grid.y * request.grid.z;
}

}  // namespace

bool runs_in_caller(const LaunchRequest& request) {
  if (request.kernel->facts.suspends) return false;
  const std::uint64_t blocks = block_count(request);
  if (blocks > small_launch) return false;
  return cost_per_block(*request.kernel, request.block) * blocks <= small_launch &&
         !slow_kernels().too_many(request.kernel, blocks);
}

void run_in_caller(const LaunchRequest& request, FaultSink& faults) {
  LaunchContext launch(request, faults);
  const auto before = std::chrono::steady_clock::now();
  run_plain_blocks(launch, 0, launch.blocks, 0);
  if (std::chrono::steady_clock::now() - before > slow_time) {
    slow_kernels().add(request.kernel, launch.blocks);
  }
}

GridRun::GridRun(LaunchRequest request, FaultSink& faults, Task finished)
    : request_(std::move(request)), launch_(request_, faults), finished_(std::move(finished)) {
  const std::uint64_t workers = worker_count();
  std::uint64_t per_chunk = 1;
  if (!launch_.kernel.facts.suspends) {
    // Sixteen chunks a worker balance uneven blocks well.
    per_chunk = std::max(launch_.blocks / (workers * 16),
                         small_chunk / cost_per_block(launch_.kernel, launch_.frame.block));
  }
  // The pool counts chunks in 32 bits.
  per_chunk = std::max({per_chunk, launch_.blocks >> 30, std::uint64_t{1}});
  blocks_per_chunk_ = per_chunk;
  chunks_ = static_cast<std::uint32_t>((launch_.blocks + per_chunk - 1) / per_chunk);
  chunks_left_.store(chunks_, std::memory_order_relaxed);
}

JobHandle GridRun::start(LaunchRequest request, FaultSink& faults, Task finished) {
  auto* const run = new GridRun(std::move(request), faults, std::move(finished));
  return WorkerPool::instance().submit(run, run->chunks_);
}

void GridRun::run_chunk(std::uint32_t chunk, unsigned processor) {
  const std::uint64_t first = chunk * blocks_per_chunk_;
  const std::uint64_t last = std::min(first + blocks_per_chunk_, launch_.blocks);
  if (launch_.kernel.facts.suspends) {
    launch_.report(FaultKind::IllegalInstruction, nullptr, nullptr,
                   "kernels that suspend cannot run yet");
  } else {
    run_plain_blocks(launch_, first, last, processor);
  }
  std::uint32_t done = 1;
  if (launch_.stopped.load(std::memory_order_relaxed)) {
    done += WorkerPool::instance().cancel_rest(*this);
  }
  finish_chunks(done);
}

void GridRun::finish_chunks(std::uint32_t count) {
  if (chunks_left_.fetch_sub(count, std::memory_order_acq_rel) != count) return;
  const Task finished = std::move(finished_);
  WorkerPool::instance().retire(*this);
  delete this;
  finished.run(finished.subject);
}

}  // namespace pycuda::cpu::exec
