// SPDX-License-Identifier: MIT
// When a variant is worth compiling, and how long launches wait for it: pure functions.
#pragma once

#include <chrono>
#include <optional>

#include "cpu/variants/variant.h"

namespace pycuda::cpu::variants {

/// For how long launches run other code before this variant is compiled in the background; none:
/// forever. `compile_time` is the estimate, `patience` PYCUDA_CPU_PATIENCE. What is being compiled
/// already only has to be linked.
std::optional<std::chrono::nanoseconds> run_time_before(Variant variant,
                                                        std::chrono::nanoseconds compile_time,
                                                        double patience, bool is_being_compiled);

/// How much of a processor's time the compiler has for a form that a launch lacks, before the
/// launch runs in another form: 0 where the launch should not wait at all; none: the launch
/// compiles the form itself.
std::optional<std::chrono::nanoseconds> deadline_of(std::chrono::nanoseconds compile_time,
                                                    double patience);

}  // namespace pycuda::cpu::variants
