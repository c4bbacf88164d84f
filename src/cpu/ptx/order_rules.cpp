// SPDX-License-Identifier: MIT
#include "cpu/ptx/order_rules.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "cpu/ptx/cursor.h"

namespace pycuda::cpu::ptx {
namespace {

using Broken = std::optional<std::string>;
using Kind = Operand::Kind;

Broken only_if(bool wanted, const char* what) {
  if (wanted) return std::nullopt;
  return what;
}

/// The modifier behind the opcode, without its dot: it names the operation of several opcodes.
std::string_view first_word(const Instruction& instruction) {
  std::string_view text = instruction.text;
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return {};
  text.remove_prefix(dot + 1);
  return text.substr(0, text.find('.'));
}

std::size_t count(const Modifiers& modifiers, std::initializer_list<std::string_view> words) {
  return static_cast<std::size_t>(std::count_if(
      words.begin(), words.end(), [&](std::string_view word) { return modifiers.has(word); }));
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// A register of so many bits, or what is no register.
bool has_bits(const Instruction& instruction, std::size_t operand, std::uint32_t bits,
              const Function& function) {
  if (operand >= instruction.operands.size()) return true;
  const Operand& named = instruction.operands[operand];
  return named.kind != Kind::Register || bits_of(function.registers[named.reg].type) == bits;
}

Broken proxy_fence(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (count(modifiers, {"alias", "async", "tensormap::generic", "async::generic"}) != 1)
    return "needs a kind of proxy, such as .alias";
  if (modifiers.has_space && (!modifiers.has("async") || (modifiers.space != Space::Global &&
                                                          modifiers.space != Space::Shared))) {
    return "has a state space, and only .proxy.async of .global or .shared has one";
  }
  if (instruction.operands.size() < 2) return std::nullopt;
  return only_if(
      instruction.operands[1].kind == Kind::Integer && instruction.operands[1].bits == 128,
      "takes 128 as its size");
}

Broken fence(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (modifiers.has("proxy")) return proxy_fence(instruction);
  if (modifiers.has_space) return "has no state space";
  if (!instruction.operands.empty()) return "has no operands";
  const Ordering order = modifiers.ordering;
  if (modifiers.has("mbarrier_init"))
    return only_if(order == Ordering::Release && modifiers.scope == Scope::Cluster,
                   "is written as fence.mbarrier_init.release.cluster");
  const std::string_view first = first_word(instruction);
  if (order == Ordering::Relaxed || order == Ordering::Mmio || first == "weak")
    return "has a memory order that fences do not have";
  return only_if(modifiers.scope != Scope::None, "needs a scope, such as .gpu");
}

Broken membar(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (!instruction.operands.empty()) return "has no operands";
  if (modifiers.has_space) return "has no state space";
  if (modifiers.has("proxy"))
    return only_if(count(modifiers, {"alias", "async"}) == 1,
                   "needs a kind of proxy, such as .alias");
  return only_if(modifiers.scope != Scope::None && modifiers.others.empty(),
                 "needs a level: .cta, .gl or .sys");
}

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

Broken policy(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const std::string_view form = first_word(instruction);
  if (!is_one_of(form, {"fractional", "range", "cvt"}))
    return "needs .fractional, .range or .cvt first";
  if (count(modifiers, {"fractional", "range", "cvt"}) != 1)
    return "is one of .fractional, .range and .cvt";
  if (form == "cvt") return only_if(modifiers.has("L2"), "needs .L2");
  const bool evicts =
      std::any_of(modifiers.others.begin(), modifiers.others.end(),
                  [](const std::string& word) { return word.starts_with("L2::evict_"); });
  if (!evicts) return "needs an eviction priority, such as .L2::evict_last";
  if (form == "fractional") return only_if(!modifiers.has_space, "has no state space");
  if (modifiers.has_space && modifiers.space != Space::Global)
    return "is for ranges of .global only";
  return only_if(instruction.operands.size() == 4, "takes an address and two sizes");
}

Broken transaction_barrier(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  const std::string_view form = first_word(instruction);
  if (!is_one_of(form, {"init", "inval", "arrive", "arrive_drop", "test_wait", "try_wait",
                        "pending_count", "expect_tx", "complete_tx"})) {
    return "needs its operation first, such as .init";
  }
  if (form == "pending_count") {
    if (modifiers.has_space) return "has no state space";
    return only_if(has_bits(instruction, 0, 32, function) && has_bits(instruction, 1, 64, function),
                   "counts in 32 bits what a state of 64 bits awaits");
  }
  if (modifiers.has_space && modifiers.space != Space::Shared) return "lies in .shared only";
  const bool arrives = form == "arrive" || form == "arrive_drop";
  const bool waits = form == "test_wait" || form == "try_wait";
  const bool has_result = arrives || waits;
  const std::size_t address = has_result ? 1 : 0;
  if (instruction.operands.size() > address &&
      instruction.operands[address].kind == Kind::Address) {
    const Operand& named = instruction.operands[address];
    if (!modifiers.has_space && named.has_register_base &&
        bits_of(function.registers[named.reg].type) != 64) {
      return "needs an address of 64 bits, and " + quoted(function.registers[named.reg].name) +
             " is ." + std::string(name_of(function.registers[named.reg].type));
    }
  }
  if (modifiers.ordering != Ordering::Weak && modifiers.scope == Scope::None)
    return "needs a scope, such as .cta, with its memory order";
  if (arrives) {
    if (modifiers.has("noComplete") && instruction.operands.size() != 3)
      return "needs a count with .noComplete";
    if (modifiers.ordering == Ordering::Acquire) return "releases, or has no memory order";
    if (modifiers.has("shared::cluster") && instruction.operands[0].kind == Kind::Register)
      return "of .shared::cluster has no state: its result is '_'";
    return only_if(has_bits(instruction, 0, 64, function), "has a state of 64 bits");
  }
  if (waits) {
    if (!has_bits(instruction, 2, modifiers.has("parity") ? 32 : 64, function))
      return modifiers.has("parity") ? "takes a parity of 32 bits" : "takes a state of 64 bits";
    return only_if(has_bits(instruction, 3, 32, function), "waits for a time of 32 bits");
  }
  return only_if(has_bits(instruction, 1, 32, function), "takes a count of 32 bits");
}

/// cp.async without .bulk: its words in their order, and no types but for .mbarrier.
Broken asynchronous_copy(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const std::string_view text = instruction.text;
  if (!text.starts_with("cp.async") && !text.starts_with("cp.reduce")) return "needs .async first";
  if (modifiers.has("bulk")) return std::nullopt;
  const auto hints = [](const std::string& word) { return word.starts_with("L2::"); };
  const std::size_t words =
      modifiers.others.size() - static_cast<std::size_t>(std::count_if(
                                    modifiers.others.begin(), modifiers.others.end(), hints));
  if (modifiers.has("mbarrier")) {
    const bool counts = modifiers.has("noinc");
    return only_if(text.starts_with("cp.async.mbarrier.arrive") && words == (counts ? 4 : 3) &&
                       modifiers.types == std::vector{Type::B64},
                   "is written as cp.async.mbarrier.arrive, .noinc if need be, and .b64");
  }
  if (!modifiers.types.empty()) return "has no type";
  if (words != 2 || count(modifiers, {"ca", "cg", "commit_group", "wait_group", "wait_all"}) != 1)
    return "needs one of .ca, .cg, .commit_group, .wait_group and .wait_all";
  return std::nullopt;
}

/// ld and st: which operators of caches there are, and what excludes them.
Broken cached_access(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const bool loads = instruction.opcode == Opcode::ld;
  if (count(modifiers, {"wb", "wt"}) > 0 && loads) return "has a cache operator of stores";
  if (count(modifiers, {"ca", "lu", "cv"}) > 0 && !loads) return "has a cache operator of loads";
  const bool cached = count(modifiers, {"ca", "cg", "cs", "lu", "cv", "wb", "wt"}) > 0;
  if (cached && modifiers.ordering != Ordering::Weak)
    return "has a memory order, which excludes a cache operator";
  if (modifiers.nc && count(modifiers, {"cv", "lu"}) > 0)
    return "has a cache operator that .nc excludes";
  if (!modifiers.mmio) return std::nullopt;
  if (!modifiers.mmio_has_order) return "needs .relaxed with .mmio";
  if (modifiers.scope != Scope::Sys) return "needs the scope .sys with .mmio";
  return only_if(!modifiers.has_space || modifiers.space == Space::Global,
                 "has .mmio, which is for .global");
}

/// barrier.cluster, and what is for that one alone.
Broken cluster_barrier(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const Ordering order = modifiers.ordering;
  if (modifiers.scope != Scope::Cluster)
    return only_if(order == Ordering::Weak, "has a memory order, which is for .cluster");
  if (!instruction.operands.empty()) return "of a cluster has no operands";
  if (modifiers.has("wait"))
    return only_if(order == Ordering::Weak || order == Ordering::Acquire, "waits and acquires");
  if (modifiers.barrier != BarrierMode::Arrive) return "needs .arrive or .wait";
  return only_if(
      order == Ordering::Weak || order == Ordering::Relaxed || order == Ordering::Release,
      "arrives and releases");
}

}  // namespace

Broken broken_order_rule(const Instruction& instruction, const Function& function) {
  switch (instruction.opcode) {
    case Opcode::fence:
      return fence(instruction);
    case Opcode::membar:
      return membar(instruction);
    case Opcode::prefetch:
      return prefetch(instruction);
    case Opcode::prefetchu:
      return only_if(instruction.modifiers.has("L1"), "needs .L1");
    case Opcode::griddepcontrol:
      return only_if(count(instruction.modifiers, {"wait", "launch_dependents"}) == 1,
                     "needs .wait or .launch_dependents");
    case Opcode::createpolicy:
      return policy(instruction);
    case Opcode::mbarrier:
      return transaction_barrier(instruction, function);
    case Opcode::cp:
      return asynchronous_copy(instruction);
    case Opcode::ld:
    case Opcode::st:
      return cached_access(instruction);
    case Opcode::discard:
    case Opcode::applypriority:
      return only_if(
          !instruction.modifiers.has_space || instruction.modifiers.space == Space::Global,
          "is for .global only");
    case Opcode::elect:
      return only_if(instruction.modifiers.sync, "needs .sync");
    case Opcode::barrier:
      return cluster_barrier(instruction);
    default:
      return std::nullopt;
  }
}

}  // namespace pycuda::cpu::ptx
