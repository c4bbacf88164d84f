// SPDX-License-Identifier: MIT
// A launch that needs another form of a long kernel runs one that is there, or soon made, while its
// own is made.
#pragma once

#include <memory>

#include "base/result.h"
#include "cpu/jit/program.h"
#include "cpu/kernel_abi/kernel.h"

namespace pycuda::cpu::api {

class ModuleImage;

/// The form that runs a launch of this size best, made if it is not yet: blocking then, any thread.
base::Result<const Kernel*, jit::KernelFailure> make_best_form(const jit::LoadedProgram& code,
                                                               const Kernel& kernel,
                                                               const Dim3& grid, const Dim3& block);

/// What runs a launch of `kernel`, which is of `image` and lacks the form that is best for it,
/// until that form is made in the background: it is begun by the first launch that asks. Null where
/// the launch should wait for it, if there is nothing that is made more quickly, or if
/// PYCUDA_CPU_PATIENCE is below 0; also where it was made while the launch waited for a moment.
/// `threads`, if any, is the kernel as it runs thread by thread.
const Kernel* form_for_now(const std::shared_ptr<const ModuleImage>& image, const Kernel& kernel,
                           const Dim3& grid, const Dim3& block, const Kernel* threads);

}  // namespace pycuda::cpu::api
