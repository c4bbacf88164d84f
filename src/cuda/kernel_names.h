// SPDX-License-Identifier: MIT
// Kernels and variables by their names in C++, and the message for one that is not found.
#pragma once

#include <string>
#include <vector>

#include "base/cxx_names.h"

namespace pycuda::cuda {

using base::readable_name;

/// Those of `names` that are `wanted` in C++, with or without the parameters: "space::k",
/// "k<float, 3>", "k(float *)". White space and unnamed namespaces do not count.
std::vector<std::string> symbols_named(const std::vector<std::string>& names,
                                       const std::string& wanted);

/// Why none of `names` is taken for `wanted`: what there is, and what was meant perhaps. `kind` is
/// the word for them: "kernel".
std::string no_such_symbol(const std::string& kind, const std::vector<std::string>& names,
                           const std::string& wanted);

/// The same when several could be meant.
std::string ambiguous_symbol(const std::string& kind, const std::vector<std::string>& found,
                             const std::string& wanted);

}  // namespace pycuda::cuda
