// SPDX-License-Identifier: MIT
// What the checks know of a block that runs.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cpu/exec/access_history.h"
#include "cpu/exec/findings.h"
#include "cpu/exec/gang_sync.h"
#include "cpu/exec/grid_order.h"
#include "cpu/exec/grid_races.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/named_barrier.h"
#include "cpu/exec/stream_races.h"
#include "cpu/exec/thread_order.h"
#include "cpu/kernel_abi/checks.h"

namespace pycuda::cpu::exec {

/// An access as compiled code reports it.
struct NotedAccess {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0, flags = 0;
  std::uint64_t value[2] = {0, 0};
};

/// The allocations that a block has used last, while none has been removed.
struct KnownAllocations {
  struct Range {
    std::uintptr_t begin = 0;
    std::uint64_t bytes = 0;
  };
  std::uint64_t epoch = 0;  ///< of the AddressTable
  std::size_t next = 0;     ///< to be replaced
  std::array<Range, 4> ranges;
};

/// One per block; used by the thread of the operating system that runs it.
class BlockChecks {
 public:
  /// Of the thread's block.
  static BlockChecks& of(const ThreadFrame& thread);
  /// Of blocks that this thread of the operating system runs whole, one after the other.
  static BlockChecks& of_this_thread();

  void start(const LaunchContext& launch, const BlockFrame& block);
  bool has(Check check) const { return checks_.has(check); }

  void access(const ThreadFrame& thread, const NotedAccess& access);
  /// After a read of what `access` says, whose first word may be as it was filled.
  void has_read(const ThreadFrame& thread, const NotedAccess& access);
  void fence(std::uint32_t thread);
  /// The thread arrives at the barrier of its cluster, or has waited there.
  void meet_cluster(const ThreadFrame& thread, const void* barrier, bool arrives);
  KnownAllocations& allocations() { return allocations_; }
  /// For gangs: what each access of the kernel may touch, as far as the launch's blocks here have
  /// found out.
  AllowedRange* allowed() { return allowed_.data(); }
  /// Barrier `id` opens for the lanes of `waiting`; `all_wait`: all threads that have not exited.
  void arrive(std::uint32_t thread, std::uint64_t id);
  void open(std::uint64_t id, const LiveLanes& waiting, std::uint32_t warps, bool all_wait);
  void sync_lanes(std::uint32_t warp, std::uint32_t lanes) {
    if (!has(Check::Race)) return;
    order_.sync_lanes(warp, lanes);
    if (has_others_) grid_order_.sync_lanes(warp, lanes);
  }

  // Of blocks that run in gangs.
  void gang_arrives(const ThreadFrame& gang, std::uint64_t lanes, const AccessOfGang& access,
                    std::uint32_t site);
  /// The block has ended.
  void end_gangs() { gang_sync_.end(*launch_, *block_, *this); }

  void set_aligned(std::uint32_t thread, bool is_aligned) { aligned_[thread] = is_aligned; }
  /// Whether all threads of a warp must come to the barrier that the thread is at.
  bool is_aligned(std::uint32_t thread) const { return aligned_[thread]; }

 private:
  void start_gangs(const LaunchContext& launch);
  void check_written(const ThreadFrame& thread, const NotedAccess& access);
  void order_by_memory(std::uint32_t thread, const NotedAccess& access);
  void access_global(const ThreadFrame& thread, const NotedAccess& access);
  void add_to_streams(const NotedAccess& access, const GridAccess& grid_access);
  void order_streams(const NotedAccess& access);
  PastAccess past_access(const ThreadFrame& thread, const NotedAccess& access) const;
  bool is_in_other_block(std::uint64_t address) const;
  void access_shared(const ThreadFrame& thread, const NotedAccess& access, std::uint64_t offset);
  GridRaces::Page* page_of(std::uint64_t address);
  void add_shared(const NotedAccess& access, const PastAccess& now, std::uint64_t word);
  void add_global(GridRaces::Page& page, const NotedAccess& access, const GridAccess& now,
                  std::uint64_t word);

  const LaunchContext* launch_ = nullptr;
  const BlockFrame* block_ = nullptr;
  Checks checks_;
  KnownAllocations allocations_;
  std::vector<AllowedRange> allowed_;  ///< by access of the kernel
  std::uint64_t allowed_grid_ = 0;     ///< the launch that they are of
  std::uint64_t allowed_epoch_ = 0;    ///< and the AddressTable's
  std::vector<bool> aligned_;          ///< by thread
  std::vector<bool> has_unwritten_;    ///< by thread: it has read uninitialised memory
  GangSync gang_sync_;
  ThreadOrder order_;
  GridOrder grid_order_;
  bool has_others_ = false;   ///< blocks besides this one
  std::uint32_t number_ = 0;  ///< of the block
  struct KnownPage {
    std::uint64_t number = ~std::uint64_t{0};
    GridRaces::Page* page = nullptr;
  };
  std::array<KnownPage, 16> known_pages_;  ///< those used last, by their numbers
  std::uint64_t known_pages_grid_ = 0;     ///< the launch that they are of
  std::vector<WordHistory> shared_;        ///< by word of the block's window
  // What threads synchronise by besides barriers: a fence and a strong write release, a strong read
  // and a fence acquire, as the memory model of PTX has it.
  std::unordered_map<std::uint64_t, Knowledge> released_;  ///< by address
  std::vector<Knowledge> fenced_;   ///< by thread: known at its latest fence; empty: none yet
  std::vector<Knowledge> read_;     ///< by thread: read since, not acquired yet
  std::vector<Knowledge> arrived_;  ///< by barrier
  WorkClock work_read_;             ///< of other streams' work, as `read_`
};

}  // namespace pycuda::cpu::exec
