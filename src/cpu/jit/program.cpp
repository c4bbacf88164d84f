// SPDX-License-Identifier: MIT
#include "cpu/jit/program.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "base/env.h"
#include "cpu/jit/compile.h"
#include "cpu/jit/image.h"
#include "cpu/jit/link.h"
#include "cpu/jit/object_cache.h"
#include "cpu/jit/plan.h"
#include "cpu/ptx/parser.h"

namespace pycuda::cpu::jit {

bool vectors_wanted() { return base::environment_number("PYCUDA_CPU_VECTOR").value_or(1) != 0; }

std::chrono::nanoseconds vector_compile_time(const KernelFacts& facts) {
  // Measured: 0.2 ms an instruction in straight lines, four times that with many divergent
  // branches.
  return facts.cost * std::chrono::microseconds(500);
}

unsigned gang_lanes_wanted() {
  const long long lanes = base::environment_number("PYCUDA_CPU_GANG").value_or(0);
  return lanes == 16 || lanes == 32 || lanes == 64 ? static_cast<unsigned>(lanes) : 0;
}

class Program::Implementation {
 public:
  Implementation(std::string_view ptx_text, const Options& options, CompiledProgram compiled,
                 bool from_cache)
      : ptx_text_(ptx_text),
        options_(options),
        compiled_(std::move(compiled)),
        from_cache_(from_cache) {
    for (const VariableImage& image : compiled_.images) variables_.push_back(image.variable);
  }

  const CompiledProgram& compiled() const { return compiled_; }
  const std::vector<GlobalVariable>& variables() const { return variables_; }
  bool from_cache() const { return from_cache_; }
  const std::string& ptx_text() const { return ptx_text_; }
  const Options& options() const { return options_; }

 private:
  std::string ptx_text_;  // plans are made of it when they are asked for
  Options options_;
  CompiledProgram compiled_;
  std::vector<GlobalVariable> variables_;
  bool from_cache_;
};

Program::Program(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
Program::~Program() = default;
const std::vector<KernelFacts>& Program::kernels() const {
  return implementation_->compiled().kernels;
}
const std::vector<GlobalVariable>& Program::variables() const {
  return implementation_->variables();
}
bool Program::from_cache() const { return implementation_->from_cache(); }

base::Result<std::string, ptx::Diagnostics> Program::plan(std::string_view kernel,
                                                          const Dim3& block, bool improved) const {
  return describe_plan(implementation_->ptx_text(), kernel, block, implementation_->options(),
                       improved);
}

base::Result<std::shared_ptr<const Program>, ptx::Diagnostics> Program::compile_kernel(
    const std::string& kernel) const {
  Options alone = implementation_->options();
  alone.only_kernel = kernel;
  return compile(implementation_->ptx_text(), alone);
}

std::shared_ptr<const Program> Program::cached_kernel(const std::string& kernel) const {
  Options alone = implementation_->options();
  alone.only_kernel = kernel;
  if (alone.cache_folder.empty()) return nullptr;
  auto cached = read_cached(alone.cache_folder, cache_key(implementation_->ptx_text(), alone));
  if (!cached) return nullptr;
  return std::make_shared<const Program>(std::make_unique<Implementation>(
      implementation_->ptx_text(), alone, std::move(*cached), true));
}

base::Result<std::shared_ptr<const Program>, ptx::Diagnostics> Program::compile(
    std::string_view ptx_text, const Options& options) {
  const auto make = [&](CompiledProgram compiled,
                        bool from_cache) -> std::shared_ptr<const Program> {
    return std::make_shared<const Program>(
        std::make_unique<Implementation>(ptx_text, options, std::move(compiled), from_cache));
  };
  const bool caching = !options.cache_folder.empty();
  const std::string key = caching ? cache_key(ptx_text, options) : std::string();
  if (caching) {
    if (auto cached = read_cached(options.cache_folder, key)) return make(std::move(*cached), true);
  }
  auto parsed = ptx::parse(ptx_text);
  if (!parsed) return parsed.error();
  auto images = images_of(*parsed);
  if (!images) return images.error();
  auto compiled = compile_module(*parsed, options);
  if (!compiled) return compiled.error();
  CompiledProgram program{std::move(compiled->kernels), std::move(*images),
                          std::move(compiled->object)};
  if (caching) write_cached(options.cache_folder, key, program);
  return make(std::move(program), false);
}

class LoadedProgram::Implementation {
 public:
  std::shared_ptr<const Program> program;
  std::unique_ptr<LinkedObject> code;
  std::vector<Kernel> kernels;
  std::map<std::string, std::size_t, std::less<>> kernel_numbers;
  std::map<std::string, Address, std::less<>> variables;
  std::deque<KernelForms> forms;
  std::mutex mutex;  ///< protects `better`
  std::vector<std::unique_ptr<Implementation>> better;

  bool bind_gangs(Kernel& kernel) {
    const std::string& name = kernel.facts.name;
    if (kernel.facts.tile_rows != 0) {
      kernel.run_tiles = reinterpret_cast<BlockFunction>(code->find(name + ".tiles"));
      if (kernel.run_tiles == nullptr) return false;
    }
    if (!kernel.facts.gangs_suspend) {
      kernel.run_gangs = reinterpret_cast<BlockFunction>(code->find(name + ".gangs"));
      return kernel.run_gangs != nullptr;
    }
    kernel.start_gang = reinterpret_cast<ThreadFunction>(code->find(name + ".gang.thread"));
    kernel.start_tail = reinterpret_cast<ThreadFunction>(code->find(name + ".tail.thread"));
    if (kernel.start_gang == nullptr || kernel.start_tail == nullptr) return false;
    for (const ThreadFunction start : {kernel.start_gang, kernel.start_tail}) {
      ThreadFrame question;
      start(&question, nullptr);
      kernel.gang_bytes = std::max(kernel.gang_bytes, question.scratch);
    }
    return true;
  }

  /// Finds the entry points and asks each coroutine for the size of its frame.
  base::Result<bool> bind_kernels() {
    for (const KernelFacts& facts : program->kernels()) {
      Kernel kernel;
      kernel.facts = facts;
      void* const entry = code->find(facts.name + (facts.suspends ? ".thread" : ".block"));
      if (entry == nullptr)
        return base::Failure{"the code of kernel '" + facts.name + "' could not be linked"};
      if (facts.suspends) {
        kernel.start_thread = reinterpret_cast<ThreadFunction>(entry);
        ThreadFrame question;
        kernel.start_thread(&question, nullptr);
        kernel.coroutine_bytes = question.scratch;
      } else {
        kernel.run_block = reinterpret_cast<BlockFunction>(entry);
      }
      if (facts.gang_lanes != 0 && !bind_gangs(kernel))
        return base::Failure{"the vector code of kernel '" + facts.name + "' could not be linked"};
      if (facts.vectors_later) kernel.forms = &forms.emplace_back();
      kernel_numbers.emplace(facts.name, kernels.size());
      kernels.push_back(std::move(kernel));
    }
    return true;
  }
};

LoadedProgram::LoadedProgram(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
LoadedProgram::~LoadedProgram() = default;

base::Result<std::unique_ptr<LoadedProgram>> LoadedProgram::load(
    std::shared_ptr<const Program> program,
    const std::function<void*(const GlobalVariable&)>& allocate) {
  auto loaded = std::make_unique<Implementation>();
  loaded->program = std::move(program);
  const CompiledProgram& compiled = loaded->program->implementation().compiled();

  std::vector<std::pair<std::string, void*>> symbols;
  std::map<std::string, void*, std::less<>> addresses;
  for (const VariableImage& image : compiled.images) {
    void* const memory = allocate(image.variable);
    if (memory == nullptr)
      return base::Failure{"out of memory for the variable '" + image.variable.name + "'"};
    symbols.emplace_back(variable_symbol(image.variable.name), memory);
    addresses.emplace(variable_symbol(image.variable.name), memory);
    loaded->variables.emplace(image.variable.name, Address{memory, image.variable.bytes});
  }

  auto code = LinkedObject::link(compiled.object, symbols);
  if (!code) return code.error();
  loaded->code = std::move(*code);
  if (auto bound = loaded->bind_kernels(); !bound) return bound.error();

  const auto address_of = [&](std::string_view symbol) {
    const auto variable = addresses.find(symbol);
    return reinterpret_cast<std::uint64_t>(
        variable != addresses.end() ? variable->second : loaded->code->find(symbol));
  };
  for (const VariableImage& image : compiled.images) {
    auto* const memory =
        static_cast<std::byte*>(loaded->variables.find(image.variable.name)->second.address);
    write_initial_value(image, memory, address_of);
  }
  std::unique_ptr<LoadedProgram> made(new LoadedProgram(std::move(loaded)));
  for (const Kernel& kernel : made->kernels()) {
    if (kernel.forms == nullptr) continue;
    if (auto better = made->program()->cached_kernel(kernel.facts.name))
      made->improve(kernel, std::move(better));
  }
  return made;
}

bool LoadedProgram::improve(const Kernel& kernel, std::shared_ptr<const Program> better) const {
  kernel.forms->settled.store(true, std::memory_order_relaxed);
  auto made = std::make_unique<Implementation>();
  made->program = std::move(better);
  const CompiledProgram& compiled = made->program->implementation().compiled();
  std::vector<std::pair<std::string, void*>> symbols;
  for (const VariableImage& image : compiled.images) {
    const auto variable = implementation_->variables.find(image.variable.name);
    if (variable == implementation_->variables.end()) return false;
    symbols.emplace_back(variable_symbol(image.variable.name), variable->second.address);
  }
  const auto facts = std::find_if(
      compiled.kernels.begin(), compiled.kernels.end(),
      [&](const KernelFacts& candidate) { return candidate.name == kernel.facts.name; });
  if (facts == compiled.kernels.end() || facts->gang_lanes == 0) return false;
  auto code = LinkedObject::link(compiled.object, symbols);
  if (!code) return false;
  made->code = std::move(*code);
  if (!made->bind_kernels()) return false;
  const Kernel* const form = &made->kernels[made->kernel_numbers.find(kernel.facts.name)->second];
  {
    const std::unique_lock lock(implementation_->mutex);
    implementation_->better.push_back(std::move(made));
  }
  kernel.forms->better.store(form, std::memory_order_release);
  return true;
}

const Kernel* LoadedProgram::find_kernel(std::string_view name) const {
  const auto found = implementation_->kernel_numbers.find(name);
  return found == implementation_->kernel_numbers.end() ? nullptr
                                                        : &implementation_->kernels[found->second];
}

const std::shared_ptr<const Program>& LoadedProgram::program() const {
  return implementation_->program;
}
const std::vector<Kernel>& LoadedProgram::kernels() const { return implementation_->kernels; }

std::optional<LoadedProgram::Address> LoadedProgram::find_variable(std::string_view name) const {
  const auto found = implementation_->variables.find(name);
  if (found == implementation_->variables.end()) return std::nullopt;
  return found->second;
}

}  // namespace pycuda::cpu::jit
