// SPDX-License-Identifier: MIT
// Tensor maps: what cuTensorMapEncode* writes into the 128 bytes of a CUtensorMap, and how compiled
// code asks for copies by them.
#pragma once

#include <cstdint>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu {

inline constexpr std::uint32_t most_tensor_dimensions = 5;
inline constexpr std::uint32_t most_tensor_offsets = 3;

/// Wide ones copy pixels of one row of each image, as many as the map says or 128.
enum class TensorKind : std::uint8_t { Tiled = 1, Im2col, Im2colWide, Im2colWide128 };

/// Names as in CUtensorMapDataType.
enum class TensorType : std::uint8_t {
  U8 = 0,
  U16,
  U32,
  S32,
  U64,
  S64,
  F16,
  F32,
  F64,
  BF16,
  FlushedF32,
  TF32,
  FlushedTF32,
};

/// In units of 16 bytes that change places: 32, 64 or 128 bytes of them at a time.
enum class TensorSwizzle : std::uint8_t { None = 0, Of32, Of64, Of128 };

enum class TensorInterleave : std::uint8_t { None = 0, Of16, Of32 };

/// Dimension 0 is the innermost one.
struct TensorMap {
  static constexpr std::uint64_t expected_mark = 0x70616d2d72736e74;  // "tnsr-map"

  std::uint64_t mark = 0;
  std::uint64_t address = 0;
  std::uint64_t strides[most_tensor_dimensions] = {};  ///< bytes from one to the next
  std::uint32_t last[most_tensor_dimensions] = {};     ///< the size, less 1: it may be 2^32
  std::uint16_t box[most_tensor_dimensions] = {};      ///< im2col: channels and pixels
  std::int16_t lower[most_tensor_offsets] = {}, upper[most_tensor_offsets] = {};
  std::uint8_t steps[most_tensor_dimensions] = {};  ///< element strides
  std::uint8_t rank = 0;
  TensorKind kind{};
  TensorType type{};
  TensorInterleave interleave{};
  TensorSwizzle swizzle{};
  std::uint8_t fills_nan = 0;  ///< what lies outside is NaN, else 0
};
static_assert(sizeof(TensorMap) <= 128);

constexpr std::uint32_t element_bytes(TensorType type) {
  switch (type) {
    case TensorType::U8:
      return 1;
    case TensorType::U16:
    case TensorType::F16:
    case TensorType::BF16:
      return 2;
    case TensorType::U64:
    case TensorType::S64:
    case TensorType::F64:
      return 8;
    default:
      return 4;
  }
}

/// A copy by a tensor map, as its instruction says.
struct TensorCopy {
  static constexpr std::uint32_t no_reduction = ~0u;

  std::int32_t coordinates[most_tensor_dimensions] = {};
  /// Of im2col; of wide kinds, how many pixels of a halo, and the offset along the row.
  std::uint16_t offsets[most_tensor_offsets] = {};
  std::uint16_t blocks = 0;  ///< of a multicast; 0: none
  std::uint32_t rank = 0;
  std::uint32_t kind = static_cast<std::uint32_t>(TensorKind::Tiled);
  std::uint32_t named_rows = 0;  ///< coordinates from 1 on are so many rows, if it is not 0
  std::uint32_t reduction = no_reduction;  ///< BulkOperation
};

/// What tensormap.replace changes; of some fields, of one dimension.
enum class TensorField : std::uint32_t {
  Address = 0,
  Rank,
  Box,
  Size,
  Stride,
  Step,
  Type,
  Interleave,
  Swizzle,
  Filling,
};

}  // namespace pycuda::cpu

extern "C" {
/// The value is as PTX has it: a rank less 1, types and modes by PTX's numbers, strides in bytes.
/// Values that no copy could use are a fault.
void pycuda_cpu_tensor_map_replace(pycuda::cpu::ThreadFrame* thread, void* map, std::uint32_t field,
                                   std::uint32_t dimension, std::uint64_t value);
/// From the tensor to shared memory; the barrier counts all bytes of the box.
void pycuda_cpu_tensor_load(pycuda::cpu::ThreadFrame* thread, void* to, const void* map,
                            std::uint64_t* barrier, const pycuda::cpu::TensorCopy* copy);
/// From shared memory to the tensor, or a reduction of it.
void pycuda_cpu_tensor_store(pycuda::cpu::ThreadFrame* thread, const void* map, const void* from,
                             const pycuda::cpu::TensorCopy* copy);
}
