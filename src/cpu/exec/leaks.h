// SPDX-License-Identifier: MIT
// Memory that a program has allocated and not freed when it ends, where PYCUDA_CPU_CHECK asks for
// the checks of memory.
#pragma once

namespace pycuda::cpu::exec {

/// The program, which called this library to get here, has allocated what begins at `memory`: if it
/// is still there when the process exits, that is a leak. Libraries are not asked: they keep memory
/// for later, and Python's objects free their own. Any thread.
void note_allocation(const void* memory);
/// Adds the leaks to the findings, when nothing of the program runs any longer.
void report_leaks();

}  // namespace pycuda::cpu::exec
