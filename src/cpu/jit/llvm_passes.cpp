// SPDX-License-Identifier: MIT
#include "cpu/jit/llvm_passes.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/Error.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Coroutines/CoroCleanup.h>
#include <llvm/Transforms/Coroutines/CoroEarly.h>
#include <llvm/Transforms/Coroutines/CoroSplit.h>
#include <llvm/Transforms/Scalar/Scalarizer.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "cpu/jit/dump.h"
#include "cpu/jit/short_blocks.h"
#include "cpu/jit/stages.h"
#include "cpu/simt/lanes/joined_latches.h"
#include "cpu/simt/lanes/warp_sites.h"
#include "cpu/simt/plain_coroutines.h"
#include "cpu/simt/separate_arrays.h"
#include "cpu/variants/checkpoint.h"

namespace pycuda::cpu::jit {
namespace {

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

void add_inner_steps(llvm::FunctionPassManager& passes, InnerStep::Point point) {
  for (const InnerStep& step : inner_steps()) {
    if (step.point == point) passes.addPass(InnerStepPass(step));
  }
}

struct ArraysApart : llvm::PassInfoMixin<ArraysApart> {
  bool coroutines;  ///< these alone, or the other functions
  explicit ArraysApart(bool of_coroutines) : coroutines(of_coroutines) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    if (function.isPresplitCoroutine() != coroutines ||
        !simt::separate_arrays(function,
                               analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)))
      return llvm::PreservedAnalyses::all();
    llvm::PreservedAnalyses kept;
    kept.preserveSet<llvm::CFGAnalyses>();
    return kept;
  }
};

/// Of all coroutines in `module` the most places at which one suspends.
std::size_t most_suspensions(const llvm::Module& module) {
  std::size_t most = 0;
  for (const llvm::Function& function : module) {
    if (function.isPresplitCoroutine()) most = std::max(most, simt::suspensions_of(function));
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

/// The four analysis managers that a pass pipeline needs, wired up for one target.
class PassRun {
 public:
  explicit PassRun(llvm::TargetMachine& target)
      : builder_(&target, tuning(), std::nullopt, &callbacks_) {
    callbacks_.registerBeforeNonSkippedPassCallback(
        [](llvm::StringRef, const llvm::Any&) { variants::checkpoint(); });
    llvm::TargetLibraryInfoImpl no_library(target.getTargetTriple());
    no_library.disableAllFunctions();
    functions_.registerPass([&] { return llvm::TargetLibraryAnalysis(no_library); });
    builder_.registerModuleAnalyses(modules_);
    builder_.registerCGSCCAnalyses(components_);
    builder_.registerFunctionAnalyses(functions_);
    builder_.registerLoopAnalyses(loops_);
    builder_.crossRegisterProxies(loops_, functions_, components_, modules_);
  }

  void run(llvm::Module& module, llvm::StringRef pipeline) {
    llvm::ModulePassManager passes;
    llvm::cantFail(builder_.parsePassPipeline(passes, pipeline));
    passes.run(module, modules_);
  }

  void run(llvm::Function& function, llvm::StringRef pipeline) {
    llvm::FunctionPassManager passes;
    llvm::cantFail(builder_.parsePassPipeline(passes, pipeline));
    passes.run(function, functions_);
  }

  /// What is computed from few things LLVM computes again behind a suspension instead of keeping
  /// it: less to store, but what it looks at for that grows with the square of the suspensions.
  void split_coroutines(llvm::Module& module) {
    constexpr std::size_t many = 32;
    llvm::ModulePassManager passes;
    llvm::ModulePassManager before;
    before.addPass(llvm::createModuleToFunctionPassAdaptor(ArraysApart(true)));
    before.run(module, modules_);
    split_longest(module);
    modules_.clear();
    passes.addPass(llvm::CoroEarlyPass());
    const auto split = [&](llvm::CoroSplitPass pass) {
      passes.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(std::move(pass)));
    };
    if (most_suspensions(module) < many) {
      split(llvm::CoroSplitPass());
    } else {
      const auto compute_again = [](llvm::Instruction&) { return false; };
      split(llvm::CoroSplitPass(std::function<bool(llvm::Instruction&)>(compute_again)));
    }
    passes.addPass(llvm::CoroCleanupPass());
    passes.run(module, modules_);
  }

  void separate_arrays(llvm::Module& module) {
    llvm::ModulePassManager passes;
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(ArraysApart(false)));
    passes.run(module, modules_);
  }

  void join_latches(llvm::Function& function) {
    if (simt::join_latches(function))
      functions_.invalidate(function, llvm::PreservedAnalyses::none());
  }

  void split_vectors(llvm::Function& function) {
    llvm::ScalarizerPassOptions options;
    options.ScalarizeLoadStore = true;
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::ScalarizerPass(options));
    passes.run(function, functions_);
  }

  void run_default(llvm::Module& module, llvm::OptimizationLevel level) {
    builder_.registerPeepholeEPCallback(
        [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) {
          add_inner_steps(passes, InnerStep::Point::Peephole);
        });
    builder_.registerVectorizerStartEPCallback(
        [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) {
          add_inner_steps(passes, InnerStep::Point::VectorizerStart);
        });
    builder_.buildPerModuleDefaultPipeline(level).run(module, modules_);
  }

 private:
  /// The scalar path is an oracle: it must be right, and quick to compile. Vectors are the vector
  /// path's business.
  static llvm::PipelineTuningOptions tuning() {
    llvm::PipelineTuningOptions options;
    options.LoopVectorization = false;
    options.SLPVectorization = false;
    options.LoopInterleaving = false;
    return options;
  }

  llvm::PassInstrumentationCallbacks callbacks_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
  llvm::PassBuilder builder_;
};

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

/// Runs passes on a function whose lanes exchange values in step. There "simplifycfg" copies no
/// blocks. It threads jumps through copies: some lanes would make an access in one copy, and the
/// others later in another.
void run_in_step(PassRun& run, llvm::Function& function, llvm::StringRef pipeline) {
  llvm::SmallVector<llvm::StringRef> passes;
  pipeline.split(passes, ',');
  for (llvm::StringRef& pass : passes) {
    if (pass == "simplifycfg") pass = "simplifycfg<no-simplify-cond-branch>";
  }
  run.run(function, llvm::join(passes, ","));
}

void run_on_all(PassRun& run, llvm::Module& module, llvm::StringRef pipeline) {
  const auto in_step = simt::functions_in_step(module);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (in_step.contains(&function)) {
      run_in_step(run, function, pipeline);
    } else {
      run.run(function, pipeline);
    }
  }
}

}  // namespace

void shorten_all_blocks(llvm::Module& module) {
  constexpr unsigned most = 250;
  for (llvm::Function& function : module) shorten_blocks(function, most);
}

void clean_up_scalar(llvm::Module& module, llvm::TargetMachine& target, Effort effort) {
  if (effort == Effort::Least) {
    // Edges are made shorter while there are no phis that each of them would have to look through.
    PassRun run(target);
    run_on_all(run, module, "simplifycfg,sroa,early-cse,instsimplify,adce");
    shorten_all_blocks(module);
    return;
  }
  PassRun run(target);
  run_on_all(run, module,
             "sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,early-cse,adce,"
             "simplifycfg");
}

// fix-irreducible knows two-way branches alone: of switches it makes invalid code, without a word.
void prepare_for_gangs(llvm::ArrayRef<llvm::Function*> copies, llvm::TargetMachine& target) {
  if (copies.empty()) return;
  PassRun run(target);
  for (llvm::Function* copy : copies) {
    const bool in_step = simt::exchanges_in_step(*copy);
    const auto run_passes = [&](llvm::StringRef pipeline) {
      in_step ? run_in_step(run, *copy, pipeline) : run.run(*copy, pipeline);
    };
    run_passes("sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg");
    run.split_vectors(*copy);
    run_passes(
        "instcombine<no-verify-fixpoint>,early-cse,adce,simplifycfg,lower-switch,fix-irreducible,"
        "mergereturn");
    if (in_step) run.join_latches(*copy);
    run.run(*copy, "loop-simplify,lcssa,break-crit-edges,loop-simplify,lcssa");
  }
}

void prepare_open_gangs(llvm::ArrayRef<llvm::Function*> copies, llvm::TargetMachine& target) {
  if (copies.empty()) return;
  PassRun run(target);
  // No pass that folds branches: it would make one divergent branch of a uniform one and another.
  for (llvm::Function* copy : copies)
    run.run(*copy,
            "sroa,instcombine<no-verify-fixpoint>,adce,lower-switch,fix-irreducible,mergereturn,"
            "loop-simplify,lcssa,break-crit-edges,loop-simplify,lcssa");
}

void clean_up_gangs(llvm::ArrayRef<llvm::Function*> gangs, llvm::TargetMachine& target) {
  if (gangs.empty()) return;
  PassRun run(target);
  for (llvm::Function* gang : gangs)
    run.run(*gang,
            "sroa,adce,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,early-cse,adce,"
            "simplifycfg");
}

void run_passes(llvm::Module& module, llvm::TargetMachine& target, llvm::StringRef pipeline) {
  PassRun(target).run(module, pipeline);
}

void split_coroutines(llvm::Module& module, llvm::TargetMachine& target) {
  PassRun(target).split_coroutines(module);
  drop_destroyers(module);
}

void run_default_pipeline(llvm::Module& module, llvm::TargetMachine& target, Effort effort) {
  PassRun(target).run_default(module, effort == Effort::Thorough ? llvm::OptimizationLevel::O2
                                                                 : llvm::OptimizationLevel::O1);
}

void run_least(llvm::Module& module, llvm::TargetMachine& target) {
  // The quick code generator tests the cases of a switch one after the other.
  PassRun run(target);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    run.run(function, simt::is_split_plainly(function)
                          ? "lower-switch"
                          : "sroa,early-cse,instsimplify,adce,lower-switch");
  }
}

void separate_arrays(llvm::Module& module, llvm::TargetMachine& target) {
  PassRun(target).separate_arrays(module);
}

}  // namespace pycuda::cpu::jit
