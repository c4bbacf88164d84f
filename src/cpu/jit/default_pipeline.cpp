// SPDX-License-Identifier: MIT
#include "cpu/jit/default_pipeline.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/GlobalsModRef.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ProfileSummaryInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/AggressiveInstCombine/AggressiveInstCombine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/CalledValuePropagation.h>
#include <llvm/Transforms/IPO/ConstantMerge.h>
#include <llvm/Transforms/IPO/DeadArgumentElimination.h>
#include <llvm/Transforms/IPO/FunctionAttrs.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/GlobalOpt.h>
#include <llvm/Transforms/IPO/Inliner.h>
#include <llvm/Transforms/IPO/SCCP.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/AlignmentFromAssumptions.h>
#include <llvm/Transforms/Scalar/BDCE.h>
#include <llvm/Transforms/Scalar/ConstraintElimination.h>
#include <llvm/Transforms/Scalar/CorrelatedValuePropagation.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/DivRemPairs.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/Float2Int.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/InferAlignment.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopIdiomRecognize.h>
#include <llvm/Transforms/Scalar/LoopInstSimplify.h>
#include <llvm/Transforms/Scalar/LoopLoadElimination.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopSimplifyCFG.h>
#include <llvm/Transforms/Scalar/LoopSink.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/LowerConstantIntrinsics.h>
#include <llvm/Transforms/Scalar/LowerExpectIntrinsic.h>
#include <llvm/Transforms/Scalar/MemCpyOptimizer.h>
#include <llvm/Transforms/Scalar/MergedLoadStoreMotion.h>
#include <llvm/Transforms/Scalar/Reassociate.h>
#include <llvm/Transforms/Scalar/SCCP.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Scalar/TailRecursionElimination.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>
#include <llvm/Transforms/Utils/RelLookupTableConverter.h>
#include <llvm/Transforms/Utils/SimplifyCFGOptions.h>
#include <llvm/Transforms/Vectorize/VectorCombine.h>

#include <utility>

#include "cpu/jit/dump.h"
#include "cpu/jit/stages.h"

namespace pycuda::cpu::jit {
namespace {

using llvm::CGSCCPassManager;
using llvm::FunctionPassManager;
using llvm::LoopPassManager;
using llvm::ModulePassManager;
using llvm::SROAOptions;

constexpr unsigned thorough_speed = 2, quick_speed = 1;

struct InnerStepPass : llvm::PassInfoMixin<InnerStepPass> {
  const InnerStep* step;
  explicit InnerStepPass(const InnerStep& of) : step(&of) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    if (!step->run(function)) return llvm::PreservedAnalyses::all();
    dump_step(step->name, function);
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
};

void add_inner_steps(FunctionPassManager& passes, InnerStep::Point point) {
  for (const InnerStep& step : inner_steps()) {
    if (step.point == point) passes.addPass(InnerStepPass(step));
  }
}

void add_combining(FunctionPassManager& passes) {
  passes.addPass(llvm::InstCombinePass());
  add_inner_steps(passes, InnerStep::Point::Peephole);
}

/// What LLVM's vectoriser does to loops that it leaves as they are.
struct CanonicalLoopsPass : llvm::PassInfoMixin<CanonicalLoopsPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    if (loops.empty()) return llvm::PreservedAnalyses::all();
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
    auto& assumptions = analyses.getResult<llvm::AssumptionAnalysis>(function);
    bool changed = false;
    for (llvm::Loop* const loop : loops)
      changed |= llvm::simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions, nullptr,
                                    /*PreserveLCSSA=*/false);
    const bool reshaped = changed;
    for (llvm::Loop* const loop : loops.getLoopsInPreorder()) {
      if (loop->isInnermost())
        changed |= llvm::formLCSSARecursively(*loop, dominators, &loops, &evolution);
    }
    if (!changed) return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserve<llvm::LoopAnalysis>();
    kept.preserve<llvm::DominatorTreeAnalysis>();
    kept.preserve<llvm::ScalarEvolutionAnalysis>();
    if (!reshaped) kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
};

llvm::SimplifyCFGPass simplify_branches() {
  return llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().convertSwitchRangeToICmp(true));
}

llvm::LICMPass hoist_invariants(bool speculate) {
  const llvm::LICMOptions usual;
  return llvm::LICMPass(usual.MssaOptCap, usual.MssaNoAccForPromotionCap, speculate);
}

llvm::FunctionToLoopPassAdaptor on_loops(LoopPassManager passes) {
  return llvm::createFunctionToLoopPassAdaptor(std::move(passes));
}

void add_invariants(FunctionPassManager& passes) {
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(hoist_invariants(true),
                                                       /*UseMemorySSA=*/true));
}

/// The first pass over a kernel's loops, and the second, which unrolls the short ones.
void add_loop_simplifications(FunctionPassManager& passes, bool thorough) {
  LoopPassManager shaping;
  add(shaping, llvm::LoopInstSimplifyPass(), llvm::LoopSimplifyCFGPass(), hoist_invariants(false),
      llvm::LoopRotatePass(), hoist_invariants(true), llvm::SimpleLoopUnswitchPass());
  LoopPassManager counting;
  add(counting, llvm::LoopIdiomRecognizePass(), llvm::IndVarSimplifyPass());
  if (thorough) {
    llvm::ExtraSimpleLoopUnswitchPassManager again;
    again.addPass(llvm::SimpleLoopUnswitchPass());
    counting.addPass(std::move(again));
  }
  add(counting, llvm::LoopDeletionPass(),
      llvm::LoopFullUnrollPass(static_cast<int>(thorough ? thorough_speed : quick_speed)));
  add(passes,
      llvm::createFunctionToLoopPassAdaptor(std::move(shaping), /*UseMemorySSA=*/true,
                                            /*UseBlockFrequencyInfo=*/true),
      simplify_branches(), llvm::InstCombinePass(), on_loops(std::move(counting)),
      llvm::SROAPass(SROAOptions::ModifyCFG));
}

/// What one function is simplified by, once those that it calls have been.
FunctionPassManager simplifications(bool thorough) {
  FunctionPassManager passes;
  const auto add_thorough = [&](auto... more) {
    if (thorough) add(passes, std::move(more)...);
  };
  add(passes, llvm::SROAPass(SROAOptions::ModifyCFG), llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  add_thorough(llvm::JumpThreadingPass(), llvm::CorrelatedValuePropagationPass());
  add(passes, simplify_branches(), llvm::InstCombinePass());
  add_thorough(llvm::AggressiveInstCombinePass());
  add_inner_steps(passes, InnerStep::Point::Peephole);
  add_thorough(llvm::TailCallElimPass());
  add(passes, simplify_branches(), llvm::ReassociatePass());
  add_thorough(llvm::ConstraintEliminationPass());
  add_loop_simplifications(passes, thorough);
  add_thorough(llvm::VectorCombinePass(/*TryEarlyFoldsOnly=*/true),
               llvm::MergedLoadStoreMotionPass(), llvm::GVNPass());
  if (!thorough) add(passes, llvm::MemCpyOptPass());
  add(passes, llvm::SCCPPass(), llvm::BDCEPass());
  add_combining(passes);
  add_thorough(llvm::JumpThreadingPass(), llvm::CorrelatedValuePropagationPass());
  add(passes, llvm::ADCEPass());
  if (thorough) {
    add(passes, llvm::MemCpyOptPass(), llvm::DSEPass());
    add_invariants(passes);
  }
  add(passes, llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()
                                        .convertSwitchRangeToICmp(true)
                                        .hoistCommonInsts(thorough)
                                        .sinkCommonInsts(thorough)));
  add_combining(passes);
  return passes;
}

/// Callees into callers, from the leaves of the call graph on, and each simplified on the way.
void add_inlining(ModulePassManager& module, bool thorough) {
  constexpr unsigned repetitions = 4;  // as LLVM's, where a call's target becomes known
  llvm::ModuleInlinerWrapperPass inliner(
      llvm::getInlineParams(thorough ? thorough_speed : quick_speed, 0), /*MandatoryFirst=*/false,
      {llvm::ThinOrFullLTOPhase::None, llvm::InlinePass::CGSCCInliner},
      llvm::InliningAdvisorMode::Default, repetitions);
  inliner.addModulePass(llvm::RequireAnalysisPass<llvm::GlobalsAA, llvm::Module>());
  inliner.addModulePass(
      llvm::createModuleToFunctionPassAdaptor(llvm::InvalidateAnalysisPass<llvm::AAManager>()));
  inliner.addModulePass(llvm::RequireAnalysisPass<llvm::ProfileSummaryAnalysis, llvm::Module>());
  CGSCCPassManager& passes = inliner.getPM();
  add(passes, llvm::PostOrderFunctionAttrsPass(/*SkipNonRecursive=*/true),
      llvm::createCGSCCToFunctionPassAdaptor(simplifications(thorough), /*EagerlyInvalidate=*/true,
                                             /*NoRerun=*/true),
      llvm::PostOrderFunctionAttrsPass(),
      llvm::createCGSCCToFunctionPassAdaptor(
          llvm::RequireAnalysisPass<llvm::ShouldNotRunFunctionPassesAnalysis, llvm::Function>()));
  inliner.addLateModulePass(llvm::createModuleToFunctionPassAdaptor(
      llvm::InvalidateAnalysisPass<llvm::ShouldNotRunFunctionPassesAnalysis>()));
  module.addPass(std::move(inliner));
}

void add_to_all(ModulePassManager& module, FunctionPassManager passes) {
  module.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes),
                                                         /*EagerlyInvalidate=*/true));
}

void add_simplification(ModulePassManager& module, bool thorough) {
  FunctionPassManager early;
  add(early, llvm::LowerExpectIntrinsicPass(), llvm::SimplifyCFGPass(),
      llvm::SROAPass(SROAOptions::ModifyCFG), llvm::EarlyCSEPass());
  add_to_all(module, std::move(early));
  add(module, llvm::IPSCCPPass(llvm::IPSCCPOptions(/*AllowFuncSpec=*/true)),
      llvm::CalledValuePropagationPass(), llvm::GlobalOptPass());
  FunctionPassManager globals_known;
  globals_known.addPass(llvm::PromotePass());
  add_combining(globals_known);
  globals_known.addPass(simplify_branches());
  add_to_all(module, std::move(globals_known));
  module.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/true));
  add_inlining(module, thorough);
  add(module, llvm::DeadArgumentEliminationPass(), llvm::GlobalOptPass(), llvm::GlobalDCEPass());
}

void add_optimization(ModulePassManager& module, bool thorough) {
  add(module, llvm::ReversePostOrderFunctionAttrsPass(), llvm::RecomputeGlobalsAAPass());
  FunctionPassManager passes;
  add(passes, llvm::Float2IntPass(), llvm::LowerConstantIntrinsicsPass());
  add_inner_steps(passes, InnerStep::Point::VectorizerStart);
  LoopPassManager rotation;
  add(rotation, llvm::LoopRotatePass(), llvm::LoopDeletionPass());
  add(passes, on_loops(std::move(rotation)), CanonicalLoopsPass(), llvm::InferAlignmentPass(),
      llvm::LoopLoadEliminationPass(), llvm::InstCombinePass(),
      llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()
                                .forwardSwitchCondToPhi(true)
                                .convertSwitchRangeToICmp(true)
                                .convertSwitchToLookupTable(true)
                                .needCanonicalLoops(false)
                                .hoistCommonInsts(true)
                                .sinkCommonInsts(true)),
      llvm::VectorCombinePass(), llvm::InstCombinePass(),
      llvm::LoopUnrollPass(
          llvm::LoopUnrollOptions(static_cast<int>(thorough ? thorough_speed : quick_speed))),
      llvm::SROAPass(SROAOptions::PreserveCFG), llvm::InferAlignmentPass(),
      llvm::InstCombinePass());
  add_invariants(passes);
  add(passes, llvm::AlignmentFromAssumptionsPass(), llvm::LoopSinkPass(), llvm::InstSimplifyPass(),
      llvm::DivRemPairsPass(), llvm::TailCallElimPass(),
      llvm::SimplifyCFGPass(
          llvm::SimplifyCFGOptions().convertSwitchRangeToICmp(true).speculateUnpredictables(true)));
  add_to_all(module, std::move(passes));
  add(module, llvm::GlobalDCEPass(), llvm::ConstantMergePass(),
      llvm::RelLookupTableConverterPass());
}

}  // namespace

ModulePassManager default_pipeline(bool thorough) {
  ModulePassManager module;
  add_simplification(module, thorough);
  add_optimization(module, thorough);
  return module;
}

}  // namespace pycuda::cpu::jit
