// SPDX-License-Identifier: MIT
#include "array/scan.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "array/reduction.h"
#include "array/scan_source.h"
#include "cuda/memset.h"

namespace pycuda::array {
namespace {

/// Shorter lines are scanned by a thread each, if there are many.
constexpr std::int64_t short_line = 512;

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Lines along one axis: input and result.
struct Lines {
  CUdeviceptr input;
  CUdeviceptr result;
  Walk across;  ///< the input's strides, then the result's
  std::int64_t length;
  std::array<std::int64_t, 2> steps;

  std::int64_t count() const { return across.size; }
};

Layout without_axis(const Layout& layout, int axis) {
  Layout rest;
  for (int i = 0; i < layout.ndim; ++i) {
    if (i == axis) continue;
    rest.shape[static_cast<std::size_t>(rest.ndim)] = layout.shape[static_cast<std::size_t>(i)];
    rest.strides[static_cast<std::size_t>(rest.ndim++)] =
        layout.strides[static_cast<std::size_t>(i)];
  }
  return rest;
}

void launch(ArrayContext& context, ScanKey key, const Lines& lines, CUdeviceptr state,
            std::int64_t each, const cuda::LaunchShape& shape) {
  key.line_dims = lines.across.ndim;
  key.wide = lines.count() > largest_narrow || lines.length > largest_narrow - (1 << 16);
  Parameters parameters;
  parameters.add(lines.result);
  parameters.add(lines.input);
  parameters.add(state);
  parameters.add_index(lines.count(), key.wide);
  parameters.add_index(lines.length, key.wide);
  parameters.add_index(each, key.wide);
  parameters.add(lines.steps[0]);
  parameters.add(lines.steps[1]);
  parameters.add_lengths(lines.across.shape.data(), lines.across.ndim, key.wide);
  for (std::size_t k = 0; k < 2; ++k)
    parameters.add_strides(lines.across.strides[k].data(), lines.across.ndim);
  cuda::launch(context.kernel(key), shape, parameters.data(), parameters.bytes());
}

/// One pass over memory: a block scans a tile, while it learns what precedes it from the tiles
/// before.
void scan_tiles(ArrayContext& context, const ScanKey& key, const Lines& lines, std::int64_t each,
                CUstream stream) {
  const std::int64_t tiles = each * lines.count();
  const ScanState sizes = scan_state(key.accumulated, tiles);
  const TemporaryMemory state(context, sizes.bytes, stream);
  cuda::fill_async(state.pointer(), std::uint8_t{0}, static_cast<std::size_t>(sizes.cleared),
                   stream);
  cuda::LaunchShape shape;
  shape.block.x = key.threads();
  shape.grid.x = static_cast<unsigned>(tiles);
  shape.stream = stream;
  launch(context, key, lines, state.pointer(), each, shape);
}

/// Threads that scan lines side by side in a block. Where threads of a block are lanes of a vector,
/// lines that are contiguous are rather left to a thread each: lanes would gather their elements.
unsigned lines_side_by_side(const ArrayContext& context, const ScanKey& key, const Lines& lines,
                            std::int64_t chunk) {
  constexpr std::int64_t long_chunk = 64, widest_gang = 64;
  const auto item = static_cast<std::int64_t>(item_bytes(key.input));
  std::int64_t most = 128;
  if (context.device().serial_threads)
    most = chunk >= long_chunk && std::abs(lines.steps[0]) == item ? 1 : widest_gang;
  return static_cast<unsigned>(std::min(lines.count(), most));
}

/// A thread scans a chunk of a line, from what `state` says of the chunks before.
void scan_chunks(ArrayContext& context, ScanKey key, const Lines& lines, CUdeviceptr state,
                 std::int64_t chunk, CUstream stream) {
  cuda::LaunchShape shape;
  shape.block.x = lines_side_by_side(context, key, lines, chunk);
  key.alone = context.device().serial_threads && shape.block.x == 1;
  shape.grid.x = static_cast<unsigned>(divide_up(lines.count(), shape.block.x));
  shape.grid.y = static_cast<unsigned>(divide_up(lines.length, chunk));
  shape.stream = stream;
  launch(context, key, lines, state, chunk, shape);
}

/// Few enough elements that the caller of a launch is done with them sooner than a worker wakes.
bool fits_once(const ArrayContext& context, const Lines& lines) {
  constexpr std::int64_t most_lines = 8, longest = 2048, most = 2 * longest;
  return context.device().serial_threads && lines.count() <= most_lines &&
         lines.length <= longest && lines.length * lines.count() <= most;
}

void scan_once(ArrayContext& context, const ScanKey& key, const Lines& lines, CUstream stream) {
  cuda::LaunchShape shape;
  shape.block.x = key.threads();
  shape.grid.x = static_cast<unsigned>(lines.count());
  shape.stream = stream;
  launch(context, key, lines, 0, lines.length, shape);
}

/// How many elements of a line a thread takes, so that there are threads enough.
std::int64_t chunk_for(const ArrayContext& context, const Lines& lines) {
  const std::int64_t threads = context.device().serial_threads
                                   ? 4 * context.device().multiprocessors
                                   : 1024 * context.device().multiprocessors;
  const std::int64_t chunks = std::clamp<std::int64_t>(
      threads / lines.count(), 1,
      std::min<std::int64_t>(65535,
                             lines.length / (context.device().serial_threads ? 16384 : 256)));
  return divide_up(lines.length, std::max<std::int64_t>(chunks, 1));
}

}  // namespace

void run_scan(ArrayContext& context, const Scan& scan, const ArrayRef& result,
              const ArrayRef& given, CUstream stream) {
  if (scan.op != ReductionOp::sum && scan.op != ReductionOp::prod && scan.op != ReductionOp::max &&
      scan.op != ReductionOp::min) {
    throw TypeMismatch(std::string("'") + facts(scan.op).name + "' has no running form");
  }
  if (given.type == DType::Raw || result.type == DType::Raw || scan.accumulated == DType::Raw) {
    throw TypeMismatch("elements of this type cannot be scanned");
  }
  if (scan.axis < 0 || scan.axis >= given.layout->ndim ||
      !result.layout->same_shape(*given.layout)) {
    throw ShapeMismatch("cannot scan an array of shape " + shape_text(given.layout->shape_span()) +
                        " along axis " + std::to_string(scan.axis) + " into one of shape " +
                        shape_text(result.layout->shape_span()));
  }
  if (given.layout->size() == 0) return;

  // A scan may only be done in place element by element.
  ArrayRef input = given;
  Layout dense;
  std::optional<TemporaryMemory> copy;
  const bool in_place = input.address == result.address && input.type == result.type &&
                        input.layout->same_strides(*result.layout);
  if (!in_place && overlap(input, result)) {
    dense = *given.layout;
    fill_dense_strides(dense, given.item_bytes);
    copy.emplace(context, dense.size() * given.item_bytes, stream);
    input = {copy->pointer(), given.type, given.item_bytes, &dense};
    copy_elements(context, input, given, stream);
  }

  const auto axis = static_cast<std::size_t>(scan.axis);
  const Layout rests[] = {without_axis(*input.layout, scan.axis),
                          without_axis(*result.layout, scan.axis)};
  const Layout* const across[] = {&rests[0], &rests[1]};
  Lines lines{input.address,
              result.address,
              collapse(across),
              input.layout->shape[axis],
              {input.layout->strides[axis], result.layout->strides[axis]}};
  ScanKey key{scan.op, input.type, scan.accumulated, result.type};

  std::int64_t nearest = std::numeric_limits<std::int64_t>::max();
  for (int d = 0; d < lines.across.ndim; ++d) {
    nearest = std::min(nearest, std::abs(lines.across.strides[0][static_cast<std::size_t>(d)]));
  }
  const bool along = lines.count() < 64 || std::abs(lines.steps[0]) <= nearest;
  ScanKey tiles = key;
  tiles.tiles = tiles.large = true;
  if (divide_up(lines.length, tiles.tile()) * lines.count() <
      8 * std::int64_t{context.device().multiprocessors}) {
    tiles.large = false;
  }
  const std::int64_t each = divide_up(lines.length, tiles.tile());
  if (!context.device().serial_threads && along &&
      (lines.length >= short_line || lines.count() < 4096) &&
      each <= largest_narrow / lines.count()) {
    scan_tiles(context, tiles, lines, each, stream);
    return;
  }

  if (context.device().serial_threads) {
    key.dense = lines.steps[0] == std::int64_t{input.item_bytes} &&
                lines.steps[1] == std::int64_t{result.item_bytes};
  }
  ScanKey once = key;
  once.once = true;
  if (fits_once(context, lines)) {
    scan_once(context, once, lines, stream);
    return;
  }

  const std::int64_t chunk = chunk_for(context, lines);
  const std::int64_t chunks = divide_up(lines.length, chunk);
  if (chunks == 1) {
    scan_chunks(context, key, lines, 0, chunk, stream);
    return;
  }
  // The totals of all chunks but the last, and their own scan.
  const auto bytes = static_cast<std::int64_t>(item_bytes(scan.accumulated));
  const TemporaryMemory totals(context, lines.count() * (chunks - 1) * bytes, stream);
  Layout cut;  // lines, chunks, elements
  Layout summed;
  cut.ndim = lines.across.ndim + 2;
  summed.ndim = lines.across.ndim + 1;
  for (int d = 0; d < lines.across.ndim; ++d) {
    const auto at = static_cast<std::size_t>(d);
    cut.shape[at] = summed.shape[at] = lines.across.shape[at];
    cut.strides[at] = lines.across.strides[0][at];
  }
  const auto last = static_cast<std::size_t>(lines.across.ndim);
  if (cut.ndim > max_dims) throw ShapeMismatch("too many axes for a scan");
  cut.shape[last] = summed.shape[last] = chunks - 1;
  cut.strides[last] = chunk * lines.steps[0];
  cut.shape[last + 1] = chunk;
  cut.strides[last + 1] = lines.steps[0];
  fill_dense_strides(summed, bytes);
  const ArrayRef sums{totals.pointer(), scan.accumulated, bytes, &summed};
  const ArrayRef parts{input.address, input.type, input.item_bytes, &cut};
  run_reduction(context, {scan.op, scan.accumulated, AxisSet{1} << (last + 1)}, sums, parts,
                nullptr, stream);
  Lines of_totals{totals.pointer(), totals.pointer(), Walk{}, chunks - 1, {bytes, bytes}};
  Layout firsts = summed;
  firsts.ndim -= 1;
  const Layout* const both[] = {&firsts, &firsts};
  of_totals.across = collapse(both);
  ScanKey totals_key = key;
  totals_key.input = totals_key.result = scan.accumulated;
  totals_key.dense = context.device().serial_threads;
  scan_chunks(context, totals_key, of_totals, 0, chunks - 1, stream);
  scan_chunks(context, key, lines, totals.pointer(), chunk, stream);
}

}  // namespace pycuda::array
