// SPDX-License-Identifier: MIT
// Greedy placement: a variable lies behind everything already placed in any kernel that reaches it.
#include "cpu/lower/shared_layout.h"

#include <algorithm>

namespace pycuda::cpu::lower {

bool is_dynamic_shared(const ptx::Variable& variable) {
  return variable.space == ptx::Space::Shared &&
         (variable.linkage == ptx::Linkage::Extern || variable.bytes == 0);
}

SharedLayout::SharedLayout(const ptx::Module& module, const CallGraph& calls)
    : module_offsets_(module.variables.size(), 0),
      function_offsets_(module.functions.size()),
      ends_(module.functions.size(), 0),
      dynamic_alignments_(module.functions.size(), 16) {
  std::vector<std::vector<std::uint32_t>> kernels_of_variable(module.variables.size());
  std::vector<std::vector<std::uint32_t>> kernels_of_function(module.functions.size());
  for (std::uint32_t kernel = 0; kernel < module.functions.size(); ++kernel) {
    if (!module.functions[kernel].is_entry) continue;
    for (const std::uint32_t function : calls.reachable(kernel)) {
      kernels_of_function[function].push_back(kernel);
      for (const std::uint32_t variable : calls.variables(function)) {
        auto& kernels = kernels_of_variable[variable];
        if (std::find(kernels.begin(), kernels.end(), kernel) == kernels.end())
          kernels.push_back(kernel);
      }
    }
  }
  const auto place = [&](const ptx::Variable& variable, const std::vector<std::uint32_t>& kernels) {
    const std::uint32_t alignment = std::max<std::uint32_t>(variable.alignment, 1);
    if (is_dynamic_shared(variable)) {
      for (const std::uint32_t kernel : kernels) {
        dynamic_alignments_[kernel] = std::max(dynamic_alignments_[kernel], alignment);
      }
      return std::uint32_t{0};
    }
    std::uint32_t offset = 0;
    for (const std::uint32_t kernel : kernels) offset = std::max(offset, ends_[kernel]);
    offset = (offset + alignment - 1) / alignment * alignment;
    for (const std::uint32_t kernel : kernels)
      ends_[kernel] = offset + static_cast<std::uint32_t>(variable.bytes);
    return offset;
  };
  for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
    if (module.variables[i].space == ptx::Space::Shared) {
      module_offsets_[i] = place(module.variables[i], kernels_of_variable[i]);
    }
  }
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    function_offsets_[f].resize(module.functions[f].variables.size(), 0);
    for (std::uint32_t i = 0; i < module.functions[f].variables.size(); ++i) {
      const ptx::Variable& variable = module.functions[f].variables[i];
      if (variable.space == ptx::Space::Shared)
        function_offsets_[f][i] = place(variable, kernels_of_function[f]);
    }
  }
}

}  // namespace pycuda::cpu::lower
