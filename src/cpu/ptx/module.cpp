// SPDX-License-Identifier: MIT
// Looking things up in a module.
#include "cpu/ptx/module.h"

#include <algorithm>

namespace pycuda::cpu::ptx {
namespace {

template <class Table>
auto* find_named(Table& table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const auto& entry) { return entry.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace

bool Modifiers::has(std::string_view other) const {
  return std::find(others.begin(), others.end(), other) != others.end();
}

const Function* Module::find_function(std::string_view name) const {
  return find_named(functions, name);
}

const Variable* Module::find_variable(std::string_view name) const {
  return find_named(variables, name);
}

}  // namespace pycuda::cpu::ptx
