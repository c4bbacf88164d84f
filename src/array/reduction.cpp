// SPDX-License-Identifier: MIT
#include "array/reduction.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

namespace pycuda::array {
namespace {

constexpr std::int64_t narrow_limit = std::numeric_limits<std::int32_t>::max();

/// The axes of one input that are kept, or those that are not.
Layout select(const Layout& layout, AxisSet axes, bool reduced) {
  Layout chosen;
  for (int i = 0; i < layout.ndim; ++i) {
    if (((axes >> i & 1u) != 0) != reduced) continue;
    chosen.shape[static_cast<std::size_t>(chosen.ndim)] = layout.shape[static_cast<std::size_t>(i)];
    chosen.strides[static_cast<std::size_t>(chosen.ndim++)] =
        layout.strides[static_cast<std::size_t>(i)];
  }
  return chosen;
}

std::int64_t smallest_stride(const Walk& walk) {
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < walk.ndim; ++i) {
    const std::int64_t stride = std::abs(walk.strides[0][static_cast<std::size_t>(i)]);
    if (stride != 0) smallest = std::min(smallest, stride);
  }
  return smallest;
}

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t power_of_two_from(std::int64_t value, std::int64_t most) {
  return std::min(most, static_cast<std::int64_t>(std::bit_ceil(
                            static_cast<std::uint64_t>(std::clamp<std::int64_t>(value, 1, most)))));
}

struct Inputs {
  std::array<CUdeviceptr, 2> addresses;
  std::array<std::int64_t, 2> item_bytes;
  std::size_t count;
  Walk kept;
  Walk reduced;
  bool wide;
};

/// Threads of a block and blocks of the grid.
struct Plan {
  bool along_fast;
  bool alone;
  std::int64_t lanes;
  std::int64_t together;
  std::int64_t parts;
  std::int64_t chunk;
  std::int64_t blocks;
};

Plan plan_launch(const ArrayContext& context, const Inputs& inputs) {
  Plan plan{};
  const std::int64_t results = inputs.kept.size;
  const std::int64_t length = inputs.reduced.size;
  plan.along_fast =
      inputs.kept.ndim == 0 || smallest_stride(inputs.reduced) <= smallest_stride(inputs.kept);
  if (plan.alone) {
    // Waiting for each other costs threads of a processor more than working one after the other.
    plan.lanes = 1;
    plan.together = plan.along_fast ? 1 : power_of_two_from(results, 64);
  } else if (plan.along_fast) {
    plan.lanes = power_of_two_from(length, reduction_threads);
    plan.together = std::min<std::int64_t>(reduction_threads / plan.lanes,
                                           power_of_two_from(results, reduction_threads));
  } else {
    plan.together = power_of_two_from(results, 64);
    plan.lanes = std::min<std::int64_t>(reduction_threads / plan.together,
                                        power_of_two_from(length, reduction_threads));
  }
  plan.blocks = std::clamp<std::int64_t>(divide_up(results, plan.together), 1, 1 << 20);
  // Enough blocks to fill the device, as long as each thread has some elements to go through.
  // On a processor, more parts also mean less rounding.
  const std::int64_t wanted = plan.alone ? divide_up(1024, plan.blocks)
                                         : divide_up(8 * context.multiprocessors(), plan.blocks);
  const std::int64_t least_chunk = plan.lanes * (plan.alone ? 4096 : 16);
  plan.parts = std::clamp<std::int64_t>(std::min(wanted, length / least_chunk), 1, 1024);
  plan.chunk = divide_up(length, plan.parts);
  plan.parts = std::max<std::int64_t>(1, divide_up(length, std::max<std::int64_t>(plan.chunk, 1)));
  return plan;
}

void launch(ArrayContext& context, ReductionKey key, const Plan& plan, CUdeviceptr result,
            const Inputs& inputs, CUstream stream) {
  key.kept_dims = inputs.kept.ndim;
  key.reduced_dims = inputs.reduced.ndim;
  key.along_fast = plan.along_fast;
  key.alone = plan.alone;
  key.dense = inputs.reduced.ndim == 1;
  for (std::size_t k = 0; k < inputs.count; ++k) {
    key.dense = key.dense && inputs.reduced.strides[k][0] == inputs.item_bytes[k];
  }
  key.wide = inputs.wide;
  Parameters parameters;
  parameters.add(result);
  for (std::size_t k = 0; k < inputs.count; ++k) parameters.add(inputs.addresses[k]);
  parameters.add_index(inputs.kept.size, key.wide);
  parameters.add_index(inputs.reduced.size, key.wide);
  parameters.add_index(plan.chunk, key.wide);
  for (const Walk* walk : {&inputs.kept, &inputs.reduced}) {
    if (walk->ndim == 0) continue;
    parameters.add_row(walk->shape.data(), walk->ndim, key.wide);
    for (std::size_t k = 0; k < inputs.count; ++k) {
      parameters.add_row(walk->strides[k].data(), walk->ndim, key.wide);
    }
  }
  cuda::LaunchShape shape;
  const auto lanes = static_cast<unsigned>(plan.lanes);
  const auto together = static_cast<unsigned>(plan.together);
  shape.block = plan.along_fast ? cuda::Dim3{lanes, together, 1} : cuda::Dim3{together, lanes, 1};
  shape.grid = {static_cast<unsigned>(plan.blocks), static_cast<unsigned>(plan.parts), 1};
  shape.stream = stream;
  cuda::launch(context.kernel(key), shape, parameters.data(), parameters.bytes());
}

std::int64_t accumulator_bytes(const Reduction& reduction) {
  const auto bytes = static_cast<std::int64_t>(item_bytes(reduction.accumulated));
  if (!finds_position(reduction.op)) return bytes;
  return std::max<std::int64_t>(bytes, 8) + (bytes == 16 ? 16 : 8);
}

}  // namespace

void run_reduction(ArrayContext& context, const Reduction& reduction, const ArrayRef& result,
                   const ArrayRef& input, const ArrayRef* second, CUstream stream) {
  if (input.type == DType::Raw) throw TypeMismatch("structured types cannot be reduced");
  Inputs inputs{};
  inputs.count = takes_two(reduction.op) ? 2 : 1;
  const ArrayRef* const arrays[] = {&input, second};
  std::array<Layout, 2> kept;
  std::array<Layout, 2> reduced;
  std::array<const Layout*, 2> kept_layouts = {&kept[0], &kept[1]};
  std::array<const Layout*, 2> reduced_layouts = {&reduced[0], &reduced[1]};
  inputs.wide = false;
  for (std::size_t k = 0; k < inputs.count; ++k) {
    kept[k] = select(*arrays[k]->layout, reduction.axes, false);
    reduced[k] = select(*arrays[k]->layout, reduction.axes, true);
    inputs.addresses[k] = arrays[k]->address;
    inputs.item_bytes[k] = arrays[k]->item_bytes;
    const Extent extent = extent_of(*arrays[k]->layout, arrays[k]->item_bytes);
    inputs.wide = inputs.wide || extent.last > narrow_limit || extent.first < -narrow_limit ||
                  arrays[k]->layout->size() > narrow_limit;
  }
  // Results lie in the order of the kept axes, positions count in the order of the reduced ones.
  inputs.kept = collapse_in_order(std::span(kept_layouts.data(), inputs.count));
  const auto reduced_span = std::span(reduced_layouts.data(), inputs.count);
  inputs.reduced =
      finds_position(reduction.op) ? collapse_in_order(reduced_span) : collapse(reduced_span);
  if (inputs.reduced.size == 0 && !has_identity(reduction.op)) {
    throw ShapeMismatch("zero-size array with shape " + shape_text(input.layout->shape_span()) +
                        " to reduction operation " + facts(reduction.op).name +
                        " which has no identity");
  }
  if (inputs.kept.size == 0) return;

  ReductionKey key{reduction.op, input.type, second == nullptr ? input.type : second->type,
                   reduction.accumulated, result.type};
  Plan plan = plan_launch(context, inputs);
  if (plan.parts == 1) {
    launch(context, key, plan, result.address, inputs, stream);
    return;
  }
  const std::int64_t bytes = accumulator_bytes(reduction);
  const TemporaryMemory partial(context, plan.parts * inputs.kept.size * bytes, stream);
  key.partial_result = true;
  launch(context, key, plan, partial.pointer(), inputs, stream);

  Inputs partials{};
  partials.addresses[0] = partial.pointer();
  partials.item_bytes[0] = bytes;
  partials.count = 1;
  Layout rows;
  rows.ndim = 1;
  rows.shape[0] = inputs.kept.size;
  rows.strides[0] = bytes;
  const Layout* layout = &rows;
  partials.kept = collapse_in_order(std::span(&layout, 1));
  rows.shape[0] = plan.parts;
  rows.strides[0] = bytes * inputs.kept.size;
  partials.reduced = collapse_in_order(std::span(&layout, 1));
  partials.wide = inputs.kept.size * plan.parts * bytes > narrow_limit;
  plan = plan_launch(context, partials);
  plan.parts = 1;
  plan.chunk = partials.reduced.size;
  key.partial_result = false;
  key.partial_input = true;
  launch(context, key, plan, result.address, partials, stream);
}

}  // namespace pycuda::array
