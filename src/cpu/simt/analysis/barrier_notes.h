// SPDX-License-Identifier: MIT
// How vector code tells the checks of barriers.
#pragma once

namespace pycuda::cpu::simt {

/// The call, of the executor (kernel_abi/checks.h). From "widen".
inline constexpr const char* note_gang_barrier = "pycuda_cpu_note_gang_barrier";

/// An attribute of such a call: all lanes that have a thread arrive. From "widen"; "region-loops"
/// drops those calls of kernels in which that is so at each barrier.
inline constexpr const char* for_all_lanes = "for-all-lanes";

}  // namespace pycuda::cpu::simt
