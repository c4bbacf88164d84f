// SPDX-License-Identifier: MIT
// How much the caches hold that cores share.
#pragma once

#include <cstdint>
#include <filesystem>

namespace pycuda::cpu::exec {

/// Bytes of all last-level caches of the cores that this process may use; 0 where that is not
/// known. Read once.
std::uint64_t last_level_cache_bytes();

/// What a program that walks through much memory may count on of these: 64 MiB at most, and so much
/// where nothing is known. Larger ones are shared with many cores, in virtual machines with those
/// of others, and their far parts are hardly faster than memory. Sums of two arrays in two cores of
/// a Xeon (Granite Rapids, 480 MiB for all of its cores), ms with plain stores and with stores past
/// the caches: 48 MiB in all 0.95 and 0.95, 96 MiB 2.5 and 1.8, 192 MiB 6.2 and 3.9.
std::uint64_t dependable_cache_bytes();

/// All of the cores that `uses` says yes to; `root` is as /sys/devices/system/cpu.
std::uint64_t last_level_cache_bytes(const std::filesystem::path& root,
                                     bool (*uses)(unsigned core));

}  // namespace pycuda::cpu::exec
