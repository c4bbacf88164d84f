// SPDX-License-Identifier: MIT
// Which arguments of a launch a message is about.
#pragma once

#include <string>

#include "cpu/exec/address_table.h"
#include "cpu/exec/launch_context.h"

namespace pycuda::cpu::exec {

/// The arguments that are an address within the allocation, or structs that hold one: ", passed as
/// 'float *x', argument #1 (0-based)". Without the declaration where the source is not known,
/// without the number where it is generated; empty where there is no such argument.
std::string passed_as(const LaunchContext& launch, const Allocation& allocation);

/// The pointers among the arguments that are null: "'float *x', argument #1 (0-based), is null".
/// Empty where none is, or the source is not known.
std::string null_arguments(const LaunchContext& launch);

}  // namespace pycuda::cpu::exec
