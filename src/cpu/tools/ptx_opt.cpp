// SPDX-License-Identifier: MIT
// ptx-opt: runs steps of the CPU driver's pipeline on a file of LLVM IR, as LLVM's opt runs passes.
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "cpu/jit/compilation.h"
#include "cpu/jit/contracts.h"
#include "cpu/jit/run_steps.h"
#include "cpu/jit/stages.h"
#include "cpu/jit/vector_steps.h"
#include "cpu/simt/analysis/warp_sites.h"
#include "cpu/target/target.h"
#include "cpu/target/target_machine.h"

namespace {

using pycuda::cpu::KernelFacts;
namespace jit = pycuda::cpu::jit;
namespace simt = pycuda::cpu::simt;
namespace target = pycuda::cpu::target;

constexpr const char* kUsage =
    "usage: ptx-opt --steps=NAME[,NAME...] FILE [--lanes=32 | --lanes=16x4]\n"
    "               [--processor=NAME] [--forms=likely]\n"
    "       ptx-opt --list\n"
    "Runs steps of the pipeline on LLVM IR and prints the result; it is verified after each step.\n"
    "Functions called f.NAME are kernels. A kernel's divergent copy is f.NAME.copy (of a tile,\n"
    "f.NAME.tile.copy), as dumps have it, or else the kernel itself; its uniform copy, if there\n"
    "is one, has the divergent one's name and .uniform.\n"
    "--steps: without a name, the file is verified and printed as it is.\n"
    "--lanes: the threads of a gang, or a tile's columns and rows; without it 32. Steps may "
    "choose\n"
    "others if it is missing or ends in \" chosen\".\n"
    "--processor: by LLVM's name; without it this one. --forms=likely: drop-forms keeps what most\n"
    "launches need. --list: all steps, in order.\n";

/// A step of a stage, or one inside LLVM's pipeline.
struct Chosen {
  const char* name;
  const jit::Step* step;
  const jit::InnerStep* inner;
  jit::Ir needs() const { return step ? step->needs : jit::Ir::Optimised; }
  jit::Ir gives() const { return step ? step->gives : jit::Ir::Optimised; }
  void run(jit::Compilation& all) const {
    if (step) return jit::run_step(*step, all);
    for (llvm::Function& function : all.module()) {
      if (!function.isDeclaration()) inner->run(function);
    }
  }
};

struct Request {
  std::vector<Chosen> steps;
  bool names_steps = false;
  std::string file;
  simt::GangSize size{32};
  bool chooses_size = true;
  bool likely_forms = false;
  std::optional<target::Processor> processor = {};
};

int fail(const std::string& message) {
  std::fprintf(stderr, "ptx-opt: %s\n", message.c_str());
  return 2;
}

int list_steps() {
  for (const jit::Stage* stage : jit::stages()) {
    for (const jit::Step& step : stage->steps)
      std::printf("%-10s %-30s %-15s %-11s %s\n", stage->name, step.name, jit::name_of(step.on),
                  jit::name_of(step.needs), jit::name_of(step.gives));
  }
  for (const jit::InnerStep& step : jit::inner_steps())
    std::printf("%-10s %-30s %-15s\n", "llvm", step.name, "functions");
  return 0;
}

/// Adds the steps of a list of names; false, with a message, for a name that is none.
bool add_steps(const std::string& names, std::vector<Chosen>& steps) {
  if (names.empty()) return true;
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t comma = std::min(names.find(',', at), names.size());
    const std::string name = names.substr(at, comma - at);
    const jit::Step* step = jit::find_step(name);
    const jit::InnerStep* inner = nullptr;
    for (const jit::InnerStep& each : jit::inner_steps()) {
      if (each.name == name) inner = &each;
    }
    if (!step && !inner) {
      std::string all;
      for (const std::string_view known : jit::step_names()) all.append(" ").append(known);
      fail("there is no step \"" + name + "\"; the steps are:" + all);
      return false;
    }
    steps.push_back({step ? step->name : inner->name, step, inner});
    at = comma + 1;
  }
  return true;
}

bool parse_size(const std::string& text, simt::GangSize& size) {
  char* end = nullptr;
  const unsigned long columns = std::strtoul(text.c_str(), &end, 10);
  const unsigned long rows = *end == 'x' ? std::strtoul(end + 1, &end, 10) : 1;
  if (*end != '\0' || columns == 0 || rows == 0 || columns * rows > 64) return false;
  size = simt::GangSize(static_cast<unsigned>(columns), static_cast<unsigned>(rows));
  return true;
}

/// Every `f.<name>` becomes a kernel and a variant.
void find_kernels(jit::Compilation& all, const Request& request) {
  const simt::GangSize size = request.size;
  llvm::Module& module = all.module();
  for (llvm::Function& function : module) {
    const std::string name = function.getName().str();
    if (function.isDeclaration() || !name.starts_with("f.") || name.find('.', 2) != name.npos)
      continue;
    llvm::Function* copy = module.getFunction(name + (size.is_tile() ? ".tile.copy" : ".copy"));
    if (!copy) copy = &function;
    all.variants.push_back(
        {copy, module.getFunction(copy->getName().str() + ".uniform"), all.kernels().size(), size});
    all.variants.back().versioned = all.variants.back().uniform != nullptr;
    all.variants.back().processor = &all.processor();
    all.variants.back().chosen = request.chooses_size;
    all.variants.back().warps = simt::needs_warps(*copy);
    KernelFacts& kernel = all.kernels().emplace_back();
    kernel.name = name.substr(2);
    kernel.scalar_reason = "not widened yet";
  }
}

/// Why one of the steps cannot run after those before it, or empty.
std::string missing_step(const std::vector<Chosen>& steps) {
  for (auto chosen = steps.begin(); chosen != steps.end(); ++chosen) {
    const char* first = chosen->step ? chosen->step->follows : nullptr;
    if (first && std::none_of(steps.begin(), chosen, [&](const Chosen& earlier) {
          return earlier.name == std::string_view(first);
        }))
      return std::string(chosen->name) + " needs what " + first + " finds: run that step first";
  }
  return {};
}

int run(const Request& request) {
  if (const std::string missing = missing_step(request.steps); !missing.empty())
    return fail(missing);
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  jit::Options options;
  options.streaming_form = true;
  if (request.likely_forms) options.forms.reset();
  if (request.processor) options.processor = &*request.processor;
  jit::Compilation all{options, {llvm::parseAssemblyFile(request.file, error, context), {}}};
  if (!all.lowered.module) {
    error.print("ptx-opt", llvm::errs());
    return 2;
  }
  all.target = target::target_machine(all.processor(), llvm::CodeGenOptLevel::Default);
  all.module().setTargetTriple(all.processor().triple);
  all.module().setDataLayout(all.target->createDataLayout());
  find_kernels(all, request);
  const jit::Ir first = request.steps.empty() ? jit::Ir::Lowered : request.steps.front().needs();
  if (const std::string found = jit::violation(all, first); !found.empty())
    return fail("the input is not " + std::string(jit::name_of(first)) + ": " + found);
  for (const Chosen& chosen : request.steps) {
    if (chosen.name == std::string_view("copy-kernels")) all.variants.clear();
    chosen.run(all);
    if (const std::string found = jit::violation(all, chosen.gives()); !found.empty())
      return fail("after " + std::string(chosen.name) + ": " + found);
  }
  all.module().print(llvm::outs(), nullptr);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  Request request;
  bool fine = count > 1;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--list") return list_steps();
    if (argument.starts_with("--steps=")) {
      request.names_steps = true;
      if (!add_steps(argument.substr(8), request.steps)) return 2;
    } else if (argument.starts_with("--lanes=")) {
      std::string size = argument.substr(8);
      request.chooses_size = size.ends_with(" chosen");
      if (request.chooses_size) size.resize(size.size() - 7);
      fine = fine && parse_size(size, request.size);
    } else if (argument == "--forms=likely") {
      request.likely_forms = true;
    } else if (argument.starts_with("--processor=")) {
      request.processor = target::processor_named(argument.substr(12));
      if (!request.processor) return fail("LLVM knows no processor " + argument.substr(12));
    } else {
      fine = fine && request.file.empty() && !argument.starts_with('-');
      request.file = argument;
    }
  }
  if (!fine || !request.names_steps || request.file.empty()) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  try {
    return run(request);
  } catch (const std::exception& failure) {
    return fail(failure.what());
  }
}
