// SPDX-License-Identifier: MIT
#include "cpu/jit/llvm_passes.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Coroutines/CoroCleanup.h>
#include <llvm/Transforms/Coroutines/CoroEarly.h>
#include <llvm/Transforms/Coroutines/CoroSplit.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BreakCriticalEdges.h>
#include <llvm/Transforms/Utils/FixIrreducible.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/SimplifyCFGOptions.h>
#include <llvm/Transforms/Utils/UnifyFunctionExitNodes.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "cpu/jit/default_pipeline.h"
#include "cpu/jit/finishing_passes.h"
#include "cpu/jit/pass_analyses.h"
#include "cpu/simt/analysis/warp_sites.h"
#include "cpu/simt/blocks/plain_coroutines.h"
#include "cpu/simt/branches/branch_passes.h"
#include "cpu/simt/finished/finished_passes.h"

namespace pycuda::cpu::jit {
namespace {

using llvm::SROAOptions;

struct SafeStack : llvm::PassInfoMixin<SafeStack> {
  bool coroutines;  ///< these alone, or the other functions
  explicit SafeStack(bool of_coroutines) : coroutines(of_coroutines) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    if (function.isPresplitCoroutine() != coroutines ||
        !simt::use_safe_stack(function,
                              analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)))
      return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
};

/// Of all coroutines in `module` the most places at which one suspends; none: there are no
/// coroutines.
std::optional<std::size_t> most_suspensions(const llvm::Module& module) {
  std::optional<std::size_t> most;
  for (const llvm::Function& function : module) {
    if (function.isPresplitCoroutine())
      most = std::max(most.value_or(0), simt::suspensions_of(function));
  }
  return most;
}

/// Those that LLVM would take too long for. New functions are at the module's end.
void split_longest(llvm::Module& module) {
  constexpr std::size_t most = 200;
  for (llvm::Function& function : module) {
    if (function.isPresplitCoroutine() && simt::suspensions_of(function) > most)
      simt::split_plainly(function);
  }
}

void run(llvm::FunctionPassManager passes, llvm::Function& function, PassAnalyses& analyses) {
  passes.run(function, analyses.functions);
}

/// What is computed from few things LLVM computes again behind a suspension instead of keeping it:
/// less to store, but what it looks at for that grows with the square of the suspensions.
void split(llvm::Module& module, PassAnalyses& analyses) {
  constexpr std::size_t many = 32;
  llvm::createModuleToFunctionPassAdaptor(SafeStack(true)).run(module, analyses.modules);
  split_longest(module);
  analyses.modules.clear();
  const auto most = most_suspensions(module);
  if (!most) return;
  llvm::ModulePassManager passes;
  passes.addPass(llvm::CoroEarlyPass());
  std::function<bool(llvm::Instruction&)> compute_again = [](llvm::Instruction&) { return false; };
  if (*most < many) compute_again = recomputed_values();
  add(passes, llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::CoroSplitPass(compute_again)),
      llvm::CoroCleanupPass());
  passes.run(module, analyses.modules);
}

llvm::ScalarizerPass split_vectors() {
  llvm::ScalarizerPassOptions options;
  options.ScalarizeLoadStore = true;
  return llvm::ScalarizerPass(options);
}

/// In functions whose lanes exchange values in step, simplifycfg copies no blocks. It threads jumps
/// through copies: some lanes would make an access in one copy, and the others later in another.
llvm::SimplifyCFGPass simplify_branches(bool in_step) {
  return llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().setSimplifyCondBranch(!in_step));
}

/// Loops as the steps that widen them expect them.
void add_loop_forms(llvm::FunctionPassManager& passes) {
  add(passes, llvm::LoopSimplifyPass(), llvm::LCSSAPass(), llvm::BreakCriticalEdgesPass(),
      llvm::LoopSimplifyPass(), llvm::LCSSAPass());
}

/// fix-irreducible knows two-way branches alone: of switches it makes invalid code, without a word.
void add_structured_branches(llvm::FunctionPassManager& passes) {
  add(passes, llvm::LowerSwitchPass(), llvm::FixIrreduciblePass(),
      llvm::UnifyFunctionExitNodesPass());
}

/// Whether a variable that becomes a value would be chosen anew at so many edges of the control
/// flow that code for these choices, of all variables, would take longest: hundreds of jumps to one
/// place.
bool has_many_choices(const llvm::Function& function) {
  constexpr std::size_t many_edges = 8, most_choices = 100'000;
  std::size_t edges = 0, variables = 0;
  for (const llvm::BasicBlock& block : function) {
    const std::size_t to_block = llvm::pred_size(&block);
    if (to_block >= many_edges) edges += to_block;
  }
  for (const llvm::Instruction& instruction : function.getEntryBlock())
    variables += llvm::isa<llvm::AllocaInst>(instruction) ? 1 : 0;
  return edges * variables > most_choices;
}

/// Variables become values, where code for choices among these stays short.
struct FewChoices : llvm::PassInfoMixin<FewChoices> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    if (has_many_choices(function)) return llvm::PreservedAnalyses::all();
    return llvm::SROAPass(SROAOptions::ModifyCFG).run(function, analyses);
  }
};

void add_least(llvm::FunctionPassManager& passes) {
  add(passes, FewChoices(), llvm::EarlyCSEPass(), llvm::InstSimplifyPass(), llvm::ADCEPass());
}

llvm::FunctionPassManager least_clean_up(bool in_step) {
  llvm::FunctionPassManager passes;
  passes.addPass(simplify_branches(in_step));
  add_least(passes);
  return passes;
}

llvm::FunctionPassManager scalar_clean_up(bool in_step) {
  llvm::FunctionPassManager passes;
  add(passes, llvm::SROAPass(SROAOptions::ModifyCFG), llvm::EarlyCSEPass(/*UseMemorySSA=*/true),
      llvm::InstCombinePass(), simplify_branches(in_step), llvm::EarlyCSEPass(), llvm::ADCEPass(),
      simplify_branches(in_step));
  return passes;
}

void run_on_all(llvm::FunctionPassManager (*passes)(bool in_step), llvm::Module& module,
                PassAnalyses& analyses) {
  const auto in_step = simt::functions_in_step(module);
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) run(passes(in_step.contains(&function)), function, analyses);
  }
}

/// Nobody destroys a coroutine that is suspended: its memory is simply used again. So the clones
/// for that, each as long as the coroutine itself, go before anything looks at them.
void drop_destroyers(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    const llvm::StringRef name = function.getName();
    if (!function.hasLocalLinkage() || !(name.ends_with(".destroy") || name.ends_with(".cleanup")))
      continue;
    function.replaceAllUsesWith(llvm::ConstantPointerNull::get(function.getType()));
    function.eraseFromParent();
  }
}

/// Where pieces begin. Variables stay in the entry block, and phis at their block's start.
llvm::SmallVector<llvm::Instruction*, 16> cuts_of(llvm::BasicBlock& block, unsigned most) {
  llvm::SmallVector<llvm::Instruction*, 16> cuts;
  unsigned length = 0;
  for (llvm::Instruction& instruction : block) {
    if (llvm::isa<llvm::AllocaInst>(instruction)) cuts.clear();
    if (llvm::isa<llvm::AllocaInst, llvm::PHINode>(instruction)) continue;
    if (length == most && !instruction.isTerminator()) {
      cuts.push_back(&instruction);
      length = 0;
    }
    ++length;
  }
  return cuts;
}

}  // namespace

// From the end: what is moved is never longer than one piece.
void split_blocks(llvm::Function& function, unsigned most) {
  llvm::SmallVector<llvm::Instruction*, 64> cuts;
  for (llvm::BasicBlock& block : function) llvm::append_range(cuts, cuts_of(block, most));
  for (llvm::Instruction* cut : llvm::reverse(cuts))
    cut->getParent()->splitBasicBlock(cut->getIterator());
}

void shorten_all_blocks(llvm::Module& module) {
  constexpr unsigned most = 250;
  for (llvm::Function& function : module) split_blocks(function, most);
}

void clean_up_scalar(llvm::Module& module, llvm::TargetMachine& target, Effort effort) {
  PassAnalyses analyses(target);
  if (effort == Effort::Least) {
    // Edges are made shorter while there are no phis that each of them would have to look through.
    run_on_all(least_clean_up, module, analyses);
    shorten_all_blocks(module);
    return;
  }
  run_on_all(scalar_clean_up, module, analyses);
}

void prepare_for_gangs(llvm::ArrayRef<llvm::Function*> copies, llvm::TargetMachine& target) {
  if (copies.empty()) return;
  PassAnalyses analyses(target);
  for (llvm::Function* copy : copies) {
    const bool in_step = simt::exchanges_in_step(*copy);
    llvm::FunctionPassManager passes;
    add(passes, llvm::SROAPass(SROAOptions::ModifyCFG), llvm::EarlyCSEPass(/*UseMemorySSA=*/true),
        llvm::InstCombinePass(), simplify_branches(in_step), split_vectors(),
        llvm::InstCombinePass(), llvm::EarlyCSEPass(), llvm::ADCEPass(),
        simplify_branches(in_step));
    add_structured_branches(passes);
    run(std::move(passes), *copy, analyses);
    if (in_step && simt::join_latches(*copy))
      analyses.functions.invalidate(*copy, llvm::PreservedAnalyses::none());
    llvm::FunctionPassManager loops;
    add_loop_forms(loops);
    run(std::move(loops), *copy, analyses);
  }
}

void prepare_open_gangs(llvm::ArrayRef<llvm::Function*> copies, llvm::TargetMachine& target) {
  if (copies.empty()) return;
  PassAnalyses analyses(target);
  for (llvm::Function* copy : copies) {
    // No pass that folds branches: it would make one divergent branch of a uniform one and another.
    llvm::FunctionPassManager passes;
    add(passes, llvm::SROAPass(SROAOptions::ModifyCFG), llvm::InstCombinePass(), llvm::ADCEPass());
    add_structured_branches(passes);
    add_loop_forms(passes);
    run(std::move(passes), *copy, analyses);
  }
}

void vectorise_loops(llvm::Function& function, llvm::TargetMachine& target) {
  PassAnalyses analyses(target);
  llvm::LoopVectorizePass().run(function, analyses.functions);
}

void clean_up_gangs(llvm::ArrayRef<llvm::Function*> gangs, llvm::TargetMachine& target) {
  if (gangs.empty()) return;
  PassAnalyses analyses(target);
  for (llvm::Function* gang : gangs) {
    llvm::FunctionPassManager passes;
    add(passes, llvm::SROAPass(SROAOptions::ModifyCFG), llvm::ADCEPass(), llvm::EarlyCSEPass(),
        llvm::InstCombinePass(), simplify_branches(false), llvm::EarlyCSEPass(), llvm::ADCEPass(),
        simplify_branches(false));
    run(std::move(passes), *gang, analyses);
  }
}

void drop_unused_functions(llvm::Module& module, llvm::TargetMachine& target) {
  PassAnalyses analyses(target);
  llvm::GlobalDCEPass().run(module, analyses.modules);
}

void share_expressions(llvm::Module& module, llvm::TargetMachine& target) {
  PassAnalyses analyses(target);
  llvm::createModuleToFunctionPassAdaptor(llvm::EarlyCSEPass()).run(module, analyses.modules);
}

void drop_dead_code(llvm::Module& module, llvm::TargetMachine& target) {
  PassAnalyses analyses(target);
  llvm::FunctionPassManager passes;
  add(passes, llvm::InstSimplifyPass(), llvm::ADCEPass());
  llvm::createModuleToFunctionPassAdaptor(std::move(passes)).run(module, analyses.modules);
}

void split_coroutines(llvm::Module& module, llvm::TargetMachine& target) {
  PassAnalyses analyses(target);
  split(module, analyses);
  drop_destroyers(module);
}

void run_default_pipeline(llvm::Module& module, llvm::TargetMachine& target, Effort effort) {
  PassAnalyses analyses(target);
  default_pipeline(effort == Effort::Thorough).run(module, analyses.modules);
}

void run_least(llvm::Module& module, llvm::TargetMachine& target) {
  PassAnalyses analyses(target);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    llvm::FunctionPassManager passes;
    if (!simt::is_split_plainly(function)) add_least(passes);
    // The quick code generator tests the cases of a switch one after the other.
    passes.addPass(llvm::LowerSwitchPass());
    run(std::move(passes), function, analyses);
  }
}

void use_safe_stack(llvm::Module& module, llvm::TargetMachine& target) {
  PassAnalyses analyses(target);
  llvm::createModuleToFunctionPassAdaptor(SafeStack(false)).run(module, analyses.modules);
}

}  // namespace pycuda::cpu::jit
