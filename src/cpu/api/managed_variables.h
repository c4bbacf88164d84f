// SPDX-License-Identifier: MIT
// The managed variables of a library: one of each for all contexts that the library is loaded into.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "cpu/api/virtual_device.h"
#include "cpu/jit/program.h"

namespace pycuda::cpu::api {

/// Host code keeps the addresses of managed variables, so they stay where they are, with their
/// values, while the library lives, also when the last context that uses it ends: an H100 does so.
class ManagedVariables {
 public:
  ManagedVariables() = default;
  ~ManagedVariables();
  ManagedVariables(const ManagedVariables&) = delete;
  ManagedVariables& operator=(const ManagedVariables&) = delete;

  /// One context at a time loads the library: the first writes the initial values.
  std::unique_lock<std::mutex> lock_loading() { return std::unique_lock(loading_); }
  /// The memory of a variable for one more context, null if there is none left. `device` is where
  /// it is accounted for if it is new. To be called with the lock.
  jit::VariableMemory place(const jit::GlobalVariable& variable, VirtualDevice& device);
  /// The context has written the initial values. To be called with the lock.
  void mark_written();

 private:
  struct Variable {
    void* memory = nullptr;
    VirtualDevice* device = nullptr;
    bool written = false;
  };

  std::mutex loading_;  // protects variables_
  std::map<std::string, Variable, std::less<>> variables_;
};

}  // namespace pycuda::cpu::api
