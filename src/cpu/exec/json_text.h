// SPDX-License-Identifier: MIT
// Values as JSON.
#pragma once

#include <string>
#include <string_view>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu::exec {

std::string quoted_json(std::string_view text);
/// [x, y, z]
std::string list_json(const Dim3& at);

}  // namespace pycuda::cpu::exec
