// SPDX-License-Identifier: MIT
// Turns what is known of a fault into the sentences that people read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cpu/exec/fault.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/stream.h"

namespace pycuda::cpu::exec {

Fault describe_fault(const LaunchContext& launch, const FaultRecord& record,
                     const BlockFrame& block);

/// Adds the fault of an access to the findings, where accesses are checked. True if they have it.
bool list_fault(const LaunchContext& launch, const FaultRecord& record, const BlockFrame& block);

/// `what` completes "kernel k stopped ...: ". `block` and `thread` may be null.
Fault describe_failure(const LaunchContext& launch, FaultKind kind, const BlockFrame* block,
                       const ThreadFrame* thread, std::string_view what);

/// "kernel k, block (0, 0, 0), thread (1, 0, 0)".
std::string launcher_text(const Launcher& launcher);

/// " at kernel.cu:12", by the last line that `thread` has noted down; empty when that is not known,
/// or `thread` null.
std::string source_text(const LaunchContext& launch, const ThreadFrame* thread);

/// What lies at `address`, which a thread of `block` reads: "4 bytes into the block's shared
/// memory", or as describe_address, or the address itself.
std::string describe_place(const LaunchContext& launch, const BlockFrame& block,
                           std::uint64_t address);

/// "4 bytes into the 128-byte shared variable 'k::tile'", or "4 bytes into the block's shared
/// memory".
std::string describe_shared(const LaunchContext& launch, const BlockFrame& block,
                            std::uint64_t address);

/// What ended a launch that was `timed_out`.
std::string_view why_stopped(const LaunchContext& launch);

/// As messages give addresses: "0x...".
std::string hexadecimal(std::uint64_t address);

/// Where `address` lies: "4 bytes past the end of the 4096-byte block of device memory allocated at
/// 0x...", or empty when no allocation is near. Of an address that `launch` uses, if that is not
/// null, also as which of its arguments the memory was passed.
std::string describe_address(std::uint64_t address, const LaunchContext* launch = nullptr);

}  // namespace pycuda::cpu::exec
