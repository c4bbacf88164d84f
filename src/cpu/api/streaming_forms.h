// SPDX-License-Identifier: MIT
// Kernels that write more than the caches hold, again and again, get a form whose stores go past
// them.
#pragma once

#include <memory>

#include "cpu/jit/program.h"
#include "cpu/kernel_abi/kernel.h"

namespace pycuda::cpu::api {

class ModuleImage;

/// If `kernel`, which is of `program` and will be found in `image`, may have such a form: sees to
/// it that it is compiled, in the background, once launches that it is for have run for long.
/// Before its first launch.
void arrange_streaming_form(const Kernel& kernel, std::shared_ptr<const jit::Program> program,
                            std::weak_ptr<const ModuleImage> image);

}  // namespace pycuda::cpu::api
