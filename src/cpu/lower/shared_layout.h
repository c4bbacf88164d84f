// SPDX-License-Identifier: MIT
// Where the static .shared variables of a module lie in the shared window.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/kernel_abi/facts.h"
#include "cpu/lower/call_graph.h"
#include "cpu/ptx/module.h"

namespace pycuda::cpu::lower {

/// Every variable has one address for the whole module, behind the system's reserved_shared_bytes;
/// variables that no kernel can reach together may overlap, so that a kernel's window holds little
/// more than what it can reach.
class SharedLayout {
 public:
  /// `apart`: with gaps between variables, so that an index too large finds none of another.
  SharedLayout(const ptx::Module& module, const CallGraph& calls, bool apart);

  /// Address of a module-level variable.
  std::uint32_t module_offset(std::uint32_t variable) const { return module_offsets_[variable]; }
  /// Address of a variable of a function.
  std::uint32_t function_offset(std::uint32_t function, std::uint32_t variable) const {
    return function_offsets_[function][variable];
  }
  /// Bytes of static shared memory of a kernel, gaps included.
  std::uint32_t bytes(std::uint32_t kernel) const { return ends_[kernel] - reserved_shared_bytes; }
  /// What the kernel's variables need when nothing lies between them: less than `bytes` where a
  /// function's variables lie behind those of another kernel.
  std::uint64_t needed_bytes(std::uint32_t kernel) const {
    return needed_ends_[kernel] - reserved_shared_bytes;
  }
  /// What of them is there only because variables lie apart.
  std::uint32_t gap_bytes(std::uint32_t kernel) const { return gaps_[kernel]; }
  /// The kernel's variables when they lie apart, else none.
  const std::vector<SharedVariable>& variables(std::uint32_t kernel) const {
    return variables_[kernel];
  }
  /// The greatest alignment of dynamic shared variables that a kernel can reach, at least 16; 1
  /// where there are none.
  std::uint32_t dynamic_alignment(std::uint32_t kernel) const {
    return dynamic_alignments_[kernel];
  }

 private:
  using Kernels = std::vector<std::vector<std::uint32_t>>;
  void place_all(const ptx::Module& module, const Kernels& of_variables,
                 const Kernels& of_functions, std::uint32_t gap);
  std::uint32_t place(const ptx::Variable& variable, const std::vector<std::uint32_t>& kernels,
                      std::uint32_t gap);

  std::vector<std::uint32_t> module_offsets_;
  std::vector<std::vector<std::uint32_t>> function_offsets_;
  // By function.
  std::vector<std::uint32_t> ends_, gaps_, dynamic_alignments_;
  std::vector<std::uint64_t> needed_ends_;
  std::vector<std::vector<SharedVariable>> variables_;
  std::vector<bool> has_dynamic_;
};

/// `.extern .shared x[]`: memory whose size the launch gives. A declaration with a size has a place
/// of its own.
bool is_dynamic_shared(const ptx::Variable& variable);

/// Of what launches add to a kernel's shared memory, where it is `variable`: a power of two. With
/// several such variables it is as much as each of them needs.
std::uint32_t dynamic_shared_alignment(const ptx::Variable& variable);

}  // namespace pycuda::cpu::lower
