// SPDX-License-Identifier: MIT
#include "cpu/jit/program.h"

#include <optional>
#include <utility>

#include "base/env.h"
#include "cpu/jit/compile.h"
#include "cpu/jit/deadline_compile.h"
#include "cpu/jit/image.h"
#include "cpu/jit/object_cache.h"
#include "cpu/jit/parts.h"
#include "cpu/jit/plan.h"
#include "cpu/jit/program_code.h"
#include "cpu/ptx/parser.h"

namespace pycuda::cpu::jit {

bool vectors_wanted() { return base::environment_switch("PYCUDA_CPU_VECTOR", true); }

std::chrono::nanoseconds vector_compile_time(const KernelFacts& facts) {
  // Measured with vectors of 64 bytes: 0.2 ms an instruction in straight lines, four times that
  // with many divergent branches. Narrower registers are as many times more, and sooner too few.
  constexpr std::uint64_t wide_bytes = 64;
  constexpr std::chrono::microseconds wide(300), narrow(600);
  return facts.cost * (target::host().vector_bytes == wide_bytes ? wide : narrow);
}

Streaming streaming_wanted() {
  const auto wanted =
      base::environment_choice("PYCUDA_CPU_STREAM", {"0", "1"}, "in large launches, as unset");
  if (!wanted) return Streaming::InLargeLaunches;
  return *wanted == "0" ? Streaming::Never : Streaming::WhereverPossible;
}

unsigned gang_lanes_wanted() {
  const auto lanes = base::environment_choice("PYCUDA_CPU_GANG", {"0", "16", "32", "64"},
                                              "0 (chosen for each kernel)");
  return lanes ? static_cast<unsigned>(std::stoul(*lanes)) : 0;
}

Program::Program(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
Program::~Program() = default;
const std::vector<KernelFacts>& Program::kernels() const {
  return implementation_->module().kernels;
}
const std::vector<GlobalVariable>& Program::variables() const {
  return implementation_->variables();
}
bool Program::from_cache() const { return implementation_->from_cache(); }

base::Result<std::string, ptx::Diagnostics> Program::plan(std::string_view kernel,
                                                          const Dim3& block,
                                                          variants::State vectors) const {
  const std::size_t part = implementation_->part_of(kernel);
  const Code code = implementation_->part(part);
  if (!code) return code.error();
  const KernelFacts* const facts = find_facts(**code, kernel);
  std::optional<variants::State> coming;
  if (facts != nullptr && facts->is_baseline) coming = vectors;
  if (coming == variants::State::Missing && implementation_->late(part) != nullptr)
    coming = variants::State::Making;
  Options options = implementation_->part_options(part);
  options.background = {};
  return describe_plan(implementation_->ptx_text(), kernel, block, options, coming);
}

base::Result<std::shared_ptr<const Program>, ptx::Diagnostics> Program::compile(
    std::string_view ptx_text, const Options& options) {
  const std::string digest = options.cache_folder.empty() ? std::string() : text_digest(ptx_text);
  const auto make =
      [&](std::shared_ptr<const CompiledProgram> module, bool from_cache,
          std::shared_ptr<const ptx::Module> parsed,
          std::shared_ptr<const LateCode> late =
              nullptr) -> base::Result<std::shared_ptr<const Program>, ptx::Diagnostics> {
    auto made = std::make_unique<Implementation>(ptx_text, digest, options, std::move(module),
                                                 from_cache, std::move(parsed));
    if (late) made->set_late(std::move(late));
    for (std::size_t part = 0; part < made->part_count(); ++part) {
      if (!made->is_at_once(part)) continue;
      if (auto code = made->part(part); !code) return code.error();
    }
    return std::make_shared<const Program>(std::move(made));
  };
  if (auto cached = read_cached(digest, options)) return make(std::move(cached), true, nullptr);
  auto result = ptx::parse(ptx_text);
  if (!result) return result.error();
  const auto parsed = std::make_shared<const ptx::Module>(std::move(*result));
  auto images = images_of(*parsed);
  if (!images) return images.error();
  CompiledProgram program;
  program.images = std::move(*images);
  std::vector<Part> parts;
  // Debuggers move a breakpoint whose line they do not know yet to another kernel's.
  const bool at_once = options.symbols && !parsed->debug_text.empty();
  if (options.by_parts && !at_once) parts = parts_of(*parsed);
  Options chosen = options;
  program.on_demand = parts.size() == 1 && !parts.front().whole;
  if (program.on_demand) chosen.forms = std::nullopt;
  if (parts.size() > 1) {
    auto checked = check_module(*parsed, options);
    if (!checked) return checked.error();
    program.kernels = std::move(checked->kernels);
    program.parts = std::move(parts);
    program.is_large = checked->is_large;
  } else {
    CodeByDeadline made = compile_by_deadline(parsed, chosen, digest, program);
    if (!made.code) return made.code.error();
    return make(*made.code, false, parsed, std::move(made.late));
  }
  write_cached(digest, options, program);
  return make(std::make_shared<const CompiledProgram>(std::move(program)), false, parsed);
}

}  // namespace pycuda::cpu::jit
