// SPDX-License-Identifier: MIT
#include "curand/conversions.h"

namespace pycuda::curand {
namespace {

/// erfc's inverse for 2p, started from an approximation by logarithms and refined by Halley's
/// method, each step of which triples the digits.
double refined_quantile(double p) {
  const double t = std::sqrt(-2.0 * std::log(p));
  double x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                       (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
  constexpr double kSqrtTwo = 1.4142135623730951;
  constexpr double kSqrtTwoPi = 2.5066282746310002;
  for (int step = 0; step < 3; ++step) {
    const double error = 0.5 * std::erfc(-x / kSqrtTwo) - p;
    const double change = error * kSqrtTwoPi * std::exp(x * x / 2.0);
    x -= change / (1.0 + x * change / 2.0);
  }
  return x;
}

}  // namespace

double normal_quantile(double p) { return refined_quantile(p); }

double normal_of(std::uint32_t x) {
  const bool is_upper = x > 0x80000000U;
  if (is_upper) x = 0xffffffffU - x;
  const double p = static_cast<double>(x) * kInverse32Double + kInverse32Double / 2.0;
  // The middle rounds to exactly one half in float, as in cuRAND.
  const double size = x == 0x80000000U ? 0.0 : normal_quantile(p);
  return is_upper ? -size : size;
}

double normal_of(std::uint64_t x) {
  x >>= 11U;
  const bool is_upper = x > 0x10000000000000U;
  if (is_upper) x = 0x1fffffffffffffU - x;
  const double p = static_cast<double>(x) * kInverse53 + kInverse53 / 2.0;
  const double size = normal_quantile(p);
  return is_upper ? -size : size;
}

}  // namespace pycuda::curand
