// SPDX-License-Identifier: MIT
#include "array/reduction.h"

#include <algorithm>

#include "array/reduction_plan.h"

namespace pycuda::array {
namespace {

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

void launch(ArrayContext& context, ReductionKey key, const ReductionPlan& plan, CUdeviceptr result,
            const ReducedArrays& arrays, CUstream stream) {
  plan.apply(key, arrays);
  Parameters parameters;
  plan.add_parameters(parameters, result, arrays);
  cuda::LaunchShape shape;
  shape.block = plan.block;
  shape.grid = plan.grid;
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
  if (input.type == DType::Raw) throw TypeMismatch("elements of this type cannot be reduced");
  ReducedArrays arrays{};
  arrays.count = takes_two(reduction.op) ? 2 : 1;
  arrays.positions = finds_position(reduction.op);
  const ArrayRef* const operands[] = {&input, second};
  std::array<Layout, 2> kept;
  std::array<Layout, 2> reduced;
  std::array<const Layout*, 3> kept_layouts = {&kept[0], &kept[1]};
  std::array<const Layout*, 2> reduced_layouts = {&reduced[0], &reduced[1]};
  for (std::size_t k = 0; k < arrays.count; ++k) {
    kept[k] = select(*operands[k]->layout, reduction.axes, false);
    reduced[k] = select(*operands[k]->layout, reduction.axes, true);
    arrays.addresses[k] = operands[k]->address;
    arrays.item_bytes[k] = operands[k]->item_bytes;
  }
  kept_layouts[arrays.count] = result.layout;
  if (!result.layout->same_shape(kept[0])) {
    throw ShapeMismatch("a result of shape " + shape_text(result.layout->shape_span()) +
                        " does not fit what is kept, which has shape " +
                        shape_text(kept[0].shape_span()));
  }
  arrays.kept = collapse(std::span(kept_layouts.data(), arrays.count + 1));
  // Positions count in the order of the reduced axes.
  const auto reduced_span = std::span(reduced_layouts.data(), arrays.count);
  arrays.reduced =
      finds_position(reduction.op) ? collapse_in_order(reduced_span) : collapse(reduced_span);
  if (arrays.length() == 0 && !has_identity(reduction.op)) {
    // Those that pass over NaN are known by the names of the others.
    const bool skips_nan = reduction.op == ReductionOp::fmax || reduction.op == ReductionOp::fmin;
    throw ShapeMismatch("zero-size array with shape " + shape_text(input.layout->shape_span()) +
                        " to reduction operation " +
                        (facts(reduction.op).name + (skips_nan ? 1 : 0)) +
                        " which has no identity");
  }
  if (arrays.results() == 0) return;

  // Truth values are bytes of 0 and 1, which are summed faster.
  const bool counts = reduction.op == ReductionOp::sum && input.type == DType::Bool &&
                      reduction.accumulated != DType::Bool;
  const DType stored = counts ? DType::U8 : input.type;
  ReductionKey key{reduction.op, stored, second == nullptr ? stored : second->type,
                   reduction.accumulated, result.type};
  const ReductionPlan plan = plan_reduction(arrays, context.device(), true);
  if (plan.parts() == 1) {
    launch(context, key, plan, result.address, arrays, stream);
    return;
  }
  // The parts' results lie in the order of the walk.
  const std::int64_t bytes = accumulator_bytes(reduction);
  const std::size_t last = arrays.count;
  const std::array<std::int64_t, max_dims> result_strides = arrays.kept.strides[last];
  std::array<std::int64_t, max_dims> partial_strides{};
  std::int64_t step = bytes;
  for (int d = arrays.kept.ndim - 1; d >= 0; --d) {
    partial_strides[static_cast<std::size_t>(d)] = step;
    step *= arrays.kept.shape[static_cast<std::size_t>(d)];
  }
  const TemporaryMemory partial(context, plan.parts() * step, stream);
  key.partial_result = true;
  arrays.kept.strides[last] = partial_strides;
  launch(context, key, plan, partial.pointer(), arrays, stream);

  ReducedArrays partials{};
  partials.addresses[0] = partial.pointer();
  partials.item_bytes[0] = bytes;
  partials.partial = true;
  partials.positions = arrays.positions;
  partials.kept = arrays.kept;
  partials.kept.operands = 2;
  partials.kept.strides[0] = partial_strides;
  partials.kept.strides[1] = result_strides;
  partials.reduced.operands = 1;
  partials.reduced.ndim = 1;
  partials.reduced.size = plan.parts();
  partials.reduced.shape[0] = plan.parts();
  partials.reduced.strides[0][0] = step;
  key.partial_result = false;
  key.partial_input = true;
  ReductionPlan last_plan = plan_reduction(partials, context.device(), false);
  last_plan.wide = last_plan.wide || plan.wide;  // for positions
  launch(context, key, last_plan, result.address, partials, stream);
}

}  // namespace pycuda::array
