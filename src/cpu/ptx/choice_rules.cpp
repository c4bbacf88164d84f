// SPDX-License-Identifier: MIT
#include "cpu/ptx/choice_rules.h"

#include <algorithm>
#include <string>

namespace pycuda::cpu::ptx {
namespace {

struct Choice {
  Opcode opcode;
  std::string_view words;
  std::size_t least;
};

struct With {
  Opcode opcode;
  std::string_view words, needed;
};

constexpr Choice choices[] = {
#define PTX_CHOICE(opcode, words, least) {Opcode::opcode, words, least},
#define PTX_WITH(opcode, words, needed)
#include "cpu/ptx/choice.def"
#undef PTX_CHOICE
#undef PTX_WITH
};

constexpr With pairs[] = {
#define PTX_CHOICE(opcode, words, least)
#define PTX_WITH(opcode, words, needed) {Opcode::opcode, words, needed},
#include "cpu/ptx/choice.def"
#undef PTX_CHOICE
#undef PTX_WITH
};

/// How many of the instruction's modifiers and types a list has.
std::size_t count_of(const Instruction& instruction, std::string_view list, char separator) {
  std::size_t result = 0;
  bool is_opcode = true;
  any_part(instruction.text, '.', [&](std::string_view word) {
    if (!is_opcode && lists(list, separator, word)) ++result;
    is_opcode = false;
    return false;
  });
  return result;
}

/// `a b c` as ".a, .b or .c".
std::string spelled(std::string_view list, char separator) {
  std::string result;
  while (true) {
    const std::size_t end = list.find(separator);
    const bool is_last = end == std::string_view::npos;
    if (!result.empty()) result += is_last ? " or " : ", ";
    result += '.' + std::string(list.substr(0, end));
    if (is_last) return result;
    list.remove_prefix(end + 1);
  }
}

}  // namespace

Broken broken_choice_rule(const Instruction& instruction) {
  for (const Choice& choice : choices) {
    if (choice.opcode != instruction.opcode) continue;
    const std::size_t has = count_of(instruction, choice.words, ' ');
    if (has < choice.least) return "needs " + spelled(choice.words, ' ');
    if (has > 1) return "has more than one of " + spelled(choice.words, ' ');
  }
  for (const With& pair : pairs) {
    if (pair.opcode != instruction.opcode) continue;
    if (count_of(instruction, pair.words, '|') > 0 && count_of(instruction, pair.needed, '|') == 0)
      return "has " + spelled(pair.words, '|') + " without " + spelled(pair.needed, '|');
  }
  return std::nullopt;
}

}  // namespace pycuda::cpu::ptx
