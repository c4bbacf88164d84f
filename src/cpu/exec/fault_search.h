// SPDX-License-Identifier: MIT
// Which thread it was: one instruction of vector code is for a whole gang, and the processor tells
// the address alone.
#pragma once

#include <cstdint>
#include <optional>

#include "cpu/exec/kernel_entry.h"
#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu::exec {

struct LaunchContext;

/// A thread that faulted, with its own access.
struct FaultedThread {
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  std::uint32_t source_line = 0, source_file = 0;
  FaultKind kind{};
  std::uint64_t address = 0;
  bool address_known = false;  ///< else the kind is a guess
};

/// Whether `record`, a fault of a launch in gangs, may name the gang's first thread for another.
bool stands_for_gang(const LaunchContext& launch, const FaultRecord& record);

/// Runs the threads of the gang that `record` names once more, one by one and from the start, in a
/// copy of the process, where their effects are invisible. `block` is the block, or the first of
/// several that ran as one.
///
/// The answer is the first of these threads whose access is the one that was seen to fault. It must
/// fault at the same address again when it runs on what the threads' second run has left: an
/// address that depends on what the kernel itself has changed cannot be found this way. Nothing
/// when no thread is found so, or within a second. The calling thread waits; it must hold no lock
/// that kernels need.
std::optional<FaultedThread> find_faulted_thread(LaunchContext& launch, const FaultRecord& record,
                                                 const BlockFrame& block);

}  // namespace pycuda::cpu::exec
