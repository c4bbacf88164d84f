// SPDX-License-Identifier: MIT
// Mangled names as C++ writes them: of kernels, variables and functions in messages and tables.
#pragma once

#include <string>

namespace pycuda::base {

/// "void k<float, 3>(float*)" of "_Z1kIfLi3EEvPT_"; empty for a name that is not mangled.
std::string demangled(const std::string& name);

/// "k<float, 3>(float*)" of the same, "sum(int, float)" of "_Z3sumif"; a name that is not mangled
/// as it is. Without the result, which only instances of templates tell and a kernel has none of,
/// and without the tags "[abi:...]", which numba puts behind the names of kernels.
std::string readable_name(const std::string& name);

}  // namespace pycuda::base
