// SPDX-License-Identifier: MIT
// A kernel: its attributes and the layout of its parameters.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/module.h"
#include "cuda/parameter_types.h"

namespace pycuda::cuda {

/// Where a parameter lies in the parameter buffer.
struct KernelParameter {
  std::size_t offset;
  std::size_t bytes;
  ParameterKind kind = ParameterKind::Unknown;
  ElementType element = {};  ///< Any: arrays are not checked
  NumberKind number = NumberKind::Other;
};

/// The kernel's parameter list, as the driver tells it.
struct KernelLayout {
  /// False when the driver is too old to say (before CUDA 12.4): then `parameters` is empty and
  /// means nothing.
  bool known = false;
  std::vector<KernelParameter> parameters;
  /// Of the whole buffer, from the first parameter to the end of the last.
  std::size_t bytes = 0;
  /// Of the parameters in C++, where arrays are checked; else empty.
  std::vector<std::string> type_names;
  /// Of each of them, whether it is a struct or an enumeration and nothing tells which.
  std::vector<bool> may_be_enumeration;
};

class Kernel {
  struct Key {};
  friend class Module;

 public:
  Kernel(Key, ModulePtr module, CUfunction handle, std::string name)
      : module_(std::move(module)),
        handle_(handle),
        name_(std::move(name)),
        may_wait_for_grid_(module_->may_wait_for_grid(name_)) {}

  CUfunction handle() const { return handle_; }
  const std::string& name() const { return name_; }
  const ModulePtr& module() const { return module_; }
  /// True when it has, or may call, code that waits for a whole grid, which cooperative launches
  /// can.
  bool may_wait_for_grid() const { return may_wait_for_grid_; }
  const ContextPtr& context() const { return module_->context(); }
  const driver::DriverTable& driver() const { return context()->driver(); }

  int attribute(CUfunction_attribute attribute) const;
  void set_attribute(CUfunction_attribute attribute, int value) const;
  void set_cache_config(CUfunc_cache config) const;
  void set_shared_config(CUsharedconfig config) const;

  /// What the CPU driver makes of the kernel in blocks of this size, for people to read. Throws
  /// DriverError; NOT_SUPPORTED on other drivers.
  std::string plan(unsigned int x, unsigned int y, unsigned int z) const;
  /// Asked for once and then remembered; any thread.
  const KernelLayout& layout() const;

  /// True when it is asked for the first time about this parameter and reason (0 or 1): warnings
  /// are given once. Any thread.
  bool is_first_warning(std::size_t parameter, unsigned int reason) const;

 private:
  ModulePtr module_;
  CUfunction handle_;
  std::string name_;
  bool may_wait_for_grid_;
  mutable std::once_flag layout_asked_;
  mutable KernelLayout layout_;
  mutable std::atomic<std::uint64_t> warned_{0};
};

}  // namespace pycuda::cuda
