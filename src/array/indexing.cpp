// SPDX-License-Identifier: MIT
#include "array/indexing.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>
#include <string>

#include "array/indexing_source.h"
#include "array/parameters.h"
#include "cuda/capturing.h"

namespace pycuda::array {
namespace {

constexpr std::int64_t most_threads = row_threads, most_blocks = 0x7fffffff;
/// Shorter rows would leave most threads of a vector idle, or make more blocks than a GPU starts in
/// the time.
constexpr std::int64_t shortest_serial_row = 24, shortest_row = 192;

/// Blocks for so many elements.
cuda::LaunchShape blocks_for(std::int64_t elements) {
  cuda::LaunchShape shape;
  const std::int64_t threads = std::min((elements + 31) / 32 * 32, most_threads);
  shape.block.x = static_cast<unsigned>(threads);
  shape.grid.x = static_cast<unsigned>((elements + threads - 1) / threads);
  return shape;
}

/// Whether rows of the last dimension are moved as such: no array has indices along it.
bool moves_rows(const Walk& walk, bool serial_threads) {
  if (walk.ndim < 2) return false;
  const auto last = static_cast<std::size_t>(walk.ndim - 1);
  const std::int64_t length = walk.shape[last];
  for (int k = 2; k < walk.operands; ++k) {
    if (walk.strides[static_cast<std::size_t>(k)][last] != 0) return false;
  }
  return length >= (serial_threads ? shortest_serial_row : shortest_row) &&
         walk.size / length * blocks_for(length).grid.x <= most_blocks;
}

/// Elements of such a row that a thread of a GPU moves: several reads at a time keep its memory
/// busy, but no thread shall be without work.
std::int64_t moved_by_a_thread(std::int64_t row, bool serial_threads) {
  if (serial_threads) return 1;
  return row >= 4 * most_threads ? 4 : row >= 2 * most_threads ? 2 : 1;
}

/// The widest unit that an element consists of and that lies aligned wherever a thread meets one.
std::int64_t unit_bytes(const Selection& selection) {
  std::uint64_t all = selection.values.address | selection.indexed.address |
                      static_cast<std::uint64_t>(selection.indexed.item_bytes);
  for (const ArrayRef* array : {&selection.values, &selection.indexed}) {
    for (int i = 0; i < array->layout->ndim; ++i)
      all |= static_cast<std::uint64_t>(array->layout->strides[static_cast<std::size_t>(i)]);
  }
  return std::min<std::int64_t>(std::int64_t{1} << std::countr_zero(all | 16), 16);
}

/// Where whole runs of elements move together and allow it, elements become units of up to 16
/// bytes. Returns a unit's bytes.
std::int64_t widen_units(Walk& walk, const Selection& selection, std::int64_t unit) {
  if (walk.ndim == 0) return unit;
  const auto last = static_cast<std::size_t>(walk.ndim - 1);
  std::uint64_t all = selection.values.address | selection.indexed.address |
                      static_cast<std::uint64_t>(walk.shape[last] * unit);
  for (std::size_t k = 0; k < static_cast<std::size_t>(walk.operands); ++k) {
    if (walk.strides[k][last] != (k < 2 ? unit : 0)) return unit;
    for (std::size_t i = 0; i < last && k < 2; ++i)
      all |= static_cast<std::uint64_t>(walk.strides[k][i]);
  }
  for (std::size_t i = 0; i < selection.indices.size(); ++i)
    all |= static_cast<std::uint64_t>(selection.indexed.layout->strides[i]);
  const auto wide = std::int64_t{1} << std::countr_zero(all | 16);
  if (wide <= unit) return unit;
  walk.shape[last] /= wide / unit;
  walk.size /= wide / unit;
  walk.strides[0][last] = walk.strides[1][last] = wide;
  return wide;
}

/// Whether an offset in one of the arrays, or an index, may need more than 32 bits.
bool is_wide(const Walk& walk, const Layout& indexed, std::size_t indices) {
  const auto beyond = [](std::int64_t length, std::int64_t stride) {
    return static_cast<double>(length) * static_cast<double>(std::abs(stride));
  };
  std::array<double, Walk::max_operands> spans{};
  for (std::size_t i = 0; i < indices; ++i) {
    if (indexed.shape[i] > largest_narrow) return true;
    spans[1] += beyond(indexed.shape[i], indexed.strides[i]);
  }
  for (std::size_t k = 0; k < 2 + indices; ++k) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(walk.ndim); ++i)
      spans[k] += beyond(walk.shape[i], walk.strides[k][i]);
    if (spans[k] > static_cast<double>(largest_narrow)) return true;
  }
  return false;
}

SelectionKey key_of(const Selection& selection, const Walk& walk, std::int64_t unit, bool checks,
                    bool writes, bool serial_threads) {
  const std::size_t count = selection.indices.size();
  const Layout& indexed = *selection.indexed.layout;
  SelectionKey key;
  key.ndim = walk.ndim;
  key.indices = static_cast<int>(count);
  key.bytes = static_cast<int>(unit);
  key.index_bytes = static_cast<int>(selection.indices[0].item_bytes);
  key.writes = writes;
  key.checks = checks;
  key.wide_index = walk.size > largest_narrow;
  key.wide_offset = is_wide(walk, indexed, count);
  key.rows = moves_rows(walk, serial_threads);
  if (key.rows) {
    key.per_thread = static_cast<int>(
        moved_by_a_thread(walk.shape[static_cast<std::size_t>(walk.ndim - 1)], serial_threads));
  }
  key.dense_step = indexed.strides[count - 1] == unit;
  for (std::size_t k = 0; k < 2 + count && walk.ndim > 0; ++k) {
    key.inner[k] = inner_of(walk.strides[k][static_cast<std::size_t>(walk.ndim - 1)],
                            k < 2 ? key.bytes : key.index_bytes);
  }
  return key;
}

std::string source_of(const void* key) { return static_cast<const SelectionKey*>(key)->source(); }

bool run(ArrayContext& context, const Selection& selection, CUstream stream, bool check,
         bool writes) {
  const auto count = selection.indices.size();
  const Layout& values = *selection.values.layout;
  Layout shape;
  for (const ArrayRef& index : selection.indices) broadcast_shape(shape, *index.layout);
  const int index_dims = shape.ndim;
  for (int i = static_cast<int>(count); i < selection.indexed.layout->ndim; ++i) {
    if (shape.ndim == max_dims) throw ShapeMismatch("too many axes");
    shape.shape[static_cast<std::size_t>(shape.ndim++)] =
        selection.indexed.layout->shape[static_cast<std::size_t>(i)];
  }
  if (!shape.same_shape(values)) {
    throw ShapeMismatch("values of shape " + shape_text(values.shape_span()) +
                        " do not fit a selection of shape " + shape_text(shape.shape_span()));
  }

  const std::int64_t unit = unit_bytes(selection);
  const std::int64_t parts = selection.indexed.item_bytes / unit;
  std::array<Layout, 2 + max_index_arrays> layouts;
  layouts[0] = values;
  layouts[1] = shape;
  for (int i = 0; i < shape.ndim; ++i) {
    const auto axis = static_cast<std::size_t>(i);
    layouts[1].strides[axis] =
        i < index_dims ? 0
                       : selection.indexed.layout
                             ->strides[axis - static_cast<std::size_t>(index_dims) + count];
  }
  Layout index_shape = shape;
  index_shape.ndim = index_dims;
  for (std::size_t k = 0; k < count; ++k) {
    layouts[2 + k] = broadcast_to(*selection.indices[k].layout, index_shape);
    layouts[2 + k].ndim = shape.ndim;
    for (int i = index_dims; i < shape.ndim; ++i) {
      const auto axis = static_cast<std::size_t>(i);
      layouts[2 + k].shape[axis] = shape.shape[axis];
      layouts[2 + k].strides[axis] = 0;
    }
  }
  std::array<const Layout*, 2 + max_index_arrays> used;
  for (std::size_t k = 0; k < 2 + count; ++k) {
    used[k] = &layouts[k];
    if (parts == 1) continue;
    if (layouts[k].ndim == max_dims) throw ShapeMismatch("too many axes");
    const auto axis = static_cast<std::size_t>(layouts[k].ndim++);
    layouts[k].shape[axis] = parts;
    layouts[k].strides[axis] = k < 2 ? unit : 0;
  }
  Walk walk = collapse(std::span(used.data(), 2 + count));
  if (walk.size == 0) return true;

  // In vectors, elements of that size gain nothing.
  const std::int64_t moved =
      context.device().serial_threads ? unit : widen_units(walk, selection, unit);
  const SelectionKey key =
      key_of(selection, walk, moved, check, writes, context.device().serial_threads);
  const cuda::Kernel& kernel = context.kernel(key.number(), "array_select", source_of, &key);
  // In a graph there is nobody to tell: elements with an index out of range stay as they are.
  const bool tells = check && !cuda::goes_into_graph(stream);
  std::optional<HostWords::Word> bad;
  std::optional<TemporaryMemory> unread;
  if (tells) {
    context.order_after_default(stream);
    bad.emplace(context.host_words().take());
  } else if (check) {
    unread.emplace(context, 4, stream);
  }
  Parameters parameters;
  parameters.add(selection.values.address);
  parameters.add(selection.indexed.address);
  for (const ArrayRef& index : selection.indices) parameters.add(index.address);
  parameters.add_index(walk.size, key.wide_index);
  parameters.add(bad ? bad->pointer() : unread ? unread->pointer() : 0);
  parameters.add_strides(selection.indexed.layout->shape.data(), static_cast<int>(count));
  parameters.add_strides(selection.indexed.layout->strides.data(), static_cast<int>(count));
  if (walk.ndim > 0) {
    parameters.add_lengths(walk.shape.data(), walk.ndim, key.wide_index);
    for (std::size_t k = 0; k < 2 + count; ++k) {
      parameters.add_strides(walk.strides[k].data(), walk.ndim);
    }
  }
  const std::int64_t row = key.rows ? walk.shape[static_cast<std::size_t>(walk.ndim - 1)] : 1;
  cuda::LaunchShape launch_shape =
      blocks_for(key.rows ? (row + key.per_thread - 1) / key.per_thread : walk.size);
  if (key.rows) {
    parameters.add(launch_shape.grid.x);
    launch_shape.grid.x *= static_cast<unsigned>(walk.size / row);
  }
  launch_shape.stream = stream;
  cuda::launch(kernel, launch_shape, parameters.data(), parameters.bytes());
  if (!tells) return true;
  context.context()->driver().cuStreamSynchronize(stream);
  return bad->value() == 0;
}

}  // namespace

bool read_selection(ArrayContext& context, const Selection& selection, CUstream stream,
                    bool check) {
  return run(context, selection, stream, check, false);
}

bool write_selection(ArrayContext& context, const Selection& selection, CUstream stream,
                     bool check) {
  return run(context, selection, stream, check, true);
}

}  // namespace pycuda::array
