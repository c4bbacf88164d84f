// SPDX-License-Identifier: MIT
#include "cpu/jit/list_schedule.h"

#ifndef NDEBUG
#error "LLVM's schedulers have a member more without NDEBUG: compile this file with it"
#endif

#include <llvm/ADT/STLExtras.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineScheduler.h>
#include <llvm/CodeGen/ScheduleDAGInstrs.h>
#include <llvm/CodeGen/SchedulerRegistry.h>
#include <llvm/CodeGen/SelectionDAGISel.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/CommandLine.h>

#include <algorithm>

namespace pycuda::cpu::jit {
namespace {

constexpr const char* mark = "pycuda-long-arithmetic";
constexpr const char* name = "pycuda";

/// Half of the 450 to 510 instructions that large processors have under way.
constexpr unsigned far = 250;
constexpr unsigned register_bits = 512;

/// How many registers `type` takes if it is a vector of floating-point numbers in whole ones.
unsigned registers_of(const llvm::Type& type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  if (!vector || !vector->getElementType()->isFloatingPointTy()) return 0;
  return static_cast<unsigned>(vector->getPrimitiveSizeInBits()) / register_bits;
}

/// Whether `block` is long, and mostly computes with what it has computed: sums and products of
/// what is loaded, as in matrix products, do not wait for one another.
bool is_long(const llvm::BasicBlock& block) {
  constexpr unsigned operations_for_a_load = 8;
  unsigned operations = 0, loads = 0;
  for (const llvm::Instruction& instruction : block) {
    const unsigned registers = registers_of(*instruction.getType());
    if (llvm::isa<llvm::LoadInst>(instruction)) loads += std::max(registers, 1u);
    if (llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::IntrinsicInst>(instruction))
      operations += registers;
  }
  return operations >= far && operations >= operations_for_a_load * loads;
}

llvm::ScheduleDAGSDNodes* select_order(llvm::SelectionDAGISel* selection,
                                       llvm::CodeGenOptLevel level) {
  return selection->MF->getFunction().hasFnAttribute(mark)
             ? llvm::createILPListDAGScheduler(selection, level)
             : llvm::createDefaultScheduler(selection, level);
}

class KeepsOrder final : public llvm::ScheduleDAGInstrs {
 public:
  using ScheduleDAGInstrs::ScheduleDAGInstrs;
  void schedule() override {}
};

llvm::ScheduleDAGInstrs* machine_order(llvm::MachineSchedContext* context) {
  if (context->MF->getFunction().hasFnAttribute(mark))
    return new KeepsOrder(*context->MF, context->MLI);
  llvm::ScheduleDAGInstrs* targets = context->PassConfig->createMachineScheduler(context);
  return targets ? targets : llvm::createGenericSchedLive(context);
}

/// An option that is a name in a registry.
void choose(llvm::StringRef option, llvm::StringRef value) {
  const auto& options = llvm::cl::getRegisteredOptions();
  const auto found = options.find(option);
  if (found != options.end()) found->second->addOccurrence(0, option, value);
}

}  // namespace

void mark_long_arithmetic(llvm::Module& module, bool takes_list_scheduler) {
  if (!takes_list_scheduler) return;
  for (llvm::Function& function : module) {
    if (llvm::any_of(function, is_long)) function.addFnAttr(mark);
  }
}

void schedule_long_arithmetic() {
  // They register themselves, and stay for the process.
  static const llvm::RegisterScheduler selection(name, "by the length of arithmetic", select_order);
  static const llvm::MachineSchedRegistry machine(name, "by the length of arithmetic",
                                                  machine_order);
  choose("pre-RA-sched", name);
  choose("misched", name);
}

}  // namespace pycuda::cpu::jit
