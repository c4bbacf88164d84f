// SPDX-License-Identifier: MIT
// A 128-bit content hash for cache keys (not for secrets).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pycuda::base {

/// Feeds bytes in, gives 128 bits out. The same bytes in the same pieces give the same hash on
/// every machine; each piece is hashed with its length, so that "ab","c" and "a","bc" differ.
class Hash {
 public:
  Hash& add(std::string_view piece);
  Hash& add(std::span<const std::byte> piece);
  Hash& add(std::uint64_t number);

  /// 32 hexadecimal digits.
  std::string hex() const;

 private:
  std::array<std::uint64_t, 2> state_{0x243f6a8885a308d3u, 0x13198a2e03707344u};
};

}  // namespace pycuda::base
