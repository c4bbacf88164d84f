// SPDX-License-Identifier: MIT
// The memory that a block has while it runs, for its threads and their shared variables. What one
// block leaves is kept for the next ones.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>

#include "cpu/exec/block_run.h"
#include "cpu/exec/cpu_budget.h"
#include "cpu/exec/stream.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::uint64_t frame_alignment = 64;
constexpr std::size_t spare_limit = 64;

struct Spare {
  std::mutex mutex;  ///< protects `runs`
  std::vector<std::unique_ptr<BlockRun>> runs;
  std::atomic<std::uint32_t> in_use{0};   ///< acquired ones
  std::atomic<std::uint64_t> uses{0};     ///< so many have been acquired
  std::mutex last_attempt;                ///< one thread at a time tries again
  std::atomic<std::uint32_t> refused{0};  ///< of those in use: they have no memory
};

Spare& spare() {
  static Spare* const instance = new Spare;
  return *instance;
}

}  // namespace

std::uint64_t threads_on_own_stacks(const LaunchRequest& request) {
  if (!request.kernel->own_stacks) return 0;
  const Dim3 &grid = request.grid, &block = request.block, &cluster = request.cluster;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  const std::uint64_t at_once = std::uint64_t{worker_count()} * cluster.x * cluster.y * cluster.z;
  return (request.cooperative ? blocks : std::min(blocks, at_once)) * block.x * block.y * block.z;
}

bool has_room_for_stacks(const LaunchRequest& request) {
  const std::uint64_t threads = threads_on_own_stacks(request);
  const std::uint64_t bytes = request.kernel->bytes_of_thread(request.stack_bytes);
  // What is tried here for a moment must not be what a block lacks in the end.
  const std::unique_lock lock(spare().last_attempt);
  if (ThreadStacks::has_room(bytes, threads)) return true;
  BlockRun::free_spare_stacks();
  if (request.cooperative) return ThreadStacks::has_room(bytes, threads);
  for (;;) {
    // In this order: what others reserve meanwhile is refused to this attempt alone.
    const std::uint64_t reservations = ThreadStacks::reservations();
    if (ThreadStacks::has_room(bytes, threads, ThreadStacks::reserved())) return true;
    if (ThreadStacks::reservations() == reservations) return false;
  }
}

void BlockRun::Free::operator()(std::byte* memory) const {
  ::operator delete(memory, std::align_val_t{frame_alignment});
}

std::unique_ptr<BlockRun> BlockRun::acquire(LaunchContext& launch, const Kernel& kernel,
                                            bool* others_have_some) {
  std::unique_ptr<BlockRun> run;
  {
    Spare& store = spare();
    const std::unique_lock lock(store.mutex);
    if (!store.runs.empty()) {
      run = std::move(store.runs.back());
      store.runs.pop_back();
    } else {
      run.reset(new BlockRun);
    }
    run->use_.begin();  // before others can find that it is no longer spare
  }
  bool others = false;
  if (run->fit(launch, kernel) || run->fit_without_spares(launch, kernel, others)) return run;
  if (others_have_some != nullptr) *others_have_some = others;
  recycle(std::move(run));
  return nullptr;
}

bool BlockRun::fit_without_spares(LaunchContext& launch, const Kernel& kernel, bool& others) {
  Spare& store = spare();
  store.refused.fetch_add(1);
  const std::unique_lock lock(store.last_attempt);
  const std::uint64_t uses = store.uses.load();
  others = store.in_use.load() > store.refused.load();
  free_spare_stacks();
  const bool fits = fit(launch, kernel);
  others |= store.uses.load() != uses;
  store.refused.fetch_sub(1);
  return fits;
}

void BlockRun::recycle(std::unique_ptr<BlockRun> run) {
  run->stacks_.release_large();
  Spare& store = spare();
  const std::unique_lock lock(store.mutex);
  run->use_.end();
  if (store.runs.size() < spare_limit) store.runs.push_back(std::move(run));
}

void BlockRun::Use::begin() {
  spare().uses.fetch_add(1);
  spare().in_use.fetch_add(1);
  begun_ = true;
}

void BlockRun::Use::end() {
  if (begun_) spare().in_use.fetch_sub(1);
  begun_ = false;
}

void BlockRun::free_spare_stacks() {
  Spare& store = spare();
  const std::unique_lock lock(store.mutex);
  for (const std::unique_ptr<BlockRun>& run : store.runs) {
    run->stacks_.free();
    run->coroutines_.reset();
    run->coroutine_capacity_ = 0;
  }
}

bool BlockRun::fit(LaunchContext& launch, const Kernel& kernel) {
  launch_ = &launch;
  kernel_ = &kernel;
  if (arena_ == nullptr) arena_ = SharedArena::create();
  if (arena_ == nullptr || !launch.prepare_shared(*arena_)) return false;
  const std::uint64_t bytes = kernel.bytes_of_thread(launch.frame.stack_bytes);
  if (kernel.own_stacks ? !stacks_.fit(bytes, launch.threads)
                        : !fit_coroutines(bytes, launch.threads))
    return false;
  threads_.resize(launch.threads);
  if (frames_.size() < launch.threads) frames_.resize(launch.threads);
  return true;
}

bool BlockRun::fit_coroutines(std::uint64_t bytes, std::uint32_t threads) {
  coroutine_stride_ = (bytes + frame_alignment - 1) & ~(frame_alignment - 1);
  const std::uint64_t wanted = coroutine_stride_ * threads;
  if (wanted <= coroutine_capacity_) return true;
  coroutines_.reset();
  coroutine_capacity_ = 0;
  void* memory = ::operator new(wanted, std::align_val_t{frame_alignment}, std::nothrow);
  if (memory == nullptr) return false;
  coroutines_.reset(static_cast<std::byte*>(memory));
  coroutine_capacity_ = wanted;
  return true;
}

void BlockRun::start_thread(ThreadFrame& thread) {
  if (!kernel_->own_stacks) {
    kernel_->start_thread(&thread, coroutines_.get() + coroutine_stride_ * thread.linear);
    return;
  }
  stacks_.begin(thread.linear);
  // At the upper end, so that an overrun of a variable meets the guard of the next stack.
  const std::uint64_t bytes = kernel_->bytes_of_thread(launch_->frame.stack_bytes);
  const std::uint64_t unused = (stacks_.bytes() - bytes) & ~(frame_alignment - 1);
  kernel_->start_thread(&thread, stacks_.of(thread.linear) + unused);
}

bool BlockRun::owns(const ThreadFrame& thread, std::uintptr_t address, std::uint64_t bytes) const {
  const std::byte* const memory = kernel_->own_stacks
                                      ? stacks_.of(thread.linear)
                                      : coroutines_.get() + coroutine_stride_ * thread.linear;
  const std::uint64_t size = kernel_->own_stacks ? stacks_.bytes() : coroutine_stride_;
  const auto own = reinterpret_cast<std::uintptr_t>(memory);
  if (address >= own && address - own <= size && bytes <= size - (address - own)) return true;
  return frames_used_ && frames_[thread.linear].holds(address, bytes);
}

}  // namespace pycuda::cpu::exec
