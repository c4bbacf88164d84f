// SPDX-License-Identifier: MIT
// A launch that the workers run: its blocks as chunks of a job.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cpu/exec/changing_code.h"
#include "cpu/exec/check_settings.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/patience.h"
#include "cpu/exec/stream.h"
#include "cpu/exec/worker_pool.h"

namespace pycuda::cpu::exec {

class BlockRun;

/// Owns itself: deleted after its last block, when `finished` has been posted.
class GridRun final : public Job {
 public:
  /// Starts `request` on the workers; `finished` runs on the thread that ends the last block, or
  /// the last of what the kernel has launched. `queued` counts until the grid does.
  static JobHandle start(LaunchRequest request, FaultSink& faults, Task finished,
                         CheckedWork queued = {});
  /// The same; but a worker that calls this runs at once what is not worth waking another one. Then
  /// there is no job, and `finished` does not run.
  static std::optional<JobHandle> run_or_start(LaunchRequest request, FaultSink& faults,
                                               Task finished, CheckedWork queued = {});

  void run_chunk(std::uint32_t chunk, unsigned processor) override;

 private:
  friend class ParkedBlock;
  friend class ParkedCluster;
  GridRun(LaunchRequest request, FaultSink& faults, Task finished);
  void run_clusters(std::uint64_t first, std::uint64_t last, unsigned processor);
  void run_suspending(LaunchContext& launch, std::uint64_t first, std::uint64_t last,
                      unsigned processor);
  void choose_chunks();
  void split_chunks();
  std::uint32_t chunk_for(std::uint32_t chunk, unsigned processor);
  bool worth_waking() const;
  void run_here(unsigned processor);
  static JobHandle submit(std::unique_ptr<GridRun> run);
  void end_chunk();
  /// A block that only waits for others has had its turn. When all blocks that have begun wait in
  /// vain, perhaps for some that have not, further ones may begin: as many as a large GPU would
  /// hold. `block` is named if that lasts long.
  void count_turn(bool advanced, const BlockRun& block);

  LaunchRequest request_;  ///< keeps the code alive
  const CheckedWork counted_{request_.checks};
  LaunchContext launch_;
  ChangingCode code_;
  Task finished_;
  std::uint64_t blocks_per_chunk_ = 1;  ///< or clusters, where their blocks take turns
  std::uint32_t chunks_ = 0;
  std::atomic<std::uint32_t> chunks_left_{0};
  /// Chunks of a worker that it runs again in the next launch of that size, whose memory its caches
  /// then have; a worker that has run its own helps the others.
  struct alignas(64) Share {
    std::atomic<std::uint32_t> next{0};
    std::uint32_t end = 0;
  };
  std::vector<Share> shares_;
  std::atomic<std::int64_t> run_time_{0};     ///< of all chunks together, in nanoseconds
  std::uint32_t resident_ = 0;                ///< blocks that may have begun at a time, at first
  std::atomic<std::uint32_t> idle_turns_{0};  ///< one after the other
  /// Of blocks that did more than wait, since one has finished.
  std::atomic<std::uint32_t> turns_{0};
  Patience patience_{std::chrono::seconds(10)};  ///< with blocks that only wait
  std::atomic<std::int32_t> more_blocks_{0};     ///< that may still be let in
};

/// Whether a launch is so small that handing it over would cost more than running it. Never true
/// for kernels that may wait for others.
bool runs_in_caller(const LaunchRequest& request);

/// Runs a launch for which `runs_in_caller` said yes.
void run_in_caller(const LaunchRequest& request, FaultSink& faults);

}  // namespace pycuda::cpu::exec
