// SPDX-License-Identifier: MIT
// The variables of a module by its image: no driver function lists them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pycuda::cuda {

/// The names of the variables in device and constant memory that `image` has, PTX or a cubin,
/// without those that the compiler made. Nothing for an image of another kind.
std::optional<std::vector<std::string>> names_of_variables(std::string_view image);

}  // namespace pycuda::cuda
