// SPDX-License-Identifier: MIT
// Attributes of descriptors by their numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "cublas/statuses.h"

namespace pycuda::cublaslt {

using cublas::Status;

/// Where a descriptor has an attribute.
struct Attribute {
  int number;
  std::size_t offset, bytes;
};

inline const Attribute* find_attribute(std::span<const Attribute> all, int number) {
  const auto found = std::ranges::find(all, number, &Attribute::number);
  return found != all.end() ? &*found : nullptr;
}

template <class T>
Status set_attribute(T* descriptor, std::span<const Attribute> all, int number, const void* value,
                     std::size_t bytes) {
  const Attribute* const one = find_attribute(all, number);
  if (descriptor == nullptr || descriptor->mark != T::kMark || value == nullptr || one == nullptr ||
      bytes != one->bytes)
    return cublas::kInvalidValue;
  std::memcpy(reinterpret_cast<std::byte*>(descriptor) + one->offset, value, bytes);
  return cublas::kSuccess;
}

/// Without room for the value only its size is given.
template <class T>
Status get_attribute(const T* descriptor, std::span<const Attribute> all, int number, void* value,
                     std::size_t bytes, std::size_t* written) {
  const Attribute* const one = find_attribute(all, number);
  if (descriptor == nullptr || descriptor->mark != T::kMark || one == nullptr)
    return cublas::kInvalidValue;
  if (bytes == 0 ? written == nullptr : value == nullptr || bytes != one->bytes)
    return cublas::kInvalidValue;
  if (bytes != 0)
    std::memcpy(value, reinterpret_cast<const std::byte*>(descriptor) + one->offset, bytes);
  if (written != nullptr) *written = one->bytes;
  return cublas::kSuccess;
}

}  // namespace pycuda::cublaslt

#define CUBLASLT_ATTRIBUTE(number, T, member) {number, offsetof(T, member), sizeof(T::member)}
