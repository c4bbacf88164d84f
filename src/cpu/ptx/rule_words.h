// SPDX-License-Identifier: MIT
// What the rules of instructions are written with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// Why no such form of an instruction exists: a sentence without its subject, or nothing.
using Broken = std::optional<std::string>;

inline Broken only_if(bool wanted, const char* what) {
  if (wanted) return std::nullopt;
  return what;
}

template <class Enum>
  requires std::is_enum_v<Enum>
bool is_one_of(Enum value, std::initializer_list<Enum> values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

inline bool is_integer(Type type) { return type >= Type::U8 && type <= Type::S64; }

inline bool has_any(const Modifiers& modifiers, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return modifiers.has(word); });
}

/// How many of the words are modifiers of the instruction.
inline std::size_t count(const Modifiers& modifiers,
                         std::initializer_list<std::string_view> words) {
  return static_cast<std::size_t>(std::count_if(
      words.begin(), words.end(), [&](std::string_view word) { return modifiers.has(word); }));
}

/// Calls `body` for each part of a list; ends, and is true, with the first for which that is true.
template <class Body>
bool any_part(std::string_view list, char between, Body body) {
  while (true) {
    const std::size_t end = list.find(between);
    if (body(list.substr(0, end))) return true;
    if (end == std::string_view::npos) return false;
    list.remove_prefix(end + 1);
  }
}

/// Whether a list has the word.
inline bool lists(std::string_view list, char between, std::string_view word) {
  return any_part(list, between, [&](std::string_view part) { return part == word; });
}

/// The modifier behind the opcode, without its dot: it names the operation of several opcodes.
inline std::string_view first_word(const Instruction& instruction) {
  std::string_view text = instruction.text;
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return {};
  text.remove_prefix(dot + 1);
  return text.substr(0, text.find('.'));
}

/// The register that the operand is, or null.
inline const Register* register_of(const Operand& operand, const Function& function) {
  return operand.kind == Operand::Kind::Register ? &function.registers[operand.reg] : nullptr;
}

/// Whether the operand is a register of so many bits, or no register, or missing.
inline bool has_bits(const Instruction& instruction, std::size_t operand, std::uint32_t bits,
                     const Function& function) {
  if (operand >= instruction.operands.size()) return true;
  const Operand& named = instruction.operands[operand];
  return named.kind != Operand::Kind::Register ||
         bits_of(function.registers[named.reg].type) == bits;
}

}  // namespace pycuda::cpu::ptx
