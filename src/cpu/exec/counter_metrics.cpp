// SPDX-License-Identifier: MIT
#include "cpu/exec/counter_metrics.h"

#include <vector>

namespace pycuda::cpu::exec {
namespace {

// Where each family of metrics begins.
constexpr std::size_t global_requests = 0, global_sectors = 4, global_all = 8, global_ideal = 9,
                      local_requests = 10, local_sectors = 12, local_all = 14, shared_requests = 15,
                      shared_wavefronts = 18, shared_all = 21, shared_ideal = 22, classes = 23,
                      issued = classes + instruction_class_count;

/// Whether a device executes as many as the PTX has: else the name is one of our own.
enum class Likeness : std::uint8_t { Same, Other };

struct ClassName {
  InstructionClass kind;
  const char* name;
  Likeness likeness = Likeness::Same;
};
constexpr ClassName class_names[] = {
    {InstructionClass::Fadd, "fadd"},
    {InstructionClass::Fmul, "fmul"},
    {InstructionClass::Ffma, "ffma"},
    {InstructionClass::Fp32, "fp32"},
    {InstructionClass::Dadd, "dadd"},
    {InstructionClass::Dmul, "dmul"},
    {InstructionClass::Dfma, "dfma"},
    {InstructionClass::Fp64, "fp64"},
    {InstructionClass::Hadd, "hadd"},
    {InstructionClass::Hmul, "hmul"},
    {InstructionClass::Hfma, "hfma"},
    {InstructionClass::Fp16, "fp16"},
    {InstructionClass::Integer, "integer", Likeness::Other},
    {InstructionClass::Bit, "bit", Likeness::Other},
    {InstructionClass::Conversion, "conversion"},
    {InstructionClass::Control, "control", Likeness::Other},
    {InstructionClass::Memory, "memory", Likeness::Other},
    {InstructionClass::BetweenThreads, "inter_thread_communication"},
    {InstructionClass::Misc, "misc", Likeness::Other},
};

std::vector<std::string> make_names() {
  std::vector<std::string> names;
  const auto add = [&](const std::string& before, std::initializer_list<const char*> ops) {
    for (const char* const op : ops) names.push_back(before + op + ".sum");
  };
  add("l1tex__t_requests_pipe_lsu_mem_global_op_", {"ld", "st", "atom", "red"});
  add("l1tex__t_sectors_pipe_lsu_mem_global_op_", {"ld", "st", "atom", "red"});
  names.push_back("memory_l2_theoretical_sectors_global");
  names.push_back("memory_l2_theoretical_sectors_global_ideal");
  add("l1tex__t_requests_pipe_lsu_mem_local_op_", {"ld", "st"});
  add("l1tex__t_sectors_pipe_lsu_mem_local_op_", {"ld", "st"});
  names.push_back("memory_l2_theoretical_sectors_local");
  add("smsp__sass_inst_executed_op_shared_", {"ld", "st", "atom"});
  add("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_", {"ld", "st", "atom"});
  names.push_back("memory_l1_wavefronts_shared");
  names.push_back("memory_l1_wavefronts_shared_ideal");
  for (const ClassName& one : class_names) {
    const bool same = one.likeness == Likeness::Same;
    names.push_back(
        (same ? "smsp__sass_thread_inst_executed_op_" : "ptx_thread_inst_executed_op_") +
        std::string(one.name) + (same ? "_pred_on.sum" : "_pred_on"));
  }
  names.insert(names.end(),
               {"ptx_inst_executed", "ptx_thread_inst_executed", "ptx_thread_inst_executed_pred_on",
                "ptx_branches", "ptx_branches_divergent"});
  return names;
}

}  // namespace

std::span<const std::string> metric_names() {
  static const std::vector<std::string>& names = *new std::vector<std::string>(make_names());
  return names;
}

void add_access(Metrics& metrics, CountedSpace space, CountedOp op, const std::uint64_t* words) {
  const auto number = static_cast<std::size_t>(op);
  // Local and shared memory have no rows of their own for some.
  const std::size_t read_or_write = op == CountedOp::Load ? 0 : 1;
  const std::size_t shared = op == CountedOp::Reduction ? 2 : number;
  switch (space) {
    case CountedSpace::Global:
      metrics[global_requests + number] += words[0];
      metrics[global_sectors + number] += words[1];
      metrics[global_all] += words[1];
      metrics[global_ideal] += words[2];
      return;
    case CountedSpace::Local:
      metrics[local_requests + read_or_write] += words[0];
      metrics[local_sectors + read_or_write] += words[1];
      metrics[local_all] += words[1];
      return;
    default:
      metrics[shared_requests + shared] += words[0];
      metrics[shared_wavefronts + shared] += words[1];
      metrics[shared_all] += words[1];
      metrics[shared_ideal] += words[2];
  }
}

void add_branch(Metrics& metrics, const std::uint64_t* words) {
  metrics[issued + 3] += words[0];
  metrics[issued + 4] += words[1];
}

void add_instructions(Metrics& metrics, const CountedInstructions& some,
                      const std::uint64_t* words) {
  using Guard = CountedInstructions::Guard;
  const std::uint64_t threads = words[1] * some.count;
  if (some.guard != Guard::Holds) {
    metrics[issued] += words[0] * some.count;
    metrics[issued + 1] += threads;
  }
  if (some.guard == Guard::Issued) return;
  metrics[issued + 2] += threads;
  metrics[classes + static_cast<std::size_t>(some.kind)] += threads;
  using enum InstructionClass;
  const auto is_one_of = [&](InstructionClass first, InstructionClass behind) {
    return some.kind >= first && some.kind < behind;
  };
  const auto add_to = [&](InstructionClass all) {
    metrics[classes + static_cast<std::size_t>(all)] += threads;
  };
  if (is_one_of(Fadd, Fp32)) add_to(Fp32);
  if (is_one_of(Dadd, Fp64)) add_to(Fp64);
  if (is_one_of(Hadd, Fp16)) add_to(Fp16);
}

}  // namespace pycuda::cpu::exec
