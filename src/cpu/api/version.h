// SPDX-License-Identifier: MIT
// The CUDA version whose driver API this library has.
#pragma once

namespace pycuda::cpu::api {

inline constexpr int driver_version = 13000;

}  // namespace pycuda::cpu::api
