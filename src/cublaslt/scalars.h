// SPDX-License-Identifier: MIT
// alpha and beta: numbers of the host or the device, or vectors with one number for each row.
#pragma once

#include <cstddef>
#include <cstring>

#include "cublaslt/handle.h"
#include "hostblas/elements.h"

namespace pycuda::cublaslt {

class Factor {
 public:
  static Factor zero() { return {}; }
  static Factor of_host(const void* address, DataType type) {
    require(address != nullptr, "a scalar's pointer is null");
    Factor made;
    made.type_ = type;
    std::memcpy(made.value_, address, bytes_of(type));
    return made;
  }
  /// `count` of them, at distances of `stride`, for each matrix.
  static Factor of_device(const void* address, DataType type, Int count, Int stride, Int matrices) {
    require(address != nullptr, "a scalar's pointer is null");
    const std::uint64_t elements = static_cast<std::uint64_t>(count + stride * (matrices - 1));
    require_memory(address, elements * bytes_of(type), "a scalar");
    Factor made;
    made.type_ = type;
    made.device_ = static_cast<const std::byte*>(address);
    made.step_ = count > 1 ? 1 : 0;
    made.stride_ = stride;
    return made;
  }

  template <class T>
  T get(Int matrix, Int row) const {
    return device_ != nullptr ? load<T>(device_, type_, matrix * stride_ + row * step_)
                              : load<T>(value_, type_, 0);
  }
  /// Known before the work runs.
  bool is_zero() const {
    return device_ == nullptr && load<ComplexDouble>(value_, type_, 0) == ComplexDouble{};
  }

 private:
  DataType type_ = kFloat;
  const std::byte* device_ = nullptr;
  Int step_ = 0, stride_ = 0;
  alignas(16) std::byte value_[16] = {};
};

}  // namespace pycuda::cublaslt
