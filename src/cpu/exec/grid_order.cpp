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
  all.add(block_,
          std::make_shared<BlockKnowledge>(BlockKnowledge{order.interval(), std::move(own)}));
  return all;
}

void GridOrder::access(std::uint32_t thread, std::uint64_t address, std::uint32_t flags,
                       ThreadOrder& order) {
  const bool writes = (flags & (AccessFlags::write | AccessFlags::update)) != 0;
  if ((flags & AccessFlags::write) == 0) {
    // What is read is acquired later, when the access is over.
    std::vector<std::uint64_t>& read = read_[thread];
    if (std::find(read.begin(), read.end(), address) == read.end()) read.push_back(address);
    if ((flags & AccessFlags::acquire) != 0) soon_.insert(thread);
  }
  if (!writes) return;
  if ((flags & AccessFlags::release) != 0) {
    Knowledge own;
    order.publish(thread, own);
    grid_->release(address, own_knowledge(thread, order, std::move(own)));
    return;
  }
  if (!fenced_.empty()) grid_->release(address, fenced_);
  if (const auto found = fenced_by_.find(thread); found != fenced_by_.end())
    grid_->release(address, found->second);
}

void GridOrder::acquire(std::uint32_t thread) {
  soon_.erase(thread);
  const auto found = read_.find(thread);
  if (found == read_.end()) return;
  GridKnowledge& known = known_by_[thread];
  for (const std::uint64_t address : found->second) grid_->acquire(address, known);
  if (known.empty()) known_by_.erase(thread);
  read_.erase(found);
}

void GridOrder::fence(std::uint32_t thread, const ThreadOrder& order, Knowledge own) {
  acquire(thread);
  fenced_by_[thread] = own_knowledge(thread, order, std::move(own));
}

void GridOrder::sync_block() {
  while (!read_.empty()) acquire(read_.begin()->first);
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
    acquire(thread);
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
