// SPDX-License-Identifier: MIT
// The descriptors of a product. Programs may keep them in memory of their own, whose sizes
// cuBLASLt's header gives, so that a descriptor is plain data with a mark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hostblas/product_kinds.h"
#include "hostblas/types.h"

namespace pycuda::cublaslt {

using namespace hostblas;

enum Order { kColumns = 0, kRows = 1, kTiles32 = 2, kTiles32By8 = 3, kTiles32By32 = 4 };
enum BatchMode { kStrided = 0, kPointers = 1 };
enum PointerMode {
  kHostScalars = 0,
  kDeviceScalars = 1,
  kDeviceVectors = 2,
  kDeviceVectorAndZero = 3,
  kDeviceVectorAndHostScalar = 4,
};

/// Epilogues are sums of these.
enum Epilogue : std::uint32_t {
  kNoEpilogue = 1,
  kRelu = 2,
  kBias = 4,
  kReluGradient = 8,
  kBiasGradient = 16,
  kGelu = 32,
  kGeluGradient = 64,
  kAuxiliary = 128,
  kBiasGradientOfA = 256,
  kBiasGradientOfB = 512,
};

struct MatrixLayout {
  static constexpr std::uint32_t kMark = 0x4c41594fU;
  std::uint32_t mark = kMark;
  std::uint32_t type = kFloat;
  std::uint64_t rows = 0, columns = 0;
  std::int64_t leading = 0;
  std::int64_t stride = 0;
  std::int64_t plane_offset = 0;
  std::int32_t order = kColumns;
  std::int32_t batch_count = 1;
  std::uint32_t batch_mode = kStrided;
};

struct MatmulDescriptor {
  static constexpr std::uint32_t kMark = 0x4d554c54U;
  std::uint32_t mark = kMark;
  std::int32_t compute = kCompute32;
  std::int32_t scale = kFloat;
  std::int32_t pointer_mode = kHostScalars;
  std::int32_t operation_a = kNone, operation_b = kNone, operation_c = kNone;
  std::int32_t fill = kFull;
  std::uint32_t epilogue = kNoEpilogue;
  std::int32_t multiprocessors = 0;
  std::int32_t auxiliary_type = -1;
  std::int32_t bias_type = -1;
  void* bias = nullptr;
  std::int64_t bias_stride = 0;
  void* auxiliary = nullptr;
  std::int64_t auxiliary_leading = 0;
  std::int64_t auxiliary_stride = 0;
  std::int64_t alpha_stride = 0;
  const void *scale_a = nullptr, *scale_b = nullptr, *scale_c = nullptr, *scale_d = nullptr;
  const void* scale_auxiliary = nullptr;
  void *largest_d = nullptr, *largest_auxiliary = nullptr, *scale_out = nullptr;
  void* emulation = nullptr;
  std::int32_t scale_modes[6] = {};
  std::int8_t fast_sums = 0;
};

struct TransformDescriptor {
  static constexpr std::uint32_t kMark = 0x5452414eU;
  std::uint32_t mark = kMark;
  std::int32_t scale = kFloat;
  std::int32_t pointer_mode = kHostScalars;
  std::int32_t operation_a = kNone, operation_b = kNone;
};

struct Preference {
  static constexpr std::uint32_t kMark = 0x50524546U;
  std::uint32_t mark = kMark;
  std::uint32_t search_mode = 0;
  std::uint64_t workspace_bytes = 0;
  std::uint64_t implementations = ~std::uint64_t{0};
  std::uint32_t reductions = 0xf;
  std::uint32_t alignments[4] = {256, 256, 256, 256};
  float waves = 0;
};

/// A configuration of the one algorithm. Results do not depend on it.
struct Algorithm {
  static constexpr std::uint32_t kMark = 0x414c474fU;
  std::uint32_t mark = kMark;
  std::int32_t id = 0;
  std::uint32_t tile = 0;
  std::int32_t split = 1;
  std::uint32_t reduction = 0, swizzle = 0, option = 0, stages = 0;
  std::uint16_t inner_shape = 0, cluster = 0;
};

// The sizes of the header's opaque structures.
static_assert(sizeof(MatrixLayout) <= 64 && sizeof(MatmulDescriptor) <= 256);
static_assert(sizeof(TransformDescriptor) <= 64 && sizeof(Preference) <= 64);
static_assert(sizeof(Algorithm) <= 64);

/// Whether a program's pointer is such a descriptor.
template <class T>
bool is_one(const T* descriptor) {
  return descriptor != nullptr && descriptor->mark == T::kMark;
}

}  // namespace pycuda::cublaslt
