// SPDX-License-Identifier: MIT
#include "array/elementwise_plan.h"

#include <algorithm>

namespace pycuda::array {
namespace {

constexpr unsigned block_threads = 256;
/// Of arrays that are contiguous alike: on an H200 0.4 % faster than 256 where a thread moves less
/// than 16 bytes of an array (casts), and as fast elsewhere.
constexpr unsigned contiguous_block_threads = 128;
/// Up to so many elements a serial thread is given one, and the launch needs no worker.
constexpr std::int64_t most_at_once = 2048;
/// Shorter rows leave too many threads of a gang without an element.
constexpr std::int64_t shortest_row = 12;
/// Threads that any gang finds enough of. Blocks of whole gangs run in the code that the CPU driver
/// compiles first; for others it would have to compile more.
constexpr unsigned widest_gang = 64;

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

bool contiguous_alike(const ElementwiseAccess& access, const Walk& walk) {
  if (walk.ndim == 0) return true;
  return walk.ndim == 1 && std::all_of(access.inner.begin(), access.inner.begin() + walk.operands,
                                       [](Inner inner) { return inner == Inner::Dense; });
}

/// How many elements a thread moves at once: 16 bytes of the widest type, when all allow it.
int vector_length(const Walk& walk, const WalkedArrays& arrays, const ElementwiseAccess& access,
                  bool contiguous) {
  if (walk.ndim == 0 || walk.size < (std::int64_t{1} << 16) || access.inner[0] != Inner::Dense)
    return 1;
  const auto last = static_cast<std::size_t>(walk.ndim - 1);
  std::int64_t widest = 1;
  for (std::size_t k = 0; k < arrays.item_bytes.size(); ++k) {
    if (access.inner[k] == Inner::Stepped) return 1;
    widest = std::max(widest, arrays.item_bytes[k]);
  }
  for (std::int64_t length = std::min<std::int64_t>(16 / widest, 8); length > 1; length /= 2) {
    bool fits = contiguous || walk.shape[last] % length == 0;
    for (std::size_t k = 0; fits && k < arrays.item_bytes.size(); ++k) {
      if (access.inner[k] == Inner::Fixed) continue;
      const std::int64_t bytes = std::min<std::int64_t>(arrays.item_bytes[k] * length, 16);
      fits = arrays.addresses[k] % static_cast<std::uint64_t>(bytes) == 0;
      for (std::size_t d = 0; d < last; ++d) fits = fits && walk.strides[k][d] % bytes == 0;
    }
    if (fits) return static_cast<int>(length);
  }
  return 1;
}

void plan_serial(ElementwisePlan& plan, const Walk& walk, bool contiguous) {
  ElementwiseAccess& access = plan.access;
  // Chunks of a few thousand elements stay in a core's cache and keep all cores busy.
  const std::int64_t chunk = walk.size < (1 << 18) ? 1024 : 4096;
  const auto last = static_cast<std::size_t>(walk.ndim == 0 ? 0 : walk.ndim - 1);
  plan.threads = serial_block_threads;
  if (contiguous && walk.size <= most_at_once) {
    access.form = ElementwiseForm::Once;
    plan.threads = std::min(widest_gang * static_cast<unsigned>(divide_up(walk.size, widest_gang)),
                            block_threads);
    plan.counts = {walk.size, 0};
    plan.count = 2;
    plan.grid.x = static_cast<unsigned>(divide_up(walk.size, plan.threads));
  } else if (contiguous) {
    access.form = ElementwiseForm::Strip;
    access.wide = true;
    plan.counts = {walk.size, chunk};
    plan.count = 2;
    plan.grid.x = static_cast<unsigned>(divide_up(walk.size, chunk));
  } else if (walk.shape[last] >= shortest_row) {
    access.form = ElementwiseForm::Rows;
    access.wide = true;
    access.ndim = walk.ndim;
    const std::int64_t columns = walk.shape[last];
    const std::int64_t rows = walk.size / columns;
    const std::int64_t columns_each = std::max(std::min(columns, chunk), divide_up(columns, 65535));
    const std::int64_t rows_each = std::max<std::int64_t>(1, chunk / columns_each);
    plan.counts = {rows, rows_each, columns, columns_each};
    plan.count = 4;
    plan.grid.x = static_cast<unsigned>(divide_up(rows, rows_each));
    plan.grid.y = static_cast<unsigned>(divide_up(columns, columns_each));
  } else {
    plan.threads = widest_gang;
    access.wide = walk.size > largest_narrow;
    access.ndim = walk.ndim;
    plan.counts = {walk.size, chunk};
    plan.count = 2;
    plan.grid.x = static_cast<unsigned>(divide_up(walk.size, chunk));
  }
}

}  // namespace

ElementwisePlan plan_elementwise(const Walk& walk, const WalkedArrays& arrays,
                                 const cuda::DeviceTraits& device) {
  ElementwisePlan plan;
  ElementwiseAccess& access = plan.access;
  const auto last = static_cast<std::size_t>(walk.ndim == 0 ? 0 : walk.ndim - 1);
  for (std::size_t k = 0; k < arrays.item_bytes.size(); ++k) {
    access.inner[k] =
        walk.ndim == 0 ? Inner::Dense : inner_of(walk.strides[k][last], arrays.item_bytes[k]);
  }
  const bool contiguous = contiguous_alike(access, walk);
  if (device.serial_threads) {
    plan_serial(plan, walk, contiguous);
    return plan;
  }
  plan.threads = contiguous ? contiguous_block_threads : block_threads;
  access.vector = vector_length(walk, arrays, access, contiguous);
  // One step of a block's threads each, unless there were too many blocks.
  std::int64_t size = walk.size;
  std::int64_t step = std::int64_t{plan.threads} * access.vector;
  if (!contiguous) {
    access.ndim = walk.ndim;
    size /= access.vector;
    access.batch = access.vector > 1 ? 2 : size < (1 << 18) ? 1 : 4;
    step = std::int64_t{plan.threads} * access.batch;
  }
  access.wide = size > largest_narrow;
  const std::int64_t chunk = step * divide_up(size, step * largest_narrow);
  plan.counts = {size, chunk};
  plan.count = 2;
  plan.grid.x = static_cast<unsigned>(divide_up(size, chunk));
  return plan;
}

void ElementwisePlan::add_parameters(Parameters& parameters, const Walk& walk,
                                     std::size_t arrays) const {
  for (int i = 0; i < count; ++i)
    parameters.add_index(counts[static_cast<std::size_t>(i)], access.wide);
  if (access.ndim == 0) return;
  const auto last = static_cast<std::size_t>(access.ndim - 1);
  std::array<std::int64_t, max_dims> lengths = walk.shape;
  lengths[last] /= access.vector;
  parameters.add_lengths(lengths.data(),
                         access.form == ElementwiseForm::Rows ? access.ndim - 1 : access.ndim,
                         access.wide);
  for (std::size_t k = 0; k < arrays; ++k) {
    std::array<std::int64_t, max_dims> strides = walk.strides[k];
    strides[last] *= access.vector;
    parameters.add_strides(strides.data(), access.ndim);
  }
}

}  // namespace pycuda::array
