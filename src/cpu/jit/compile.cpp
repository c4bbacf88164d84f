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
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "cpu/jit/dump.h"
#include "cpu/jit/effort.h"
#include "cpu/jit/emit.h"
#include "cpu/jit/host_target.h"
#include "cpu/jit/long_tiles.h"
#include "cpu/jit/masked_logic.h"
#include "cpu/jit/pipeline.h"
#include "cpu/lower/lower.h"
#include "cpu/lower/processor_flushes.h"
#include "cpu/simt/arithmetic/approximate.h"
#include "cpu/simt/arithmetic/busy_divider.h"
#include "cpu/simt/arithmetic/extrema.h"
#include "cpu/simt/arithmetic/fused_negations.h"
#include "cpu/simt/arithmetic/nan_payloads.h"
#include "cpu/simt/arithmetic/native_operations.h"
#include "cpu/simt/arithmetic/processor_flushes.h"
#include "cpu/simt/arithmetic/rare_repairs.h"
#include "cpu/simt/arithmetic/recognise_math.h"
#include "cpu/simt/arithmetic/recognise_pow_double.h"
#include "cpu/simt/arithmetic/refined_reciprocals.h"
#include "cpu/simt/arithmetic/repeated_flushes.h"
#include "cpu/simt/arithmetic/saturating_conversion.h"
#include "cpu/simt/forms.h"
#include "cpu/simt/gangs.h"
#include "cpu/simt/lanes/alignment_checks.h"
#include "cpu/simt/lanes/likely_ways.h"
#include "cpu/simt/scalar_threads.h"
#include "cpu/simt/streamed_stores.h"

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

/// Finds the stores that may go past the caches, and with `stream` lets them.
void stream_stores(llvm::Module& module, std::vector<KernelFacts>& kernels, bool stream,
                   std::vector<simt::Plan>* plans) {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    KernelFacts& kernel = kernels[i];
    if (kernel.gang_lanes == 0 || kernel.forms.are_lines()) continue;
    if (llvm::Function* gang = module.getFunction("f." + kernel.name + ".gang"))
      simt::stream_stores(*gang, kernel.gang_lanes, stream, kernel.streamed,
                          plans ? &(*plans)[i].notes : nullptr);
    if (llvm::Function* tile = module.getFunction("f." + kernel.name + ".tile"))
      simt::stream_stores(*tile, {kernel.tile_columns, kernel.tile_rows}, stream, kernel.streamed,
                          plans ? &(*plans)[i].tile_notes : nullptr);
    kernel.streams = stream && !kernel.streamed.arrays.empty();
  }
}

simt::GangSizes wanted_sizes(const Options& options) {
  const bool one_plane = options.forms == Form::Line;
  if (one_plane || options.forms == Form::DeepLine)
    return {options.gang_lanes, std::nullopt, one_plane ? simt::Line::OnePlane : simt::Line::Any};
  if (options.gang_lanes != 0) return {options.gang_lanes, std::nullopt};
  if (options.forms == Form::ShortRows) return {short_row, std::nullopt};
  if (options.forms == Form::SmallTiles) return {0, simt::GangSize(small_tile.x, small_tile.y)};
  return {};
}

/// Loops over rows that gangs go through as a whole, behind the first one: more are rare.
constexpr unsigned most_quotient_rounds = 6;

/// Gives kernels of at most `longest` instructions their vector forms where they have one, and
/// leaves them those forms alone that the options ask for.
void make_gangs(llvm::Module& module, std::vector<KernelFacts>& kernels, const Options& options,
                unsigned longest, llvm::TargetMachine& target, std::vector<simt::Plan>* plans) {
  // 32 of 64 bytes, or 16 of 32.
  constexpr std::uint64_t longest_registers = 2048, other_registers = 512;
  if (options.vectors_wait) {
    for (KernelFacts& kernel : kernels) kernel.vectors_later = true;
    return;
  }
  const simt::Processor processor{has_avx512() ? longest_registers : other_registers,
                                  fetch_distance(), streams_ahead()};
  std::vector<simt::GangSource> sources = simt::copy_for_gangs(
      module, kernels, wanted_sizes(options), options.forms, longest, processor);
  // What relies on gangs that are warps is not right thread by thread.
  const bool relies_on_gangs =
      std::any_of(sources.begin(), sources.end(),
                  [](const simt::GangSource& source) { return source.in_step; });
  if (options.aside && options.before_vectors && !sources.empty() && !relies_on_gangs)
    options.before_vectors();
  std::vector<llvm::Function*> functions;
  functions.reserve(sources.size());
  for (const simt::GangSource& source : sources) functions.push_back(source.function);
  prepare_for_gangs(functions, target);
  simt::drop_tiles(sources);
  const auto prepare_open = [&](const auto& changed) {
    functions.clear();
    for (const simt::GangSource* source : changed) {
      if (source->open) functions.push_back(source->open);
    }
    prepare_open_gangs(functions, target);
  };
  std::vector<simt::GangSource*> all;
  all.reserve(sources.size());
  for (simt::GangSource& source : sources) all.push_back(&source);
  std::vector<simt::GangSource*> rolled = all;
  for (unsigned rounds = 0; rounds < most_quotient_rounds && !rolled.empty(); ++rounds) {
    rolled = simt::roll_loops(rolled);
    functions.clear();
    for (const simt::GangSource* source : rolled) functions.push_back(source->function);
    prepare_open_gangs(functions, target);
  }
  simt::open_guards(sources, kernels);
  prepare_open(all);
  const std::vector<simt::GangSource*> divided = simt::open_quotients(sources);
  prepare_open(divided);
  std::vector<simt::GangSource*> more = divided;
  for (unsigned rounds = 0; rounds < most_quotient_rounds && !more.empty(); ++rounds) {
    more = simt::open_more_quotients(more);
    prepare_open(more);
  }
  simt::reopen_guards(divided);
  prepare_open(divided);
  dump("gangs", module);
  simt::widen_gangs(module, sources, kernels, plans);
  set_target_attributes(module);
  drop_long_tiles(module, kernels, target, plans);
  if (!plans && options.forms != Forms::all()) simt::drop_forms(module, kernels, options.forms);
  functions.clear();
  for (const KernelFacts& kernel : kernels) {
    for (const char* const form : {".gang", ".tail", ".tile"}) {
      if (llvm::Function* gang = module.getFunction("f." + kernel.name + form))
        functions.push_back(gang);
    }
  }
  dump("widened", module);
  clean_up_gangs(functions, target);
  for (llvm::Function* gang : functions) simt::put_repairs_aside(*gang);
  stream_stores(module, kernels, options.streaming_form, plans);
  simt::select_native_operations(module);
  const auto costs = divider_costs();
  if (!costs || costs->in_registers) return;
  for (llvm::Function* gang : functions) simt::relieve_divider(*gang, *costs);
}

/// A module on its way, before the scalar and after the vector forms are made.
struct Prepared {
  lower::Lowered lowered;
  std::unique_ptr<llvm::TargetMachine> target;
  Effort effort = Effort::Thorough;
};

/// With `plans`, for these alone: what is made is marked and not for running.
base::Result<Prepared, ptx::Diagnostics> prepare(llvm::LLVMContext& context,
                                                 const ptx::Module& parsed, const Options& options,
                                                 std::vector<simt::Plan>* plans) {
  auto lowered = lower::lower_module(parsed, context,
                                     {.checked = options.checked,
                                      .track_lines = options.track_lines,
                                      .mark_instructions = plans != nullptr,
                                      .processor_flushes = options.processor_flushes,
                                      .rounds_operations = has_avx512(),
                                      .only_kernels = options.only_kernels});
  if (!lowered) return lowered.error();
  Prepared made{std::move(*lowered), nullptr, Effort::Thorough};
  llvm::Module& module = *made.lowered.module;
  made.effort = most_effort(module, options.patient);
  if (options.quick) made.effort = std::min(made.effort, Effort::Quick);
  // What runs until a better form is there, after a wait for that already.
  constexpr unsigned short_enough = 4000;
  if (options.vectors_wait && module.getInstructionCount() > short_enough)
    made.effort = std::min(made.effort, Effort::Quick);
  made.target = make_target_machine(made.effort == Effort::Thorough);
  if (made.effort == Effort::Least) {
    made.target->setOptLevel(llvm::CodeGenOptLevel::None);
    made.target->setO0WantsFastISel(true);
  }
  module.setTargetTriple(host_target().triple);
  module.setDataLayout(made.target->createDataLayout());
  dump("lower", module);
#ifndef NDEBUG
  if (std::string error = verification_error(module); !error.empty())
    return one_error("internal error in the PTX lowering: " + error);
#endif

  simt::recognise_pow_double(module);
  clean_up_scalar(module, *made.target, made.effort);
  for (llvm::Function& function : module) {
    // First: what flushes looks at bits, also at those of NaNs.
    simt::drop_repeated_flushes(function);
    simt::drop_unseen_payloads(function);
    simt::recognise_math(function);
    simt::divide_for_reciprocals(function);
    simt::ask_for_ranges_first(function);
    simt::drop_repeated_flushes(function);
  }
  dump("clean", module);
  for (llvm::Function& function : module) {
    simt::expand_approximations(function, has_avx512());
    if (has_avx512()) simt::convert_natively(function);
    simt::bypass_unseen_payloads(function);
    simt::canonicalise_behind_choices(function);
    simt::expand_extrema(function, has_avx512());
    // It asks of each check which others dominate it.
    constexpr std::size_t most_blocks = 2000;
    if (made.effort != Effort::Least || function.size() <= most_blocks)
      simt::reduce_alignment_checks(function);
  }
  simt::yield_in_spin_waits(module);
  if (!options.vectors || options.checked || options.forms == Form::Threads) return made;
  const unsigned longest = options.patient ? simt::longest_ever : simt::longest_at_once;
  make_gangs(module, made.lowered.kernels, options, made.effort == Effort::Thorough ? longest : 0,
             *made.target, plans);
  if (!options.patient) return made;
  for (KernelFacts& kernel : made.lowered.kernels) {
    if (!std::exchange(kernel.vectors_later, false)) continue;
    kernel.scalar_reason =
        made.effort == Effort::Thorough
            ? "more than " + std::to_string(simt::longest_ever) +
                  " instructions, too long for a gang"
            : "too many instructions, branches, loops or barriers to compile it for a gang";
  }
  return made;
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
  llvm::Module& module = *prepared->lowered.module;
  std::vector<KernelFacts>& kernels = prepared->lowered.kernels;
  simt::select_native_operations(module);
  simt::lower_to_scalar_threads(module, kernels);
  if (std::any_of(kernels.begin(), kernels.end(), lost_its_form)) {
    Options whole = options;
    whole.forms = Forms::all();
    return compile_in(context, parsed, whole);
  }
  set_target_attributes(module);
  if (prepared->lowered.processor_flushes) lower::let_processor_flush(module);
  dump("simt", module);
  if (std::string error = verification_error(module); !error.empty())
    return one_error("internal error in the scalar threads: " + error);

  simt::flush_compared_constants(module);
  optimise(module, *prepared->target, prepared->effort);
  for (llvm::Function& function : module) simt::leave_flushes_to_processor(function);
  if (has_fused_products()) {
    for (llvm::Function& function : module) simt::fuse_negations(function);
  }
  dump("optimised", module);

  llvm::SmallVector<char, 0> object;
  if (!emit_object(module, *prepared->target, repair_of_masked_logic(*prepared->target), object))
    return one_error("internal error: this target cannot emit object code");
  return Compiled{std::move(kernels), std::string(object.data(), object.size())};
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

}  // namespace

base::Result<Compiled, ptx::Diagnostics> compile_module(const ptx::Module& parsed,
                                                        const Options& options) {
  const auto compile = [&](const Options& chosen) {
    return guarded([&](llvm::LLVMContext& context) { return compile_in(context, parsed, chosen); });
  };
  auto compiled = compile(options);
  if (compiled || !options.vectors) return compiled;
  // What the vector path got wrong, the scalar one may get right.
  Options scalar = options;
  scalar.vectors = false;
  auto second = compile(scalar);
  return second ? std::move(second) : std::move(compiled);
}

base::Result<Checked, ptx::Diagnostics> check_module(const ptx::Module& parsed,
                                                     const Options& options) {
  return guarded([&](llvm::LLVMContext& context) -> base::Result<Checked, ptx::Diagnostics> {
    auto lowered = lower::lower_module(
        parsed, context, {.checked = options.checked, .track_lines = options.track_lines});
    if (!lowered) return lowered.error();
    return Checked{std::move(lowered->kernels),
                   lowered->module->getInstructionCount() >= thorough_limit};
  });
}

base::Result<Planned, ptx::Diagnostics> plan_module(const ptx::Module& parsed,
                                                    const Options& options) {
  return guarded([&](llvm::LLVMContext& context) -> base::Result<Planned, ptx::Diagnostics> {
    Planned planned;
    auto prepared = prepare(context, parsed, options, &planned.plans);
    if (!prepared) return prepared.error();
    planned.kernels = std::move(prepared->lowered.kernels);
    planned.plans.resize(planned.kernels.size());
    return planned;
  });
}

const char* llvm_version() { return LLVM_VERSION_STRING; }

}  // namespace pycuda::cpu::jit
