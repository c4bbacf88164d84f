// SPDX-License-Identifier: MIT
// Streams that wait until a word of memory has some value.
#pragma once

#include <cstdint>

#include "cpu/exec/fault.h"
#include "cpu/exec/worker_pool.h"

namespace pycuda::cpu::exec {

/// What a word of memory is waited for. Kernels, other streams, the host or another process write
/// it.
struct MemoryCondition {
  enum class Comparison : std::uint8_t {
    AtLeast,  ///< the difference to `value`, as a signed number of the word's width, is not
              ///< negative
    Equal,
    AnyBit,      ///< a bit of `value` is set in the word
    AnyMissing,  ///< a bit is set in neither
  };
  std::uint64_t address = 0;  ///< a multiple of `bytes`
  std::uint64_t value = 0;
  std::uint8_t bytes = 4;  ///< or 8
  Comparison comparison = Comparison::AtLeast;
};

/// Whether a word of this value is what is waited for.
bool holds(const MemoryCondition& condition, std::uint64_t word);

/// True when the memory holds that already; `resume` is then not kept. Otherwise a thread looks at
/// it again and again, and posts `resume` to the workers when it does. So it does, and reports a
/// fault to `faults`, when the memory is gone, the program's user interrupts the wait or the time
/// limit of launches is over. The same happens if the program's last thread waits (last_thread.h)
/// and neither queued work nor another process can end this wait, and, without another fault, when
/// `faults` is poisoned meanwhile. No worker waits.
bool when_memory_holds(const MemoryCondition& condition, FaultSink& faults, Task resume);

/// Writes the lowest `bytes` (4 or 8) of `value` as one access, after all that was written before,
/// and lets waits look at once. False when there is no such memory.
bool write_word(std::uint64_t address, std::uint64_t value, std::uint8_t bytes);

}  // namespace pycuda::cpu::exec
