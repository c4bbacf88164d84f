// SPDX-License-Identifier: MIT
// Links several PTX modules into one.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cpu/ptx/diagnostic.h"

namespace pycuda::cpu::ptx {

struct LinkInput {
  std::string name;  ///< for messages
  std::string ptx;
};

/// Joins the inputs to the PTX text of one module: .extern declarations meet their definitions,
/// .weak ones give way, .common ones join, and names without linkage are changed where two inputs
/// use the same. Functions that the driver provides (vprintf, __assertfail, malloc, free,
/// cudaGraphSetConditional) stay .extern, and so do, by their linked names (device_runtime.h),
/// those of the device run-time library if `device_runtime` says that it is linked too. Fails with
/// every parse error, multiple definition, undefined reference and differing declaration; messages
/// name the inputs.
base::Result<std::string, Diagnostics> link(const std::vector<LinkInput>& inputs,
                                            bool device_runtime = false);

/// True for functions that device code may call and that no module defines.
bool is_provided_by_driver(std::string_view function);

}  // namespace pycuda::cpu::ptx
