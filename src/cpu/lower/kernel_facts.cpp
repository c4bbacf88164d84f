// SPDX-License-Identifier: MIT
// Facts of kernels: parameters, memory, limits, and the estimates.
#include "cpu/lower/kernel_facts.h"

#include <algorithm>
#include <limits>

#include "cpu/ptx/device_runtime.h"

namespace pycuda::cpu::lower {

namespace {

template <class Visit>
void each_register(const ptx::Operand& operand, const Visit& visit) {
  const bool is_register =
      operand.kind == ptx::Operand::Kind::Register ||
      (operand.kind == ptx::Operand::Kind::Address && operand.has_register_base);
  if (is_register) visit(operand.reg);
  if (operand.element) visit(*operand.element);
  for (const ptx::Operand& element : operand.elements) each_register(element, visit);
}

template <class Visit>
void each_register(const ptx::Instruction& instruction, const Visit& visit) {
  if (instruction.guard) visit(*instruction.guard);
  for (const ptx::Operand& operand : instruction.operands) each_register(operand, visit);
  if (!instruction.call) return;
  each_register(instruction.call->callee, visit);
  for (const ptx::Operand& operand : instruction.call->results) each_register(operand, visit);
  for (const ptx::Operand& operand : instruction.call->arguments) each_register(operand, visit);
}

struct Range {
  std::uint32_t first = std::numeric_limits<std::uint32_t>::max(), last = 0;
  bool used() const { return first <= last; }
};

std::uint64_t local_bytes(const ptx::Function& function) {
  std::uint64_t bytes = 0;
  for (const ptx::Variable& variable : function.variables) {
    if (variable.space == ptx::Space::Local) bytes += variable.bytes;
  }
  return bytes;
}

bool branches_back(const ptx::Function& function) {
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    const ptx::Instruction& branch = function.body[i];
    const auto goes_back = [&](ptx::LabelId label) {
      return label < function.labels.size() && function.labels[label].instruction <= i;
    };
    const bool direct = branch.opcode == ptx::Opcode::bra && !branch.operands.empty();
    if (direct && goes_back(branch.operands[0].label)) return true;
    if (std::any_of(branch.targets.begin(), branch.targets.end(), goes_back)) return true;
  }
  return false;
}

}  // namespace

std::uint32_t register_estimate(const ptx::Function& function) {
  std::vector<Range> ranges(function.registers.size());
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    each_register(function.body[i], [&](ptx::RegisterId reg) {
      ranges[reg].first = std::min(ranges[reg].first, i);
      ranges[reg].last = std::max(ranges[reg].last, i);
    });
  }
  // A register that lives into a loop from outside lives to the loop's end.
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    const ptx::Instruction& branch = function.body[i];
    if (branch.opcode != ptx::Opcode::bra || branch.operands.empty()) continue;
    const ptx::LabelId label = branch.operands[0].label;
    if (label >= function.labels.size() || function.labels[label].instruction > i) continue;
    const std::uint32_t start = function.labels[label].instruction;
    for (Range& range : ranges) {
      if (range.used() && range.first < start && range.last >= start)
        range.last = std::max(range.last, i);
    }
  }
  std::vector<std::int64_t> change(function.body.size() + 1, 0);
  for (std::size_t reg = 0; reg < ranges.size(); ++reg) {
    if (!ranges[reg].used() || function.registers[reg].type == ptx::Type::Pred) continue;
    const std::int64_t words = std::max(1u, ptx::bits_of(function.registers[reg].type) / 32) *
                               static_cast<std::int64_t>(function.registers[reg].vector);
    change[ranges[reg].first] += words;
    change[ranges[reg].last] -= words;
  }
  std::int64_t live = 0, most = 0;
  for (const std::int64_t step : change) {
    live += step;
    most = std::max(most, live);
  }
  constexpr std::int64_t least = 16, limit = 255;
  return static_cast<std::uint32_t>(std::clamp(most, least, limit));
}

bool reads_reserved_shared(const ptx::Function& function) {
  const auto reads = [](const auto& self, const ptx::Operand& operand) -> bool {
    return operand.special == ptx::SpecialRegister::ReservedSharedOffset ||
           std::any_of(operand.elements.begin(), operand.elements.end(),
                       [&](const ptx::Operand& element) { return self(self, element); });
  };
  return std::any_of(function.body.begin(), function.body.end(), [&](const ptx::Instruction& one) {
    return std::any_of(one.operands.begin(), one.operands.end(),
                       [&](const ptx::Operand& operand) { return reads(reads, operand); });
  });
}

KernelFacts kernel_facts(const ModuleLowering& lowering, std::uint32_t kernel) {
  const ptx::Module& module = lowering.source();
  const ptx::Function& function = module.functions[kernel];
  KernelFacts facts;
  facts.name = function.name;
  const std::vector<std::uint32_t> offsets = parameter_offsets(function);
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    facts.parameters.push_back({offsets[i],
                                static_cast<std::uint32_t>(function.parameters[i].bytes),
                                std::max<std::uint32_t>(function.parameters[i].alignment, 1)});
  }
  facts.parameter_bytes = offsets.back();
  facts.static_shared_bytes = lowering.shared().bytes(kernel);
  facts.shared_gap_bytes = lowering.shared().gap_bytes(kernel);
  facts.shared_variables = lowering.shared().variables(kernel);
  facts.dynamic_shared_alignment = lowering.shared().dynamic_alignment(kernel);
  std::uint64_t callee_local = 0;
  std::uint32_t registers = 0;
  std::uint64_t instructions = 0;
  for (const std::uint32_t reached : lowering.calls().reachable(kernel)) {
    const ptx::Function& callee = module.functions[reached];
    if (reached != kernel) callee_local = std::max(callee_local, local_bytes(callee));
    registers = std::max(registers, register_estimate(callee));
    instructions += callee.body.size();
    if (!callee.is_defined) {
      if (const auto* called = ptx::find_linked_device_runtime(callee.name))
        (ptx::launches_graph(*called) ? facts.launches_graphs : facts.launches_kernels) = true;
    }
    facts.reads_reserved_shared |= reads_reserved_shared(callee);
    facts.loops = facts.loops || branches_back(callee) || lowering.calls().recurses(reached);
  }
  facts.launched_by_kernels = lowering.calls().kernel_named(kernel);
  facts.local_bytes = static_cast<std::uint32_t>(local_bytes(function) + callee_local);
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space == ptx::Space::Const)
      facts.const_bytes += static_cast<std::uint32_t>(variable.bytes);
  }
  facts.registers =
      function.max_registers ? std::min(registers, function.max_registers) : registers;
  const auto product = [](const std::uint32_t(&dim)[3]) {
    return std::max(1u, dim[0]) * std::max(1u, dim[1]) * std::max(1u, dim[2]);
  };
  if (function.required_block[0]) {
    facts.required_block = {function.required_block[0], std::max(1u, function.required_block[1]),
                            std::max(1u, function.required_block[2])};
    facts.max_threads = product(function.required_block);
  } else if (function.max_block[0]) {
    facts.max_threads = std::min(1024u, product(function.max_block));
  }
  facts.ptx_version = module.version_major * 10 + module.version_minor;
  facts.target = module.architecture;
  facts.cost = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(std::max<std::uint64_t>(instructions, 1), 1u << 30));
  for (const ptx::SourceFile& file : module.files) {
    constexpr std::uint32_t most_files = 1u << 16;
    if (file.number >= most_files) continue;
    if (facts.source_files.size() <= file.number) facts.source_files.resize(file.number + 1);
    facts.source_files[file.number] = file.name;
  }
  return facts;
}

}  // namespace pycuda::cpu::lower
