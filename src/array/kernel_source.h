// SPDX-License-Identifier: MIT
// Generates the CUDA C++ source of one elementwise operation for given types and layouts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "array/layout.h"
#include "array/reduction_op.h"
#include "array/ufunc.h"

namespace pycuda::array {

/// Types and conversions; and the functions that ufuncs.def names.
extern const char* const kernel_prelude_types;
extern const char* const kernel_prelude_functions;
extern const char* const kernel_prelude_complex;
/// What reductions.def names besides.
extern const char* const reduction_prelude;

/// All that a generated kernel is made for, as a number: equal ones have equal sources.
struct KernelNumber {
  std::array<std::uint64_t, 2> words = {0, 0};
  bool operator==(const KernelNumber&) const = default;
};
struct KernelNumberHash {
  std::size_t operator()(const KernelNumber& number) const {
    return static_cast<std::size_t>(
        (number.words[0] ^ number.words[1] * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u >> 8);
  }
};

/// How a kernel divides its elements among threads.
enum class ElementwiseForm : std::uint8_t {
  Elements,  ///< a thread computes where its elements lie; or all arrays are contiguous alike
  Once,      ///< contiguous alike, one element for each thread: no loop, done soonest
  Strip,     ///< contiguous alike; threads of a block go through its elements side by side
  Rows,      ///< the same along the last dimension, row after row
};

/// How an array lies along the last dimension: step by step, dense, or one element for all.
enum class Inner : std::uint8_t { Stepped, Dense, Fixed };
constexpr Inner inner_of(std::int64_t stride, std::int64_t item_bytes) {
  return stride == item_bytes ? Inner::Dense : stride == 0 ? Inner::Fixed : Inner::Stepped;
}

/// Most elements that kernels count in 32 bits.
inline constexpr std::int64_t largest_narrow = 0x7fffffff;

/// How a kernel on elements walks them. Arrays are numbered in the order of the walk: results, then
/// operands in memory.
struct ElementwiseAccess {
  ElementwiseForm form = ElementwiseForm::Elements;
  int ndim = 0;       ///< 0: all arrays are contiguous alike
  int vector = 1;     ///< elements that a thread moves at once
  int batch = 1;      ///< elements or packs that a thread reads before it writes; for ndim > 0
  bool wide = false;  ///< 64-bit indices
  std::array<Inner, Walk::max_operands> inner{};  ///< of each array; for ndim > 0
};

/// What a kernel computes for one element.
struct ElementwiseBody {
  std::vector<DType> results;
  struct Operand {
    DType stored;    ///< of an array
    DType computed;  ///< as `compute` takes it
    bool scalar;     ///< a value instead of an array
  };
  std::vector<Operand> operands;
  std::string declarations;  ///< what `compute` needs besides the prelude
  /// The statements of a function of the operands a, b, c ... of types A, B, C ..., which returns
  /// `Results`: members r0, r1 ... of types out0, out1 ...
  std::string compute;
  bool complex = false;  ///< whether the prelude's functions of complex numbers are used
};

/// The source of a kernel on elements.
///
/// Parameters: the results' addresses; each operand's address, or its value in the type it is
/// computed in. Then, of Rows, the numbers of rows, of rows for each block, of columns and of
/// columns for each block (u64); of other forms the number of elements (packs of `vector`, if
/// `ndim` > 0) and how many of them a block takes (u64 if `wide`, else u32). For `ndim` > 0 the
/// lengths (not the last one of Rows, whose rows are always wide), and for each array the strides
/// in bytes (of packs, along the last dimension).
std::string elementwise_source(const ElementwiseBody& body, const ElementwiseAccess& access,
                               const std::string& kernel_name);

/// What a kernel of one operation is made for. Operands are numbered without the result.
struct ElementwiseKey {
  Ufunc ufunc;
  DType result;
  std::array<DType, max_ufunc_operands> inputs;    ///< as stored
  std::array<DType, max_ufunc_operands> computed;  ///< as the expression sees them
  unsigned scalars = 0;                            ///< bit i: operand i is a value
  ElementwiseAccess access = {};

  KernelNumber packed() const;
  std::string kernel_name() const;
  std::string source() const;
};

/// What a reducing kernel is made for.
///
/// Parameters: the result's address; each input's address; the numbers of results, of elements
/// reduced to one, and of elements that one block takes of those (all index_t: u64 if `wide`, else
/// u32). If `columns`, the last kept dimension's length (index_t) and strides, of the inputs and of
/// the result. Lengths and strides of the (other) kept dimensions, of the inputs and of the result;
/// the same of the reduced dimensions, of the inputs. Block y writes its part of the results after
/// that of block y - 1.
struct ReductionKey {
  ReductionOp op;
  DType input;
  DType second;       ///< of a dot product
  DType accumulated;  ///< in what is computed
  DType result;       ///< as stored; nothing is converted while `partial_result`
  int kept_dims = 0;  ///< but for the columns
  int reduced_dims = 0;
  /// Neighbouring threads (x) make neighbouring results along the last kept dimension, each
  /// `per_thread` of them; threads along y share a result. Otherwise threads along x share a
  /// result, and those along y make others.
  bool columns = false;
  /// Serial threads keep the results of `band_columns` columns and read some rows of them at a
  /// time.
  bool bands = false;
  /// Serial threads reduce `rows_together` rows side by side: each block makes so many results.
  bool rows = false;
  bool same_second = false;  ///< the second operand has the same row for all of them
  /// A block for each result, whose threads take `elements_once` elements at most between them: a
  /// processor does that soonest, and compiles it soonest.
  bool once = false;
  int per_thread = 1;
  int vector = 1;      ///< elements loaded at once: of the reduced ones, or those of `per_thread`
  bool dense = false;  ///< reduced elements (or columns) lie side by side
  /// Threads run serially: they share a result by as little waiting as can be.
  bool serial_threads = false;
  bool partial_input = false;
  bool partial_result = false;
  bool wide = false;

  KernelNumber packed() const;
  std::string kernel_name() const;
  std::string source() const;
};

/// The first statement of kernels for a processor whose blocks all have as many threads as the
/// launch bounds say: without code for other blocks they compile in a third of the time.
inline constexpr char fixed_block[] = "  asm volatile(\".pragma \\\"pycuda_fixed_block\\\";\");\n";

/// Most threads of a reducing block.
inline constexpr unsigned reduction_threads = 256;
/// Threads of a block where threads of a block run serially or side by side in vectors.
inline constexpr unsigned serial_block_threads = 16;
/// Threads of a block that reduces few elements there, in one step each or some.
inline constexpr unsigned once_threads = 256, once_steps = 8;
inline constexpr std::int64_t elements_once = std::int64_t{once_threads} * once_steps;
/// Columns whose results a block of serial threads keeps in memory while it reads rows of them: a
/// few KiB, which stay in a core's first cache beside the rows.
constexpr unsigned band_columns(std::size_t item_bytes) {
  return static_cast<unsigned>(8192 / (item_bytes < 4 ? 4 : item_bytes));
}
/// Rows that a block of serial threads reduces side by side: as many stretches of memory as a
/// core's prefetchers follow well.
inline constexpr int rows_together = 4;
/// Rows of its columns that a thread reads before it uses any of them.
constexpr int rows_at_once(int per_thread) { return per_thread == 1 || per_thread >= 8 ? 8 : 4; }

}  // namespace pycuda::array
