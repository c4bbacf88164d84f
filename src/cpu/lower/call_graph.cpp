// SPDX-License-Identifier: MIT
// Reachability over the calls of a module.
#include "cpu/lower/call_graph.h"

#include <algorithm>

namespace pycuda::cpu::lower {

std::uint32_t resolve_alias(const ptx::Module& module, std::uint32_t function) {
  // An alias of an alias is legal; a circle of them is not, and ends after as many steps as there
  // are functions.
  for (std::size_t step = 0; step < module.functions.size() && module.functions[function].alias_of;
       ++step) {
    function = *module.functions[function].alias_of;
  }
  return function;
}

CallGraph::CallGraph(const ptx::Module& module)
    : nodes_(module.functions.size()),
      address_taken_(module.functions.size(), false),
      kernels_named_(module.functions.size(), false) {
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    Node& node = nodes_[i];
    for (const ptx::Instruction& instruction : module.functions[i].body) {
      for (const ptx::Operand& operand : instruction.operands) scan(module, node, operand, false);
      if (!instruction.call) continue;
      const ptx::Call& call = *instruction.call;
      scan(module, node, call.callee, true);
      if (call.callee.kind != ptx::Operand::Kind::Symbol) node.calls_indirectly = true;
      for (const ptx::Operand& operand : call.arguments) scan(module, node, operand, false);
      for (const std::uint32_t target : call.targets) take_address(module, target);
    }
  }
  for (const ptx::Variable& variable : module.variables) {
    for (const ptx::InitialAddress& initial : variable.initial_addresses) {
      if (initial.symbol.kind == ptx::SymbolRef::Kind::Function)
        take_address(module, initial.symbol.index);
    }
  }
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) recurses_.push_back(reaches_itself(i));
}

bool CallGraph::take_address(const ptx::Module& module, std::uint32_t function) {
  function = resolve_alias(module, function);
  const bool is_kernel = module.functions[function].is_entry;
  (is_kernel ? kernels_named_ : address_taken_)[function] = true;
  return !is_kernel;
}

void CallGraph::scan(const ptx::Module& module, Node& node, const ptx::Operand& operand,
                     bool is_callee) {
  if (operand.symbol) {
    if (operand.symbol->kind == ptx::SymbolRef::Kind::Function) {
      if (is_callee) {
        node.callees.push_back(resolve_alias(module, operand.symbol->index));
      } else if (take_address(module, operand.symbol->index)) {
        node.names_addresses = true;
      }
    } else if (operand.symbol->kind == ptx::SymbolRef::Kind::ModuleVariable) {
      node.variables.push_back(operand.symbol->index);
    }
  }
  for (const ptx::Operand& element : operand.elements) scan(module, node, element, false);
}

std::vector<std::uint32_t> CallGraph::reachable(std::uint32_t function) const {
  std::vector<bool> seen(nodes_.size(), false);
  std::vector<std::uint32_t> pending{function};
  seen[function] = true;
  const auto visit = [&](std::uint32_t next) {
    if (seen[next]) return;
    seen[next] = true;
    pending.push_back(next);
  };
  while (!pending.empty()) {
    const Node& node = nodes_[pending.back()];
    pending.pop_back();
    for (const std::uint32_t callee : node.callees) visit(callee);
    if (!node.calls_indirectly) continue;
    for (std::uint32_t i = 0; i < address_taken_.size(); ++i) {
      if (address_taken_[i]) visit(i);
    }
  }
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < seen.size(); ++i) {
    if (seen[i]) result.push_back(i);
  }
  return result;
}

bool CallGraph::uses_addresses(std::uint32_t function) const {
  const std::vector<std::uint32_t> reached = reachable(function);
  return std::any_of(reached.begin(), reached.end(), [&](std::uint32_t index) {
    return nodes_[index].calls_indirectly || nodes_[index].names_addresses;
  });
}

bool CallGraph::reaches_itself(std::uint32_t function) const {
  if (nodes_[function].callees.empty() && !nodes_[function].calls_indirectly) return false;
  const auto calls = [&](std::uint32_t caller) {
    const Node& node = nodes_[caller];
    return std::find(node.callees.begin(), node.callees.end(), function) != node.callees.end() ||
           (node.calls_indirectly && address_taken_[function]);
  };
  const std::vector<std::uint32_t> reached = reachable(function);
  return std::any_of(reached.begin(), reached.end(), calls);
}

}  // namespace pycuda::cpu::lower
