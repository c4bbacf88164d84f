// SPDX-License-Identifier: MIT
// What the checks know of a block that runs.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cpu/exec/access_history.h"
#include "cpu/exec/findings.h"
#include "cpu/exec/gang_access.h"
#include "cpu/exec/gang_sync.h"
#include "cpu/exec/grid_order.h"
#include "cpu/exec/grid_races.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/named_barrier.h"
#include "cpu/exec/shared_words.h"
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

/// Calls `visit(word, mask)` for each word that has bytes of [begin, begin + bytes).
template <class Visit>
void each_word(std::uint64_t begin, std::uint32_t bytes, Visit&& visit) {
  const std::uint64_t end = begin + bytes;
  for (std::uint64_t word = begin / history_word; word * history_word < end; ++word) {
    const std::uint64_t start = word * history_word;
    const std::uint64_t first = std::max(begin, start) - start;
    const std::uint64_t last = std::min(end, start + history_word) - start;
    visit(word, static_cast<std::uint8_t>((1u << last) - (1u << first)));
  }
}

/// Whether the bytes of `mask`, in the word at `word`, are what the access writes there.
inline bool writes_the_same(const NotedAccess& access, std::uint64_t word, std::uint8_t mask) {
  if ((access.flags & AccessFlags::has_value) == 0) return false;
  const auto* value = reinterpret_cast<const std::uint8_t*>(access.value);
  for (std::uint32_t i = 0; i < history_word; ++i) {
    if ((mask >> i & 1) == 0) continue;
    const std::uint64_t at = word + i;
    if (value[at - access.address] != *reinterpret_cast<const std::uint8_t*>(at)) return false;
  }
  return true;
}

/// Writers of equal values do not mind each other.
inline bool is_conflict(const NotedAccess& access, const PastAccess& now, const PastAccess& past,
                        std::uint64_t word) {
  return past.kind != PastAccess::Write || now.kind != PastAccess::Write ||
         !writes_the_same(access, word, past.mask & now.mask);
}

inline std::uint64_t first_byte(std::uint8_t mask) {
  return static_cast<std::uint64_t>(std::countr_zero(static_cast<unsigned>(mask)));
}

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
  static BlockChecks& of_gang(const ThreadFrame& gang) {
    return *reinterpret_cast<BlockChecks*>(gang.block->allowed[-1].begin);
  }

  void start(const LaunchContext& launch, const BlockFrame& block);
  /// Of the operating system's thread that runs the block.
  KernelEntry& entry() const { return *entry_; }
  bool has(Check check) const { return checks_.has(check); }

  void access(const ThreadFrame& thread, const NotedAccess& access);
  /// After a read of what `access` says, whose first word may be as it was filled.
  void has_read(const ThreadFrame& thread, const NotedAccess& access);
  /// `scope`: of AccessFlags.
  void fence(std::uint32_t thread, std::uint32_t scope);
  /// The thread arrives at the barrier of its cluster, or has waited there.
  void meet_cluster(const ThreadFrame& thread, const void* barrier, bool arrives);
  KnownAllocations& allocations() { return allocations_; }
  /// For gangs: what each access of the kernel may touch, as far as the launch's blocks here have
  /// found out.
  AllowedRange* allowed() { return allowed_.data() + 1; }
  /// Barrier `id` opens for the lanes of `waiting`; `all_wait`: all threads that have not exited.
  void arrive(std::uint32_t thread, std::uint64_t id);
  void open(std::uint64_t id, const LiveLanes& waiting, std::uint32_t warps, bool all_wait);
  void sync_lanes(std::uint32_t warp, std::uint32_t lanes) {
    if (!has(Check::Race)) return;
    order_.sync_lanes(warp, lanes);
    if (asks_grid_order_) grid_order_.sync_lanes(warp, lanes);
  }

  /// Pages that a block has used last lie in a table, by their numbers.
  struct KnownPage {
    std::uint64_t number = ~std::uint64_t{0};
    GridRaces::Page* page = nullptr;
  };
  static constexpr std::size_t known_page_count = 64;

  // Of blocks that run in gangs.
  /// A single lane that accesses a word, or lanes of which neighbours access neighbouring words,
  /// plainly: true if they are easily seen to be in order, else gang_access() is asked.
  bool is_easy(const GangAccess& access) {
    if ((access.lanes & (access.lanes - 1)) == 0 && is_easy_word(access)) return true;
    return (access.what.flags & AccessFlags::shared) != 0 ? reads_shared_row(access)
                                                          : are_lines(access);
  }
  /// Whether what the lanes write decides about races: gang_writes() must follow.
  bool gang_access(const GangAccess& access);
  void gang_writes(const GangAccess& access);
  void gang_passes();
  void order_lanes(const ThreadFrame& gang, std::uint64_t lanes) {
    shared_words_.sync_lanes(gang.linear / 32, static_cast<std::uint32_t>(lanes), order_);
  }
  /// The same, if they are all of a warp; else false may be the answer.
  bool order_warp(const ThreadFrame& gang, std::uint64_t lanes) {
    return shared_words_.sync_warp(gang.linear / 32, static_cast<std::uint32_t>(lanes), order_);
  }
  void gang_arrives(const ThreadFrame& gang, std::uint64_t lanes, const AccessOfGang& access,
                    std::uint32_t site);
  /// The block has ended.
  void end_gangs() { gang_sync_.end(*launch_, *block_, *this); }

  void set_aligned(std::uint32_t thread, bool is_aligned) { aligned_[thread] = is_aligned; }
  /// Whether all threads of a warp must come to the barrier that the thread is at.
  bool is_aligned(std::uint32_t thread) const { return aligned_[thread]; }

  /// What is read has been written.
  void check_written(const ThreadFrame& thread, const NotedAccess& access);

 private:
  void start_gangs(const LaunchContext& launch);
  /// Whether the access is a write by which the thread releases.
  bool order_by_memory(std::uint32_t thread, const NotedAccess& access);
  GridOrder::Scope scope_of(std::uint32_t flags) const;
  bool are_in_scope(const GridAccess& past, const GridAccess& now) const;
  void access_global(const ThreadFrame& thread, const NotedAccess& access);
  void add_to_streams(const NotedAccess& access, const GridAccess& grid_access);
  void order_streams(const NotedAccess& access);
  PastAccess past_access(const ThreadFrame& thread, const NotedAccess& access) const;
  PastAccess lane_access(const GangAccess& access) const;
  void become(PastAccess& now, std::uint32_t thread) const;
  bool comes_before(const GridAccess& past, std::uint32_t thread) const {
    return past.block == number_ ? order_.precedes(past.moment(), thread)
                                 : grid_order_.precedes(past, thread);
  }
  /// The same, or one that released at that place itself; `word` is where its bytes are.
  bool comes_before(const GridAccess& past, std::uint32_t thread, std::uint64_t word) const {
    return comes_before(past, thread) || has_met(past, thread, word);
  }
  bool has_met(const GridAccess& past, std::uint32_t thread, std::uint64_t word) const {
    if (past.kind != PastAccess::StrongWrite) return false;
    const std::uint64_t bytes = std::uint64_t{1} << past.log_bytes;
    return grid_order_.has_met(past, (word + first_byte(past.mask)) & ~(bytes - 1), thread);
  }
  bool is_own_shared(std::uint64_t address, std::uint32_t bytes) const;
  void start_races(const LaunchContext& launch);
  void begin_interval();
  std::optional<bool> row_is_shared(const GangAccess& access) const;
  LineAccess line_access(const GangAccess& access) const;
  bool add_line(RacePage& page, std::uint64_t line, std::uint32_t thread, unsigned log_bytes,
                LineAccess& now) const;
  bool is_easy_word(const GangAccess& access);
  bool are_lines(const GangAccess& access);
  bool reads_shared_row(const GangAccess& access);
  std::uint64_t lanes_besides_lines(RacePage& page, const GangAccess& access,
                                    std::uint64_t lanes) const;
  std::uint64_t gang_in_shared(const GangAccess& access, std::uint64_t lanes);
  std::uint64_t gang_in_page(GridRaces::Page& page, const GangAccess& access, std::uint64_t lanes);
  void gang_in_streams(const GangAccess& access, std::uint64_t lanes);
  void write_shared(const GangAccess& access, unsigned lane);
  void write_global(const GangAccess& access, unsigned lane);
  void compare_lanes(const GangAccess& access, unsigned lane);
  bool is_in_other_block(std::uint64_t address) const;
  void access_shared(const ThreadFrame& thread, const NotedAccess& access, std::uint64_t offset);
  GridRaces::Page* page_of(std::uint64_t address);
  void add_shared(const NotedAccess& access, const PastAccess& now, std::uint64_t word);
  void add_global(GridRaces::Page& page, const NotedAccess& access, const GridAccess& now,
                  std::uint64_t word);

  KernelEntry* entry_ = nullptr;
  const LaunchContext* launch_ = nullptr;
  const BlockFrame* block_ = nullptr;
  Checks checks_;
  KnownAllocations allocations_;
  /// By access of the kernel; the first is for of_gang().
  std::vector<AllowedRange> allowed_{1};
  std::uint64_t allowed_grid_ = 0;   ///< the launch that they are of
  std::uint64_t allowed_epoch_ = 0;  ///< and the AddressTable's
  std::vector<bool> aligned_;        ///< by thread
  std::vector<bool> has_unwritten_;  ///< by thread: it has read uninitialised memory
  GangSync gang_sync_;
  ThreadOrder order_;
  GridOrder grid_order_;
  bool asks_grid_order_ = false;  ///< there are other blocks, or threads that run one by one
  std::uint32_t number_ = 0;      ///< of the block
  std::array<KnownPage, known_page_count> known_pages_;  ///< those used last, by their numbers
  std::uint64_t known_pages_grid_ = 0;                   ///< the launch that they are of
  std::vector<WordHistory> shared_;                      ///< by word of the block's window
  // What threads synchronise by besides barriers: a fence and a strong write release, a strong read
  // and a fence acquire, as the memory model of PTX has it.
  std::unordered_map<std::uint64_t, Knowledge> released_;  ///< by address
  std::vector<Knowledge> fenced_;   ///< by thread: known at its latest fence; empty: none yet
  bool has_fence_ = false;          ///< that orders more than the block
  std::vector<Knowledge> read_;     ///< by thread: read since, not acquired yet
  std::vector<Knowledge> arrived_;  ///< by barrier
  WorkClock work_read_;             ///< of other streams' work, as `read_`
  bool in_gangs_ = false;           ///< as the latest block
  // Of blocks that run in gangs.
  SharedWords shared_words_;
  std::vector<std::uint32_t> passed_;  ///< barriers, by the number of the gang's first thread
  /// Pages of its own shared memory, by their numbers: so many from the first on. They are not
  /// among the known ones.
  std::uint64_t first_own_page_ = 0, own_pages_ = 0;
  std::uint64_t line_tag_ = 0;  ///< of its first thread, now
  // Lanes of the access that gang_writes() follows: those that may write something else than others
  // before, those that write where another lane does, and all that work of other streams may meet.
  std::uint64_t unequal_ = 0, twice_ = 0, streams_ = 0;
};

}  // namespace pycuda::cpu::exec
