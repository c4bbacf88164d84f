// SPDX-License-Identifier: MIT
// Declarations of one name are merged here: PTX lets a module declare first and define later.
#include "cpu/ptx/parse_state.h"

#include <algorithm>
#include <unordered_set>

namespace pycuda::cpu::ptx {
namespace {

bool same_parameters(const std::vector<Parameter>& a, const std::vector<Parameter>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    // The declaration may be untyped where the definition is not; what is passed must have one
    // size.
    return x.bytes == y.bytes && x.is_array == y.is_array && x.vector == y.vector &&
           x.is_register == y.is_register && bits_of(x.type) == bits_of(y.type);
  });
}

bool same_signature(const Function& a, const Function& b) {
  return a.is_entry == b.is_entry && same_parameters(a.returns, b.returns) &&
         same_parameters(a.parameters, b.parameters);
}

Function header_of(const Function& function) {
  Function header;
  header.name = function.name;
  header.is_entry = function.is_entry;
  header.noreturn = function.noreturn;
  header.linkage = function.linkage;
  header.returns = function.returns;
  header.parameters = function.parameters;
  header.position = function.position;
  return header;
}

}  // namespace

SymbolRef ParseState::symbol(std::string_view name, SourcePosition position) {
  if (const auto found = symbols.find(name); found != symbols.end()) return found->second;
  const SymbolRef ref{SymbolRef::Kind::Function,
                      static_cast<std::uint32_t>(module.functions.size())};
  Function& function = module.functions.emplace_back();
  function.name = name;
  function.position = position;
  unknown.push_back({ref.index, position});
  symbols.emplace(name, ref);
  return ref;
}

void ParseState::declare_variable(Variable variable, std::string_view name) {
  const auto index = static_cast<std::uint32_t>(module.variables.size());
  const auto [found, is_new] =
      symbols.emplace(name, SymbolRef{SymbolRef::Kind::ModuleVariable, index});
  if (is_new) {
    module.variables.push_back(std::move(variable));
    return;
  }
  if (found->second.kind != SymbolRef::Kind::ModuleVariable) {
    const std::uint32_t function = found->second.index;
    const bool unknown_so_far =
        std::erase_if(unknown, [&](const auto& use) { return use.function == function; }) != 0;
    cursor.report(variable.position,
                  quoted(name) + (unknown_so_far ? " is used before it is declared"
                                                 : " is already the name of a function"));
    return;
  }
  Variable& known = module.variables[found->second.index];
  const bool known_extern = known.linkage == Linkage::Extern;
  const bool new_extern = variable.linkage == Linkage::Extern;
  if (!known_extern && !new_extern) {
    cursor.report(variable.position, quoted(name) + " is defined twice");
  } else if (known.space != variable.space || known.type != variable.type ||
             known.vector != variable.vector ||
             (known.bytes != variable.bytes && known.bytes != 0 && variable.bytes != 0)) {
    cursor.report(variable.position, quoted(name) + " differs from its earlier declaration");
  } else if (known_extern && (!new_extern || known.bytes == 0)) {
    variable.alignment = std::max(variable.alignment, known.alignment);
    known = std::move(variable);
  }
}

std::uint32_t ParseState::add_scoped_variable(Variable variable, std::string_view function) {
  const auto index = static_cast<std::uint32_t>(module.variables.size());
  variable.name = std::string(function) + '$' + variable.name;
  scoped.push_back(index);
  module.variables.push_back(std::move(variable));
  return index;
}

void ParseState::name_scoped_variables() {
  std::unordered_set<std::string> taken;
  for (const auto& [name, symbol] : symbols) taken.emplace(name);
  for (const std::uint32_t index : scoped) {
    const std::string wanted = module.variables[index].name;
    std::string name = wanted;
    for (unsigned number = 1; !taken.insert(name).second; ++number) {
      name = wanted + '$' + std::to_string(number);
    }
    module.variables[index].name = std::move(name);
  }
}

std::optional<std::uint32_t> ParseState::declare_function(const Function& header,
                                                          std::string_view name, bool has_body) {
  const auto index = static_cast<std::uint32_t>(module.functions.size());
  const auto [found, is_new] = symbols.emplace(name, SymbolRef{SymbolRef::Kind::Function, index});
  if (is_new) {
    module.functions.push_back(header_of(header));
    return index;
  }
  const auto complain = [&](const char* what) {
    cursor.report(header.position, quoted(name) + what);
    return std::nullopt;
  };
  if (found->second.kind != SymbolRef::Kind::Function) {
    return complain(" is already the name of a variable");
  }
  const std::uint32_t known_index = found->second.index;
  Function& known = module.functions[known_index];
  const auto use = std::find_if(unknown.begin(), unknown.end(),
                                [&](const auto& entry) { return entry.function == known_index; });
  if (use != unknown.end()) {
    unknown.erase(use);
    known = header_of(header);
    return known_index;
  }
  if (known.is_defined && has_body) return complain(" is defined twice");
  if (!same_signature(known, header)) {
    return complain(" differs in its parameters from its earlier declaration");
  }
  const Linkage earlier = known.linkage;
  const bool noreturn = known.noreturn || header.noreturn;
  if (has_body) known = header_of(header);
  known.noreturn = noreturn;
  if (known.linkage == Linkage::None && earlier != Linkage::Extern) known.linkage = earlier;
  return known_index;
}

}  // namespace pycuda::cpu::ptx
