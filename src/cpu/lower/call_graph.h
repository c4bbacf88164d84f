// SPDX-License-Identifier: MIT
// Analysis: which functions and shared variables a kernel can reach.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::lower {

/// The function that a name stands for in the end: itself, or what it is an alias of.
std::uint32_t resolve_alias(const ptx::Module& module, std::uint32_t function);

/// Reads a module once. An indirect call reaches every function whose address is taken anywhere in
/// the module.
class CallGraph {
 public:
  explicit CallGraph(const ptx::Module& module);

  /// The function itself and all that it may call, by index in Module::functions, ascending.
  std::vector<std::uint32_t> reachable(std::uint32_t function) const;
  /// Whether the function may call itself, at any depth.
  bool recurses(std::uint32_t function) const { return recurses_[function]; }
  /// Module-level variables that the function's own body names.
  const std::vector<std::uint32_t>& variables(std::uint32_t function) const {
    return nodes_[function].variables;
  }
  /// Of functions, not of kernels: kernels are not called.
  bool address_taken(std::uint32_t function) const { return address_taken_[function]; }
  /// Whether the kernel's address is taken anywhere in the module: it may be launched by a kernel.
  bool kernel_named(std::uint32_t kernel) const { return kernels_named_[kernel]; }
  /// Whether the function, or one that it reaches, calls through a pointer or names the address of
  /// a function: then it needs all functions whose address is taken.
  bool uses_addresses(std::uint32_t function) const;

 private:
  struct Node {
    std::vector<std::uint32_t> callees, variables;
    bool calls_indirectly = false;
    bool names_addresses = false;
  };
  void scan(const ptx::Module& module, Node& node, const ptx::Operand& operand, bool is_callee);
  /// False if `function` is a kernel.
  bool take_address(const ptx::Module& module, std::uint32_t function);
  bool reaches_itself(std::uint32_t function) const;

  std::vector<Node> nodes_;
  std::vector<bool> address_taken_, kernels_named_;
  std::vector<bool> recurses_;
};

}  // namespace pycuda::cpu::lower
