// SPDX-License-Identifier: MIT
// A driver that exists in memory only: contexts, resources and their rules, for tests of what
// stands on the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cuda/context_stack.h"
#include "driver/table.h"

namespace pycuda::testing {

/// What the fake driver knows. One at a time; a new FakeDriver starts afresh.
struct FakeState {
  std::set<CUcontext> contexts;
  /// Live streams, events, modules, allocations ...: the context that each was made in.
  std::map<std::uintptr_t, CUcontext> resources;
  /// Sizes of live allocations.
  std::map<std::uintptr_t, std::size_t> sizes;
  std::size_t allocated_bytes = 0;
  std::size_t memory_bytes = std::size_t{1} << 40;
  /// Releases that ran while another context was current.
  int released_elsewhere = 0;
  int released = 0;
  /// What cuLaunchKernel was given.
  std::vector<std::byte> launched_arguments;
  int launches = 0;
  CUcontext launched_in = nullptr;
  /// The layout that cuFuncGetParamInfo tells: offset and size.
  std::vector<std::pair<std::size_t, std::size_t>> parameters;
};

FakeState& fake();

/// The driver's own idea of the calling thread's contexts, current last.
std::vector<CUcontext>& fake_driver_stack();

/// A table of the fake driver. Tests bind further entries or others.
driver::DriverTable fake_driver();

/// A context of the fake driver's only device, current while this lives.
class [[nodiscard]] CurrentContext {
 public:
  explicit CurrentContext(const driver::DriverTable& driver)
      : context_(cuda::make_context(cuda::Device(0, driver))) {}
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  ~CurrentContext() {
    if (cuda::current_context() == context_) cuda::pop_context();
  }
  const cuda::ContextPtr& operator*() const { return context_; }
  cuda::Context* operator->() const { return context_.get(); }

 private:
  cuda::ContextPtr context_;
};

}  // namespace pycuda::testing
