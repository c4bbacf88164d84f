// SPDX-License-Identifier: MIT
// Long kernels first run as they could be compiled quickly; those that run for long get their
// vector form.
#pragma once

#include <functional>
#include <memory>

#include "cpu/jit/program.h"
#include "cpu/kernel_abi/kernel.h"

namespace pycuda::cpu::api {

class ModuleImage;

/// PYCUDA_CPU_PATIENCE: for how many times its compile time a kernel runs first. Below 0: for ever.
double patience();

/// Compiles on a thread of its own, also while the background compiles.
bool compile_aside(std::function<void()> work);

/// If the vector form of `kernel`, which is of `program` and will be found in `image`, was put off:
/// sees to it that it is compiled again, in the background, once it has run for long. Before its
/// first launch.
void arrange_better_form(const Kernel& kernel, std::shared_ptr<const jit::Program> program,
                         std::weak_ptr<const ModuleImage> image);

}  // namespace pycuda::cpu::api
