// SPDX-License-Identifier: MIT
// A cuFFT plan: its parameters and its execution.
#pragma once

#include <array>
#include <atomic>
#include <complex>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "cufft/transform.h"
#include "hostwork/driver.h"

namespace pycuda::cufft {

enum Result {
  kSuccess = 0,
  kInvalidPlan = 1,
  kAllocFailed = 2,
  kInvalidType = 3,
  kInvalidValue = 4,
  kInternalError = 5,
  kExecFailed = 6,
  kSetupFailed = 7,
  kInvalidSize = 8,
  kNotSupported = 16,
};

enum Type { kR2C = 0x2a, kC2R = 0x2c, kC2C = 0x29, kD2Z = 0x6a, kZ2D = 0x6c, kZ2Z = 0x69 };
enum Direction { kForward = -1, kInverse = 1 };

/// Where the elements of one side lie. Element (i, j, k) of batch b has the place
/// b * distance + ((i * pitches[1] + j) * pitches[2] + k) * stride.
struct Layout {
  std::array<std::int64_t, 3> pitches{1, 1, 1};
  std::int64_t stride = 1, distance = 0;
};

struct Plan {
  Type type = kC2C;
  std::array<std::int64_t, 3> lengths{1, 1, 1};  ///< 1 before the transform's own dimensions
  std::int64_t batch = 1;
  bool is_basic = true;  ///< no layouts were given: contiguous, padded in place
  Layout in, out;        ///< of other plans
  CUstream stream = nullptr;
  /// Transforms along each dimension.
  std::variant<std::vector<std::shared_ptr<const Transform<float>>>,
               std::vector<std::shared_ptr<const Transform<double>>>>
      transforms;
  /// Set when work in a stream could not be done: the next call says so.
  std::shared_ptr<std::atomic<bool>> failed = std::make_shared<std::atomic<bool>>(false);
};

inline bool is_type(int type) {
  return type == kR2C || type == kC2R || type == kC2C || type == kD2Z || type == kZ2D ||
         type == kZ2Z;
}
inline bool is_double(Type type) { return (type & 0x40) != 0; }
inline bool reads_real(Type type) { return type == kR2C || type == kD2Z; }
inline bool writes_real(Type type) { return type == kC2R || type == kZ2D; }

/// Makes the transforms of a plan whose other members are set.
void prepare(Plan& plan);

/// Puts a plan's work into its stream, after checking the memory.
Result execute(const std::shared_ptr<const Plan>& plan, const void* in, void* out,
               Direction direction);

}  // namespace pycuda::cufft
