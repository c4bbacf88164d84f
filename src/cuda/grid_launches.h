// SPDX-License-Identifier: MIT
// Plain launches of kernels that synchronise their grid, which needs a cooperative launch: advice
// for the messages of their faults.
#pragma once

#include <atomic>
#include <set>
#include <string>
#include <string_view>

namespace pycuda::cuda {

/// The kernels in `ptx` that ask for a grid's barrier, as cooperative groups do, or call functions
/// where one of the functions does.
std::set<std::string, std::less<>> kernels_that_wait_for_grid(std::string_view ptx);

namespace internal {
inline std::atomic<bool> remembers_plain_grid_launch{false};
[[gnu::cold]] void forget_plain_grid_launch(const std::string& kernel) noexcept;
}  // namespace internal

/// Remembers that a kernel of this name, which may wait for its grid, was launched plainly. Any
/// thread.
void note_plain_grid_launch(const std::string& kernel) noexcept;
/// At any other launch: kernels of several modules may have one name, and the latest launch counts.
/// Any thread.
inline void note_other_launch(const std::string& kernel) noexcept {
  if (internal::remembers_plain_grid_launch.load(std::memory_order_relaxed)) [[unlikely]]
    internal::forget_plain_grid_launch(kernel);
}

/// What to add to a driver's account of a fault, if that is a trap in a kernel whose latest launch
/// was noted as a plain one; else empty. Any thread.
std::string advice_on_grid_fault(std::string_view fault);

}  // namespace pycuda::cuda
