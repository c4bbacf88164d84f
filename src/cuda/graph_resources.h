// SPDX-License-Identifier: MIT
// Objects that the nodes of a graph refer to: they live as long as the graph can be launched.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "cuda/kernel.h"

namespace pycuda::cuda {

/// Shared by a graph, its clones and what is instantiated from them. Safe from any thread.
class GraphResources {
 public:
  GraphResources() = default;
  ~GraphResources();
  GraphResources(const GraphResources&) = delete;
  GraphResources& operator=(const GraphResources&) = delete;

  /// Keeps `thing`, whatever it is, once for each address.
  void keep(const std::shared_ptr<const void>& thing);
  /// Keeps what `make` gives unless there is something for `key` already, which must be the address
  /// of a thing that lives as long as what is kept.
  void keep_once(const void* key, const std::function<std::shared_ptr<const void>()>& make);
  bool holds(const void* key) const;
  /// Whether this thread is dropping what a graph kept.
  static bool any_goes_on_thread() noexcept;
  bool empty() const;

  /// Keeps the kernel's module, and remembers the kernel by its handle.
  void keep_kernel(const Kernel& kernel);
  /// A kernel that was kept; null for others.
  std::shared_ptr<Kernel> kernel(CUfunction handle) const;
  /// The only kernel of this name that was kept; null where there is none, or several.
  std::shared_ptr<Kernel> kernel(const std::string& name) const;

 private:
  struct KernelPlace {
    ModulePtr module;
    std::string name;
  };
  mutable std::mutex mutex_;  ///< protects what follows
  std::unordered_map<const void*, std::shared_ptr<const void>> things_;
  std::unordered_map<CUfunction, KernelPlace> kernels_;
};

}  // namespace pycuda::cuda
