// SPDX-License-Identifier: MIT
#include "cpu/simt/copy_kernels.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <optional>

#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/call_targets.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/special_values.h"
#include "cpu/simt/analysis/suspension.h"
#include "cpu/simt/analysis/warp_sites.h"
#include "cpu/simt/blocks/block_passes.h"
#include "cpu/simt/check_sites.h"
#include "cpu/simt/forms.h"
#include "cpu/simt/memory/memory_passes.h"
#include "cpu/simt/numbers/number_passes.h"
#include "cpu/simt/obstacles.h"
#include "cpu/simt/width/compile_cost.h"
#include "cpu/simt/width/gang_size.h"
#include "cpu/simt/width/register_pressure.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

namespace {

/// Modules with more instructions have many kernels, of which most are never launched: those that
/// are longer than the second number wait.
constexpr unsigned large_module = 10000;
/// Of the gangs whose width is our choice.
constexpr unsigned narrowest_chosen = 16;
constexpr unsigned longest_of_large_module = 500;

llvm::CallInst* next_inlinable(llvm::Function& function, const CallTargets& targets) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->isDeclaration() || targets.recurses(*callee)) continue;
    if (!callee->getName().starts_with(pseudo::update_prefix)) return call;
  }
  return nullptr;
}

llvm::Function* copy_of(llvm::Function& function, const llvm::Twine& name) {
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(&function, map);
  copy->setName(name);
  return copy;
}

enum class Inlined { All, TooLong, Impossible };

/// But for functions that call themselves.
Inlined inline_all(llvm::Function& function, const CallTargets& targets, unsigned longest) {
  do {
    while (llvm::CallInst* call = next_inlinable(function, targets)) {
      if (function.getInstructionCount() > longest) return Inlined::TooLong;
      llvm::InlineFunctionInfo info;
      if (!llvm::InlineFunction(*call, info).isSuccess()) return Inlined::Impossible;
    }
  } while (name_call_targets(function, targets));
  return function.getInstructionCount() <= longest ? Inlined::All : Inlined::TooLong;
}

/// What recognised functions left behind would count as the kernel's own.
void drop_dead(llvm::Function& function) {
  llvm::SmallVector<llvm::WeakTrackingVH, 64> all;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    all.emplace_back(&instruction);
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(all);
}

/// PTX's own vectors, of which single values are made before anything is widened.
bool is_of_vectors(const llvm::Instruction& instruction) {
  return instruction.getType()->isVectorTy() ||
         llvm::any_of(instruction.operand_values(),
                      [](const llvm::Value* operand) { return operand->getType()->isVectorTy(); });
}

/// For later, unless it is plain already that there is no vector form.
void postpone(const llvm::Function& kernel, const Suspension& suspension, KernelFacts& facts) {
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call && call->getCalledFunction() && !call->getCalledFunction()->isDeclaration()) continue;
    if (is_of_vectors(instruction)) continue;
    facts.scalar_reason = obstacle(instruction, suspension);
    if (!facts.scalar_reason.empty()) return;
  }
  facts.is_baseline = true;
}

/// Whether a kernel whose gangs are warps runs in blocks of whole ones alone.
bool has_whole_rows(KernelFacts facts, const std::optional<Forms>& forms) {
  facts.gang_lanes = warp_lanes;
  facts.gangs_are_warps = true;
  return !kept_forms(facts, forms).has(Form::Tails);
}

}  // namespace

std::vector<KernelVariant> copy_kernels(llvm::Module& module, std::vector<KernelFacts>& facts,
                                        const GangSizes& wanted, const std::optional<Forms>& forms,
                                        unsigned longest, const target::Processor& processor) {
  std::vector<KernelVariant> sources;
  const Suspension suspension(module);
  const CallTargets targets(module);
  if (longest <= longest_at_once && module.getInstructionCount() > large_module)
    longest = std::min(longest, longest_of_large_module);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    llvm::Function* kernel = module.getFunction("f." + facts[i].name);
    if (!kernel || kernel->isDeclaration() || facts[i].max_threads < narrowest_gang_row) continue;
    if (kernel->getInstructionCount() > longest) {
      postpone(*kernel, suspension, facts[i]);
      continue;
    }
    llvm::Function* copy = copy_of(*kernel, kernel->getName() + ".copy");
    const Inlined inlined = inline_all(*copy, targets, longest);
    if (inlined == Inlined::TooLong) postpone(*kernel, suspension, facts[i]);
    if (inlined == Inlined::All) {
      drop_dead(*copy);
      split_wide_integers(*copy);
      expand_barrier_reductions(*copy);
      unmark_inlined_accesses(*copy);
      facts[i].check_sites = number_check_sites(*copy);
      facts[i].line_width = literal_block_width(*copy);
      if (wanted.line != Line::None)
        lay_in_line(*copy, wanted.line, wanted.line == Line::OnePlane ? facts[i].line_width : 0);
      const bool warps = needs_warps(*copy);
      const bool choose = wanted.lanes == 0;
      unsigned chosen = wanted.lanes;
      std::optional<CompileCost> cost;
      if (choose) {
        cost.emplace(*copy);
        chosen = fit_registers(*copy, choose_lanes(*copy, facts[i]), processor.register_bytes);
        chosen = cost->fit(chosen, narrowest_chosen, processor.register_bytes);
        if (longest <= longest_at_once && !warps &&
            cost->time(chosen, processor.register_bytes) > longest_time_at_once) {
          copy->eraseFromParent();
          facts[i].is_baseline = true;
          continue;
        }
      }
      sources.push_back({copy, nullptr, i, warps ? warp_lanes : chosen, warps, choose});
      if (warps && wanted.line == Line::None && has_whole_rows(facts[i], forms))
        copy->addFnAttr(whole_rows);
      if (wanted.line != Line::None) continue;
      GangSize tile = wanted.tile.value_or(
          choose_tile(*copy, facts[i], wanted.lanes, processor.register_bytes));
      if (choose && !wanted.tile && tile.is_tile())
        tile.rows = cost->fit(tile.lanes(), tile.columns, processor.register_bytes) / tile.columns;
      if (warps || !tile.is_tile() || !reads_special_register(*copy, "tid.y")) continue;
      sources.push_back(
          {copy_of(*copy, kernel->getName() + ".tile.copy"), nullptr, i, tile, false, choose});
    } else {
      copy->eraseFromParent();
    }
  }
  for (KernelVariant& source : sources) source.processor = &processor;
  return sources;
}

}  // namespace pycuda::cpu::simt
