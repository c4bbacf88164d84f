// SPDX-License-Identifier: MIT
// Numbers of Poisson's distribution, by the inverse of its sums.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace pycuda::curand {

constexpr double kLargestMean = 400000;

class Poisson {
 public:
  explicit Poisson(double mean) {
    const double width = 12.0 * std::sqrt(mean) + 40.0;
    first_ = static_cast<std::uint32_t>(std::max(0.0, std::floor(mean - width)));
    const auto last = static_cast<std::uint32_t>(mean + width);
    double sum = 0;
    for (std::uint32_t k = first_; k <= last; ++k) {
      sum += std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
      sums_.push_back(sum);
    }
  }
  /// For u in (0, 1).
  std::uint32_t at(double u) const {
    const auto found = std::ranges::lower_bound(sums_, u * sums_.back());
    return first_ + static_cast<std::uint32_t>(found - sums_.begin());
  }

 private:
  std::uint32_t first_;
  std::vector<double> sums_;  ///< of the probabilities from the first number on
};

}  // namespace pycuda::curand
