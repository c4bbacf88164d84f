// SPDX-License-Identifier: MIT
#include "cpu/exec/sync_rules.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <string>
#include <utility>

#include "cpu/exec/findings.h"
#include "cpu/exec/warp_ops.h"

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
  NamesExited,
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
          thread_text(*gone));
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
  char text[64];
  std::snprintf(text, sizeof text, "the mask 0x%08x of %s", mask,
                warp_op_name(static_cast<WarpOp>(first.detail)));
  if (const std::uint32_t others = lanes & ~mask; others != 0) {
    const auto lane = static_cast<unsigned>(std::countr_zero(others));
    const ThreadFrame& thread = state.threads[warp * 32 + lane];
    if (is_new(state, Rule::NotNamed, thread))
      add(state, thread, nullptr,
          std::string(text) + " does not name lane " + std::to_string(lane) + ", which calls it");
  }
  if (const std::uint32_t gone = mask & all_lanes(state, warp) & ~state.live[warp]; gone != 0) {
    const auto lane = static_cast<unsigned>(std::countr_zero(gone));
    const ThreadFrame& thread = state.threads[warp * 32 + lane];
    if (is_new(state, Rule::NamesExited, first))
      add(state, first, nullptr,
          std::string(text) + " names " + std::to_string(std::popcount(gone)) +
              " of the warp's lanes that have exited, the first is " + thread_text(thread));
  }
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
