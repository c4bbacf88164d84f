// SPDX-License-Identifier: MIT
#include "cpu/ptx/video_rules.h"

#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {
namespace {

/// What is done with the third source behind the operation itself.
bool has_second_operation(const Modifiers& modifiers) {
  return modifiers.has("add") || modifiers.has("min") || modifiers.has("max");
}

bool has_selector(const Operand& operand) { return operand.selector.unit != Selector::Unit::None; }

/// One value of each register: what is merged into a part of the result cannot be combined, too.
Broken one_value(const Instruction& instruction) {
  if (instruction.operands.size() > 3 && has_selector(instruction.operands[3]))
    return "takes its third source as a whole";
  if (has_second_operation(instruction.modifiers) && instruction.operands.size() < 4)
    return "has a second operation, which needs a third source";
  if (has_selector(instruction.operands[0]) && has_second_operation(instruction.modifiers))
    return "has a part of a register as its result, which excludes a second operation";
  return std::nullopt;
}

/// Two or four values: the parts of the result are named from the highest to the lowest.
Broken several_values(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (instruction.operands.size() > 3 && has_selector(instruction.operands[3]))
    return "takes its third source as a whole";
  if (modifiers.sat && has_second_operation(modifiers)) return "has .sat, which excludes .add";
  for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
    if (instruction.operands[i].kind != Operand::Kind::Register || instruction.operands[i].offset)
      return "takes registers only";
  }
  const Selector& parts = instruction.operands[0].selector;
  for (unsigned i = 1; i < parts.count; ++i) {
    if (parts.indices[i] >= parts.indices[i - 1])
      return "names the parts of its result from the highest to the lowest, each once";
  }
  return std::nullopt;
}

/// vmad: one of the product and what is added is negated, and neither beside .po.
Broken negated_products(const Instruction& instruction) {
  const std::vector<Operand>& operands = instruction.operands;
  const bool negates_product = operands[1].negated || operands[2].negated;
  const bool negates_sum = operands.size() > 3 && operands[3].negated;
  if (negates_product && negates_sum) return "negates either the product or what is added";
  return only_if(!instruction.modifiers.has("po") || !(negates_product || negates_sum),
                 "has .po, which excludes negated sources");
}

}  // namespace

Broken broken_video_rule(const Instruction& instruction) {
  if (instruction.text.starts_with('v') && instruction.opcode != Opcode::vote) {
    for (const Operand& operand : instruction.operands)
      if (operand.component >= 0) return "takes registers and no components of vectors";
  }
  switch (instruction.opcode) {
    case Opcode::vshl:
    case Opcode::vshr:
      if (instruction.modifiers.shift == ShiftMode::None) return "needs .clamp or .wrap";
      return one_value(instruction);
    case Opcode::vmad:
      if (has_selector(instruction.operands[0])) return "has a register as a whole for its result";
      if (Broken broken = negated_products(instruction)) return broken;
      return one_value(instruction);
    case Opcode::vabsdiff:
    case Opcode::vadd:
    case Opcode::vmax:
    case Opcode::vmin:
    case Opcode::vset:
    case Opcode::vsub:
      return one_value(instruction);
    case Opcode::vabsdiff2:
    case Opcode::vabsdiff4:
    case Opcode::vadd2:
    case Opcode::vadd4:
    case Opcode::vavrg2:
    case Opcode::vavrg4:
    case Opcode::vmax2:
    case Opcode::vmax4:
    case Opcode::vmin2:
    case Opcode::vmin4:
    case Opcode::vset2:
    case Opcode::vset4:
    case Opcode::vsub2:
    case Opcode::vsub4:
      return several_values(instruction);
    default:
      return std::nullopt;
  }
}

}  // namespace pycuda::cpu::ptx
