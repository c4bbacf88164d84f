// SPDX-License-Identifier: MIT
#include "cpu/ptx/cache_rules.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string_view>

#include "cpu/ptx/operand_kinds.h"
#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {
namespace {

using Kind = Operand::Kind;

/// How many modifiers begin so.
std::size_t count_beginning(const Modifiers& modifiers, std::string_view start) {
  return static_cast<std::size_t>(
      std::count_if(modifiers.others.begin(), modifiers.others.end(),
                    [&](const std::string& word) { return word.starts_with(start); }));
}

std::size_t operators(const Modifiers& modifiers) {
  return count(modifiers, {"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
}

std::size_t prefetched_sizes(const Modifiers& modifiers) {
  return count(modifiers, {"L2::64B", "L2::128B", "L2::256B"});
}

/// Whether the access goes where caches can be told what to do.
bool is_global(const Modifiers& modifiers) {
  return !modifiers.has_space || modifiers.space == Space::Global;
}

Broken hints(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const std::size_t near = count_beginning(modifiers, "L1::");
  const std::size_t far = count_beginning(modifiers, "L2::evict_");
  const std::size_t sizes = prefetched_sizes(modifiers);
  const bool has_policy = modifiers.has("L2::cache_hint");
  if (near + far + sizes == 0 && !has_policy) return std::nullopt;
  if (!is_global(modifiers)) return "has a hint for caches, which is for .global";
  if (near > 1 || far > 1 || sizes > 1) return "has two hints of one kind for a cache";
  if (sizes > 0 && instruction.opcode == Opcode::st) return "prefetches, which is for loads";
  const bool is_wide = modifiers.vector * bits_of(modifiers.type()) == 256;
  if (far > 0 && (!is_wide || modifiers.has("L2::evict_unchanged")))
    return "has an eviction priority of L2, which is for accesses of 256 bits";
  if (near > 0 && operators(modifiers) > 0)
    return "has an eviction priority, which excludes a cache operator";
  if (modifiers.mmio) return "has .mmio, which excludes hints for caches";
  return only_if(!modifiers.volatile_ || near + far == 0 || has_policy,
                 "has .volatile, which excludes an eviction priority");
}

/// ld and st: which words there are, and what excludes them.
Broken access(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const bool loads = instruction.opcode == Opcode::ld;
  if (count(modifiers, {"wb", "wt"}) > 0 && loads) return "has a cache operator of stores";
  if (count(modifiers, {"ca", "lu", "cv"}) > 0 && !loads) return "has a cache operator of loads";
  const bool is_ordered =
      modifiers.ordering != Ordering::Weak || modifiers.volatile_ || modifiers.mmio;
  if (operators(modifiers) > 0 && is_ordered)
    return "has a memory order, which excludes a cache operator";
  if (modifiers.nc && count(modifiers, {"cv", "lu"}) > 0)
    return "has a cache operator that .nc excludes";
  const bool says_weak = instruction.text.find(".weak") != std::string::npos;
  if (modifiers.nc && (is_ordered || says_weak)) return "has a memory order, which .nc excludes";
  const Space space = modifiers.has_space ? modifiers.space : Space::Generic;
  if (modifiers.volatile_ && (space == Space::Const || space == Space::Param))
    return "has .volatile, which this state space does not have";
  if (Broken broken = hints(instruction)) return broken;
  if (!modifiers.mmio) return std::nullopt;
  if (!modifiers.mmio_has_order) return "needs .relaxed with .mmio";
  if (modifiers.scope != Scope::Sys) return "needs the scope .sys with .mmio";
  return only_if(is_global(modifiers), "has .mmio, which is for .global");
}

/// atom and red can be given a policy, and nothing else about caches.
Broken atomic(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const bool has_policy = modifiers.has("L2::cache_hint");
  if (operators(modifiers) > 0 || count_beginning(modifiers, "L1::") > 0 ||
      count_beginning(modifiers, "L2::") > (has_policy ? 1U : 0U)) {
    return "has a hint for caches beyond .L2::cache_hint";
  }
  return only_if(!has_policy || is_global(modifiers), "has .L2::cache_hint, which is for .global");
}

/// How many operands ld, st, atom and red have, the policy of .L2::cache_hint the last of them.
Broken policy_operand(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  if (modifiers.has("async") || modifiers.has("bulk")) return std::nullopt;
  const bool has_policy = modifiers.has("L2::cache_hint");
  const std::size_t without =
      instruction.opcode != Opcode::atom ? 2 : (modifiers.atomic == AtomicOp::Cas ? 4 : 3);
  const std::size_t wanted = without + (has_policy ? 1 : 0);
  if (instruction.operands.size() != wanted)
    return "takes " + std::to_string(wanted) + " operands, not " +
           std::to_string(instruction.operands.size());
  return has_policy ? broken_kind('l', instruction.operands.back(), function) : std::nullopt;
}

/// Levels, and the state spaces that lie behind them.
Broken prefetch(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const Space space = modifiers.has_space ? modifiers.space : Space::Generic;
  if (modifiers.has("tensormap"))
    return only_if(space == Space::Generic || space == Space::Const || space == Space::Param,
                   "fetches a .tensormap of .const or .param only");
  const bool evicts = modifiers.has("L2::evict_last") || modifiers.has("L2::evict_normal");
  if (modifiers.others.size() != 1 || (count(modifiers, {"L1", "L2"}) != 1 && !evicts))
    return "needs a level of cache: .L1, .L2, .L2::evict_last or .L2::evict_normal";
  if (evicts)
    return only_if(space == Space::Generic || space == Space::Global,
                   "has an eviction priority, which is for .global");
  return only_if(space == Space::Generic || space == Space::Global || space == Space::Local,
                 "fetches from .global or .local only");
}

/// One priority or two, the second for what the fraction leaves out.
Broken priorities(const Modifiers& modifiers) {
  const std::size_t said = count_beginning(modifiers, "L2::evict_");
  if (said == 0) return "needs an eviction priority, such as .L2::evict_last";
  if (count_beginning(modifiers, "L1::") > 0 || said > 2) return "has a priority too much";
  if (said == 1) return std::nullopt;
  return only_if(is_one_of(modifiers.others.back(), {"L2::evict_first", "L2::evict_unchanged"}),
                 "has .L2::evict_first or .L2::evict_unchanged as its second priority");
}

/// More than 0, at most 1.
Broken fraction(const Instruction& instruction, const Function& function) {
  if (instruction.operands.size() < 2) return std::nullopt;
  const Operand& operand = instruction.operands[1];
  if (operand.kind == Kind::Register)
    return only_if(function.registers[operand.reg].type == Type::F32 ||
                       function.registers[operand.reg].type == Type::B32,
                   "takes its fraction as .f32");
  if (operand.kind != Kind::Float) return "takes its fraction as .f32";
  const double value =
      operand.literal == Type::F32
          ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits)))
          : std::bit_cast<double>(operand.bits);
  return only_if(value > 0 && value <= 1, "takes a fraction above 0 and up to 1");
}

Broken policy(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  const std::string_view form = first_word(instruction);
  if (!is_one_of(form, {"fractional", "range", "cvt"}))
    return "needs .fractional, .range or .cvt first";
  if (count(modifiers, {"fractional", "range", "cvt"}) != 1)
    return "is one of .fractional, .range and .cvt";
  if (form == "cvt") return only_if(modifiers.has("L2"), "needs .L2");
  if (Broken broken = priorities(modifiers)) return broken;
  if (form == "fractional") {
    if (modifiers.has_space) return "has no state space";
    return fraction(instruction, function);
  }
  if (modifiers.has_space && modifiers.space != Space::Global)
    return "is for ranges of .global only";
  if (instruction.operands.size() != 4) return "takes an address and two sizes";
  if (!has_bits(instruction, 2, 32, function) || !has_bits(instruction, 3, 32, function))
    return "takes sizes of 32 bits";
  const Operand& primary = instruction.operands[2];
  const Operand& total = instruction.operands[3];
  return only_if(
      primary.kind != Kind::Integer || total.kind != Kind::Integer ||
          static_cast<std::uint32_t>(primary.bits) <= static_cast<std::uint32_t>(total.bits),
      "has a primary size above the total size");
}

Broken priority_of_a_line(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (!is_global(modifiers)) return "is for .global only";
  if (instruction.operands[1].kind != Kind::Integer) return "takes its size as a constant";
  if (instruction.opcode == Opcode::discard) return only_if(modifiers.has("L2"), "needs .L2");
  return only_if(modifiers.others.size() == 1 && modifiers.has("L2::evict_normal"),
                 "needs .L2::evict_normal");
}

}  // namespace

Broken broken_cache_rule(const Instruction& instruction, const Function& function) {
  const bool is_of_line =
      instruction.opcode == Opcode::prefetch || instruction.opcode == Opcode::prefetchu ||
      instruction.opcode == Opcode::applypriority || instruction.opcode == Opcode::discard;
  if (is_of_line && instruction.operands[0].kind != Kind::Address)
    return "needs an address in brackets";
  switch (instruction.opcode) {
    case Opcode::ld:
    case Opcode::st:
      if (Broken broken = policy_operand(instruction, function)) return broken;
      return access(instruction);
    case Opcode::atom:
    case Opcode::red:
      if (Broken broken = policy_operand(instruction, function)) return broken;
      return atomic(instruction);
    case Opcode::prefetch:
      return prefetch(instruction);
    case Opcode::prefetchu:
      return only_if(instruction.modifiers.has("L1"), "needs .L1");
    case Opcode::createpolicy:
      return policy(instruction, function);
    case Opcode::applypriority:
    case Opcode::discard:
      return priority_of_a_line(instruction);
    default:
      return std::nullopt;
  }
}

}  // namespace pycuda::cpu::ptx
