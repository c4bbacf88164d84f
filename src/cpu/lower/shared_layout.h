// SPDX-License-Identifier: MIT
// Where the static .shared variables of a module lie in the shared window.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/lower/call_graph.h"
#include "cpu/ptx/module.h"

namespace pycuda::cpu::lower {

/// Every variable has one offset for the whole module; variables that no kernel can reach together
/// may overlap, so that a kernel's window holds little more than what it can reach.
class SharedLayout {
 public:
  SharedLayout(const ptx::Module& module, const CallGraph& calls);

  /// Offset of a module-level variable.
  std::uint32_t module_offset(std::uint32_t variable) const { return module_offsets_[variable]; }
  /// Offset of a variable of a function.
  std::uint32_t function_offset(std::uint32_t function, std::uint32_t variable) const {
    return function_offsets_[function][variable];
  }
  /// Bytes of static shared memory of a kernel.
  std::uint32_t bytes(std::uint32_t kernel) const { return ends_[kernel]; }
  /// The greatest alignment of dynamic shared variables that a kernel can reach, at least 16.
  std::uint32_t dynamic_alignment(std::uint32_t kernel) const {
    return dynamic_alignments_[kernel];
  }

 private:
  std::vector<std::uint32_t> module_offsets_;
  std::vector<std::vector<std::uint32_t>> function_offsets_;
  std::vector<std::uint32_t> ends_, dynamic_alignments_;  // by function
};

/// .extern .shared: memory whose size the launch gives.
bool is_dynamic_shared(const ptx::Variable& variable);

}  // namespace pycuda::cpu::lower
