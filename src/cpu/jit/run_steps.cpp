// SPDX-License-Identifier: MIT
#include "cpu/jit/run_steps.h"

#include <llvm/IR/StructuralHash.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "base/log.h"
#include "cpu/jit/contracts.h"
#include "cpu/jit/dump.h"
#include "cpu/jit/thread_time.h"
#include "cpu/jit/vector_steps.h"

namespace pycuda::cpu::jit {
namespace {

void run_on_copies(const Step& step, Compilation& all, bool divergent) {
  for (simt::KernelVariant& variant : all.variants) {
    if (divergent) step.run({all, variant.function, &variant, variant.kernel});
    if (variant.uniform) step.run({all, variant.uniform, &variant, variant.kernel});
  }
}

void log_step(const Stage& stage, const Step& step, std::chrono::nanoseconds time, unsigned before,
              unsigned after) {
  char text[160];
  std::snprintf(text, sizeof text, "step %s:%s: %.2f ms, %u instructions, %+d", stage.name,
                step.name, milliseconds(time), after,
                static_cast<int>(after) - static_cast<int>(before));
  base::log(base::LogLevel::Debug, text);
}

std::string text_of(const Step& step) { return std::string("step ") + step.name + ": "; }

/// Verifies what the steps of a stage give: after each one that changed the module, as far as a
/// hash shows, and at the end. Most steps find nothing to do in most modules.
class Verification {
 public:
  explicit Verification(const Compilation& all) : all_(all) {}

  void after(const Step& step) {
    const llvm::IRHash hash = llvm::StructuralHash(all_.module(), /*DetailedHash=*/true);
    last_ = &step;
    is_due_ = true;
    if (hash != hash_ || step.gives != form_) verify();
    hash_ = hash;
    form_ = step.gives;
  }
  void at_end() {
    if (is_due_) verify("of the last steps up to ");
  }

 private:
  void verify(const char* where = "") {
    is_due_ = false;
    const std::string found = violation(all_, last_->gives);
    if (!found.empty()) throw std::runtime_error(where + text_of(*last_) + found);
  }

  const Compilation& all_;
  const Step* last_ = nullptr;
  bool is_due_ = false;  ///< not verified after the last step
  llvm::IRHash hash_ = 0;
  Ir form_ = Ir::Lowered;
};

/// What LLVM reports as fatal is thrown (compile.cpp), without a word of what was being done.
void run_or_name(const Step& step, Compilation& all) {
  try {
    run_step(step, all);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(text_of(step) + error.what());
  }
}

}  // namespace

const char* name_of(On on) {
  switch (on) {
    case On::Module:
      return "module";
    case On::Functions:
      return "functions";
    case On::Kernels:
      return "kernels";
    case On::Variants:
      return "variants";
    case On::Copies:
      return "copies";
    case On::UniformCopies:
      return "uniform copies";
    case On::VectorForms:
      return "vector forms";
  }
  return "";
}

const char* name_of(Ir form) {
  switch (form) {
    case Ir::Lowered:
      return "lowered";
    case Ir::Clean:
      return "clean";
    case Ir::Copied:
      return "copied";
    case Ir::Structured:
      return "structured";
    case Ir::Demoted:
      return "demoted";
    case Ir::Vectors:
      return "vectors";
    case Ir::Callable:
      return "callable";
    case Ir::Optimised:
      return "optimised";
  }
  return "";
}

void run_step(const Step& step, Compilation& all) {
  switch (step.on) {
    case On::Module:
      step.run({all});
      break;
    case On::Functions:
      for (llvm::Function& function : all.module()) step.run({all, &function});
      break;
    case On::Kernels:
      for (std::size_t i = 0; i < all.kernels().size(); ++i) step.run({all, nullptr, nullptr, i});
      break;
    case On::Variants:
      for (simt::KernelVariant& variant : all.variants)
        step.run({all, nullptr, &variant, variant.kernel});
      break;
    case On::Copies:
      run_on_copies(step, all, true);
      break;
    case On::UniformCopies:
      run_on_copies(step, all, false);
      break;
    case On::VectorForms:
      for (llvm::Function* function : vector_forms(all)) step.run({all, function});
      break;
  }
}

void run_stage(const Stage& stage, Compilation& all) {
  const bool logs = base::log_level() >= base::LogLevel::Debug;
  const bool verifies = verifies_contracts() || dumps_steps();
  Verification verification(all);
  for (const Step& step : stage.steps) {
    if (step.wanted && !step.wanted(all)) continue;
    const unsigned before = logs ? all.module().getInstructionCount() : 0;
    const auto start = logs ? thread_time() : std::chrono::nanoseconds(0);
    run_or_name(step, all);
    if (logs)
      log_step(stage, step, thread_time() - start, before, all.module().getInstructionCount());
    dump_step(step.name, all.module());
    if (verifies) verification.after(step);
  }
  verification.at_end();
  if (stage.dump) dump(stage.dump, all.module());
}

}  // namespace pycuda::cpu::jit
