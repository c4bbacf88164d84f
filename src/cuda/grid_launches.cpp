// SPDX-License-Identifier: MIT
#include "cuda/grid_launches.h"

#include <mutex>
#include <set>

namespace pycuda::cuda {
namespace {

struct Noted {
  std::mutex mutex;  ///< protects `kernels`
  std::set<std::string, std::less<>> kernels;
};

// Never destroyed: threads may end after static objects have.
Noted& noted() {
  static auto* const made = new Noted;
  return *made;
}

}  // namespace

bool may_wait_for_grid(std::string_view ptx) {
  // A cooperative launch tells its barrier in two of these registers; others are zero.
  return ptx.find("%envreg") != std::string_view::npos;
}

void note_plain_grid_launch(const std::string& kernel) noexcept {
  try {
    const std::lock_guard lock(noted().mutex);
    noted().kernels.insert(kernel);
  } catch (...) {
    // A sentence less in a message.
  }
}

std::string advice_on_grid_fault(std::string_view fault) {
  constexpr std::string_view kTrap = "trap instruction in kernel ";
  const std::size_t trap = fault.find(kTrap);
  if (trap == std::string_view::npos) return {};
  const std::string_view name =
      fault.substr(trap + kTrap.size(), fault.substr(trap + kTrap.size()).find_first_of(", "));
  const std::lock_guard lock(noted().mutex);
  if (noted().kernels.find(name) == noted().kernels.end()) return {};
  return "; the kernel synchronises its grid, which needs a cooperative launch: call it with "
         "cooperative=True";
}

}  // namespace pycuda::cuda
