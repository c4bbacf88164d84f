// SPDX-License-Identifier: MIT
#include "cpu/jit/parts.h"

#include <algorithm>
#include <cstddef>

#include "cpu/lower/call_graph.h"

namespace pycuda::cpu::jit {
namespace {

/// Of two kernels with fewer instructions than this, both take hardly longer than one alone.
constexpr std::size_t small_module = 200;

bool initialisers_take_functions(const ptx::Module& parsed) {
  return std::any_of(
      parsed.variables.begin(), parsed.variables.end(), [&](const ptx::Variable& variable) {
        // Not those of kernels: they stand for kernels, and are no code.
        return std::any_of(variable.initial_addresses.begin(), variable.initial_addresses.end(),
                           [&](const auto& initial) {
                             return initial.symbol.kind == ptx::SymbolRef::Kind::Function &&
                                    !parsed.functions[initial.symbol.index].is_entry;
                           });
      });
}

}  // namespace

std::vector<Part> parts_of(const ptx::Module& parsed) {
  const lower::CallGraph calls(parsed);
  const bool at_once = initialisers_take_functions(parsed);
  std::vector<Part> parts;
  std::vector<std::string> all;
  constexpr std::size_t none = ~std::size_t{0};
  std::size_t together = none;
  std::size_t instructions = 0;
  for (std::uint32_t i = 0; i < parsed.functions.size(); ++i) {
    const ptx::Function& function = parsed.functions[i];
    instructions += function.body.size();
    if (!function.is_entry || !function.is_defined) continue;
    all.push_back(function.name);
    if (!calls.uses_addresses(i) && !calls.address_taken(i)) {
      parts.push_back({{function.name}, false, false});
      continue;
    }
    if (together == none) {
      together = parts.size();
      parts.push_back({{}, at_once, true});
    }
    parts[together].kernels.push_back(function.name);
  }
  const bool is_small = parts.size() == 2 && instructions < small_module;
  // Functions whose addresses variables hold, and that no kernel is known to call, come with all.
  if (parts.size() < 2 || is_small || (at_once && together == none))
    return {{std::move(all), at_once, at_once || together != none}};
  return parts;
}

}  // namespace pycuda::cpu::jit
