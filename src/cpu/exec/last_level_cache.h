// SPDX-License-Identifier: MIT
// How much the caches hold that cores share.
#pragma once

#include <cstdint>
#include <filesystem>

namespace pycuda::cpu::exec {

/// Bytes of all last-level caches of the cores that this process may use; 0 where that is not
/// known. Read once.
std::uint64_t last_level_cache_bytes();

/// The same of the cores that `uses` says yes to; `root` is as /sys/devices/system/cpu.
std::uint64_t last_level_cache_bytes(const std::filesystem::path& root,
                                     bool (*uses)(unsigned core));

}  // namespace pycuda::cpu::exec
