// SPDX-License-Identifier: MIT
#include "cpu/api/managed_variables.h"

#include <algorithm>
#include <cstring>

namespace pycuda::cpu::api {

ManagedVariables::~ManagedVariables() {
  for (const auto& [name, variable] : variables_)
    variable.device->memory().release(variable.memory);
}

jit::VariableMemory ManagedVariables::place(const jit::GlobalVariable& variable,
                                            VirtualDevice& device) {
  const std::lock_guard lock(mutex_);
  auto found = variables_.find(variable.name);
  if (found == variables_.end()) {
    // An empty array has an address too.
    const std::uint64_t bytes = std::max<std::uint64_t>(variable.bytes, 1);
    // No context owns it: it outlives them, and none may free it.
    void* const memory = device.memory().allocate(bytes, exec::MemoryKind::Managed, nullptr,
                                                  std::max(variable.alignment, 256u));
    if (memory == nullptr) return nullptr;
    found = variables_.emplace(variable.name, Variable{memory, bytes, &device, 0}).first;
  }
  Variable& known = found->second;
  const bool in_use = known.users++ != 0;
  if (!in_use) std::memset(known.memory, 0, known.bytes);
  return {known.memory, in_use};
}

void ManagedVariables::leave(const void* address) {
  const std::lock_guard lock(mutex_);
  for (auto& [name, variable] : variables_) {
    if (variable.memory == address) --variable.users;
  }
}

}  // namespace pycuda::cpu::api
