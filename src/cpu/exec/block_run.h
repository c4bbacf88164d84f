// SPDX-License-Identifier: MIT
// One block of a kernel whose threads may suspend, and the scheduler of its threads.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "cpu/exec/block_checks.h"
#include "cpu/exec/cluster.h"
#include "cpu/exec/frame_stack.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/named_barrier.h"
#include "cpu/exec/patience.h"
#include "cpu/exec/shared_arena.h"
#include "cpu/exec/sync_rules.h"
#include "cpu/exec/thread_stacks.h"

namespace pycuda::cpu::exec {

/// How many threads of a launch may be on stacks of their own at once; none if they have none.
std::uint64_t threads_on_own_stacks(const LaunchRequest& request);
/// Whether the system has the memory for them, now or when the blocks have ended that run now,
/// which blocks wait for. All blocks of a cooperative launch run at once, so for these: now.
bool has_room_for_stacks(const LaunchRequest& request);

/// BlockFrame::block points here. Runs on one OS thread at a time, but on any.
///
/// Threads run warp by warp, each until it suspends. When no lane of a warp can run, warp
/// operations are resolved: one with a member mask when all live lanes of the mask stand at the
/// same operation with the same mask; one without, for all lanes that stand at the same place, when
/// nothing else is left. At turns (simt/blocks/warp_turns.h), lanes also wait for those that spin
/// at an earlier place, until the block has spun for a while in place. Barriers open as soon as
/// enough threads have arrived.
class BlockRun {
 public:
  enum class Outcome {
    Finished,
    Spinning,  ///< threads wait for other blocks, all that can run or again and again: run again
               ///< later
    Waiting,   ///< none can run before other blocks of the cluster arrive at its barrier
    Stopped,   ///< a fault, here (it is reported) or elsewhere
  };

  /// A used one if there is one. Null when memory is exhausted. `kernel`: the launch's, in the form
  /// for threads, and outlives this. `others_have_some`, if memory is exhausted: whether blocks
  /// have it that run now, of whatever launches.
  static std::unique_ptr<BlockRun> acquire(LaunchContext& launch, const Kernel& kernel,
                                           bool* others_have_some = nullptr);
  static void recycle(std::unique_ptr<BlockRun> run);
  /// Frees the stacks that are kept for later launches. Any thread.
  static void free_spare_stacks();

  /// For a run in a copy of the process, where nothing should be allocated.
  void prepare_variables() {
    for (FrameStack& frames : frames_) frames.prepare();
  }
  /// The block by its index in the grid; a cluster of its own until it joins another one.
  void start(std::uint64_t block);
  void join(Cluster& cluster, std::uint32_t rank) {
    cluster_ = &cluster;
    rank_ = rank;
  }
  Outcome run(unsigned processor);
  /// Runs on until no thread can. `told` gets each fault, which is not reported; the thread counts
  /// as one that has exited, the others go on.
  void run_past_faults(unsigned processor, void (*told)(void* context, const FaultRecord& record),
                       void* context);
  /// Reports a launch that is `timed_out`, by what the threads of this block, which does not run
  /// now, wait for.
  void report_late();
  /// Reports that no block of the cluster can go on, by what threads of this one wait for.
  void report_deadlock();
  /// barrier.cluster.arrive. False: the thread has arrived before and not waited since, which does
  /// nothing.
  bool arrive_at_cluster_barrier(const ThreadFrame& thread);
  /// The thread's next barrier is that of the cluster. False: it has not arrived there, and goes on
  /// at once.
  bool go_to_cluster_barrier(const ThreadFrame& thread);
  /// Threads that wait for a phase that is complete go on.
  void leave_cluster_barrier();
  Cluster& cluster() const { return *cluster_; }
  std::uint32_t rank() const { return rank_; }
  std::byte* window() const { return arena_->window(); }
  std::uint64_t window_bytes() const { return reserved_shared_bytes + launch_->shared_bytes; }
  std::uint32_t live_threads() const { return live_threads_; }
  /// Whether the latest `run` did more than spin.
  bool advanced() const { return advanced_; }
  /// Whether threads yielded in the latest `run` and went on in it.
  bool woke() const { return woke_; }
  /// What its threads wait for, and where.
  std::string waiting_text() const;

  FrameStack& frames_of(const ThreadFrame& thread) {
    frames_used_ = true;
    return frames_[thread.linear];
  }
  /// Whether [address, address + bytes) is the thread's own local memory.
  bool owns(const ThreadFrame& thread, std::uintptr_t address, std::uint64_t bytes) const;
  /// Whether the thread has a stack of its own and the address lies below it. Also in signal
  /// handlers.
  bool is_below_stack(const ThreadFrame& thread, std::uintptr_t address) const {
    return kernel_->own_stacks && stacks_.is_guard_of(thread.linear, address);
  }
  bool checks_sync() const { return is_checked_ && checks_->has(Check::Sync); }
  /// Only of launches with checks.
  BlockChecks& checks() { return *checks_; }

 private:
  struct Warp {
    std::uint32_t ready = 0;
    std::uint32_t yielded = 0;
    std::uint32_t at_op = 0;
    std::uint32_t at_cluster_barrier = 0;
    std::uint32_t spinning = 0;  ///< have done nothing but take turns since they yielded
    std::uint32_t given_up = 0;  ///< of these, whom others do not wait for at turns
  };
  struct Free {
    void operator()(std::byte* memory) const;
  };

  /// That it is acquired counts until it is recycled, or destroyed instead.
  class Use {
   public:
    Use() = default;
    ~Use() { end(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    void begin();
    void end();

   private:
    bool begun_ = false;
  };

  BlockRun() = default;
  bool fit(LaunchContext& launch, const Kernel& kernel);
  bool fit_without_spares(LaunchContext& launch, const Kernel& kernel, bool& others);
  bool fit_coroutines(std::uint64_t bytes, std::uint32_t threads);
  Outcome schedule();
  bool enter_schedule(Outcome& outcome);
  void lose(const ThreadFrame& thread);
  void run_warp(unsigned warp);
  void run_lane(unsigned warp, unsigned lane);
  void start_thread(ThreadFrame& thread);
  bool resolve_masked(unsigned warp);
  bool resolve_unmasked(unsigned warp);
  std::uint32_t least_far(unsigned warp) const;
  bool awaits_spinning_lanes(unsigned warp) const;
  void release_turns();
  void complete_op(unsigned warp, std::uint32_t lanes);
  void at_barrier(unsigned warp, unsigned lane, ThreadFrame& thread);
  void at_cluster_barrier(unsigned warp, unsigned lane, const ThreadFrame& thread);
  bool waits_for_cluster() const;
  bool waits_for_cluster(const ThreadFrame& thread) const;
  void leave_cluster(const ThreadFrame& thread);
  void open_barriers();
  bool wake_yielded();
  void look_at_clock();
  void describe_others(FaultRecord& fault) const;
  std::string wait_of(const ThreadFrame& thread) const;

  /// What the rules of synchronisation need.
  SyncState sync_state() const {
    return {*launch_, block_, threads_, live_, warp_count_, *checks_};
  }

  Use use_;
  LaunchContext* launch_ = nullptr;
  const Kernel* kernel_ = nullptr;
  KernelEntry* entry_ = nullptr;
  std::unique_ptr<SharedArena> arena_;
  /// What a thread has to do with the barrier of the cluster.
  struct ClusterArrival {
    std::uint32_t phase = 0;  ///< that it has arrived for and not waited for; 0: none
    bool goes_there = false;  ///< its next barrier is that one, or it waits there
  };
  std::vector<ClusterArrival> arrivals_;  ///< by thread; empty until one arrives
  Cluster alone_;
  Cluster* cluster_ = &alone_;
  std::uint32_t rank_ = 0;
  BlockFrame block_;
  std::vector<ThreadFrame> threads_;
  std::unique_ptr<std::byte, Free> coroutines_;
  std::uint64_t coroutine_capacity_ = 0;
  std::uint64_t coroutine_stride_ = 0;
  ThreadStacks stacks_;  ///< instead of coroutines, of kernels with own_stacks
  std::vector<FrameStack> frames_;
  bool frames_used_ = false;
  std::array<Warp, max_warps> warps_{};
  LiveLanes live_{};
  std::array<NamedBarrier, barrier_count> barriers_{};
  std::uint32_t barriers_used_ = 0;   ///< a bit for each barrier with arrivals
  std::uint32_t barriers_dirty_ = 0;  ///< those that may have become complete
  std::unique_ptr<BlockChecks> checks_;
  bool is_checked_ = false;
  unsigned warp_count_ = 0;
  std::uint32_t live_threads_ = 0;
  unsigned idle_runs_ = 0;                       ///< one after the other that did no more than spin
  std::uint32_t turns_ = 0;                      ///< of warps
  Patience patience_{std::chrono::seconds(60)};  ///< with the block
  bool advanced_ = false;
  bool woke_ = false;
  bool progress_ = false;
  bool deadlocked_ = false;
};

}  // namespace pycuda::cpu::exec
