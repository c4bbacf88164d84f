// SPDX-License-Identifier: MIT
#include "cpu/jit/image.h"

#include <algorithm>
#include <cstring>

#include "cpu/lower/call_graph.h"

namespace pycuda::cpu::jit {
namespace {

bool lives_in_memory(const ptx::Variable& variable) {
  return variable.space == ptx::Space::Global || variable.space == ptx::Space::Const;
}

ptx::Diagnostic error_at(const ptx::Variable& variable, std::string message) {
  return {ptx::Diagnostic::Severity::Error, variable.position, std::move(message)};
}

ReferenceKind reference_of(const ptx::Variable& variable) {
  if (variable.type == ptx::Type::TexRef) return ReferenceKind::Texture;
  if (variable.type == ptx::Type::SamplerRef) return ReferenceKind::Sampler;
  return variable.type == ptx::Type::SurfRef ? ReferenceKind::Surface : ReferenceKind::None;
}

/// The symbol that an address in an initialiser means, or empty if it has none at load time.
std::string symbol_of(const ptx::Module& parsed, const ptx::SymbolRef& reference) {
  if (reference.kind == ptx::SymbolRef::Kind::Function) {
    const ptx::Function& function = parsed.functions[lower::resolve_alias(parsed, reference.index)];
    return function.is_entry ? kernel_symbol(function.name) : function_symbol(function.name);
  }
  if (reference.kind == ptx::SymbolRef::Kind::ModuleVariable) {
    const ptx::Variable& variable = parsed.variables[reference.index];
    if (lives_in_memory(variable)) return variable_symbol(variable.name);
  }
  return {};
}

}  // namespace

std::string variable_symbol(std::string_view name) { return "v." + std::string(name); }
std::string function_symbol(std::string_view name) { return "f." + std::string(name); }
std::string kernel_symbol(std::string_view name) { return "k." + std::string(name); }

base::Result<std::vector<VariableImage>, ptx::Diagnostics> images_of(const ptx::Module& parsed) {
  std::vector<VariableImage> images;
  ptx::Diagnostics errors;
  for (const ptx::Variable& variable : parsed.variables) {
    if (!lives_in_memory(variable)) continue;
    if (variable.linkage == ptx::Linkage::Extern) {
      errors.push_back(error_at(variable, "unresolved symbol '" + variable.name + "'"));
      continue;
    }
    VariableImage image;
    image.variable = {.name = variable.name,
                      .bytes = variable.bytes,
                      .alignment = std::max(variable.alignment, 1u),
                      .is_const = variable.space == ptx::Space::Const,
                      .is_managed = variable.managed,
                      .is_visible = variable.type < ptx::Type::TexRef,
                      .reference = reference_of(variable),
                      .properties = variable.properties};
    image.initial.assign(reinterpret_cast<const char*>(variable.initial.data()),
                         variable.initial.size());
    for (const ptx::InitialAddress& address : variable.initial_addresses) {
      std::string symbol = symbol_of(parsed, address.symbol);
      if (symbol.empty()) {
        errors.push_back(
            error_at(variable, "the initialiser of '" + variable.name +
                                   "' takes an address that differs from block to block"));
        continue;
      }
      image.relocations.push_back({.offset = address.offset,
                                   .bytes = address.bytes,
                                   .shift = address.shift,
                                   .addend = address.addend,
                                   .symbol = std::move(symbol)});
    }
    images.push_back(std::move(image));
  }
  if (!errors.empty()) return errors;
  return images;
}

void write_initial_value(const VariableImage& image, std::byte* memory,
                         const std::function<std::uint64_t(std::string_view)>& address_of) {
  std::memcpy(memory, image.initial.data(),
              std::min<std::size_t>(image.initial.size(), image.variable.bytes));
  for (const Relocation& relocation : image.relocations) {
    if (relocation.offset + relocation.bytes > image.variable.bytes) continue;
    const std::uint64_t value =
        (address_of(relocation.symbol) + static_cast<std::uint64_t>(relocation.addend)) >>
        relocation.shift;
    std::memcpy(memory + relocation.offset, &value,
                std::min<std::size_t>(relocation.bytes, sizeof value));
  }
}

}  // namespace pycuda::cpu::jit
