// SPDX-License-Identifier: MIT
#include "array/reduction_plan.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

namespace pycuda::array {
namespace {

/// Leaves room for the steps that indices take beyond the last element.
constexpr std::int64_t narrow_limit = std::numeric_limits<std::int32_t>::max() - (1 << 16);
constexpr std::int64_t most_blocks = 1 << 20;
constexpr std::int64_t most_parts = 1024;
/// Columns that a thread keeps sums of: more would need too much shared memory.
constexpr std::int64_t most_per_thread = 8;
/// Reductions shorter than this are done in columns by serial threads, if there are many.
constexpr std::int64_t short_reduction = 64;

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t power_of_two_from(std::int64_t value, std::int64_t most) {
  return std::min(most, static_cast<std::int64_t>(std::bit_ceil(
                            static_cast<std::uint64_t>(std::clamp<std::int64_t>(value, 1, most)))));
}

std::int64_t smallest_stride(const Walk& walk) {
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < walk.ndim; ++i) {
    const std::int64_t stride = std::abs(walk.strides[0][static_cast<std::size_t>(i)]);
    if (stride != 0) smallest = std::min(smallest, stride);
  }
  return smallest;
}

/// How many elements of 16 bytes at most can be loaded at once, given that `length` of them lie
/// side by side from the addresses on and from wherever the other strides lead.
int vector_length(const ReducedArrays& arrays, std::int64_t length, const Walk& along,
                  const Walk& across, bool whole) {
  if (arrays.partial) return 1;
  const std::int64_t widest = *std::max_element(
      arrays.item_bytes.begin(), arrays.item_bytes.begin() + static_cast<int>(arrays.count));
  for (std::int64_t vector = 16 / widest; vector > 1; vector /= 2) {
    bool fits = whole ? length % vector == 0 && vector <= most_per_thread : length >= 4 * vector;
    for (std::size_t k = 0; fits && k < arrays.count; ++k) {
      const std::int64_t bytes = arrays.item_bytes[k] * vector;
      fits = arrays.addresses[k] % static_cast<std::uint64_t>(bytes) == 0;
      for (int d = 0; d < across.ndim; ++d)
        fits = fits && across.strides[k][static_cast<std::size_t>(d)] % bytes == 0;
      for (int d = 0; d + 1 < along.ndim; ++d)
        fits = fits && along.strides[k][static_cast<std::size_t>(d)] % bytes == 0;
    }
    if (fits) return static_cast<int>(vector);
  }
  return 1;
}

/// Few enough that the caller of a launch is done with them sooner than a worker wakes.
constexpr std::int64_t most_results_once = 8, most_elements_once = 2 * elements_once;

/// Rows that are reduced side by side on a processor, where there are enough of them for all cores:
/// longer ones have pages enough of their own to keep its prefetchers busy.
constexpr std::int64_t longest_row_together = 1 << 17;  // bytes
constexpr std::int64_t least_row_together = 256;        // elements
constexpr std::int64_t least_rows_together = 256;

/// Columns of one row that a thread loads at once where blocks run side by side. On an H200 four
/// halves are up to 12 % faster than eight, and blocks of 32 x 8 threads faster than of 64 x 4, for
/// halves and floats in rows of 512 B to 16 MiB.
int most_loaded_of_a_row(std::int64_t item_bytes) { return item_bytes == 1 ? 8 : 4; }

/// Whether the last dimension's elements lie side by side.
bool is_dense_along(const ReducedArrays& arrays, const Walk& walk) {
  if (walk.ndim == 0) return false;
  const auto last = static_cast<std::size_t>(walk.ndim - 1);
  for (std::size_t k = 0; k < arrays.count; ++k) {
    if (walk.strides[k][last] != arrays.item_bytes[k]) return false;
  }
  return true;
}

/// Whether array `k` has the same elements wherever the walk is.
bool is_same_for_all(const Walk& walk, std::size_t k) {
  return std::all_of(walk.strides[k].begin(), walk.strides[k].begin() + walk.ndim,
                     [](std::int64_t stride) { return stride == 0; });
}

/// Whether elements are elements apart along the reduced dimensions and the last kept one.
bool in_whole_elements(const ReducedArrays& arrays) {
  for (std::size_t k = 0; k < arrays.count; ++k) {
    if (arrays.kept.strides[k][static_cast<std::size_t>(arrays.kept.ndim - 1)] %
            arrays.item_bytes[k] !=
        0)
      return false;
    for (int d = 0; d < arrays.reduced.ndim; ++d) {
      if (arrays.reduced.strides[k][static_cast<std::size_t>(d)] % arrays.item_bytes[k] != 0)
        return false;
    }
  }
  return true;
}

/// Parts of each reduction, so that there are as many blocks as `wanted`, but none takes fewer
/// elements than `least`. All but the last part are multiples of `step`, which blocks read at once.
void split(ReductionPlan& plan, std::int64_t length, std::int64_t wanted, std::int64_t least,
           std::int64_t step, bool may_split) {
  std::int64_t parts = 1;
  if (may_split) {
    parts = std::clamp<std::int64_t>(
        std::min(divide_up(wanted, plan.grid.x), length / std::max<std::int64_t>(least, 1)), 1,
        most_parts);
  }
  plan.chunk = divide_up(divide_up(std::max<std::int64_t>(length, 1), parts), step) * step;
  plan.grid.y = static_cast<unsigned>(divide_up(std::max<std::int64_t>(length, 1), plan.chunk));
}

/// Of one long reduction on a processor. A block ends with waiting for the last of its elements,
/// and a prefetcher only keeps up with stretches of many pages; but all cores want work, and more
/// parts also mean less rounding.
std::int64_t serial_parts(std::int64_t length, std::int64_t item_bytes) {
  constexpr std::int64_t part_bytes = 1 << 18;
  return std::clamp<std::int64_t>(length * item_bytes / part_bytes, 128, most_parts);
}

unsigned block_count(std::int64_t blocks) {
  return static_cast<unsigned>(std::clamp<std::int64_t>(blocks, 1, most_blocks));
}

void plan_lanes(ReductionPlan& plan, const ReducedArrays& arrays, const cuda::DeviceTraits& device,
                bool may_split) {
  const std::int64_t length = arrays.length();
  plan.dense = arrays.reduced.ndim == 1 && is_dense_along(arrays, arrays.reduced);
  if (device.serial_threads) {
    plan.block = {serial_block_threads, 1, 1};
    plan.grid.x = block_count(arrays.results());
    split(plan, length, serial_parts(length, arrays.item_bytes[0]), length < 32768 ? length : 8192,
          16, may_split);
    plan.rows = plan.dense && !arrays.positions && plan.parts() == 1 &&
                length >= least_row_together &&
                length * arrays.item_bytes[0] <= longest_row_together &&
                arrays.results() >= least_rows_together;
    if (plan.rows) {
      plan.grid.x = block_count(divide_up(arrays.results(), rows_together));
      plan.same_second = arrays.count == 2 && is_same_for_all(arrays.kept, 1);
    }
    return;
  }
  if (plan.dense) plan.vector = vector_length(arrays, length, arrays.reduced, arrays.kept, false);
  const std::int64_t lanes = power_of_two_from(divide_up(length, plan.vector), reduction_threads);
  const std::int64_t together =
      std::min(reduction_threads / lanes, power_of_two_from(arrays.results(), reduction_threads));
  plan.block = {static_cast<unsigned>(lanes), static_cast<unsigned>(together), 1};
  plan.grid.x = block_count(divide_up(arrays.results(), together));
  split(plan, length, std::int64_t{8} * device.multiprocessors,
        lanes * std::max(16, 4 * plan.vector), 16, may_split);
}

bool fits_once(const ReducedArrays& arrays, const cuda::DeviceTraits& device) {
  return device.serial_threads && !arrays.partial && arrays.results() <= most_results_once &&
         arrays.length() <= elements_once &&
         arrays.results() * arrays.length() <= most_elements_once;
}

void plan_once(ReductionPlan& plan, const ReducedArrays& arrays) {
  plan.once = true;
  plan.dense = arrays.reduced.ndim == 1 && is_dense_along(arrays, arrays.reduced);
  plan.block = {once_threads, 1, 1};
  plan.grid = {block_count(arrays.results()), 1, 1};
  plan.chunk = arrays.length();
}

void plan_columns(ReductionPlan& plan, const ReducedArrays& arrays,
                  const cuda::DeviceTraits& device, bool may_split) {
  const std::int64_t columns = arrays.kept.shape[static_cast<std::size_t>(arrays.kept.ndim - 1)];
  const std::int64_t length = arrays.length();
  plan.columns = true;
  plan.dense = is_dense_along(arrays, arrays.kept);
  plan.bands = device.serial_threads && !arrays.positions && in_whole_elements(arrays);
  if (plan.bands) {
    plan.block = {serial_block_threads, 1, 1};
  } else if (device.serial_threads) {
    // As much of each row as its registers hold: the less often pages are left, the better.
    constexpr std::int64_t threads{serial_block_threads};
    const std::int64_t most = arrays.item_bytes[0] <= 4 ? most_per_thread : 4;
    plan.per_thread = columns >= most * threads ? static_cast<int>(most)
                      : columns >= 4 * threads  ? 4
                                                : 1;
    plan.block = {serial_block_threads, 1, 1};
  } else {
    if (plan.dense) {
      plan.vector = std::min(vector_length(arrays, columns, arrays.kept, arrays.reduced, true),
                             most_loaded_of_a_row(arrays.item_bytes[0]));
    }
    plan.per_thread = plan.vector;
    const std::int64_t together = power_of_two_from(divide_up(columns, plan.per_thread), 32);
    const std::int64_t rows =
        std::min(reduction_threads / together, power_of_two_from(length, reduction_threads));
    plan.block = {static_cast<unsigned>(together), static_cast<unsigned>(rows), 1};
  }
  const std::int64_t tile =
      plan.bands ? std::int64_t{band_columns(static_cast<std::size_t>(arrays.item_bytes[0]))}
                 : std::int64_t{plan.block.x} * plan.per_thread;
  plan.grid.x = block_count(arrays.results() / columns * divide_up(columns, tile));
  if (plan.bands) {
    split(plan, length, 256, std::max<std::int64_t>(64, 65536 / std::min(columns, tile)), 16,
          may_split);
  } else if (device.serial_threads) {
    split(plan, length, 256, 512, 16, may_split);
  } else {
    // As many blocks as a multiprocessor runs at a time, and rather fewer than one more: that one
    // would run alone.
    const std::int64_t rows = std::int64_t{plan.block.y};
    const std::int64_t blocks = std::int64_t{8} * device.multiprocessors;
    const std::int64_t parts = std::max<std::int64_t>(1, blocks / plan.grid.x);
    split(plan, length, parts * plan.grid.x, rows * 16, rows * rows_at_once(plan.per_thread),
          may_split);
  }
}

}  // namespace

ReductionPlan plan_reduction(const ReducedArrays& arrays, const cuda::DeviceTraits& device,
                             bool may_split) {
  ReductionPlan plan;
  plan.serial_threads = device.serial_threads;
  plan.wide = arrays.results() > narrow_limit || arrays.length() > narrow_limit ||
              arrays.results() * arrays.length() > narrow_limit;
  const bool along =
      arrays.kept.ndim == 0 || smallest_stride(arrays.reduced) <= smallest_stride(arrays.kept);
  const bool many_short = device.serial_threads && arrays.kept.ndim > 0 &&
                          arrays.length() < short_reduction &&
                          arrays.results() >= serial_block_threads;
  if (fits_once(arrays, device)) {
    plan_once(plan, arrays);
  } else if (along && !many_short) {
    plan_lanes(plan, arrays, device, may_split);
  } else {
    plan_columns(plan, arrays, device, may_split);
  }
  return plan;
}

void ReductionPlan::apply(ReductionKey& key, const ReducedArrays& arrays) const {
  key.columns = columns;
  key.bands = bands;
  key.rows = rows;
  key.same_second = same_second;
  key.once = once;
  key.kept_dims = arrays.kept.ndim - (columns ? 1 : 0);
  key.reduced_dims = dense && !columns ? 0 : arrays.reduced.ndim;
  key.per_thread = per_thread;
  key.vector = vector;
  key.dense = dense;
  key.serial_threads = serial_threads;
  key.wide = wide;
}

void ReductionPlan::add_parameters(Parameters& parameters, CUdeviceptr result,
                                   const ReducedArrays& arrays) const {
  parameters.add(result);
  for (std::size_t k = 0; k < arrays.count; ++k) parameters.add(arrays.addresses[k]);
  parameters.add_index(arrays.results(), wide);
  parameters.add_index(arrays.length(), wide);
  parameters.add_index(chunk, wide);
  int kept = arrays.kept.ndim;
  if (columns) {
    const auto last = static_cast<std::size_t>(--kept);
    parameters.add_index(arrays.kept.shape[last], wide);
    for (std::size_t k = 0; k <= arrays.count; ++k) parameters.add(arrays.kept.strides[k][last]);
  }
  parameters.add_lengths(arrays.kept.shape.data(), kept, wide);
  for (std::size_t k = 0; k <= arrays.count; ++k)
    parameters.add_strides(arrays.kept.strides[k].data(), kept);
  if (dense && !columns) return;  // one dimension that needs no strides
  parameters.add_lengths(arrays.reduced.shape.data(), arrays.reduced.ndim, wide);
  for (std::size_t k = 0; k < arrays.count; ++k)
    parameters.add_strides(arrays.reduced.strides[k].data(), arrays.reduced.ndim);
}

}  // namespace pycuda::array
