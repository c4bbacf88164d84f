// SPDX-License-Identifier: MIT
#include "cpu/jit/compile.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/log.h"
#include "cpu/jit/contracts.h"
#include "cpu/jit/dump.h"
#include "cpu/jit/effort.h"
#include "cpu/jit/emit.h"
#include "cpu/jit/machine_cost.h"
#include "cpu/jit/run_steps.h"
#include "cpu/jit/stages.h"
#include "cpu/jit/thread_time.h"
#include "cpu/lower/lower.h"
#include "cpu/simt/copy_kernels.h"
#include "cpu/target/target_machine.h"
#include "cpu/target/ternlog_repair.h"

namespace pycuda::cpu::jit {
namespace {

[[noreturn]] void throw_fatal_error(void*, const char* reason, bool) {
  throw std::runtime_error(reason);
}

ptx::Diagnostics one_error(std::string message) {
  return {{ptx::Diagnostic::Severity::Error, {}, std::move(message)}};
}

/// What LLVM thinks is wrong with `module`, or empty. A finding is a bug of ours, and told as one.
std::string verification_error(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  return llvm::verifyModule(module, &stream) ? stream.str() : std::string();
}

/// Gives kernels their vector forms where they have one, and leaves them those forms alone that the
/// options ask for.
void make_vector_forms(Compilation& all) {
  run_stage(copy_stage, all);
  if (all.options.background && all.options.before_vectors && !all.variants.empty())
    all.options.before_vectors();
  run_stage(version_stage, all);
  run_stage(widen_stage, all);
  run_stage(finish_stage, all);
}

/// Why kernels whose vector forms were put off have none, now that there was all the time they
/// need.
void settle_postponed(Compilation& all) {
  for (KernelFacts& kernel : all.kernels()) {
    if (!std::exchange(kernel.is_baseline, false)) continue;
    kernel.scalar_reason = all.effort == Effort::Thorough
                               ? "more than " + std::to_string(simt::longest_ever) +
                                     " instructions, too long for a gang"
                               : "too many instructions, branches, loops, barriers or warp "
                                 "operations to compile it for a gang";
  }
}

llvm::CodeGenOptLevel code_generator_level(Effort effort) {
  switch (effort) {
    case Effort::Thorough:
      return llvm::CodeGenOptLevel::Default;
    case Effort::Least:
      return llvm::CodeGenOptLevel::None;
    default:
      return llvm::CodeGenOptLevel::Less;
  }
}

/// Lowers `parsed` and makes the vector forms. With `plans`, for these alone: what is made is
/// marked and not for running.
base::Result<Compilation, ptx::Diagnostics> prepare(llvm::LLVMContext& context,
                                                    const ptx::Module& parsed,
                                                    const Options& options,
                                                    std::vector<simt::Plan>* plans) {
  auto lowered = lower::lower_module(
      parsed, context,
      {.checks = options.checks,
       .track_lines = options.track_lines,
       .locations = plans != nullptr  ? lower::Locations::Instructions
                    : options.symbols ? lower::Locations::SourceLines
                                      : lower::Locations::None,
       .variables = options.symbols && options.variables,
       .processor_flushes = options.processor_flushes,
       .rounds_operations = options.processor->native_operations,
       .longest_unshared =
           options.tier == Tier::Optimised ? longest_unshared_later : longest_unshared,
       .only_kernels = options.only_kernels});
  if (!lowered) return lowered.error();
  Compilation all{options, std::move(*lowered)};
  all.plans = plans;
  llvm::Module& module = all.module();
  all.effort = most_effort(module, options.tier == Tier::Optimised);
  if (options.quick) all.effort = std::min(all.effort, Effort::Quick);
  // Whoever steps through code wants it line by line, and each variable in its place.
  if (all.lowered.has_variables) all.effort = Effort::Least;
  if (options.tier == Tier::Baseline)
    all.effort = std::min(all.effort, effort_of_makeshift(module));
  all.target = target::target_machine(all.processor(), code_generator_level(all.effort));
  module.setTargetTriple(all.processor().triple);
  module.setDataLayout(all.target->createDataLayout());
  dump("lower", module);
  if (verifies_contracts()) {
    if (std::string error = violation(all, Ir::Lowered); !error.empty())
      return one_error("internal error in the PTX lowering: " + error);
  }
  run_stage(clean_stage, all);
  run_stage(expand_stage, all);
  if (options.tier == Tier::Baseline) {
    for (KernelFacts& kernel : all.kernels()) kernel.is_baseline = kernel.is_makeshift = true;
    return all;
  }
  if (all.lowered.has_variables && plans != nullptr) {
    for (KernelFacts& kernel : all.kernels())
      kernel.scalar_reason = "it is compiled for a debugger (-G, PYCUDA_CPU_SYMBOLS=1)";
  }
  if (!options.vectors || options.forms == Form::Threads || all.lowered.has_variables) return all;
  make_vector_forms(all);
  // What would come later might be code that checks nothing.
  if (options.tier == Tier::Optimised || options.checks.find()) settle_postponed(all);
  return all;
}

void log_emission(std::chrono::nanoseconds time, std::size_t bytes) {
  char text[100];
  std::snprintf(text, sizeof text, "step emit: %.2f ms, %zu bytes", milliseconds(time), bytes);
  base::log(base::LogLevel::Debug, text);
}

/// Whether the tiles that alone were wanted turned out to be too long.
bool lost_its_form(const KernelFacts& kernel) {
  return kernel.forms.has(Form::Tiles) && !kernel.forms.has(Form::Gangs) && kernel.tile_rows == 0;
}

base::Result<Compiled, ptx::Diagnostics> compile_in(llvm::LLVMContext& context,
                                                    const ptx::Module& parsed,
                                                    const Options& options) {
  auto prepared = prepare(context, parsed, options, nullptr);
  if (!prepared) return prepared.error();
  Compilation& all = *prepared;
  llvm::Module& module = all.module();
  // Code of the least effort is as soon made as what it would be left for.
  const bool can_be_left = options.background && all.effort != Effort::Least;
  if (can_be_left && options.before_code) options.before_code();
  run_stage(threads_stage, all);
  if (std::any_of(all.kernels().begin(), all.kernels().end(), lost_its_form)) {
    Options whole = options;
    whole.forms = Forms::all();
    return compile_in(context, parsed, whole);
  }
  run_stage(target_stage, all);
  // Released code too: LLVM's passes may not end on what is not valid.
  if (std::string error = verification_error(module); !error.empty())
    return one_error("internal error in the scalar threads: " + error);
  run_stage(optimise_stage, all);
  if (can_be_left && options.before_emission)
    options.before_emission(machine_cost(module, *all.target));

  llvm::SmallVector<char, 0> object;
  const bool logs = base::log_level() >= base::LogLevel::Debug;
  const auto start = logs ? thread_time() : std::chrono::nanoseconds(0);
  if (!emit_object(module, *all.target,
                   target::repair_of_ternary_logic(all.processor(), *all.target, emit_object),
                   object))
    return one_error("internal error: this target cannot emit object code");
  if (logs) log_emission(thread_time() - start, object.size());
  target::keep_target_machine(std::move(all.target));
  return Compiled{std::move(all.kernels()), std::string(object.data(), object.size())};
}

/// Calls `body` with a context; a fatal error inside LLVM becomes a diagnostic.
template <class Body>
auto guarded(Body body) -> decltype(body(std::declval<llvm::LLVMContext&>())) {
  static std::once_flag handler;
  std::call_once(handler, [] { llvm::install_fatal_error_handler(throw_fatal_error); });
  auto context = std::make_unique<llvm::LLVMContext>();
  try {
    return body(*context);
  } catch (const std::runtime_error& error) {
    // LLVM's objects may be half built: what hangs on the context is left alone, not destroyed.
    static_cast<void>(context.release());
    return one_error(std::string("internal error in the code generator: ") + error.what());
  }
}

Options without_vectors(const Options& options) {
  Options scalar = options;
  scalar.vectors = false;
  return scalar;
}

/// Says once, and in the plan, that kernels have no vector form because of an error of ours.
void report_fallback(std::vector<KernelFacts>& kernels, const ptx::Diagnostics& errors) {
  static std::mutex mutex;
  static std::set<std::string> reported;
  const std::string& why = errors.front().message;
  for (KernelFacts& kernel : kernels) {
    kernel.scalar_reason = why;
    const std::lock_guard lock(mutex);
    if (reported.insert(kernel.name).second)
      base::log(base::LogLevel::Warning,
                "kernel '" + kernel.name +
                    "' runs thread by thread, slowly, because of a bug in this "
                    "compiler; please report it: " +
                    why);
  }
}

/// What `make` makes, by the scalar path alone if the vector path has a bug.
template <class Make>
auto or_scalar(const Options& options, Make make) -> decltype(make(options)) {
  auto made = make(options);
  if (made || !options.vectors || verifies_contracts()) return made;
  auto scalar = make(without_vectors(options));
  // What is wrong with the text is wrong on either path.
  if (!scalar) return made;
  report_fallback(scalar->kernels, made.error());
  return scalar;
}

}  // namespace

base::Result<Compiled, ptx::Diagnostics> compile_module(const ptx::Module& parsed,
                                                        const Options& options) {
  const auto compile = [&](const Options& wanted) {
    return or_scalar(wanted, [&](const Options& chosen) {
      return guarded(
          [&](llvm::LLVMContext& context) { return compile_in(context, parsed, chosen); });
    });
  };
  auto made = compile(options);
  if (made || !options.symbols || parsed.debug_text.empty()) return made;
  // Debug information is what others wrote: nothing depends on it.
  Options lines = options;
  lines.variables = false;
  auto without = compile(lines);
  if (without)
    base::log(base::LogLevel::Warning,
              "the debug information of a module cannot be used: gdb shows its kernels' lines, and "
              "no variables: " +
                  made.error().front().message.substr(0, made.error().front().message.find('\n')));
  return without;
}

base::Result<Checked, ptx::Diagnostics> check_module(const ptx::Module& parsed,
                                                     const Options& options) {
  return guarded([&](llvm::LLVMContext& context) -> base::Result<Checked, ptx::Diagnostics> {
    auto lowered = lower::lower_module(
        parsed, context, {.checks = options.checks, .track_lines = options.track_lines});
    if (!lowered) return lowered.error();
    return Checked{std::move(lowered->kernels),
                   lowered->module->getInstructionCount() >= thorough_limit};
  });
}

base::Result<Planned, ptx::Diagnostics> plan_module(const ptx::Module& parsed,
                                                    const Options& options) {
  using Made = base::Result<Planned, ptx::Diagnostics>;
  return or_scalar(options, [&](const Options& chosen) {
    return guarded([&](llvm::LLVMContext& context) -> Made {
      Planned planned;
      auto prepared = prepare(context, parsed, chosen, &planned.plans);
      if (!prepared) return prepared.error();
      planned.kernels = std::move(prepared->kernels());
      planned.plans.resize(planned.kernels.size());
      return planned;
    });
  });
}

const char* llvm_version() { return LLVM_VERSION_STRING; }

}  // namespace pycuda::cpu::jit
