// SPDX-License-Identifier: MIT
#include "cpu/jit/pass_analyses.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/BasicAliasAnalysis.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/DemandedBits.h>
#include <llvm/Analysis/DominanceFrontier.h>
#include <llvm/Analysis/GlobalsModRef.h>
#include <llvm/Analysis/InlineAdvisor.h>
#include <llvm/Analysis/LazyCallGraph.h>
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemoryDependenceAnalysis.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/PhiValues.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ProfileSummaryInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScopedNoAliasAA.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/TypeBasedAliasAnalysis.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>

#include "base/log.h"
#include "cpu/variants/checkpoint.h"

namespace pycuda::cpu::jit {
namespace {

/// Analyses of one kind of unit that are made without arguments.
template <class... Analyses, class Manager>
void add(Manager& manager) {
  (manager.registerPass([] { return Analyses(); }), ...);
}

llvm::AAManager alias_analyses() {
  llvm::AAManager all;
  all.registerFunctionAnalysis<llvm::BasicAA>();
  all.registerFunctionAnalysis<llvm::ScopedNoAliasAA>();
  all.registerFunctionAnalysis<llvm::TypeBasedAA>();
  all.registerModuleAnalysis<llvm::GlobalsAA>();
  return all;
}

}  // namespace

PassAnalyses::PassAnalyses(llvm::TargetMachine& target) {
  callbacks_.registerBeforeNonSkippedPassCallback(
      [](llvm::StringRef, const llvm::Any&) { variants::checkpoint(); });
  if (base::log_level() >= base::LogLevel::Debug) times_.emplace(callbacks_);
  add_function_analyses(target);
  add_other_analyses();
  connect();
}

void PassAnalyses::add_function_analyses(llvm::TargetMachine& target) {
  llvm::TargetLibraryInfoImpl no_library(target.getTargetTriple());
  no_library.disableAllFunctions();
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(no_library); });
  functions.registerPass([&] { return target.getTargetIRAnalysis(); });
  functions.registerPass([] { return alias_analyses(); });
  add<llvm::BasicAA, llvm::ScopedNoAliasAA, llvm::TypeBasedAA>(functions);
  add<llvm::AssumptionAnalysis, llvm::DominatorTreeAnalysis, llvm::PostDominatorTreeAnalysis,
      llvm::DominanceFrontierAnalysis, llvm::LoopAnalysis, llvm::CycleAnalysis>(functions);
  add<llvm::ScalarEvolutionAnalysis, llvm::LoopAccessAnalysis, llvm::LazyValueAnalysis,
      llvm::DemandedBitsAnalysis, llvm::PhiValuesAnalysis>(functions);
  add<llvm::MemorySSAAnalysis, llvm::MemoryDependenceAnalysis>(functions);
  add<llvm::BranchProbabilityAnalysis, llvm::BlockFrequencyAnalysis,
      llvm::OptimizationRemarkEmitterAnalysis, llvm::ShouldNotRunFunctionPassesAnalysis,
      llvm::ShouldRunExtraVectorPasses>(functions);
}

void PassAnalyses::add_other_analyses() {
  add<llvm::CallGraphAnalysis, llvm::LazyCallGraphAnalysis, llvm::GlobalsAA,
      llvm::ProfileSummaryAnalysis, llvm::InlineAdvisorAnalysis>(modules);
  add<llvm::ShouldRunExtraSimpleLoopUnswitch>(loops);
}

/// Passes of one kind of unit ask about the units around and in it.
void PassAnalyses::connect() {
  const auto with_callbacks = [&](auto& manager) {
    manager.registerPass([&] { return llvm::PassInstrumentationAnalysis(&callbacks_); });
  };
  with_callbacks(modules);
  with_callbacks(components);
  with_callbacks(functions);
  with_callbacks(loops);
  modules.registerPass([&] { return llvm::FunctionAnalysisManagerModuleProxy(functions); });
  modules.registerPass([&] { return llvm::CGSCCAnalysisManagerModuleProxy(components); });
  components.registerPass([&] { return llvm::FunctionAnalysisManagerCGSCCProxy(); });
  components.registerPass([&] { return llvm::ModuleAnalysisManagerCGSCCProxy(modules); });
  functions.registerPass([&] { return llvm::CGSCCAnalysisManagerFunctionProxy(components); });
  functions.registerPass([&] { return llvm::ModuleAnalysisManagerFunctionProxy(modules); });
  functions.registerPass([&] { return llvm::LoopAnalysisManagerFunctionProxy(loops); });
  loops.registerPass([&] { return llvm::FunctionAnalysisManagerLoopProxy(functions); });
}

}  // namespace pycuda::cpu::jit
