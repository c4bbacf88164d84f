// SPDX-License-Identifier: MIT
// Forms of instructions that a module has shown to have, so that the tables of forms are asked once
// for each: a module repeats a few forms thousands of times.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

/// A form is the opcode with its modifiers, the number of operands and whether the first is `_`.
class AcceptedForms {
 public:
  bool has(const Instruction& instruction) const {
    const auto found = by_text_.find(instruction.text);
    return found != by_text_.end() && (found->second & bit_of(instruction)) != 0;
  }
  void add(const Instruction& instruction) { by_text_[instruction.text] |= bit_of(instruction); }

 private:
  static std::uint64_t bit_of(const Instruction& instruction) {
    const auto& operands = instruction.operands;
    const bool is_unused = !operands.empty() && operands[0].kind == Operand::Kind::Sink;
    return std::uint64_t{1} << (2 * std::min(operands.size(), std::size_t{31}) + is_unused);
  }

  std::unordered_map<std::string, std::uint64_t> by_text_;
};

}  // namespace pycuda::cpu::ptx
