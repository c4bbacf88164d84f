// SPDX-License-Identifier: MIT
// Which code runs a launch now, and which compilation would improve it.
#pragma once

#include <optional>

#include "cpu/kernel_abi/kernel.h"
#include "cpu/variants/table.h"
#include "cpu/variants/variant.h"

namespace pycuda::cpu::variants {

struct Choice {
  const Kernel* code = nullptr;  ///< runs the launch now; null: `work` must be done first
  std::optional<Variant> work;   ///< what would run it better
};

/// For a launch of `code`, the kernel's first or another one that can run it or was meant to. When
/// a launch is queued, and once more where it begins and other code may have come since. `streams`:
/// its stores should go past the caches, if there is code for that.
Choice choose(const Kernel& code, const Dim3& grid, const Dim3& block, bool streams = false);

/// Code that runs the launch, for which `choose` asks for a form. Blocking, any thread: compiles
/// the form, waits until its deadline (deadline_of), or compiles one for threads one by one, which
/// is sooner done and runs any launch.
Made code_for(const Kernel& code, const Dim3& grid, const Dim3& block);

}  // namespace pycuda::cpu::variants
