// SPDX-License-Identifier: MIT
// Greedy placement: a variable lies behind everything already placed in any kernel that reaches it.
#include "cpu/lower/shared_layout.h"

#include <algorithm>

namespace pycuda::cpu::lower {

namespace {

/// Wide enough that an index one too large, of any type, falls into it.
constexpr std::uint32_t checked_gap = 32;

/// Where layouts end that are larger than any memory: no sum of sizes comes round to a small one.
constexpr std::uint64_t furthest = std::uint64_t{1} << 31;

}  // namespace

bool is_dynamic_shared(const ptx::Variable& variable) {
  return variable.space == ptx::Space::Shared && variable.bytes == 0;
}

std::uint32_t dynamic_shared_alignment(const ptx::Variable& variable) {
  // Programs cast dynamic shared memory to whatever they need.
  constexpr std::uint32_t least = 16;
  return std::max(variable.alignment, least);
}

SharedLayout::SharedLayout(const ptx::Module& module, const CallGraph& calls, bool apart) {
  Kernels of_variables(module.variables.size()), of_functions(module.functions.size());
  for (std::uint32_t kernel = 0; kernel < module.functions.size(); ++kernel) {
    if (!module.functions[kernel].is_entry) continue;
    for (const std::uint32_t function : calls.reachable(kernel)) {
      of_functions[function].push_back(kernel);
      for (const std::uint32_t variable : calls.variables(function)) {
        auto& kernels = of_variables[variable];
        if (std::find(kernels.begin(), kernels.end(), kernel) == kernels.end())
          kernels.push_back(kernel);
      }
    }
  }
  place_all(module, of_variables, of_functions, 0);
  gaps_.assign(module.functions.size(), 0);
  if (!apart) return;
  const std::vector<std::uint32_t> declared = ends_;
  place_all(module, of_variables, of_functions, checked_gap);
  for (std::size_t f = 0; f < declared.size(); ++f) gaps_[f] = ends_[f] - declared[f];
}

void SharedLayout::place_all(const ptx::Module& module, const Kernels& of_variables,
                             const Kernels& of_functions, std::uint32_t gap) {
  const std::size_t functions = module.functions.size();
  module_offsets_.assign(module.variables.size(), 0);
  function_offsets_.assign(functions, {});
  ends_.assign(functions, reserved_shared_bytes);
  needed_ends_.assign(functions, reserved_shared_bytes);
  dynamic_alignments_.assign(functions, 1);
  variables_.assign(functions, {});
  has_dynamic_.assign(functions, false);
  for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
    if (module.variables[i].space == ptx::Space::Shared)
      module_offsets_[i] = place(module.variables[i], of_variables[i], gap);
  }
  for (std::uint32_t f = 0; f < functions; ++f) {
    function_offsets_[f].resize(module.functions[f].variables.size(), 0);
    for (std::uint32_t i = 0; i < module.functions[f].variables.size(); ++i) {
      const ptx::Variable& variable = module.functions[f].variables[i];
      if (variable.space == ptx::Space::Shared)
        function_offsets_[f][i] = place(variable, of_functions[f], gap);
    }
  }
  // What the launch adds lies behind a gap too.
  for (std::uint32_t f = 0; f < functions; ++f) {
    if (has_dynamic_[f] && ends_[f] != reserved_shared_bytes) ends_[f] += gap;
  }
}

std::uint32_t SharedLayout::place(const ptx::Variable& variable,
                                  const std::vector<std::uint32_t>& kernels, std::uint32_t gap) {
  const std::uint32_t alignment = std::max<std::uint32_t>(variable.alignment, 1);
  if (is_dynamic_shared(variable)) {
    for (const std::uint32_t kernel : kernels) {
      dynamic_alignments_[kernel] =
          std::max(dynamic_alignments_[kernel], dynamic_shared_alignment(variable));
      has_dynamic_[kernel] = true;
    }
    return 0;
  }
  for (const std::uint32_t kernel : kernels) {
    const std::uint64_t begin = (needed_ends_[kernel] + alignment - 1) / alignment * alignment;
    needed_ends_[kernel] = begin + std::min(variable.bytes, furthest);
  }
  std::uint64_t first = reserved_shared_bytes;
  for (const std::uint32_t kernel : kernels) first = std::max<std::uint64_t>(first, ends_[kernel]);
  if (first != reserved_shared_bytes) first += gap;
  first = std::min((first + alignment - 1) / alignment * alignment, furthest);
  const auto offset = static_cast<std::uint32_t>(first);
  const auto bytes = static_cast<std::uint32_t>(std::min(variable.bytes, furthest - first));
  for (const std::uint32_t kernel : kernels) {
    ends_[kernel] = offset + bytes;
    if (gap != 0)
      variables_[kernel].push_back({variable.name, offset - reserved_shared_bytes, bytes});
  }
  return offset;
}

}  // namespace pycuda::cpu::lower
