// SPDX-License-Identifier: MIT
#include "cuda/graph_resources.h"

#include <utility>

namespace pycuda::cuda {
namespace {

/// Those that this thread is destroying: one may go with another.
thread_local int going = 0;

}  // namespace

GraphResources::~GraphResources() {
  ++going;
  things_.clear();
  kernels_.clear();
  --going;
}

bool GraphResources::any_goes_on_thread() noexcept { return going != 0; }

void GraphResources::keep(const std::shared_ptr<const void>& thing) {
  const std::lock_guard lock(mutex_);
  things_.try_emplace(thing.get(), thing);
}

void GraphResources::keep_once(const void* key,
                               const std::function<std::shared_ptr<const void>()>& make) {
  if (holds(key)) return;
  std::shared_ptr<const void> thing = make();
  const std::lock_guard lock(mutex_);
  things_.try_emplace(key, std::move(thing));
}

bool GraphResources::holds(const void* key) const {
  const std::lock_guard lock(mutex_);
  return things_.contains(key);
}

bool GraphResources::empty() const {
  const std::lock_guard lock(mutex_);
  return things_.empty() && kernels_.empty();
}

void GraphResources::keep_kernel(const Kernel& kernel) {
  const std::lock_guard lock(mutex_);
  kernels_.try_emplace(kernel.handle(), KernelPlace{kernel.module(), kernel.name()});
}

std::shared_ptr<Kernel> GraphResources::kernel(CUfunction handle) const {
  KernelPlace place;
  {
    const std::lock_guard lock(mutex_);
    const auto found = kernels_.find(handle);
    if (found == kernels_.end()) return nullptr;
    place = found->second;
  }
  return place.module->kernel(place.name);
}

std::shared_ptr<Kernel> GraphResources::kernel(const std::string& name) const {
  ModulePtr module;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [handle, place] : kernels_) {
      if (place.name != name) continue;
      if (module) return nullptr;
      module = place.module;
    }
  }
  return module ? module->kernel(name) : nullptr;
}

}  // namespace pycuda::cuda
