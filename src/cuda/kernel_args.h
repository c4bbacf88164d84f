// SPDX-License-Identifier: MIT
// Packs the arguments of a launch by the kernel's own parameter list.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <type_traits>

#include "cuda/kernel.h"

namespace pycuda::cuda {

/// The arguments do not fit the kernel: too many, too few, or one of the wrong size.
class ArgumentMismatch : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A parameter buffer on the stack, filled front to back. Where the kernel's layout is known each
/// argument goes to its parameter's offset, and its size must be the parameter's; otherwise it goes
/// to the next multiple of its alignment.
class KernelArgs {
 public:
  explicit KernelArgs(const Kernel& kernel) : kernel_(&kernel), layout_(&kernel.layout()) {}
  KernelArgs(const KernelArgs&) = delete;
  KernelArgs& operator=(const KernelArgs&) = delete;

  /// Adds the next argument. Throws ArgumentMismatch: "kernel f: argument 2 (counted from 0) has 8
  /// bytes, but the kernel's parameter has 4".
  void add(const void* value, std::size_t bytes, std::size_t alignment);
  template <class T>
  KernelArgs& add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    add(&value, sizeof(T), alignof(T));
    return *this;
  }

  /// Bytes of the parameter that comes next, 0 when that is not known: for those who convert by it.
  /// Throws when the kernel takes no more.
  std::size_t next_bytes() const;
  /// How many have been added.
  std::size_t count() const { return count_; }
  /// Throws when arguments are missing: "kernel f takes 3 arguments, 2 were given".
  void check_complete() const;

  const std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void check_next(std::size_t bytes) const;
  void grow(std::size_t needed);

  alignas(16) std::array<std::byte, 1024> inline_;  // not cleared: a launch is too short for that
  const Kernel* kernel_;
  const KernelLayout* layout_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  std::byte* data_ = inline_.data();
  std::size_t capacity_ = sizeof(inline_);
  std::unique_ptr<std::byte[]> heap_;
};

}  // namespace pycuda::cuda
