// SPDX-License-Identifier: MIT
// Most blocks need rows of a warp alone: 32 numbers for each thread. Threads of several warps that
// synchronise otherwise than by a barrier of the block make the rows as long as the block.
#include "cpu/exec/thread_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace pycuda::cpu::exec {

void ThreadOrder::start(std::uint32_t threads) {
  // Clocks go on, so that what rows say stays true of a block of the same size.
  ++interval_;
  if (threads == threads_) return;
  threads_ = threads;
  width_ = lanes;
  clocks_.assign(threads, 1);
  rows_.assign(std::size_t{threads} * lanes, 0);
  common_.assign(threads, 0);
  warps_.assign((threads + lanes - 1) / lanes, {});
}

void ThreadOrder::settle(std::uint32_t warp) {
  const Warp whole = std::exchange(warps_[warp], {});
  if (whole.clock == 0) return;
  for (std::uint32_t i = warp * lanes; i < std::min((warp + 1) * lanes, threads_); ++i) {
    clocks_[i] = std::max(clocks_[i], whole.clock);
    common_[i] = std::max(common_[i], whole.common);
  }
}

void ThreadOrder::widen() {
  if (width_ != lanes || threads_ <= lanes) return;
  std::vector<std::uint32_t> wide(std::size_t{threads_} * threads_, 0);
  for (std::uint32_t thread = 0; thread < threads_; ++thread) {
    const std::uint32_t first = thread / lanes * lanes;
    for (std::uint32_t lane = 0; lane < lanes && first + lane < threads_; ++lane)
      wide[std::size_t{thread} * threads_ + first + lane] =
          rows_[std::size_t{thread} * lanes + lane];
  }
  rows_ = std::move(wide);
  width_ = threads_;
}

void ThreadOrder::sync_lanes(std::uint32_t warp, std::uint32_t members) {
  settle(warp);
  const std::uint32_t first = warp * lanes;
  const std::uint32_t count = std::min(lanes, threads_ - first);
  const std::uint32_t whole = count == lanes ? ~0u : (1u << count) - 1;
  if (width_ == lanes && (members & whole) == whole) {
    // What a thread knows of another is never more than that has done.
    for (std::uint32_t i = first; i < first + count; ++i) common_[i] = clocks_[i]++;
    return;
  }
  if (width_ == lanes) {
    std::array<std::uint32_t, lanes> all{};
    for (std::uint32_t left = members; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
      const std::uint32_t* row = &rows_[std::size_t{first + lane} * lanes];
      for (std::uint32_t i = 0; i < lanes; ++i) all[i] = std::max(all[i], row[i]);
      for (std::uint32_t i = 0; i < count; ++i) all[i] = std::max(all[i], common_[first + i]);
      all[lane] = std::max(all[lane], clocks_[first + lane]);
    }
    for (std::uint32_t left = members; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
      std::copy(all.begin(), all.end(), &rows_[std::size_t{first + lane} * lanes]);
      ++clocks_[first + lane];
    }
    return;
  }
  Knowledge all;
  for (std::uint32_t left = members; left != 0; left &= left - 1)
    publish(first + static_cast<std::uint32_t>(std::countr_zero(left)), all);
  for (std::uint32_t left = members; left != 0; left &= left - 1)
    learn(first + static_cast<std::uint32_t>(std::countr_zero(left)), all);
}

void ThreadOrder::publish(std::uint32_t thread, Knowledge& knowledge) {
  settle(thread / lanes);
  if (knowledge.size() < threads_) knowledge.resize(threads_, 0);
  const std::uint32_t first = width_ == lanes ? thread / lanes * lanes : 0;
  const std::uint32_t count = std::min(width_, threads_ - first);
  const std::uint32_t* row = &rows_[std::size_t{thread} * width_];
  for (std::uint32_t i = 0; i < count; ++i)
    knowledge[first + i] = std::max(knowledge[first + i], row[i]);
  const std::uint32_t warp = thread / lanes * lanes;
  for (std::uint32_t i = warp; i < std::min(warp + lanes, threads_); ++i)
    knowledge[i] = std::max(knowledge[i], common_[i]);
  knowledge[thread] = std::max(knowledge[thread], clocks_[thread]);
  ++clocks_[thread];
}

void ThreadOrder::pass(std::uint32_t thread) {
  settle(thread / lanes);
  ++clocks_[thread];
}

void ThreadOrder::learn(std::uint32_t thread, const Knowledge& knowledge) {
  const std::size_t known = std::min<std::size_t>(knowledge.size(), threads_);
  if (width_ == lanes) {
    for (std::size_t i = 0; i < known && width_ == lanes; ++i) {
      if (knowledge[i] != 0 && i / lanes != thread / lanes) widen();
    }
  }
  const std::size_t first = width_ == lanes ? thread / lanes * lanes : 0;
  std::uint32_t* row = &rows_[std::size_t{thread} * width_];
  for (std::size_t i = first; i < std::min(known, first + width_); ++i)
    row[i - first] = std::max(row[i - first], knowledge[i]);
}

}  // namespace pycuda::cpu::exec
