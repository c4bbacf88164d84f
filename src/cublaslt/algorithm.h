// SPDX-License-Identifier: MIT
// There is one algorithm.
#pragma once

#include "cublaslt/descriptors.h"

namespace pycuda::cublaslt {

constexpr int kOnlyAlgorithm = 0;

inline bool is_usable(const Algorithm& algorithm) {
  return is_one(&algorithm) && algorithm.id == kOnlyAlgorithm;
}

}  // namespace pycuda::cublaslt
