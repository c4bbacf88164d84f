// SPDX-License-Identifier: MIT
// Runs kernels of random_kernel.h on the scalar and on the vector path and compares every word.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"
#include "unit/cpu/simt/random_kernel.h"

namespace pycuda::cpu::testing {

struct Shape {
  Dim3 grid, block;
  std::uint32_t n;
};

/// A full, a ragged, a two or three-dimensional launch, one of whole tiles and one of narrow rows,
/// drawn by `seed`.
std::vector<Shape> random_shapes(std::uint64_t seed);

/// Launches in blocks whose warps are no parts of rows, and two in blocks whose warps are, drawn by
/// `seed`.
std::vector<Shape> shapes_across_rows(std::uint64_t seed);

/// Runs both forms of a kernel; what differs, or nothing.
std::string difference(LoadedModule& module, const char* name, const Shape& shape);

/// Runs the kernel of `oracle` thread by thread, and both forms of that of `module`, which was
/// compiled with other options; what differs, or nothing.
std::string difference(LoadedModule& oracle, LoadedModule& module, const char* name,
                       const Shape& shape);

/// Runs the kernel of `oracle` and that of `module`, which has one of its forms alone; what
/// differs, or nothing.
std::string difference_of_form(LoadedModule& oracle, LoadedModule& module, const char* name,
                               const Shape& shape);

/// The kernel of this number.
std::string kernel_text(std::uint64_t seed, const std::string& name, bool warps, bool every_part,
                        Flushing flushing = Flushing::Hardly, bool walks = false,
                        int literal_width = 0);
/// A kernel whose threads exchange numbers in volatile shared memory, warp by warp.
std::string step_kernel_text(std::uint64_t seed, const std::string& name, bool every_part,
                             bool trips);
/// A kernel with warp operations, for blocks whose rows are made of whole warps.
std::string warp_kernel_text(std::uint64_t seed, const std::string& name, bool every_part);

}  // namespace pycuda::cpu::testing
