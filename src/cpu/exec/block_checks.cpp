// SPDX-License-Identifier: MIT
// Compiled code tells of accesses and fences, the scheduler of barriers and warp operations.
#include "cpu/exec/block_checks.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "cpu/exec/address_table.h"
#include "cpu/exec/block_run.h"
#include "cpu/exec/race_report.h"
#include "cpu/exec/stream.h"
#include "cpu/exec/unwritten.h"
#include "cpu/exec/unwritten_report.h"

namespace pycuda::cpu::exec {
namespace {

void join(Knowledge& into, const Knowledge& from) {
  if (into.size() < from.size()) into.resize(from.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

}  // namespace

BlockChecks& BlockChecks::of_this_thread() {
  // A library that is loaded late has little room for what each thread has of its own.
  static thread_local std::unique_ptr<BlockChecks> checks;
  if (checks == nullptr) checks = std::make_unique<BlockChecks>();
  return *checks;
}

BlockChecks& BlockChecks::of(const ThreadFrame& thread) {
  if (thread.block->block != nullptr) return static_cast<BlockRun*>(thread.block->block)->checks();
  // Of gangs the field is taken.
  if (static_cast<const LaunchContext*>(thread.block->launch->launch)->gangs)
    return of_this_thread();
  // Threads of plain blocks have one frame, in which run_plain_blocks has put this.
  return *reinterpret_cast<BlockChecks*>(thread.scratch);
}

void BlockChecks::start(const LaunchContext& launch, const BlockFrame& block) {
  entry_ = &KernelEntry::of_this_thread();
  launch_ = &launch;
  block_ = &block;
  checks_ = launch.request.checks;
  allocations_ = {};  // a pool may have taken one back
  aligned_.assign(launch.threads, true);
  if (launch.gangs) start_gangs(launch);
  if (has(Check::Init)) has_unwritten_.assign(launch.threads, false);
  if (!has(Check::Race)) return;
  // Their clocks are others.
  bool forget = std::exchange(in_gangs_, launch.gangs) != launch.gangs;
  if (launch.gangs ? shared_words_.is_worn() : order_.is_worn()) {
    shared_words_.begin_clocks();
    forget = true;
  }
  if (forget) order_.forget();
  order_.start(launch.threads);
  const Dim3 grid = launch.frame.grid, at = block.ctaid;
  number_ = at.x + grid.x * (at.y + grid.y * at.z);
  const std::size_t words = (launch.shared_bytes + history_word - 1) / history_word;
  if (launch.gangs) {
    start_races(launch);
  } else if (shared_.size() < words) {
    shared_.resize(words);
  }
  asks_grid_order_ = launch.blocks > 1 || !launch.gangs;
  if (asks_grid_order_) grid_order_.start(*launch.races, number_);
  if (known_pages_grid_ != launch.frame.grid_id) known_pages_.fill({});
  known_pages_grid_ = launch.frame.grid_id;
  if (!released_.empty()) released_.clear();
  fenced_.clear();
  has_fence_ = false;
  read_.clear();
  work_read_ = {};
  arrived_.clear();
}

void BlockChecks::start_gangs(const LaunchContext& launch) {
  if (has(Check::Sync)) gang_sync_.start(launch.threads);
  const std::uint64_t epoch = AddressTable::instance().epoch();
  const std::size_t sites = std::size_t{launch.kernel.facts.check_sites} + 1;
  if (allowed_grid_ == launch.frame.grid_id && allowed_epoch_ == epoch && allowed_.size() == sites)
    return;
  allowed_.assign(sites, {});
  allowed_.front().begin = reinterpret_cast<std::uint64_t>(this);
  allowed_grid_ = launch.frame.grid_id;
  allowed_epoch_ = epoch;
}

void BlockChecks::check_written(const ThreadFrame& thread, const NotedAccess& access) {
  if ((access.flags & AccessFlags::write) != 0) {
    // The number itself, and no copy of what was not written.
    const bool is_same = (access.flags & AccessFlags::has_value) != 0 &&
                         (static_cast<std::uint32_t>(access.value[0]) == unwritten_word ||
                          access.value[0] >> 32 == unwritten_word);
    if (is_same && !has_unwritten_[thread.linear])
      WrittenWords::instance().add(access.address, access.bytes);
    return;
  }
  if (!is_unwritten(access.address, access.bytes) || WrittenWords::instance().has(access.address))
    return;
  has_unwritten_[thread.linear] = true;
  if ((access.flags & AccessFlags::copy) != 0) return;
  report_unwritten(*launch_, *block_, thread, access.address, access.bytes);
}

void BlockChecks::access(const ThreadFrame& thread, const NotedAccess& access) {
  if (has(Check::Init) && (access.flags & AccessFlags::read_later) == 0)
    check_written(thread, access);
  if (!has(Check::Race)) return;
  if (launch_->gangs) {
    GangAccess one{thread, {access.bytes, access.flags}, 1};
    one.first = access.address;
    const bool has_value = (access.flags & AccessFlags::has_value) != 0;
    one.low = has_value ? &access.value[0] : nullptr;
    one.high = has_value ? &access.value[1] : nullptr;
    if (gang_access(one)) gang_writes(one);
    return;
  }
  const std::uint64_t offset =
      access.address - reinterpret_cast<std::uint64_t>(own_shared(*block_));
  if (asks_grid_order_) grid_order_.settle(thread.linear);
  const bool is_strong = (access.flags & AccessFlags::strong) != 0;
  const bool releases = is_strong && order_by_memory(thread.linear, access);
  if (is_in_other_block(access.address)) return;  // what that block does there is not known here
  const bool is_reserved = offset + reserved_shared_bytes < reserved_shared_bytes;
  if (offset >= launch_->shared_bytes && !is_reserved) {
    access_global(thread, access);
  } else if (!is_reserved && access.bytes <= launch_->shared_bytes - offset) {
    access_shared(thread, access, offset);
  }
  // So that what the thread does later has not the moment of this write.
  if (releases) order_.pass(thread.linear);
}

GridOrder::Scope BlockChecks::scope_of(std::uint32_t flags) const {
  const bool is_block = (flags & AccessFlags::scope_block) != 0;
  const bool is_cluster = (flags & AccessFlags::scope_cluster) != 0;
  return is_block || (is_cluster && launch_->cluster_blocks == 1) ? GridOrder::OfBlock
                                                                  : GridOrder::OfGrid;
}

/// Strong accesses of two blocks of one cluster, whose scope that is.
bool BlockChecks::are_in_scope(const GridAccess& past, const GridAccess& now) const {
  const unsigned widest_needed = PastAccess::OfCluster;
  if (in_conflict(past.kind, now.kind) || past.scope > widest_needed || now.scope > widest_needed)
    return false;
  const Dim3 one = launch_->block_at(past.block), other = launch_->block_at(now.block);
  const Dim3 size = launch_->grid_frame.cluster;
  return one.x / size.x == other.x / size.x && one.y / size.y == other.y / size.y &&
         one.z / size.z == other.z / size.z;
}

bool BlockChecks::is_in_other_block(std::uint64_t address) const {
  if (block_->block == nullptr) return false;
  const auto& run = *static_cast<const BlockRun*>(block_->block);
  const auto rank = run.cluster().owner(address, 1);
  return rank && *rank != run.rank();
}

void BlockChecks::meet_cluster(const ThreadFrame& thread, const void* barrier, bool arrives) {
  if (!has(Check::Race)) return;
  if (asks_grid_order_) grid_order_.settle(thread.linear);
  NotedAccess access{};
  access.address = reinterpret_cast<std::uint64_t>(barrier);
  access.bytes = sizeof(std::uint32_t);
  access.flags = AccessFlags::strong |
                 (arrives ? AccessFlags::update | AccessFlags::release : AccessFlags::acquire);
  order_by_memory(thread.linear, access);
}

void BlockChecks::has_read(const ThreadFrame& thread, const NotedAccess& access) {
  if (has(Check::Init)) check_written(thread, access);
}

void BlockChecks::gang_arrives(const ThreadFrame& gang, std::uint64_t lanes,
                               const AccessOfGang& access, std::uint32_t site) {
  gang_sync_.arrive(gang, lanes, access, site, *this);
}

bool BlockChecks::order_by_memory(std::uint32_t thread, const NotedAccess& access) {
  const bool writes = (access.flags & (AccessFlags::write | AccessFlags::update)) != 0;
  const bool reads = (access.flags & AccessFlags::write) == 0;
  const GridOrder::Scope scope = scope_of(access.flags);
  const bool to_grid =
      asks_grid_order_ && grid_order_.access(thread, access.address, access.flags, scope, order_);
  if (launch_->request.work != nullptr) order_streams(access);
  if (reads) {
    const auto found = released_.find(access.address);
    if (found != released_.end()) {
      if ((access.flags & AccessFlags::acquire) != 0) {
        order_.learn(thread, found->second);
      } else {
        read_.resize(launch_->threads);
        join(read_[thread], found->second);
      }
    }
  }
  if (!writes) return false;
  bool to_block = true;
  if ((access.flags & AccessFlags::release) != 0) {
    order_.publish(thread, released_[access.address]);
  } else if (!fenced_.empty() && !fenced_[thread].empty()) {
    join(released_[access.address], fenced_[thread]);
  } else {
    to_block = false;
  }
  if (!asks_grid_order_ || !(to_grid || to_block)) return false;
  if (!to_grid && !is_own_shared(access.address, access.bytes))
    launch_->races->set_narrow_release();
  GridAccess write;
  const Moment moment = order_.now(thread);
  write.block = number_;
  write.thread = moment.thread;
  write.interval = moment.interval;
  write.clock = moment.clock;
  grid_order_.add_release(access.address, write, to_grid ? GridOrder::OfGrid : GridOrder::OfBlock);
  return true;
}

void BlockChecks::fence(std::uint32_t thread, std::uint32_t scope_flags) {
  if (!has(Check::Race)) return;
  if (!read_.empty() && !read_[thread].empty()) {
    order_.learn(thread, read_[thread]);
    read_[thread].clear();
  }
  const GridOrder::Scope scope = scope_of(scope_flags);
  const bool is_wide = scope == GridOrder::OfGrid;
  has_fence_ |= is_wide;
  if (is_wide && launch_->request.work != nullptr) launch_->request.work->learn(work_read_);
  fenced_.resize(launch_->threads);
  fenced_[thread].clear();
  order_.publish(thread, fenced_[thread]);
  if (asks_grid_order_) grid_order_.fence(thread, scope, order_, fenced_[thread]);
}

void BlockChecks::arrive(std::uint32_t thread, std::uint64_t id) {
  if (!has(Check::Race)) return;
  arrived_.resize(barrier_count);
  order_.publish(thread, arrived_[id]);
}

void BlockChecks::open(std::uint64_t id, const LiveLanes& waiting, std::uint32_t warps,
                       bool all_wait) {
  if (!has(Check::Race)) return;
  if (asks_grid_order_) grid_order_.sync_block();
  if (launch_->request.work != nullptr) launch_->request.work->learn(work_read_);
  if (all_wait) {
    order_.sync_block();
    if (!arrived_.empty()) arrived_[id].clear();
    return;
  }
  arrived_.resize(barrier_count);
  const auto each = [&](auto&& visit) {
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      for (std::uint32_t left = waiting[warp]; left != 0; left &= left - 1)
        visit(warp * 32 + static_cast<std::uint32_t>(std::countr_zero(left)));
    }
  };
  each([&](std::uint32_t thread) { order_.publish(thread, arrived_[id]); });
  each([&](std::uint32_t thread) { order_.learn(thread, arrived_[id]); });
  arrived_[id].clear();
}

PastAccess BlockChecks::past_access(const ThreadFrame& thread, const NotedAccess& access) const {
  const Moment moment = order_.now(thread.linear);
  PastAccess now;
  now.interval = moment.interval;
  now.clock = moment.clock;
  now.thread = moment.thread;
  now.place = packed_place(thread.source_line, thread.source_file);
  now.kind = PastAccess::kind_of(access.flags) & 3;
  now.is_update = (access.flags & AccessFlags::update) != 0 ? 1 : 0;
  now.log_bytes = static_cast<std::uint8_t>(std::bit_width(access.bytes) - 1) & 7;
  now.scope = PastAccess::scope_of(access.flags) & 3;
  return now;
}

void BlockChecks::add_shared(const NotedAccess& access, const PastAccess& now, std::uint64_t word) {
  const auto at = reinterpret_cast<std::uint64_t>(own_shared(*block_)) + word * history_word;
  const auto precedes = [&](const PastAccess& past) {
    return order_.precedes(past.moment(), now.thread) ||
           has_met(GridAccess{past, number_}, now.thread, at);
  };
  const auto conflict = [&](const PastAccess& past) {
    if (is_conflict(access, now, past, at))
      report_shared_race(*launch_, *block_, now, past, at + first_byte(past.mask & now.mask));
  };
  shared_[word].add(
      now, [&](const PastAccess& past) { return past.interval == now.interval; }, precedes,
      conflict);
}

void BlockChecks::access_shared(const ThreadFrame& thread, const NotedAccess& access,
                                std::uint64_t offset) {
  PastAccess now = past_access(thread, access);
  each_word(offset, access.bytes, [&](std::uint64_t word, std::uint8_t mask) {
    now.mask = mask;
    add_shared(access, now, word);
  });
}

GridRaces::Page* BlockChecks::page_of(std::uint64_t address) {
  const std::uint64_t page = address / GridRaces::page_bytes;
  KnownPage& known = known_pages_[page % known_pages_.size()];
  if (known.number == page) return known.page;
  if (page - first_own_page_ < own_pages_) return launch_->races->page(address);
  known = {page, launch_->races->page(address)};
  return known.page;
}

/// `word`: the number among all.
void BlockChecks::add_global(GridRaces::Page& page, const NotedAccess& access,
                             const GridAccess& now, std::uint64_t word) {
  const std::size_t index = word % (GridRaces::page_bytes / history_word);
  const std::uint16_t generation = launch_->races->generation();
  const std::uint64_t at = word * history_word;
  const auto precedes = [&](const GridAccess& past) { return comes_before(past, now.thread, at); };
  const RacePage::Held held(page, index);
  page.look(now, index, generation, precedes, [&](const GridAccess& past) {
    if (!are_in_scope(past, now) && is_conflict(access, now, past, at))
      report_global_race(*launch_, *block_, now, past, at + first_byte(past.mask & now.mask));
  });
  page.put(now, index, generation, precedes);
}

void BlockChecks::add_to_streams(const NotedAccess& access, const GridAccess& grid_access) {
  const std::shared_ptr<Work>& work = launch_->request.work;
  WorkAccess now;
  static_cast<PastAccess&>(now) = static_cast<const PastAccess&>(grid_access);
  now.interval = work->id;
  now.clock = work->number;
  now.stream = work->stream;
  now.block = number_;
  StreamRaces& races = StreamRaces::instance();
  StreamRaces::Page& page = races.page(access.address);
  each_word(access.address, access.bytes, [&](std::uint64_t word, std::uint8_t mask) {
    if (word * history_word / StreamRaces::page_bytes != access.address / StreamRaces::page_bytes)
      return;
    now.mask = mask;
    races.add(page, work, now, word, [&](const WorkAccess& past) {
      return is_conflict(access, now, past, word * history_word);
    });
  });
}

/// Work of several streams that meets in memory. What a thread learns counts for the whole launch.
void BlockChecks::order_streams(const NotedAccess& access) {
  if (scope_of(access.flags) == GridOrder::OfBlock) return;
  Work& work = *launch_->request.work;
  const bool writes = (access.flags & (AccessFlags::write | AccessFlags::update)) != 0;
  if ((access.flags & AccessFlags::write) == 0) {
    if (const auto released = MemoryOrder::released(access.address)) {
      if ((access.flags & AccessFlags::acquire) != 0) {
        work.learn(*released);
      } else {
        work_read_.join(*released);
      }
    }
  }
  // A fence counts for threads that the block's barriers order after it, too.
  if (writes && ((access.flags & AccessFlags::release) != 0 || has_fence_))
    MemoryOrder::release(access.address, work.clock());
}

void BlockChecks::access_global(const ThreadFrame& thread, const NotedAccess& access) {
  GridRaces::Page* const page = page_of(access.address);
  if (page == nullptr) return;
  GridAccess now;
  static_cast<PastAccess&>(now) = past_access(thread, access);
  now.block = number_;
  if (launch_->request.work != nullptr) add_to_streams(access, now);
  each_word(access.address, access.bytes, [&](std::uint64_t number, std::uint8_t mask) {
    // A misaligned access may leave the page.
    if (number * history_word / GridRaces::page_bytes != access.address / GridRaces::page_bytes)
      return;
    now.mask = mask;
    add_global(*page, access, now, number);
  });
}

}  // namespace pycuda::cpu::exec
