// SPDX-License-Identifier: MIT
// A launch that needs a form which the kernel's code lacks gets it, or runs in another form while
// that is compiled.
#pragma once

#include "cpu/variants/choose.h"
#include "cpu/variants/table.h"

namespace pycuda::cpu::variants {

/// Code that runs the launch, for which `choose` asks for a form. Blocking, any thread: compiles
/// the form, waits until its deadline (deadline_of), or compiles one for threads one by one, which
/// is sooner done and runs any launch.
Made code_for(const Kernel& code, const Dim3& grid, const Dim3& block);

}  // namespace pycuda::cpu::variants
