// SPDX-License-Identifier: MIT
// Analysis: what a loop reads and writes along rows, in how many copies of the same operations.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace pycuda::cpu::simt {

/// An address: base + extended(root + low) + high, where `root` alone changes from trip to trip.
struct RowAddress {
  const llvm::Value* base = nullptr;  ///< the same in all trips; may be missing
  const llvm::Value* root = nullptr;  ///< a phi of the header, or the same in all trips
  const llvm::CastInst* extension = nullptr;
  std::int64_t low = 0;  ///< 0 without an extension
  std::int64_t high = 0;
  std::int64_t step = 0;  ///< bytes a trip

  /// Whether the two are always equally far apart, unless a sum wraps before it is extended.
  bool is_parallel(const RowAddress& other) const;
  std::int64_t distance() const { return low + high; }
};

/// The accesses that go along one row, or a load that all trips make at one place.
struct RowStream {
  llvm::Type* type = nullptr;
  RowAddress address;                        ///< of the first one
  std::vector<llvm::Instruction*> accesses;  ///< in the order of their addresses
  std::int64_t bytes = 0;                    ///< of an element
  bool is_fixed() const { return address.step == 0; }
};

/// A loop of one entry and one exit without branches in it: a compiler has written each operation
/// down once or, having unrolled it, several times, for neighbouring elements.
struct RowLoop {
  llvm::Loop* loop = nullptr;
  llvm::BasicBlock* leaving = nullptr;    ///< the block that leaves it
  std::vector<llvm::BasicBlock*> blocks;  ///< in the order they run in
  std::vector<RowStream> stores, loads;   ///< stores in the order of the code
  unsigned copies = 1;
  /// Continues while the counter, as it is in `test`, has this relation to a bound.
  llvm::ICmpInst* test = nullptr;
  llvm::Value* counter = nullptr;
  llvm::Value* bound = nullptr;
  llvm::ICmpInst::Predicate stays = llvm::ICmpInst::BAD_ICMP_PREDICATE;
  std::int64_t count_step = 0;
  /// Which number each instruction has in the order of the code.
  llvm::DenseMap<const llvm::Instruction*, unsigned> order;

  const RowStream* stream_of(const llvm::LoadInst& load) const;
  bool has(const llvm::Value* value) const;
  /// Whether it is not a part of what is computed: notes of lines, and tests that addresses are
  /// aligned whose answer is the same in all trips.
  bool is_beside(const llvm::Instruction& instruction) const;
};

/// Nothing if `loop` is no such loop. All its stores are along rows, and whatever they store is
/// computed by the same operations for each element.
std::optional<RowLoop> find_row_loop(llvm::Loop& loop);

}  // namespace pycuda::cpu::simt
