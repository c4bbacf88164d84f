// SPDX-License-Identifier: MIT
// What the operating system reports about the machine: load, memory, processes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pycuda::standins {

/// Percent of the processors' time that was used since the last call, from 0 to 100. The first call
/// measures for a moment.
unsigned processor_use();

/// Memory that programs can still take, in bytes; 0 if it is not known.
std::uint64_t available_memory();

/// Of the processors, in degrees Celsius; nothing where the system has no sensor. `system` is where
/// the kernel describes its devices.
std::optional<unsigned> processor_temperature(const std::string& system = "/sys");

/// The processes that have the file mapped, in ascending order, as far as this user may know.
std::vector<unsigned> processes_with(const std::string& library);

/// The path of a process's program; empty if it is not known.
std::string program_of(unsigned process);

}  // namespace pycuda::standins
