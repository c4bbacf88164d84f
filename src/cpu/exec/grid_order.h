// SPDX-License-Identifier: MIT
// What the threads of a block know of other blocks: by a fence and a strong write a thread releases
// what it has done and knows, by a strong read and a fence it acquires that.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cpu/exec/grid_races.h"
#include "cpu/exec/thread_order.h"

namespace pycuda::cpu::exec {

/// One per block whose threads run one by one.
class GridOrder {
 public:
  /// Whom an operation orders: its scope, the widest first.
  enum Scope : std::uint8_t { OfGrid, OfBlock };

  void start(GridRaces& grid, std::uint32_t block);
  /// Before a strong access. Whether it is a write that releases to other blocks.
  bool access(std::uint32_t thread, std::uint64_t address, std::uint32_t flags, Scope scope,
              ThreadOrder& order);
  /// At a fence, when what the thread knows of its own block is `own`.
  void fence(std::uint32_t thread, Scope scope, const ThreadOrder& order, Knowledge own);
  /// Before any access: a read that acquires is over.
  void settle(std::uint32_t thread) {
    if (soon_.empty()) return;
    if (const auto found = soon_.find(thread); found != soon_.end()) acquire(thread, found->second);
  }
  /// A strong write at `address` by which a thread releases comes before what follows the fence of
  /// a thread that acquires there, as all that precedes its own fence does.
  void add_release(std::uint64_t address, const GridAccess& write, Scope scope);
  bool has_met(const GridAccess& past, std::uint64_t address, std::uint32_t thread) const;
  /// All threads of the block have synchronised, or lanes of a warp. Barriers are fences too for
  /// what was read before; NVIDIA's own programs count on that.
  void sync_block();
  void sync_lanes(std::uint32_t warp, std::uint32_t lanes);
  bool precedes(const GridAccess& past, std::uint32_t thread) const;

 private:
  using ByThread = std::unordered_map<std::uint32_t, GridKnowledge>;
  /// Addresses, with the widest scope of the reads there.
  using Reads = std::unordered_map<std::uint64_t, Scope>;
  /// What a thread has read and not acquired yet, or for its block alone.
  struct Unacquired {
    Reads fresh, by_block;
  };
  static void add_read(Reads& reads, std::uint64_t address, Scope scope);
  void acquire(std::uint32_t thread, Scope scope);
  GridKnowledge own_knowledge(std::uint32_t thread, const ThreadOrder& order, Knowledge own) const;

  GridRaces* grid_ = nullptr;
  std::uint32_t block_ = 0;
  GridKnowledge known_;   ///< to all threads
  ByThread known_by_;     ///< to some more
  GridKnowledge fenced_;  ///< what any thread releases by a strong write
  ByThread fenced_by_;
  std::unordered_map<std::uint32_t, Unacquired> read_;
  std::unordered_map<std::uint32_t, Scope> soon_;  ///< threads whose read was one that acquires
};

}  // namespace pycuda::cpu::exec
