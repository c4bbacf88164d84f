// SPDX-License-Identifier: MIT
#include "cpu/ptx/order_rules.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "cpu/ptx/cursor.h"
#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {
namespace {

using Kind = Operand::Kind;

/// The words that fence.proxy has behind its kind of proxy, and its operands.
Broken proxy_fence(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (count(modifiers, {"alias", "async", "tensormap::generic", "async::generic"}) != 1)
    return "needs a kind of proxy, such as .alias";
  const bool is_ordered = modifiers.ordering != Ordering::Weak;
  const bool is_plain = !is_ordered && modifiers.scope == Scope::None;
  if (!modifiers.has("async") && modifiers.has_space)
    return "has a state space, and only .proxy.async has one";
  if (modifiers.has("alias") || modifiers.has("async")) {
    if (!is_plain) return "has a memory order or scope, and this proxy has none";
    if (!instruction.operands.empty()) return "has no operands";
    const bool names_shared = instruction.text.find(".shared::") != std::string::npos;
    return only_if(!modifiers.has_space || modifiers.space == Space::Global ||
                       (modifiers.space == Space::Shared && names_shared),
                   "has a state space beyond .global, .shared::cta and .shared::cluster");
  }
  const bool acquires = modifiers.ordering == Ordering::Acquire;
  if (!acquires && modifiers.ordering != Ordering::Release) return "needs .acquire or .release";
  if (modifiers.scope == Scope::None) return "needs a scope, such as .gpu";
  if (modifiers.has("async::generic")) return std::nullopt;  // as fences without a proxy
  if (!acquires) return only_if(instruction.operands.empty(), "has no operands with .release");
  return only_if(instruction.operands.size() == 2 &&
                     instruction.operands[1].kind == Kind::Integer &&
                     instruction.operands[1].bits == 128,
                 "takes an address and 128 as its size with .acquire");
}

/// .sync_restrict: what is acquired lies in the cluster's memory, what is released in the block's.
Broken restricted_fence(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const bool of_cluster = modifiers.has("sync_restrict::shared::cluster");
  const bool of_block = modifiers.has("sync_restrict::shared::cta");
  if (!of_cluster && !of_block)
    return only_if(!modifiers.has("async::generic"), "needs .sync_restrict with this proxy");
  if (!instruction.operands.empty()) return "has no operands";
  const Ordering wanted = of_cluster ? Ordering::Acquire : Ordering::Release;
  return only_if(
      of_cluster != of_block && modifiers.ordering == wanted && modifiers.scope == Scope::Cluster,
      "acquires of .shared::cluster or releases .shared::cta, both with .cluster");
}

Broken fence(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (modifiers.has("proxy")) {
    if (Broken broken = proxy_fence(instruction)) return broken;
    return restricted_fence(instruction);
  }
  if (modifiers.has_space) return "has no state space";
  if (!instruction.operands.empty()) return "has no operands";
  const Ordering order = modifiers.ordering;
  if (modifiers.has("mbarrier_init"))
    return only_if(order == Ordering::Release && modifiers.scope == Scope::Cluster,
                   "is written as fence.mbarrier_init.release.cluster");
  const std::string_view first = first_word(instruction);
  if (order == Ordering::Relaxed || order == Ordering::Mmio || first == "weak")
    return "has a memory order that fences do not have";
  if (modifiers.scope == Scope::None) return "needs a scope, such as .gpu";
  return restricted_fence(instruction);
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

constexpr std::uint64_t most_arrivals = (1U << 20U) - 1;

/// Arrivals release, waits acquire, counts of transactions do neither; within a block or cluster.
Broken order_of_barrier(const Modifiers& modifiers, bool arrives, bool waits) {
  const Ordering order = modifiers.ordering;
  if (order == Ordering::Weak)
    return only_if(modifiers.scope == Scope::None, "has a scope, which needs a memory order");
  if (modifiers.scope != Scope::Cta && modifiers.scope != Scope::Cluster)
    return "needs the scope .cta or .cluster with its memory order";
  const bool fits = order == Ordering::Relaxed || (arrives && order == Ordering::Release) ||
                    (waits && order == Ordering::Acquire);
  if (!fits) return "has a memory order that it does not have";
  return only_if(
      !modifiers.has("noComplete") || (order == Ordering::Release && modifiers.scope == Scope::Cta),
      "has .noComplete, which is for .release.cta");
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
  const bool counts = form == "expect_tx" || form == "complete_tx";
  if (modifiers.has("shared::cluster") && ((!arrives && !counts) || modifiers.has("noComplete")))
    return "of .shared::cluster only arrives or counts transactions";
  if (form == "test_wait" && instruction.operands.size() > 3) return "waits for no time";
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
  if (Broken broken = order_of_barrier(modifiers, arrives, waits)) return broken;
  if (form == "init" && instruction.operands.size() == 2 &&
      instruction.operands[1].kind == Kind::Integer &&
      (instruction.operands[1].bits == 0 || instruction.operands[1].bits > most_arrivals)) {
    return "awaits 1 to " + std::to_string(most_arrivals) + " arrivals";
  }
  if (arrives) {
    if (!has_bits(instruction, 2, 32, function)) return "takes a count of 32 bits";
    if (!modifiers.has("expect_tx") && instruction.operands.size() > 2 &&
        instruction.operands[2].kind == Kind::Integer &&
        (instruction.operands[2].bits == 0 || instruction.operands[2].bits > most_arrivals)) {
      return "counts 1 to " + std::to_string(most_arrivals) + " arrivals";
    }
    if (modifiers.has("noComplete") && instruction.operands.size() != 3)
      return "needs a count with .noComplete";
    if (modifiers.has("shared::cluster") && instruction.operands[0].kind == Kind::Register)
      return "of .shared::cluster has no state: its result is '_'";
    return only_if(has_bits(instruction, 0, 64, function), "has a state of 64 bits");
  }
  if (waits) {
    if (!has_bits(instruction, 2, modifiers.has("parity") ? 32 : 64, function))
      return modifiers.has("parity") ? "takes a parity of 32 bits" : "takes a state of 64 bits";
    if (modifiers.has("parity") && instruction.operands.size() > 2 &&
        instruction.operands[2].kind == Kind::Integer && instruction.operands[2].bits > 1) {
      return "waits for the parity 0 or 1";
    }
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
    case Opcode::griddepcontrol:
      return only_if(count(instruction.modifiers, {"wait", "launch_dependents"}) == 1,
                     "needs .wait or .launch_dependents");
    case Opcode::mbarrier:
      return transaction_barrier(instruction, function);
    case Opcode::cp:
      return asynchronous_copy(instruction);
    case Opcode::elect:
      if (!instruction.modifiers.sync) return "needs .sync";
      if (instruction.operands[0].kind != Kind::Pair)
        return "has a predicate as its second result, as in d|p";
      return only_if(has_bits(instruction, 1, 32, function), "takes a mask of 32 bits");
    case Opcode::match:
      return only_if(
          instruction.modifiers.vote == VoteMode::All || instruction.operands[0].kind != Kind::Pair,
          "has no predicate as a second result with .any");
    case Opcode::barrier:
      return cluster_barrier(instruction);
    default:
      return std::nullopt;
  }
}

}  // namespace pycuda::cpu::ptx
