// SPDX-License-Identifier: MIT
#include "cpu/exec/sync_rules.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <string>
#include <utility>

#include "cpu/exec/findings.h"
#include "cpu/exec/warp_ops.h"
#include "cpu/kernel_abi/shuffle.h"

namespace pycuda::cpu::exec {
namespace {

/// Which rule was broken: findings of several rules at one line are several.
enum class Rule : std::uint32_t {
  Exited,
  OtherSite,
  HalfWarp,
  OtherCount,
  OddCount,
  TooMany,
  NotNamed,
  ReadsExited,
  ReadsUnnamed,
  ReadsNone,
  HalfArrived,
  Deadlock
};

std::string thread_text(const ThreadFrame& thread) {
  return "thread (" + std::to_string(thread.tid.x) + ", " + std::to_string(thread.tid.y) + ", " +
         std::to_string(thread.tid.z) + ")";
}

std::string count_text(std::uint32_t count) {
  return std::to_string(count) + (count == 1 ? " thread" : " threads");
}

FoundPlace place(const SyncState& state, const ThreadFrame& thread) {
  return place_of(state.launch, state.block, thread.tid, thread.source_line, thread.source_file);
}

bool is_new(const SyncState& state, Rule rule, const ThreadFrame& thread,
            const ThreadFrame* other = nullptr) {
  FindingKey key;
  key.check = Check::Sync;
  key.kernel = &state.launch.kernel;
  key.line = thread.source_line;
  key.file = thread.source_file;
  if (other != nullptr) {
    key.other_line = other->source_line;
    key.other_file = other->source_file;
  }
  key.kind = static_cast<std::uint32_t>(rule);
  return Findings::instance().is_new(key);
}

void add(const SyncState& state, const ThreadFrame& thread, const ThreadFrame* other,
         std::string message, bool ended_launch = false) {
  Finding finding;
  finding.check = Check::Sync;
  finding.kernel = state.launch.kernel.facts.name;
  finding.at = place(state, thread);
  if (other != nullptr) finding.other = place(state, *other);
  finding.message = std::move(message);
  finding.ended_launch = ended_launch;
  Findings::instance().add(std::move(finding), situation_of(state.launch));
}

/// The lanes of a warp that the block has started with.
std::uint32_t all_lanes(const SyncState& state, unsigned warp) {
  const std::uint32_t count = std::min(32u, state.launch.threads - warp * 32);
  return count == 32 ? ~0u : (1u << count) - 1;
}

template <class Visit>
void each_thread(const SyncState& state, unsigned warp, std::uint32_t lanes, Visit&& visit) {
  for (; lanes != 0; lanes &= lanes - 1)
    visit(state.threads[warp * 32 + static_cast<unsigned>(std::countr_zero(lanes))]);
}

const ThreadFrame* first_of(const SyncState& state, const LiveLanes& lanes) {
  for (unsigned warp = 0; warp < state.warps; ++warp) {
    if (lanes[warp] != 0)
      return &state.threads[warp * 32 + static_cast<unsigned>(std::countr_zero(lanes[warp]))];
  }
  return nullptr;
}

/// Threads that have exited, of all warps or, where a barrier expects a number, of those that came.
/// Devices of compute capability 7.0 and later wait for those that have not exited; but the code
/// does not tell a return above the barrier from a condition around it, which CUDA rules out.
void check_exited(const SyncState& state, const NamedBarrier& barrier, const ThreadFrame& first) {
  const ThreadFrame* gone = nullptr;
  std::uint32_t count = 0;
  for (unsigned warp = 0; warp < state.warps; ++warp) {
    if (barrier.expected() != 0 && barrier.arrived()[warp] == 0) continue;
    const std::uint32_t exited = all_lanes(state, warp) & ~state.live[warp];
    // Who arrived and went on has been there.
    each_thread(state, warp, exited & ~barrier.arrived()[warp], [&](const ThreadFrame& thread) {
      if (gone == nullptr) gone = &thread;
      ++count;
    });
  }
  if (gone == nullptr || !is_new(state, Rule::Exited, first)) return;
  add(state, first, nullptr,
      count_text(count) + " exited without reaching a barrier that the others of the " +
          (barrier.expected() == 0 ? "block" : "warp") + " wait at, the first is " +
          thread_text(*gone) +
          ": it opens without them, and anything that they should have stored before is missing");
}

void check_half_warps(const SyncState& state, const NamedBarrier& barrier) {
  if (barrier.expected() == 0) return;
  for (unsigned warp = 0; warp < state.warps; ++warp) {
    const std::uint32_t arrived = barrier.arrived()[warp] & state.live[warp];
    if (arrived == 0 || arrived == state.live[warp]) continue;
    const ThreadFrame& first =
        state.threads[warp * 32 + static_cast<unsigned>(std::countr_zero(arrived))];
    if (!state.checks.is_aligned(first.linear) || !is_new(state, Rule::HalfWarp, first)) continue;
    add(state, first, nullptr,
        "only " + std::to_string(std::popcount(arrived)) + " of the " +
            count_text(static_cast<std::uint32_t>(std::popcount(state.live[warp]))) +
            " of a warp reach a barrier that counts whole warps");
  }
}

/// Threads that wait at different instructions: of one warp, or of a block that waits as a whole.
void check_sites(const SyncState& state, const NamedBarrier& barrier) {
  const ThreadFrame* first_of_block = nullptr;
  for (unsigned warp = 0; warp < state.warps; ++warp) {
    const ThreadFrame* first = nullptr;
    each_thread(state, warp, barrier.waiting(warp), [&](const ThreadFrame& thread) {
      if (!state.checks.is_aligned(thread.linear)) return;
      if (first == nullptr) first = &thread;
      if (first_of_block == nullptr) first_of_block = &thread;
      if (thread.site != first->site) {
        if (is_new(state, Rule::OtherSite, *first, &thread))
          add(state, *first, &thread,
              "threads of a warp wait at different barriers: the warp has diverged");
      } else if (barrier.expected() == 0 && thread.site != first_of_block->site) {
        if (is_new(state, Rule::OtherSite, *first_of_block, &thread))
          add(state, *first_of_block, &thread,
              "threads of the block wait at different __syncthreads(): a condition around one is "
              "not the same for all of them");
      }
    });
  }
}

std::string mask_text(std::uint32_t mask) {
  char text[32];
  std::snprintf(text, sizeof text, "the mask 0x%08x", mask);
  return text;
}

/// Lanes that read from others by a shuffle, which gives them no value for one reason.
struct Reading {
  const ThreadFrame* first = nullptr;
  unsigned lane = 0, source = 0;  ///< of the first
  int lanes = 0;

  void add(const ThreadFrame& thread, unsigned reader, unsigned read) {
    if (lanes++ != 0) return;
    first = &thread;
    lane = reader;
    source = read;
  }
};

void add_reading(const SyncState& state, Rule rule, const Reading& reading, WarpOp op,
                 const std::string& reason) {
  if (reading.lanes == 0 || !is_new(state, rule, *reading.first)) return;
  std::string text = "lane " + std::to_string(reading.lane) + " reads from lane " +
                     std::to_string(reading.source) + " by " + warp_op_name(op) + ", " + reason +
                     ": the value that it gets is undefined";
  if (const int others = reading.lanes - 1; others != 0)
    text += ", as in " + std::to_string(others) + (others == 1 ? " other lane" : " other lanes");
  add(state, *reading.first, nullptr, std::move(text));
}

/// A mask may name lanes that have exited or that the block does not have: they are not waited for.
/// But a shuffle has no value of a lane that does not take part.
void check_sources(const SyncState& state, unsigned warp, std::uint32_t lanes, WarpOp op,
                   std::uint32_t mask) {
  Reading of_exited, of_unnamed, of_none;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const ThreadFrame& thread = state.threads[warp * 32 + lane];
    const unsigned source = shuffle_source(op, lane, static_cast<unsigned>(thread.operand[1] & 31),
                                           static_cast<unsigned>(thread.operand[2]))
                                .lane;
    if ((lanes >> source & 1) != 0) continue;
    if ((all_lanes(state, warp) >> source & 1) == 0) {
      of_none.add(thread, lane, source);
    } else if ((mask >> source & 1) == 0) {
      of_unnamed.add(thread, lane, source);
    } else {
      of_exited.add(thread, lane, source);
    }
  }
  add_reading(state, Rule::ReadsExited, of_exited, op, "which has exited");
  add_reading(state, Rule::ReadsUnnamed, of_unnamed, op,
              "which " + mask_text(mask) + " does not name");
  add_reading(state, Rule::ReadsNone, of_none, op,
              "which the block of " + count_text(state.launch.threads) + " does not have");
}

}  // namespace

void check_arrival(const SyncState& state, const ThreadFrame& thread, const NamedBarrier& barrier) {
  if (!state.checks.has(Check::Sync)) return;
  const auto expected = static_cast<std::uint32_t>(thread.operand[1]);
  const std::string name = "barrier " + std::to_string(thread.operand[0]);
  if (barrier.used() && barrier.expected() != expected) {
    const ThreadFrame* const other = first_of(state, barrier.arrived());
    if (other != nullptr && is_new(state, Rule::OtherCount, thread, other)) {
      const auto text = [](std::uint32_t count) {
        return count == 0 ? std::string("all threads") : count_text(count);
      };
      add(state, thread, other,
          name + " expects " + text(expected) + " here, and " + text(barrier.expected()) +
              " where others wait");
    }
  }
  if (expected % 32 != 0 && is_new(state, Rule::OddCount, thread))
    add(state, thread, nullptr,
        name + " expects " + count_text(expected) + ", which is no multiple of 32");
  const std::uint32_t room = (state.launch.threads + 31) / 32 * 32;
  if (expected > room && is_new(state, Rule::TooMany, thread))
    add(state, thread, nullptr,
        name + " expects " + count_text(expected) + " of a block that has " +
            std::to_string(state.launch.threads));
}

void check_opening(const SyncState& state, const NamedBarrier& barrier, unsigned) {
  if (!state.checks.has(Check::Sync)) return;
  const ThreadFrame* const first = first_of(state, barrier.arrived());
  if (first == nullptr) return;
  check_exited(state, barrier, *first);
  check_half_warps(state, barrier);
  check_sites(state, barrier);
}

void check_warp_op(const SyncState& state, unsigned warp, std::uint32_t lanes) {
  if (!state.checks.has(Check::Sync)) return;
  const ThreadFrame& first =
      state.threads[warp * 32 + static_cast<unsigned>(std::countr_zero(lanes))];
  const std::uint32_t mask = first.mask;
  if (mask == 0) return;
  const auto op = static_cast<WarpOp>(first.detail);
  if (const std::uint32_t others = lanes & ~mask; others != 0) {
    const auto lane = static_cast<unsigned>(std::countr_zero(others));
    const ThreadFrame& thread = state.threads[warp * 32 + lane];
    if (is_new(state, Rule::NotNamed, thread))
      add(state, thread, nullptr,
          mask_text(mask) + " of " + warp_op_name(op) + " does not name lane " +
              std::to_string(lane) + ", which calls it");
  }
  if (is_shuffle(op)) check_sources(state, warp, lanes, op, mask);
}

void check_rest(const SyncState& state, const std::array<NamedBarrier, barrier_count>& barriers) {
  if (!state.checks.has(Check::Sync)) return;
  for (std::size_t id = 0; id < barriers.size(); ++id) {
    if (!barriers[id].used()) continue;
    const ThreadFrame* const first = first_of(state, barriers[id].arrived());
    if (first == nullptr || !is_new(state, Rule::HalfArrived, *first)) continue;
    add(state, *first, nullptr,
        "the block ended while " + std::to_string(barriers[id].arrivals()) + " of " +
            count_text(barriers[id].expected()) + " had arrived at barrier " + std::to_string(id));
  }
}

void list_deadlock(const SyncState& state, const std::string& waiting) {
  if (!state.checks.has(Check::Sync)) return;
  const ThreadFrame* const first = first_of(state, state.live);
  if (first == nullptr || !is_new(state, Rule::Deadlock, *first)) return;
  add(state, *first, nullptr,
      "deadlock, every thread of the block waits and none can go on: " + waiting,
      /*ended_launch=*/true);
}

}  // namespace pycuda::cpu::exec
