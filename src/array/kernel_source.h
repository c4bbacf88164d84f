// SPDX-License-Identifier: MIT
// CUDA C++ for one operation on given types and a given sort of layout.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "array/reduction_op.h"
#include "array/ufunc.h"

namespace pycuda::array {

/// Types and conversions; and the functions that ufuncs.def names.
extern const char* const kernel_prelude_types;
extern const char* const kernel_prelude_functions;

/// What a kernel on elements is made for. Operands are numbered without the result.
///
/// Parameters: the result's address; each operand's address, or its value in the type it is
/// computed in; the number of elements and how many of them a block takes (u64 if `wide`, else
/// u32); for `ndim` > 0 an array of lengths of that type and one of strides in bytes (i64 or i32)
/// for the result and each array operand.
struct ElementwiseKey {
  Ufunc ufunc;
  DType result;
  std::array<DType, max_ufunc_operands> inputs;    ///< as stored
  std::array<DType, max_ufunc_operands> computed;  ///< as the expression sees them
  unsigned scalars = 0;                            ///< bit i: operand i is a value
  int ndim = 0;                                    ///< 0: all arrays are contiguous alike
  int vector = 1;     ///< elements that a thread moves at once; for contiguous arrays
  bool wide = false;  ///< 64-bit indices

  std::uint64_t packed() const;
  std::string kernel_name() const;
  std::string source() const;
};

/// What a reducing kernel is made for.
///
/// Parameters: the result's address; each input's address; the numbers of results, of elements
/// reduced to one, and of elements that one block takes of those (all u64 or u32); lengths and
/// strides of the kept axes, then of the reduced axes, as above.
struct ReductionKey {
  ReductionOp op;
  DType input;
  DType second;       ///< of a dot product
  DType accumulated;  ///< in what is computed
  DType result;       ///< as stored; nothing is converted while `partial_result`
  int kept_dims = 0;
  int reduced_dims = 0;
  bool along_fast = true;  ///< neighbouring threads take neighbouring elements of one reduction
  bool alone = false;      ///< a thread makes whole results: no thread waits for another
  bool dense = false;      ///< the reduced elements lie side by side
  bool partial_input = false;
  bool partial_result = false;
  bool wide = false;

  std::uint64_t packed() const;
  std::string kernel_name() const;
  std::string source() const;
};

/// Threads of a reducing block.
inline constexpr unsigned reduction_threads = 256;

}  // namespace pycuda::array
