// SPDX-License-Identifier: MIT
// The end of the room that the main thread's stack may grow into.
#pragma once

namespace pycuda::cpu::exec {

/// Where stacks are unlimited (`ulimit -s unlimited`), the system takes any access between the
/// mappings and the main thread's stack for the stack's growth, if it may promise so much memory: a
/// kernel's stray access there would succeed. Puts an inaccessible page 16 GiB below the stack's
/// top, unless something else is there, which does the same. Once per process is enough.
void fence_main_stack();

}  // namespace pycuda::cpu::exec
