// SPDX-License-Identifier: MIT
#include "array/parameters.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace pycuda::array {
namespace {

std::uint32_t divided(std::uint32_t n, const Divisor& by) {
  const auto high = static_cast<std::uint32_t>(std::uint64_t{n} * by.magic >> 32);
  return (high + n) >> by.shift;
}

TEST_CASE("a divisor divides every 31-bit number exactly") {
  for (const std::uint32_t length : {1u, 2u, 3u, 5u, 7u, 10u, 641u, 4096u, 65537u, 1000000007u,
                                     1073741824u, 1073741825u, 2147483646u, 2147483647u}) {
    const Divisor by(length);
    for (std::uint64_t multiple = 0; multiple < 5000; ++multiple) {
      for (const std::int64_t apart : {-1, 0, 1}) {
        const std::int64_t n =
            static_cast<std::int64_t>(multiple * 429497 % 2147483648u / length * length) + apart;
        if (n < 0 || n > 2147483647) continue;
        const auto number = static_cast<std::uint32_t>(n);
        REQUIRE(divided(number, by) == number / length);
      }
    }
    CHECK(divided(2147483647u, by) == 2147483647u / length);
  }
}

TEST_CASE("a length of zero, by which nothing is divided, is allowed") {
  CHECK(Divisor(0).length == 1);
}

TEST_CASE("parameters lie at multiples of their alignment") {
  Parameters parameters;
  parameters.add(std::uint8_t{7});
  parameters.add_index(5, true);
  parameters.add_index(6, false);
  const std::int64_t lengths[] = {3};
  parameters.add_lengths(lengths, 1, false);
  parameters.add_strides(lengths, 1);
  CHECK(parameters.bytes() == 40);
  std::uint64_t wide = 0;
  std::memcpy(&wide, parameters.data() + 8, sizeof wide);
  CHECK(wide == 5);
}

}  // namespace
}  // namespace pycuda::array
