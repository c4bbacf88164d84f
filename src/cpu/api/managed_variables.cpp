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
  auto found = variables_.find(variable.name);
  if (found == variables_.end()) {
    // An empty array has an address too.
    const std::uint64_t bytes = std::max<std::uint64_t>(variable.bytes, 1);
    // No context owns it: it outlives them, and none may free it.
    void* const memory = device.memory().allocate(bytes, exec::MemoryKind::Managed, nullptr,
                                                  std::max(variable.alignment, 256u));
    if (memory == nullptr) return nullptr;
    std::memset(memory, 0, bytes);
    found = variables_.emplace(variable.name, Variable{memory, &device}).first;
  }
  return {found->second.memory, found->second.written};
}

void ManagedVariables::mark_written() {
  for (auto& [name, variable] : variables_) variable.written = true;
}

}  // namespace pycuda::cpu::api
