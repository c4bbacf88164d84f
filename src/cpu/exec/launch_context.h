// SPDX-License-Identifier: MIT
// One launch while it runs: what its blocks share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "cpu/exec/fault.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/kernel_abi/clusters.h"
#include "cpu/kernel_abi/frames.h"
#include "cpu/kernel_abi/kernel.h"
#include "cpu/variants/choose.h"

namespace pycuda::cpu::exec {

class ChildLaunches;
class GridRaces;
class KernelCounters;
class SharedArena;
struct LaunchRequest;

/// LaunchFrame::launch points here.
struct LaunchContext {
  LaunchContext(const LaunchRequest& given, FaultSink& sink);
  /// For blocks of `first` that are still to begin, in other code. `first` outlives this.
  LaunchContext(LaunchContext& first, const variants::Choice& other);
  ~LaunchContext();
  LaunchContext(const LaunchContext&) = delete;
  LaunchContext& operator=(const LaunchContext&) = delete;

  const LaunchRequest& request;  ///< outlives this
  const variants::Choice choice;
  const Kernel& kernel;  ///< the code that runs
  FaultSink& faults;
  const std::unique_ptr<GridRaces> races;  ///< where they are looked for
  KernelCounters* counters = nullptr;      ///< of code that counts
  GridFrame grid_frame;
  LaunchFrame& frame = grid_frame.launch;
  std::uint64_t blocks = 0;
  std::uint32_t threads = 0;          ///< per block
  std::uint32_t cluster_blocks = 1;   ///< per cluster
  bool gangs = false;                 ///< runs the kernel's vector form
  bool tiles = false;                 ///< its form for tiles
  std::uint64_t most_fused = 1;       ///< so many blocks of it may run as one
  bool suspends = false;              ///< its threads are scheduled one by one
  std::uint64_t shared_bytes = 0;     ///< of a block's own
  std::uint64_t parameter_bytes = 0;  ///< readable at frame.params
  std::atomic<bool> stopped{false};   ///< a fault: no further block starts
  std::atomic<bool> timed_out{false};
  std::atomic<bool> interrupted{false};  ///< `timed_out` by the user's interrupt, not by a limit
  std::atomic<bool> watched{false};      ///< the watchdog knows of it
  /// If it has a time limit: since when.
  std::optional<std::chrono::steady_clock::time_point> limited_since;

  /// Lets the launch end as one that was interrupted. Also in signal handlers.
  void give_up() noexcept {
    interrupted.store(true, std::memory_order_relaxed);
    timed_out.store(true, std::memory_order_relaxed);
    stopped.store(true, std::memory_order_relaxed);
  }
  /// The launch has run for so long: that counts for code that would run it better (choice.work).
  void add_run_time(std::chrono::steady_clock::duration time) const;
  /// Makes what a block may use accessible; false when memory is exhausted.
  bool prepare_shared(SharedArena& arena) const;
  /// Whether shared memory must be refreshed before each block.
  bool needs_fresh_shared() const;
  /// In checked mode, nothing of an earlier block can be read; the system's bytes are zeros.
  void refresh_shared(SharedArena& arena) const;
  /// What its threads queue, made at the first call; null where kernels launch none.
  ChildLaunches* children();
  /// Null when nothing was queued. Only when no block runs.
  std::unique_ptr<ChildLaunches> take_children();
  /// The index of the block of this rank in a cluster, which has an index too.
  std::uint64_t block_in_cluster(std::uint64_t cluster, std::uint32_t rank) const;
  /// The coordinates of a block by its index.
  Dim3 block_at(std::uint64_t index) const;
  /// Stops the launch and tells the sink, if this is the launch's first fault.
  void report(const FaultRecord& record, const BlockFrame& block);
  /// The same for a launch that could not start or go on, in words.
  void report(FaultKind kind, const BlockFrame* block, const ThreadFrame* thread,
              std::string_view what);

 private:
  /// `is_listed`: the findings have it.
  void report(const Fault& fault, bool is_listed);
  /// Of vector code: takes a gang's fault for its thread's.
  Fault describe_gang_fault(const FaultRecord& seen, const BlockFrame& block);
  static constexpr std::size_t inline_params = 512;
  alignas(parameter_alignment) std::byte params_[inline_params];
  std::byte* large_params_ = nullptr;
  /// What %envreg1 and %envreg2 of a cooperative launch point to: its size, and the barrier's
  /// state.
  struct alignas(256) GridWorkspace {
    std::uint32_t bytes = sizeof(GridWorkspace);
    std::uint32_t words[63] = {};
  };
  std::unique_ptr<GridWorkspace> workspace_;
  std::mutex children_mutex_;  ///< protects the making of `children_`
  std::unique_ptr<ChildLaunches> children_;
  /// With `first`: the same launch in other code.
  LaunchContext(const LaunchRequest& given, FaultSink& sink, const variants::Choice& chosen,
                LaunchContext* first);
  std::atomic<bool> own_reported_{false};
  std::atomic<bool>& reported_;  ///< of a launch in several codes, the first one's
};

/// The code that runs a launch best now.
variants::Choice choose_code(const LaunchRequest& request);

/// Whether gangs lie along the linear thread index: the frame of one has that in tid.x, and zeros
/// in tid.y and tid.z.
inline bool in_lines(const LaunchFrame& launch) { return launch.rows.x > launch.block.x; }
/// The linear index of a thread, also of one that such a frame names.
inline std::uint32_t number_of_thread(const Dim3& block, const Dim3& tid) {
  return tid.x + block.x * (tid.y + block.y * tid.z);
}
inline Dim3 thread_of_number(const Dim3& block, std::uint32_t number) {
  return {number % block.x, number / block.x % block.y, number / (block.x * block.y)};
}

/// Runs blocks first .. last-1 of a kernel that never suspends, on the calling thread. Ends early
/// when the launch is stopped; faults are reported.
void run_plain_blocks(LaunchContext& launch, std::uint64_t first, std::uint64_t last,
                      unsigned processor);

}  // namespace pycuda::cpu::exec
