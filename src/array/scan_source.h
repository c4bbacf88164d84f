// SPDX-License-Identifier: MIT
// Generates the source of scan kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "array/kernel_source.h"

namespace pycuda::array {

/// What a scanning kernel is made for. Lines are what is scanned; their first elements are walked
/// by `line_dims` dimensions.
///
/// Parameters: the result's and the input's address; of `tiles` the state, else what precedes each
/// chunk but the first of each line (or null); the numbers of lines, of elements of a line, and of
/// tiles of a line, or elements of a chunk (all index_t); the steps along a line of input and
/// result; lengths and strides of input and result across lines.
struct ScanKey {
  ReductionOp op;
  DType input;
  DType accumulated;
  DType result;
  int line_dims = 0;
  /// Blocks share lines, each looking back to those before it; needs blocks that run at the same
  /// time. Otherwise each thread scans a chunk of a line.
  bool tiles = false;
  /// Tiles as large as registers allow: more memory is under way at once, but an array must have
  /// many of them.
  bool large = false;
  bool wide = false;
  /// A chunk is the work of a block of one thread.
  bool alone = false;
  /// A line is the work of one thread: of few elements a processor does that soonest.
  bool once = false;
  /// The elements of a line lie side by side, in input and result: of what a processor scans along
  /// lines.
  bool dense = false;

  unsigned threads() const;
  /// Elements that a thread scans of a tile.
  std::int64_t items() const;
  std::int64_t tile() const { return threads() * items(); }

  KernelNumber packed() const;
  std::string kernel_name() const;
  std::string source() const;
};

/// Bytes of the state for so many tiles, and how many of them must be 0 before the launch.
struct ScanState {
  std::int64_t bytes;
  std::int64_t cleared;
};
ScanState scan_state(DType accumulated, std::int64_t tiles);

}  // namespace pycuda::array
