// SPDX-License-Identifier: MIT
// A cuSPARSE handle, and what all functions do with it.
#pragma once

#include "hostblas/calls.h"
#include "hostblas/elements.h"
#include "hostwork/registry.h"

namespace pycuda::cusparse {

using namespace hostblas;

enum Status {
  kSuccess = 0,
  kNotInitialized = 1,
  kAllocFailed = 2,
  kInvalidValue = 3,
  kExecutionFailed = 6,
  kInternalError = 7,
  kZeroPivot = 9,
  kNotSupported = 10,
};

struct Handle : StreamHandle {
  bool has_device_scalars = false;
};
using Handles = hostwork::Registry<Handle>;

/// cusparseMatDescr_t: a matrix's properties by numbers.
struct OldDescriptor {
  int type = 0, fill = 0, diagonal = 0, base = 0;
};

Status status_of(Outcome outcome);

template <class Body>
Status guarded(const char* function, Body&& body) noexcept {
  return status_of(outcome_of(function, body));
}

/// The only exit of the functions that take a handle.
template <class Body>
Status with_handle(const Handle* handle, const char* function, Body&& body) noexcept {
  return guarded(function, [&] {
    if (!Handles::instance().contains(handle)) throw Refusal{Outcome::NotInitialized, ""};
    require_no_failure(*handle);
    body();
  });
}

/// What a descriptor's pointer leads to, or the end of the call.
template <class T>
T& required(const T* descriptor) {
  require(hostwork::Registry<T>::instance().contains(descriptor), "a descriptor is not one");
  return *const_cast<T*>(descriptor);
}

/// A scalar that the program passes by a pointer: read now, or by the work if it is the device's.
class Scalar {
 public:
  Scalar(const Handle& handle, const void* address, DataType type) : type_(type) {
    require(address != nullptr, "a scalar's pointer is null");
    if (handle.has_device_scalars) {
      require_memory(address, bytes_of(type), "a scalar");
      device_ = address;
    } else {
      std::copy_n(static_cast<const std::byte*>(address), bytes_of(type), value_);
    }
  }
  template <class T>
  T get() const {
    return load<T>(device_ != nullptr ? device_ : value_, type_, 0);
  }

 private:
  DataType type_;
  const void* device_ = nullptr;
  alignas(16) std::byte value_[16] = {};
};

template <class T, class Value>
void give(T* destination, Value value) {
  if (destination != nullptr) *destination = static_cast<T>(value);
}

}  // namespace pycuda::cusparse
