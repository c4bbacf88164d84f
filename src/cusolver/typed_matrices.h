// SPDX-License-Identifier: MIT
// The functions with 64-bit sizes: the types of their matrices are numbers, their workspaces are
// counted in bytes.
#pragma once

#include <cstddef>
#include <initializer_list>

#include "cusolver/handle.h"

namespace pycuda::cusolver {

/// cusolverDnParams: choices of algorithms, of which there is one here.
struct Parameters {};
using AllParameters = hostwork::Registry<Parameters>;

/// Null stands for the defaults.
inline void require_parameters(const Parameters* parameters) {
  require(parameters == nullptr || AllParameters::instance().contains(parameters),
          "the parameters are not an object of cusolverDnCreateParams");
}

inline DataType real_of(DataType type) {
  return type == kComplexFloat ? kFloat : type == kComplexDouble ? kDouble : type;
}
inline std::size_t bytes_of(DataType type) {
  return type == kFloat ? 4 : type == kComplexDouble ? 16 : 8;
}

/// Refuses types that LAPACK has not, and others that are not the same.
inline void require_types(DataType type, std::initializer_list<DataType> same) {
  require(type == kFloat || type == kDouble || type == kComplexFloat || type == kComplexDouble,
          "the type is not one of float, double and their complex types");
  require(std::ranges::all_of(same, [&](DataType other) { return other == type; }),
          "the types are not the same");
}
inline void require_real_type(DataType type, DataType real) {
  require(real == real_of(type), "the type of the real numbers is not that of the matrix");
}

/// Calls `body` with a number of the type, which `require_types` has seen.
template <class Body>
void with_type(DataType type, Body&& body) {
  switch (type) {
    case kFloat:
      return body(float{});
    case kDouble:
      return body(double{});
    case kComplexFloat:
      return body(ComplexFloat{});
    default:
      return body(ComplexDouble{});
  }
}

inline std::size_t workspace_bytes(DataType type, Int n) {
  return static_cast<std::size_t>(workspace_elements(n)) * bytes_of(type);
}
inline void give_sizes(std::size_t* device, std::size_t* host, DataType type, Int n) {
  require(device != nullptr && host != nullptr, "a size's pointer is null");
  *device = workspace_bytes(type, n);
  *host = 0;
}
inline void require_workspace_bytes(const void* work, std::size_t bytes, DataType type, Int n) {
  require(bytes >= workspace_bytes(type, n),
          "the workspace is smaller than its bufferSize function says");
  require_memory(work, workspace_bytes(type, n), "the workspace");
}

}  // namespace pycuda::cusolver
