// SPDX-License-Identifier: MIT
// The printable plan: what the vector path makes of a kernel, and why it is fast or slow.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cpu/jit/program.h"
#include "cpu/kernel_abi/frames.h"
#include "cpu/ptx/diagnostic.h"

namespace pycuda::cpu::jit {

/// Lines of text for people: how many threads a gang has, how a block of this size is divided into
/// gangs, and the form of every access, branch and barrier with its place in the PTX and, where the
/// PTX says, in the source. Compiles the vector form again, without making code. Errors: what
/// compiling says, or that there is no such kernel. Of a kernel whose first code is baseline code
/// it shows the vector code that comes later; `vectors` says how far that is.
base::Result<std::string, ptx::Diagnostics> describe_plan(
    std::string_view ptx_text, std::string_view kernel, const Dim3& block, const Options& options,
    std::optional<variants::State> vectors = std::nullopt);

}  // namespace pycuda::cpu::jit
