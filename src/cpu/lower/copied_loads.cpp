// SPDX-License-Identifier: MIT
#include "cpu/lower/copied_loads.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

namespace pycuda::cpu::lower {
namespace {

using Kind = ptx::Operand::Kind;

template <class Visit>
void each_register(const ptx::Operand& operand, Visit&& visit) {
  if (operand.kind == Kind::Register || operand.has_register_base) visit(operand.reg);
  if (operand.element) visit(*operand.element);
  for (const ptx::Operand& element : operand.elements) each_register(element, visit);
}

/// How often a register is named.
struct Uses {
  std::uint32_t all = 0, loaded = 0, stored = 0;
  bool is_copied() const { return stored != 0 && loaded != 0 && all == loaded + stored; }
};

bool is_load(const ptx::Instruction& instruction) {
  return instruction.opcode == ptx::Opcode::ld && instruction.operands.size() >= 2;
}

std::vector<Uses> count_uses(const ptx::Function& function) {
  std::vector<Uses> uses(function.registers.size());
  for (const ptx::Instruction& instruction : function.body) {
    if (instruction.guard) ++uses[*instruction.guard].all;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      each_register(instruction.operands[i], [&](ptx::RegisterId id) {
        ++uses[id].all;
        if (i == 0 && is_load(instruction)) ++uses[id].loaded;
        if (i == 1 && instruction.opcode == ptx::Opcode::st) ++uses[id].stored;
      });
    }
    if (instruction.call == nullptr) continue;
    const auto count = [&](ptx::RegisterId id) { ++uses[id].all; };
    each_register(instruction.call->callee, count);
    for (const ptx::Operand& operand : instruction.call->arguments) each_register(operand, count);
    for (const ptx::Operand& operand : instruction.call->results) each_register(operand, count);
  }
  return uses;
}

}  // namespace

std::vector<bool> find_copied_loads(const ptx::Function& function) {
  const std::vector<Uses> uses = count_uses(function);
  std::vector<bool> copied(function.body.size(), false);
  std::map<ptx::RegisterId, std::set<std::int64_t>> offsets;
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    const ptx::Instruction& instruction = function.body[i];
    if (!is_load(instruction) || !instruction.operands[1].has_register_base) continue;
    bool is_copied = true;
    each_register(instruction.operands[0],
                  [&](ptx::RegisterId id) { is_copied &= uses[id].is_copied(); });
    if (!is_copied) continue;
    copied[i] = true;
    offsets[instruction.operands[1].reg].insert(instruction.operands[1].offset);
  }
  for (std::size_t i = 0; i < function.body.size(); ++i) {
    if (!copied[i]) continue;
    const ptx::Instruction& load = function.body[i];
    // Of a structure whose members are known already, the gaps alone are read.
    const bool is_bytes = load.modifiers.vector > 1 && ptx::bits_of(load.modifiers.type()) == 8;
    copied[i] = is_bytes || offsets[load.operands[1].reg].size() > 1;
  }
  return copied;
}

}  // namespace pycuda::cpu::lower
