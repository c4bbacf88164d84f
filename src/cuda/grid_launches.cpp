// SPDX-License-Identifier: MIT
#include "cuda/grid_launches.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

#include "base/cxx_names.h"

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

std::set<std::string, std::less<>> kernels_that_wait_for_grid(std::string_view ptx) {
  // A cooperative launch tells its barrier in two of these registers; others are zero.
  constexpr std::string_view kBarrier = "%envreg", kKernel = ".entry", kFunction = ".func";
  std::set<std::string, std::less<>> waiting, calling;
  const auto has = [](std::string_view text, std::string_view what) {
    return text.find(what) != std::string_view::npos;
  };
  if (!has(ptx, kBarrier)) return waiting;
  bool function_waits = false;
  const auto next = [&] { return std::min(ptx.find(kKernel), ptx.find(kFunction)); };
  for (std::size_t at = next(); at != std::string_view::npos;) {
    ptx.remove_prefix(at);
    const bool is_kernel = ptx.starts_with(kKernel);
    ptx.remove_prefix(is_kernel ? kKernel.size() : kFunction.size());
    at = next();
    const std::string_view text = ptx.substr(0, at);
    if (!is_kernel) {
      function_waits |= has(text, kBarrier);
      continue;
    }
    const std::size_t name = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    const std::size_t end = std::min(text.find_first_of(" \t\r\n(", name), text.size());
    if (has(text, kBarrier)) waiting.emplace(text.substr(name, end - name));
    if (has(text, "call")) calling.emplace(text.substr(name, end - name));
  }
  if (function_waits) waiting.merge(calling);
  return waiting;
}

void note_plain_grid_launch(const std::string& kernel) noexcept {
  try {
    const std::lock_guard lock(noted().mutex);
    noted().kernels.insert(kernel);
    internal::remembers_plain_grid_launch.store(true, std::memory_order_relaxed);
  } catch (...) {
    // A sentence less in a message.
  }
}

void internal::forget_plain_grid_launch(const std::string& kernel) noexcept {
  const std::lock_guard lock(noted().mutex);
  noted().kernels.erase(kernel);
  remembers_plain_grid_launch.store(!noted().kernels.empty(), std::memory_order_relaxed);
}

std::string advice_on_grid_fault(std::string_view fault) {
  constexpr std::string_view kTrap = "trap instruction in kernel ";
  const std::size_t trap = fault.find(kTrap);
  if (trap == std::string_view::npos) return {};
  const std::string_view place = fault.substr(trap + kTrap.size());
  const auto is_at = [place](const std::string& kernel) {
    const std::string name = base::readable_name(kernel);
    if (!place.starts_with(name)) return false;
    const std::string_view rest = place.substr(name.size());
    return rest.empty() || rest.starts_with(',') || rest.starts_with(' ');
  };
  const std::lock_guard lock(noted().mutex);
  if (std::ranges::none_of(noted().kernels, is_at)) return {};
  return "; the kernel synchronises its grid, which needs a cooperative launch: call it with "
         "cooperative=True";
}

}  // namespace pycuda::cuda
