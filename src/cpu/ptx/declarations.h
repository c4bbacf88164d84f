// SPDX-License-Identifier: MIT
// Declarations of variables and parameters.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "cpu/ptx/parse_state.h"

namespace pycuda::cpu::ptx {

/// What stands between a state space and the names: `.attribute(.managed) .align 4 .v4 .f32`.
struct DeclarationHead {
  Type type = Type::None;
  std::uint8_t vector = 1;
  std::uint32_t alignment = 0;  ///< 0: none was written
  bool managed = false;

  std::uint64_t element_bytes() const { return std::uint64_t{bits_of(type)} / 8 * vector; }
};

DeclarationHead declaration_head(Cursor& cursor);

struct NamedVariable {
  std::string_view name;  ///< in the parsed text
  Variable variable;
};

/// The statement after the space's directive, with its `;`: names, dimensions, initialisers.
/// `declare` gets each variable when it is complete.
void variable_declarations(ParseState& state, Space space, Linkage linkage,
                           const std::function<void(NamedVariable)>& declare);

struct NamedParameter {
  std::string_view name;
  SourcePosition position;
  Parameter parameter;
};

/// `( .param ..., ... )`, the parentheses included.
std::vector<NamedParameter> parameter_list(ParseState& state);

}  // namespace pycuda::cpu::ptx
