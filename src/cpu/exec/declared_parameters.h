// SPDX-License-Identifier: MIT
// What a source calls the parameters of a kernel, for messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pycuda::cpu::exec {

/// "k" of "ns::k<float, 3>(float*)", as base::readable_name writes names.
std::string_view own_name(std::string_view readable);

/// The parameters of `function` as `source` declares them, such as "const float *x". Empty where
/// the source has no function of this name with `count` parameters, or several that call them
/// otherwise. Reads text alone: no macro is replaced.
std::vector<std::string> declared_parameters(std::string_view source, std::string_view function,
                                             std::size_t count);

}  // namespace pycuda::cpu::exec
