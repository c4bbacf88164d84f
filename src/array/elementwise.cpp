// SPDX-License-Identifier: MIT
#include "array/elementwise.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

#include "array/elementwise_plan.h"
#include "array/fusion.h"
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

void add_scalar(Parameters& parameters, const Scalar& scalar, DType type) {
  alignas(16) std::byte value[16];
  const std::size_t bytes = scalar.write(type, value);
  parameters.add(value, bytes, bytes);
}

/// The arrays of one launch, as its kernel walks them.
class GatheredArrays {
 public:
  /// The results have one shape.
  GatheredArrays(ArrayContext& context, std::span<const ArrayRef> results, CUstream stream)
      : context_(context), results_(results), stream_(stream) {
    for (const ArrayRef& result : results) push(result.address, result.item_bytes, result.layout);
  }
  GatheredArrays(const GatheredArrays&) = delete;
  GatheredArrays& operator=(const GatheredArrays&) = delete;

  /// Broadcasts an operand to the results' shape (ShapeMismatch otherwise), and copies it first if
  /// it overlaps a result in another order.
  void add(const ArrayRef& array) {
    const Layout& shape = *results_[0].layout;
    const bool same = array.layout->same_shape(shape);
    Layout& seen = seen_[arrays_];
    if (!same) seen = broadcast_to(*array.layout, shape);
    const Layout* const layout = same ? array.layout : &seen;
    if (!disturbed(array, *layout)) {
      push(array.address, array.item_bytes, layout);
      return;
    }
    seen.ndim = array.layout->ndim;
    seen.shape = array.layout->shape;
    fill_dense_strides(seen, array.item_bytes);
    copies_.emplace_back(context_, array.layout->size() * array.item_bytes, stream_);
    const ArrayRef copy{copies_.back().pointer(), array.type, array.item_bytes, &seen};
    copy_elements(context_, copy, array, stream_);
    if (!same) seen = broadcast_to(Layout(seen), shape);
    push(copy.address, array.item_bytes, &seen);
  }

  /// `add_operands(parameters, addresses)` adds what follows the results' addresses.
  template <class Key, class AddOperands>
  void launch(Key& key, AddOperands&& add_operands) {
    const Walk walk = collapse(std::span(layouts_.data(), arrays_));
    if (walk.size == 0) return;
    const std::span<const CUdeviceptr> addresses(addresses_.data(), arrays_);
    const ElementwisePlan plan = plan_elementwise(
        walk, {std::span(item_bytes_.data(), arrays_), addresses}, context_.device());
    key.access = plan.access;
    Parameters parameters;
    for (std::size_t r = 0; r < results_.size(); ++r) parameters.add(addresses[r]);
    add_operands(parameters, addresses);
    plan.add_parameters(parameters, walk, arrays_);
    cuda::LaunchShape shape;
    shape.block.x = plan.threads;
    shape.grid = plan.grid;
    shape.stream = stream_;
    cuda::launch(context_.kernel(key), shape, parameters.data(), parameters.bytes());
  }

 private:
  /// Whether writing a result may change an element of `array` before it is read.
  bool disturbed(const ArrayRef& array, const Layout& layout) const {
    return std::any_of(results_.begin(), results_.end(), [&](const ArrayRef& result) {
      const bool in_place = array.address == result.address &&
                            array.item_bytes == result.item_bytes &&
                            layout.same_strides(*result.layout);
      return !in_place && overlap(result, array);
    });
  }
  void push(CUdeviceptr address, std::int64_t item_bytes, const Layout* layout) {
    addresses_[arrays_] = address;
    item_bytes_[arrays_] = item_bytes;
    layouts_[arrays_] = layout;
    ++arrays_;
  }

  ArrayContext& context_;
  std::span<const ArrayRef> results_;
  CUstream stream_;
  static constexpr std::size_t most = Walk::max_operands;
  std::array<Layout, most> seen_;
  std::array<const Layout*, most> layouts_;
  std::array<std::int64_t, most> item_bytes_;
  std::array<CUdeviceptr, most> addresses_;
  std::vector<TemporaryMemory> copies_;
  std::size_t arrays_ = 0;
};

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

bool share_elements(const ArrayRef& a, const ArrayRef& b) {
  if (!overlap(a, b)) return false;
  std::int64_t unit = 0;  // all elements are whole multiples of it from the first one
  for (const ArrayRef* array : {&a, &b}) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(array->layout->ndim); ++i) {
      if (array->layout->shape[i] > 1) unit = std::gcd(unit, array->layout->strides[i]);
    }
  }
  if (unit == 0) return true;
  const auto distance = static_cast<std::int64_t>(b.address - a.address);
  const std::int64_t behind = ((distance % unit) + unit) % unit;
  return behind < a.item_bytes || unit - behind < b.item_bytes;
}

void run_elementwise(ArrayContext& context, Ufunc ufunc, const UfuncTypes& types,
                     const ArrayRef& result, std::span<const Operand> operands, CUstream stream) {
  ElementwiseKey key{ufunc, result.type, {}, types.operands};
  GatheredArrays arrays(context, std::span(&result, 1), stream);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const ArrayRef& array = operands[k].array;
    if (array.layout == nullptr) {
      key.scalars |= 1u << k;
      key.inputs[k] = types.operands[k];
      continue;
    }
    key.inputs[k] = array.type;
    arrays.add(array);
  }
  std::size_t array = 1;
  arrays.launch(key, [&](Parameters& parameters, std::span<const CUdeviceptr> addresses) {
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if ((key.scalars >> k & 1u) == 0) {
        parameters.add(addresses[array++]);
        continue;
      }
      const std::optional<DType> small = types.rounded[k];
      add_scalar(parameters, small ? rounded(operands[k].scalar, *small) : operands[k].scalar,
                 types.operands[k]);
    }
  });
}

void run_fused(ArrayContext& context, const Fusion& fusion, std::span<const ArrayRef> results,
               std::span<const ArrayRef> operands, CUstream stream) {
  FusedKey key{&fusion, {}, results.size(), {}};
  for (std::size_t r = 0; r < results.size(); ++r) key.results[r] = results[r].type;
  GatheredArrays arrays(context, results, stream);
  for (const ArrayRef& operand : operands) arrays.add(operand);
  arrays.launch(key, [&](Parameters& parameters, std::span<const CUdeviceptr> addresses) {
    for (const CUdeviceptr address : addresses.subspan(results.size())) parameters.add(address);
    for (const Fusion::Number& number : fusion.numbers()) {
      add_scalar(parameters, number.value, number.type);
    }
  });
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
