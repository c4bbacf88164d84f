// SPDX-License-Identifier: MIT
// What PTX says about its kernels' parameters and no driver reports: which are floating-point.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pycuda::cuda {

enum class ParameterKind : std::uint8_t {
  Unknown,  ///< also structs, vectors and halves, which PTX declares as bytes
  Integer,  ///< pointers, too
  Float,
};

/// The kinds of the parameters of every kernel in `ptx`, by the kernel's name. Kernels whose
/// declaration is not understood are left out.
std::map<std::string, std::vector<ParameterKind>, std::less<>> read_signatures(
    std::string_view ptx);

}  // namespace pycuda::cuda
