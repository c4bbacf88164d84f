// SPDX-License-Identifier: MIT
// Shuffles, votes, matches and reductions over the lanes of a warp, as the PTX manual defines them.
#include "cpu/exec/warp_ops.h"

#include <algorithm>
#include <array>
#include <bit>

#include "cpu/exec/warp_group_product.h"
#include "cpu/kernel_abi/shuffle.h"
#include "cpu/kernel_abi/wgmma.h"

namespace pycuda::cpu::exec {
namespace {

template <class Visit>
void each_lane(std::uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(std::countr_zero(lanes)));
}

void set_all(std::uint32_t lanes, ThreadFrame* warp, std::uint64_t first, std::uint64_t second) {
  each_lane(lanes, [&](unsigned lane) {
    warp[lane].result[0] = first;
    warp[lane].result[1] = second;
  });
}

void shuffle(WarpOp op, std::uint32_t lanes, ThreadFrame* warp) {
  std::array<std::uint64_t, 32> values{};
  each_lane(lanes, [&](unsigned lane) { values[lane] = warp[lane].operand[0]; });
  each_lane(lanes, [&](unsigned own) {
    const auto b = static_cast<unsigned>(warp[own].operand[1] & 31);
    const auto c = static_cast<unsigned>(warp[own].operand[2]);
    const auto [source, in_range] = shuffle_source(op, own, b, c);
    warp[own].result[0] = values[(lanes >> source & 1) != 0 ? source : own];
    warp[own].result[1] = in_range ? 1 : 0;
  });
}

void vote(WarpOp op, std::uint32_t lanes, ThreadFrame* warp) {
  std::uint32_t ballot = 0;
  each_lane(lanes, [&](unsigned lane) {
    if (warp[lane].operand[0] != 0) ballot |= 1u << lane;
  });
  std::uint64_t result = ballot;
  if (op == WarpOp::VoteAll) result = ballot == lanes;
  if (op == WarpOp::VoteAny) result = ballot != 0;
  if (op == WarpOp::VoteUniform) result = ballot == lanes || ballot == 0;
  set_all(lanes, warp, result, 0);
}

void match(WarpOp op, std::uint32_t lanes, ThreadFrame* warp) {
  for (std::uint32_t left = lanes; left != 0;) {
    const std::uint64_t value = warp[std::countr_zero(left)].operand[0];
    std::uint32_t equal = 0;
    each_lane(left, [&](unsigned lane) {
      if (warp[lane].operand[0] == value) equal |= 1u << lane;
    });
    if (op == WarpOp::MatchAll) {
      const bool all = equal == lanes;
      set_all(lanes, warp, all ? lanes : 0, all ? 1 : 0);
      return;
    }
    set_all(equal, warp, equal, 1);
    left &= ~equal;
  }
}

std::uint32_t combine(WarpOp op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
    case WarpOp::ReduceAdd:
      return a + b;
    case WarpOp::ReduceMinU32:
      return std::min(a, b);
    case WarpOp::ReduceMaxU32:
      return std::max(a, b);
    case WarpOp::ReduceMinS32:
      return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b;
    case WarpOp::ReduceMaxS32:
      return static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b) ? a : b;
    case WarpOp::ReduceAnd:
      return a & b;
    case WarpOp::ReduceOr:
      return a | b;
    default:
      return a ^ b;
  }
}

void reduce(WarpOp op, std::uint32_t lanes, ThreadFrame* warp) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  auto result = static_cast<std::uint32_t>(warp[first].operand[0]);
  each_lane(lanes & (lanes - 1), [&](unsigned lane) {
    result = combine(op, result, static_cast<std::uint32_t>(warp[lane].operand[0]));
  });
  set_all(lanes, warp, result, 0);
}

}  // namespace

void execute_warp_op(WarpOp op, std::uint32_t participants, ThreadFrame* warp) {
  if (op == warp_group_product) return multiply_matrices(participants, warp);
  switch (op) {
    case WarpOp::Sync:
      return;
    case WarpOp::ActiveMask:
      set_all(participants, warp, participants, 0);
      return;
    case WarpOp::ShuffleUp:
    case WarpOp::ShuffleDown:
    case WarpOp::ShuffleButterfly:
    case WarpOp::ShuffleIndex:
      shuffle(op, participants, warp);
      return;
    case WarpOp::VoteAll:
    case WarpOp::VoteAny:
    case WarpOp::VoteUniform:
    case WarpOp::VoteBallot:
      vote(op, participants, warp);
      return;
    case WarpOp::MatchAny:
    case WarpOp::MatchAll:
      match(op, participants, warp);
      return;
    case WarpOp::ReduceAdd:
    case WarpOp::ReduceMinU32:
    case WarpOp::ReduceMaxU32:
    case WarpOp::ReduceMinS32:
    case WarpOp::ReduceMaxS32:
    case WarpOp::ReduceAnd:
    case WarpOp::ReduceOr:
    case WarpOp::ReduceXor:
      reduce(op, participants, warp);
      return;
    case WarpOp::CountRun:
    case WarpOp::CountBranch:
    case WarpOp::CountAccess:
      return;
  }
}

const char* warp_op_name(WarpOp op) {
  if (op == warp_group_product) return "wgmma.mma_async";
  switch (op) {
    case WarpOp::Sync:
      return "bar.warp.sync";
    case WarpOp::ActiveMask:
      return "activemask";
    case WarpOp::ShuffleUp:
      return "shfl.up";
    case WarpOp::ShuffleDown:
      return "shfl.down";
    case WarpOp::ShuffleButterfly:
      return "shfl.bfly";
    case WarpOp::ShuffleIndex:
      return "shfl.idx";
    case WarpOp::VoteAll:
      return "vote.all";
    case WarpOp::VoteAny:
      return "vote.any";
    case WarpOp::VoteUniform:
      return "vote.uni";
    case WarpOp::VoteBallot:
      return "vote.ballot";
    case WarpOp::MatchAny:
      return "match.any";
    case WarpOp::MatchAll:
      return "match.all";
    default:
      return "redux";
  }
}

}  // namespace pycuda::cpu::exec
