// SPDX-License-Identifier: MIT
// The parameters of a generated kernel, packed as its launch needs them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pycuda::array {

/// A length that 32-bit indices are divided by without a division: for n < 2^31,
/// n / length == (high word of (n * magic) + n) >> shift. No index of an empty axis is divided: 0
/// becomes 1.
struct Divisor {
  std::uint32_t length;
  std::uint32_t magic;
  std::uint32_t shift;

  explicit Divisor(std::uint32_t length);
};

/// A kernel's parameters one after the other, each at the next multiple of its alignment.
class Parameters {
 public:
  void add(const void* value, std::size_t bytes, std::size_t alignment);
  template <class T>
  void add(const T& value) {
    add(&value, sizeof(T), alignof(T));
  }
  /// As u64 or u32.
  void add_index(std::int64_t value, bool wide);
  /// `count` lengths to divide by: u64 or Divisors.
  void add_lengths(const std::int64_t* lengths, int count, bool wide);
  /// `count` of them as i64.
  void add_strides(const std::int64_t* strides, int count);
  const std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
  alignas(16) std::byte data_[4096];  // not cleared: a launch is too short for that
};

}  // namespace pycuda::array
