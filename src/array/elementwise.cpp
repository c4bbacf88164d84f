// SPDX-License-Identifier: MIT
#include "array/elementwise.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "array/elementwise_plan.h"
#include "cuda/capturing.h"
#include "cuda/memcpy.h"
#include "cuda/memset.h"

namespace pycuda::array {
namespace {

/// Structs and other raw elements as unsigned integers with one axis more.
struct Chunks {
  DType type;
  std::int64_t bytes;
  std::int64_t count;
};
Chunks chunks_of(std::span<const ArrayRef* const> arrays) {
  for (const auto& [type, bytes] :
       {std::pair{DType::U64, 8}, std::pair{DType::U32, 4}, std::pair{DType::U16, 2}}) {
    bool fits = true;
    for (const ArrayRef* array : arrays) {
      fits = fits && array->item_bytes % bytes == 0 &&
             array->address % static_cast<std::uint64_t>(bytes) == 0;
      for (int i = 0; i < array->layout->ndim; ++i) {
        fits = fits && array->layout->strides[static_cast<std::size_t>(i)] % bytes == 0;
      }
    }
    if (fits) return {type, bytes, arrays[0]->item_bytes / bytes};
  }
  return {DType::U8, 1, arrays[0]->item_bytes};
}
Layout with_chunks(const Layout& layout, const Chunks& chunks) {
  if (layout.ndim == max_dims) throw ShapeMismatch("too many dimensions for a structured type");
  Layout result = layout;
  result.shape[static_cast<std::size_t>(result.ndim)] = chunks.count;
  result.strides[static_cast<std::size_t>(result.ndim)] = chunks.bytes;
  ++result.ndim;
  return result;
}

}  // namespace

bool overlap(const ArrayRef& a, const ArrayRef& b) {
  const Extent first = extent_of(*a.layout, a.item_bytes);
  const Extent second = extent_of(*b.layout, b.item_bytes);
  const auto start = [](const ArrayRef& array, std::int64_t offset) {
    return static_cast<std::int64_t>(array.address) + offset;
  };
  return start(a, first.first) < start(b, second.last) &&
         start(b, second.first) < start(a, first.last);
}

void run_elementwise(ArrayContext& context, Ufunc ufunc, const UfuncTypes& types,
                     const ArrayRef& result, std::span<const Operand> operands, CUstream stream) {
  std::array<Layout, max_ufunc_operands> seen;
  std::array<const Layout*, 1 + max_ufunc_operands> layouts;
  std::array<std::int64_t, 1 + max_ufunc_operands> item_sizes;
  std::array<CUdeviceptr, 1 + max_ufunc_operands> addresses;
  std::vector<TemporaryMemory> copies;
  layouts[0] = result.layout;
  item_sizes[0] = result.item_bytes;
  addresses[0] = result.address;
  std::size_t arrays = 1;

  ElementwiseKey key{ufunc, result.type, {}, types.operands};
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const ArrayRef& array = operands[k].array;
    if (array.layout == nullptr) {
      key.scalars |= 1u << k;
      key.inputs[k] = types.operands[k];
      continue;
    }
    key.inputs[k] = array.type;
    const bool same = array.layout->same_shape(*result.layout);
    if (!same) seen[k] = broadcast_to(*array.layout, *result.layout);
    layouts[arrays] = same ? array.layout : &seen[k];
    item_sizes[arrays] = array.item_bytes;
    addresses[arrays] = array.address;
    const bool in_place = array.address == result.address &&
                          array.item_bytes == result.item_bytes &&
                          layouts[arrays]->same_strides(*result.layout);
    if (!in_place && overlap(result, array)) {
      seen[k].ndim = array.layout->ndim;
      seen[k].shape = array.layout->shape;
      fill_dense_strides(seen[k], array.item_bytes);
      copies.emplace_back(context, array.layout->size() * array.item_bytes, stream);
      const ArrayRef copy{copies.back().pointer(), array.type, array.item_bytes, &seen[k]};
      copy_elements(context, copy, array, stream);
      addresses[arrays] = copy.address;
      if (!same) seen[k] = broadcast_to(Layout(seen[k]), *result.layout);
      layouts[arrays] = &seen[k];
    }
    ++arrays;
  }

  const std::span used(layouts.data(), arrays);
  const Walk walk = collapse(used);
  if (walk.size == 0) return;
  ElementwisePlan plan = plan_elementwise(
      walk, {std::span(item_sizes.data(), arrays), std::span(addresses.data(), arrays)},
      context.device());
  plan.apply(key);

  Parameters parameters;
  parameters.add(addresses[0]);
  std::size_t array = 1;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if ((key.scalars >> k & 1u) != 0) {
      alignas(16) std::byte value[16];
      const std::optional<DType> small = types.rounded[k];
      const Scalar scalar = small ? rounded(operands[k].scalar, *small) : operands[k].scalar;
      const std::size_t bytes = scalar.write(types.operands[k], value);
      parameters.add(value, bytes, bytes);
    } else {
      parameters.add(addresses[array++]);
    }
  }
  plan.add_parameters(parameters, walk, arrays);
  cuda::LaunchShape shape;
  shape.block.x = plan.threads;
  shape.grid = plan.grid;
  shape.stream = stream;
  cuda::launch(context.kernel(key), shape, parameters.data(), parameters.bytes());
}

void copy_elements(ArrayContext& context, const ArrayRef& result, const ArrayRef& source,
                   CUstream stream) {
  const bool same_type = result.type == source.type && result.item_bytes == source.item_bytes;
  if (!same_type && (result.type == DType::Raw || source.type == DType::Raw)) {
    throw TypeMismatch("elements of " + std::to_string(source.item_bytes) +
                       " bytes cannot be converted to elements of another structured type");
  }
  if (same_type && result.layout->same_shape(*source.layout) &&
      result.layout->same_strides(*source.layout) && is_dense(*result.layout, result.item_bytes)) {
    const std::int64_t bytes = result.layout->size() * result.item_bytes;
    const Extent extent = extent_of(*result.layout, result.item_bytes);
    if (bytes > 0 && result.address != source.address && !overlap(result, source)) {
      const auto offset = static_cast<CUdeviceptr>(extent.first);
      cuda::copy_on_device_async(result.address + offset, source.address + offset,
                                 static_cast<std::size_t>(bytes), stream);
      return;
    }
    if (bytes == 0 || result.address == source.address) return;
  }
  if (result.type != DType::Raw) {
    UfuncTypes types;
    types.result = result.type;
    types.operands.fill(source.type);
    const Operand operand{source, {}};
    run_elementwise(context, Ufunc::copy, types, result, std::span(&operand, 1), stream);
    return;
  }
  const ArrayRef* const both[] = {&result, &source};
  const Chunks chunks = chunks_of(both);
  const Layout seen = broadcast_to(*source.layout, *result.layout);
  const Layout to = with_chunks(*result.layout, chunks);
  const Layout from = with_chunks(seen, chunks);
  copy_elements(context, {result.address, chunks.type, chunks.bytes, &to},
                {source.address, chunks.type, chunks.bytes, &from}, stream);
}

void fill_elements(ArrayContext& context, const ArrayRef& result, const Scalar& value,
                   CUstream stream) {
  alignas(16) std::byte item[16];
  value.write(result.type, item);
  const bool zero = std::all_of(item, item + result.item_bytes,
                                [](std::byte one) { return one == std::byte{0}; });
  if (zero && is_dense(*result.layout, result.item_bytes)) {
    fill_elements(context, result, item, stream);
    return;
  }
  UfuncTypes types;
  types.result = result.type;
  types.operands.fill(compute_type(result.type));
  const Operand operand{{}, value};
  run_elementwise(context, Ufunc::copy, types, result, std::span(&operand, 1), stream);
}

void fill_elements(ArrayContext& context, const ArrayRef& result, const std::byte* value,
                   CUstream stream) {
  const std::int64_t size = result.layout->size();
  if (size == 0) return;
  const auto bytes = static_cast<std::size_t>(result.item_bytes);
  const bool uniform =
      std::all_of(value, value + bytes, [&](std::byte one) { return one == value[0]; });
  if (uniform && is_dense(*result.layout, result.item_bytes)) {
    const Extent extent = extent_of(*result.layout, result.item_bytes);
    cuda::fill_async(result.address + static_cast<CUdeviceptr>(extent.first),
                     static_cast<std::uint8_t>(value[0]), static_cast<std::size_t>(size) * bytes,
                     stream);
    return;
  }
  // One item on the device, broadcast.
  const TemporaryMemory item(context, result.item_bytes, stream);
  cuda::copy_to_device_async(item.pointer(), cuda::lasting_copy(value, bytes, stream), bytes,
                             stream);
  Layout none;
  const ArrayRef source{item.pointer(), result.type, result.item_bytes, &none};
  copy_elements(context, result, source, stream);
}

}  // namespace pycuda::array
