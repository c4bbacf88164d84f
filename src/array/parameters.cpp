// SPDX-License-Identifier: MIT
#include "array/parameters.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace pycuda::array {

Divisor::Divisor(std::uint32_t divisor) : length(std::max(divisor, 1u)) {
  shift = static_cast<std::uint32_t>(std::bit_width(length - 1));
  const std::uint64_t power = std::uint64_t{1} << shift;
  magic = static_cast<std::uint32_t>(((power - length) << 32) / length + 1);
}

void Parameters::add(const void* value, std::size_t bytes, std::size_t alignment) {
  const std::size_t offset = (bytes_ + alignment - 1) / alignment * alignment;
  if (offset + bytes > sizeof data_) throw std::length_error("too many dimensions for one kernel");
  std::memcpy(data_ + offset, value, bytes);
  bytes_ = offset + bytes;
}

void Parameters::add_index(std::int64_t value, bool wide) {
  if (wide) {
    add(value);
  } else {
    add(static_cast<std::uint32_t>(value));
  }
}

void Parameters::add_lengths(const std::int64_t* lengths, int count, bool wide) {
  for (int i = 0; i < count; ++i) {
    if (wide) {
      add(lengths[i]);
    } else {
      add(Divisor(static_cast<std::uint32_t>(lengths[i])));
    }
  }
}

void Parameters::add_strides(const std::int64_t* strides, int count) {
  for (int i = 0; i < count; ++i) add(strides[i]);
}

}  // namespace pycuda::array
