// SPDX-License-Identifier: MIT
#include "cpu/ptx/target_rules.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pycuda::cpu::ptx {
namespace {

struct Needs {
  std::uint16_t target = 0;   ///< the number behind "sm_"
  std::uint16_t version = 0;  ///< ten times that of PTX
};

struct Requirement {
  Opcode opcode;
  std::string_view words;
  Needs needs;
};

/// Of each line of requirement.def the lists take what is theirs.
#define PTX_NEEDS(opcode, words, target, version)
#define PTX_ALL_NEED(words, target, version)
#define PTX_ONLY_ON(opcode, words, targets)
#define PTX_ENDED(opcode, words, target, version)
#define PTX_TARGETS(targets, version)

constexpr Requirement requirements[] = {
#undef PTX_NEEDS
#define PTX_NEEDS(opcode, words, target, version) {Opcode::opcode, words, {target, version}},
#include "cpu/ptx/requirement.def"
#undef PTX_NEEDS
#define PTX_NEEDS(opcode, words, target, version)
};

constexpr Requirement ended[] = {
#undef PTX_ENDED
#define PTX_ENDED(opcode, words, target, version) {Opcode::opcode, words, {target, version}},
#include "cpu/ptx/requirement.def"
#undef PTX_ENDED
#define PTX_ENDED(opcode, words, target, version)
};

struct GeneralRequirement {
  std::string_view words;
  Needs needs;
};

constexpr GeneralRequirement general_requirements[] = {
#undef PTX_ALL_NEED
#define PTX_ALL_NEED(words, target, version) {words, {target, version}},
#include "cpu/ptx/requirement.def"
#undef PTX_ALL_NEED
#define PTX_ALL_NEED(words, target, version)
};

struct Exclusive {
  Opcode opcode;
  std::string_view words, targets;
};

constexpr Exclusive exclusives[] = {
#undef PTX_ONLY_ON
#define PTX_ONLY_ON(opcode, words, targets) {Opcode::opcode, words, targets},
#include "cpu/ptx/requirement.def"
#undef PTX_ONLY_ON
#define PTX_ONLY_ON(opcode, words, targets)
};

struct Targets {
  std::string_view names;
  std::uint32_t version;
};

constexpr Targets known_targets[] = {
#undef PTX_TARGETS
#define PTX_TARGETS(targets, version) {targets, version},
#include "cpu/ptx/requirement.def"
#undef PTX_TARGETS
};

#undef PTX_ONLY_ON
#undef PTX_NEEDS
#undef PTX_ALL_NEED
#undef PTX_ENDED

static_assert(std::ranges::is_sorted(requirements, {}, &Requirement::opcode));

using Words = std::vector<std::string_view>;

class Form {
 public:
  explicit Form(const Instruction& instruction) : instruction_(instruction) {
    any_part(instruction.text, '.', [&](std::string_view word) {
      words_.push_back(word);
      return false;
    });
  }

  bool fits(std::string_view condition) const {
    return condition.empty() ||
           !any_part(condition, ' ', [&](std::string_view word) { return !has_one_of(word); });
  }

 private:
  bool has_one_of(std::string_view words) const {
    return any_part(words, '|', [&](std::string_view word) { return has(word); });
  }

  bool has(std::string_view word) const {
    const std::vector<Operand>& operands = instruction_.operands;
    if (word == "#_") return !operands.empty() && operands[0].kind == Operand::Kind::Sink;
    if (word.front() == '#') return operands.size() >= static_cast<std::size_t>(word[1] - '0');
    if (word.front() == '~') return !has(word.substr(1));
    // The opcode is no modifier.
    auto from = words_.begin();
    return !any_part(word, '.', [&](std::string_view part) {
      from = std::find(from + 1, words_.end(), part);
      return from == words_.end();
    });
  }

  const Instruction& instruction_;
  Words words_;
};

Needs of_register(const Operand& operand) {
  using enum SpecialRegister;
  const SpecialRegister special = operand.special;
  if (special >= ClusterIdX && special <= IsExplicitCluster) return {90, 78};
  if (special == AggregateSharedSize) return {90, 81};
  if (special == ReservedSharedOffset) return {80, 76};
  if (special == CurrentGraphExec) return {50, 80};
  if (special == PerformanceMonitor && operand.index >= 8) return {50, 40};  // %pm0_64
  return {};
}

void raise(Needs& needs, const Needs& other) {
  needs.target = std::max(needs.target, other.target);
  needs.version = std::max(needs.version, other.version);
}

Needs needs_of(const Instruction& instruction, const Form& form) {
  Needs needs;
  for (const Requirement& one :
       std::ranges::equal_range(requirements, instruction.opcode, {}, &Requirement::opcode)) {
    if (form.fits(one.words)) raise(needs, one.needs);
  }
  for (const GeneralRequirement& one : general_requirements)
    if (form.fits(one.words)) raise(needs, one.needs);
  return needs;
}

std::string version_text(std::uint32_t version) {
  return std::to_string(version / 10) + '.' + std::to_string(version % 10);
}

std::uint32_t version_of(const Module& module) {
  return module.version_major * 10 + module.version_minor;
}

Broken unmet(const Needs& needs, const Module& module) {
  if (module.architecture != 0 && module.architecture < needs.target)
    return "needs the target sm_" + std::to_string(needs.target) +
           " or later, and the module's is " + module.target;
  const std::uint32_t version = version_of(module);
  if (version != 0 && version < needs.version)
    return "needs PTX " + version_text(needs.version) + " or later, and the module's version is " +
           version_text(version);
  return std::nullopt;
}

}  // namespace

Broken broken_version_rule(const Module& module) {
  const std::uint32_t version = version_of(module);
  for (const Targets& one : known_targets) {
    if (version == 0 || version >= one.version || !lists(one.names, ' ', module.target)) continue;
    return "the target " + module.target + " needs PTX " + version_text(one.version) +
           " or later, and the module's version is " + version_text(version);
  }
  return std::nullopt;
}

Broken broken_target_rule(const Instruction& instruction, const Module& module) {
  const Form form(instruction);
  if (Broken broken = unmet(needs_of(instruction, form), module)) return broken;
  const std::uint32_t version = version_of(module);
  for (const Requirement& one : ended) {
    if (one.opcode == instruction.opcode && form.fits(one.words) &&
        module.architecture >= one.needs.target && version >= one.needs.version) {
      return "has ended with the target sm_" + std::to_string(one.needs.target) + " and PTX " +
             version_text(one.needs.version) + ": use the form with .sync";
    }
  }
  for (const Exclusive& one : exclusives) {
    if (one.opcode == instruction.opcode && form.fits(one.words) &&
        !lists(one.targets, ' ', module.target)) {
      return "exists for the targets " + std::string(one.targets) + " alone, and the module's is " +
             module.target;
    }
  }
  return std::nullopt;
}

Broken broken_register_rule(const Instruction& instruction, const Module& module) {
  Needs needs;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind == Operand::Kind::Special) raise(needs, of_register(operand));
    for (const Operand& element : operand.elements)
      if (element.kind == Operand::Kind::Special) raise(needs, of_register(element));
  }
  return unmet(needs, module);
}

}  // namespace pycuda::cpu::ptx
