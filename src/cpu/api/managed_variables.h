// SPDX-License-Identifier: MIT
// The managed variables of a library: one of each for all contexts that the library is loaded into.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "cpu/api/virtual_device.h"
#include "cpu/jit/program.h"

namespace pycuda::cpu::api {

/// Host code keeps the addresses of managed variables, so they stay where they are while the
/// library lives, also when the last context that uses it is reset. Then the next context to load
/// the library finds the initial values again.
class ManagedVariables {
 public:
  ManagedVariables() = default;
  ~ManagedVariables();
  ManagedVariables(const ManagedVariables&) = delete;
  ManagedVariables& operator=(const ManagedVariables&) = delete;

  /// The memory of a variable for one more context, null if there is none left. `device` is where
  /// it is accounted for if it is new. One call for each variable of each context.
  jit::VariableMemory place(const jit::GlobalVariable& variable, VirtualDevice& device);
  /// One context less uses the memory at `address`.
  void leave(const void* address);

 private:
  struct Variable {
    void* memory = nullptr;
    std::uint64_t bytes = 0;
    VirtualDevice* device = nullptr;
    unsigned users = 0;
  };

  std::mutex mutex_;  // protects variables_
  std::map<std::string, Variable, std::less<>> variables_;
};

}  // namespace pycuda::cpu::api
