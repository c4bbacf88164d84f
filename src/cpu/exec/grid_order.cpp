// SPDX-License-Identifier: MIT
#include "cpu/exec/grid_order.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

namespace pycuda::cpu::exec {

void GridOrder::start(GridRaces& grid, std::uint32_t block) {
  grid_ = &grid;
  block_ = block;
  // Of most blocks they are empty, and emptying them takes a while even so.
  const auto empty = [](auto& map) {
    if (!map.empty()) map.clear();
  };
  empty(known_);
  empty(known_by_);
  empty(fenced_);
  empty(fenced_by_);
  empty(read_);
  empty(soon_);
}

GridKnowledge GridOrder::own_knowledge(std::uint32_t thread, const ThreadOrder& order,
                                       Knowledge own) const {
  GridKnowledge all = known_;
  if (const auto more = known_by_.find(thread); more != known_by_.end()) all.join(more->second);
  all.forget_within();
  all.add(block_,
          std::make_shared<BlockKnowledge>(BlockKnowledge{order.interval(), std::move(own)}));
  return all;
}

void GridOrder::add_read(Reads& reads, std::uint64_t address, Scope scope) {
  const auto [read, is_new] = reads.try_emplace(address, scope);
  if (!is_new) read->second = std::min(read->second, scope);
}

bool GridOrder::access(std::uint32_t thread, std::uint64_t address, std::uint32_t flags,
                       Scope scope, ThreadOrder& order) {
  const bool writes = (flags & (AccessFlags::write | AccessFlags::update)) != 0;
  if ((flags & AccessFlags::write) == 0) {
    // What is read is acquired later, when the access is over.
    add_read(read_[thread].fresh, address, scope);
    if ((flags & AccessFlags::acquire) != 0) soon_[thread] = scope;
  }
  if (!writes || scope == OfBlock) return false;
  if ((flags & AccessFlags::release) != 0) {
    Knowledge own;
    order.publish(thread, own);
    grid_->release(address, own_knowledge(thread, order, std::move(own)));
    return true;
  }
  if (!fenced_.empty()) grid_->release(address, fenced_);
  const auto found = fenced_by_.find(thread);
  if (found != fenced_by_.end()) grid_->release(address, found->second);
  return !fenced_.empty() || found != fenced_by_.end();
}

void GridOrder::acquire(std::uint32_t thread, Scope scope) {
  soon_.erase(thread);
  const auto found = read_.find(thread);
  if (found == read_.end()) return;
  auto& [fresh, by_block] = found->second;
  GridKnowledge& known = known_by_[thread];
  const auto take = [&](const Reads& reads) {
    for (const auto& [address, own] : reads)
      grid_->acquire(address, known, scope == OfBlock || own == OfBlock);
  };
  take(fresh);
  if (scope == OfGrid) take(by_block);
  if (known.empty()) known_by_.erase(thread);
  if (scope == OfGrid) {
    read_.erase(found);
    return;
  }
  // A fence of the grid's scope may follow.
  for (const auto& [address, own] : fresh) add_read(by_block, address, own);
  fresh.clear();
}

void GridOrder::fence(std::uint32_t thread, Scope scope, const ThreadOrder& order, Knowledge own) {
  acquire(thread, scope);
  if (scope == OfGrid) fenced_by_[thread] = own_knowledge(thread, order, std::move(own));
}

void GridOrder::add_release(std::uint64_t address, const GridAccess& write, Scope scope) {
  grid_->add_release(address, write, scope == OfBlock);
}

bool GridOrder::has_met(const GridAccess& past, std::uint64_t address, std::uint32_t thread) const {
  const bool in_block = past.block == block_;
  const auto count_in = [&](const GridKnowledge& known) {
    return in_block ? known.met_in_block(address) : known.met(address);
  };
  std::uint64_t count = count_in(known_);
  if (const auto found = known_by_.find(thread); found != known_by_.end())
    count = std::max(count, count_in(found->second));
  return count != 0 && grid_->is_release(address, past, count, in_block);
}

void GridOrder::sync_block() {
  while (!read_.empty()) acquire(read_.begin()->first, OfGrid);
  for (const auto& [thread, known] : known_by_) known_.join(known);
  known_by_.clear();
  for (const auto& [thread, fenced] : fenced_by_) fenced_.join(fenced);
  fenced_by_.clear();
}

void GridOrder::sync_lanes(std::uint32_t warp, std::uint32_t lanes) {
  if (read_.empty() && known_by_.empty() && fenced_by_.empty()) return;
  GridKnowledge known, fenced;
  const auto each = [&](auto&& visit) {
    for (std::uint32_t left = lanes; left != 0; left &= left - 1)
      visit(warp * 32 + static_cast<std::uint32_t>(std::countr_zero(left)));
  };
  each([&](std::uint32_t thread) {
    acquire(thread, OfGrid);
    if (const auto one = known_by_.find(thread); one != known_by_.end()) known.join(one->second);
    if (const auto one = fenced_by_.find(thread); one != fenced_by_.end()) fenced.join(one->second);
  });
  each([&](std::uint32_t thread) {
    if (!known.empty()) known_by_[thread] = known;
    if (!fenced.empty()) fenced_by_[thread] = fenced;
  });
}

bool GridOrder::precedes(const GridAccess& past, std::uint32_t thread) const {
  if (known_.covers(past)) return true;
  const auto found = known_by_.find(thread);
  return found != known_by_.end() && found->second.covers(past);
}

}  // namespace pycuda::cpu::exec
