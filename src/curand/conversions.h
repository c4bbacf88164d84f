// SPDX-License-Identifier: MIT
// Random bits to numbers, by the arithmetic of cuRAND's device functions.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

namespace pycuda::curand {

constexpr float kInverse32 = 2.3283064e-10F;
constexpr double kInverse32Double = 2.3283064365386963e-10;
constexpr double kInverse53 = 1.1102230246251565e-16;
constexpr float kTwoPi = 6.2831855F;
constexpr double kPi = 3.1415926535897932;

/// In (0, 1].
inline float uniform(std::uint32_t x) {
  return static_cast<float>(x) * kInverse32 + kInverse32 / 2.0F;
}
inline double uniform_double(std::uint32_t x, std::uint32_t y) {
  const std::uint64_t bits = std::uint64_t{x} ^ std::uint64_t{y} << 21U;
  return static_cast<double>(bits) * kInverse53 + kInverse53 / 2.0;
}

/// Two normal numbers from two uniform ones, of which the second one is an angle.
inline std::pair<float, float> box_muller(float u, float angle) {
  const float s = std::sqrt(-2.0F * std::log(u));
  return {std::sin(angle) * s, std::cos(angle) * s};
}
inline std::pair<double, double> box_muller(double u, double half_turns) {
  const double s = std::sqrt(-2.0 * std::log(u));
  return {std::sin(half_turns * kPi) * s, std::cos(half_turns * kPi) * s};
}
inline std::pair<float, float> normals(std::uint32_t x, std::uint32_t y) {
  constexpr float kAngle = kInverse32 * kTwoPi;
  return box_muller(uniform(x), static_cast<float>(y) * kAngle + kAngle / 2.0F);
}
inline std::pair<double, double> normals_double(const std::uint32_t* x) {
  const std::uint64_t bits = std::uint64_t{x[2]} ^ std::uint64_t{x[3]} << 21U;
  const double half_turns = static_cast<double>(bits) * (kInverse53 * 2.0) + kInverse53;
  return box_muller(uniform_double(x[0], x[1]), half_turns);
}

/// The number below which a share p, in (0, 0.5], of normal numbers lies.
double normal_quantile(double p);
/// From evenly distributed bits, in their order. Mirrored, so that no precision is lost near 1.
double normal_of(std::uint32_t x);
double normal_of(std::uint64_t x);

}  // namespace pycuda::curand
