// SPDX-License-Identifier: MIT
// How much of the machine is ours: cores and memory, as affinity, cgroups and the environment say.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace pycuda::cpu::exec {

/// Number of workers that serve the devices: PYCUDA_CPU_THREADS, else the cores of the affinity
/// mask, cut to the cgroup's quota (rounded up). At least 1; read once.
unsigned worker_count();

/// Bytes of memory that this process may use: the machine's, cut to the cgroup's limit. Read once.
std::uint64_t machine_memory_bytes();

/// Bytes that can be had now without swapping (MemAvailable), or nothing when that is not known.
std::optional<std::uint64_t> available_memory_bytes();

/// What one virtual device offers: PYCUDA_CPU_MEMORY (bytes, or with a suffix K, M, G or T), else
/// half of machine_memory_bytes(): most programs hold on the host what the device has.
std::uint64_t default_device_memory_bytes();

/// PYCUDA_CPU_MARGIN, 0 by default: the bytes before and behind each block of device memory that
/// kernels may touch, as a GPU lets them touch the neighbours'.
std::uint64_t memory_margin_bytes();

/// "512M" -> 536870912. Nothing when `text` is not a size.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

/// The tightest CPU quota, in cores, of the cgroups named in `membership` (the text of
/// /proc/self/cgroup) and of their ancestors; `root` is where cgroups are mounted.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& root,
                                       std::string_view membership);

/// The tightest memory limit in bytes, likewise.
std::optional<std::uint64_t> cgroup_memory_limit(const std::filesystem::path& root,
                                                 std::string_view membership);

}  // namespace pycuda::cpu::exec
