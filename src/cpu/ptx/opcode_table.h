// SPDX-License-Identifier: MIT
// What the parser knows of each opcode: opcode.def as a table.
#pragma once

#include <optional>
#include <string_view>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// Families of modifiers. A family gives a spelling its meaning: `.lo` is a Half for mul and a
/// Compare for setp.
enum class ModifierGroup : std::uint8_t {
  space,
  two_spaces,
  vector,
  round,
  integer_round,
  compare,
  bool_op,
  half,
  ordering,
  scope,
  level,
  atomic,
  popc,
  shuffle,
  vote,
  barrier,
  warp,
  shift,
  direction,
  permute,
  property,
  ftz,
  sat,
  satfinite,
  relu,
  nan,
  xorsign,
  abs,
  noftz,
  approx,
  full,
  uni,
  cc,
  to,
  sync,
  aligned,
  nc,
  shiftamt,
  read,
  volatile_,
  cache,
};

struct OpcodeFacts {
  std::string_view text;
  std::uint8_t min_operands, max_operands;
  std::uint8_t min_types, max_types;
  std::uint64_t types;   ///< set of Type
  std::uint64_t groups;  ///< set of ModifierGroup
  std::string_view
      words;  ///< further modifiers, separated by blanks, kept in Modifiers::others; "*": any word
};

const OpcodeFacts& facts_of(Opcode opcode);
std::optional<Opcode> find_opcode(std::string_view text);

/// A type by its name without the dot.
std::optional<Type> find_type(std::string_view name);

/// Of a set of ModifierGroup, those that the opcode does not have with a type: form.def.
std::uint64_t families_beyond(Opcode opcode, Type type, std::uint64_t families);

/// Whether a modifier, without its dot, is one of a set of ModifierGroup.
bool belongs_to(std::string_view word, std::uint64_t families);

/// Takes one modifier, without its dot, into `modifiers`. False when the opcode does not have it or
/// it contradicts an earlier one.
bool take_modifier(std::string_view word, const OpcodeFacts& facts, Modifiers& modifiers);

}  // namespace pycuda::cpu::ptx
