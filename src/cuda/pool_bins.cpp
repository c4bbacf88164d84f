// SPDX-License-Identifier: MIT
// A bin's number is the exponent of the size and the four bits below its leading one.
#include "cuda/pool_bins.h"

#include <bit>
#include <limits>
#include <stdexcept>
#include <string>

namespace pycuda::cuda {
namespace {

constexpr unsigned int kMantissaBits = 4;
constexpr std::size_t kMantissaMask = (1u << kMantissaBits) - 1;

/// Left for positive `by`, right for negative.
std::size_t shifted(std::size_t value, int by) { return by >= 0 ? value << by : value >> -by; }

}  // namespace

BinNumber bin_number(std::size_t bytes) {
  const int exponent = bytes == 0 ? 0 : static_cast<int>(std::bit_width(bytes)) - 1;
  const std::size_t mantissa =
      shifted(bytes, static_cast<int>(kMantissaBits) - exponent) & kMantissaMask;
  return static_cast<BinNumber>(exponent) << kMantissaBits | static_cast<BinNumber>(mantissa);
}

std::size_t bin_bytes(BinNumber bin) {
  const int exponent = static_cast<int>(bin >> kMantissaBits);
  if (exponent >= std::numeric_limits<std::size_t>::digits) {
    throw std::overflow_error("memory pool: bin " + std::to_string(bin) +
                              " is past the address space");
  }
  const int below = exponent - static_cast<int>(kMantissaBits);
  const std::size_t head =
      shifted((std::size_t{1} << kMantissaBits) | (bin & kMantissaMask), below);
  const std::size_t ones = shifted(1, below);
  return ones == 0 ? head : head | (ones - 1);
}

}  // namespace pycuda::cuda
