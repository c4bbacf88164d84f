// SPDX-License-Identifier: MIT
// The file that PYCUDA_CPU_COUNTERS names.
#pragma once

namespace pycuda::cpu::exec {

/// Whether the environment asks for one. The first call has it written when the process ends, as a
/// table, or by source line if its name ends with ".json". "%p" in the name is the process's
/// number. A process that has launched nothing leaves a file alone in which something is written:
/// others may share the environment.
bool writes_counter_file();

}  // namespace pycuda::cpu::exec
