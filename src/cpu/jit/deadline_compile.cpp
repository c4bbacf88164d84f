// SPDX-License-Identifier: MIT
#include "cpu/jit/deadline_compile.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "cpu/jit/compile.h"

namespace pycuda::cpu::jit {
namespace {

/// In PTX instructions, functions included: compiling so few takes a fraction of Options::deadline,
/// and is not worth a thread. Of longer ones the number says little: a product of matrices is one
/// instruction here and hundreds in a vector form.
constexpr std::size_t certainly_soon = 16;

/// Kernels that are not compiled now do not count.
bool may_take_long(const ptx::Module& parsed, const std::vector<std::string>& only_kernels) {
  std::size_t length = 0;
  for (const ptx::Function& function : parsed.functions) {
    const bool is_left_out =
        function.is_entry && !only_kernels.empty() &&
        std::find(only_kernels.begin(), only_kernels.end(), function.name) == only_kernels.end();
    if (!is_left_out) length += function.body.size();
  }
  return length > certainly_soon;
}

}  // namespace

CodeByDeadline compile_by_deadline(const std::shared_ptr<const ptx::Module>& parsed,
                                   const Options& options, const std::string& digest,
                                   const CompiledProgram& rest) {
  const auto compile = [parsed, digest, rest](const Options& chosen) -> Code {
    auto compiled = compile_module(*parsed, chosen);
    if (!compiled) return compiled.error();
    auto made = std::make_shared<CompiledProgram>(rest);
    made->kernels = std::move(compiled->kernels);
    made->object = std::move(compiled->object);
    write_cached(digest, chosen, *made);
    return std::shared_ptr<const CompiledProgram>(std::move(made));
  };
  if (!options.background || !options.vectors || !may_take_long(*parsed, options.only_kernels))
    return {compile(options), nullptr};

  Options baseline = options;
  baseline.tier = Tier::Baseline;
  const auto known = read_cached(digest, baseline);
  Options usual = options;
  // Set once only vector forms, which nobody has to wait for, are left to make.
  const auto can_be_left = std::make_shared<std::atomic<bool>>(false);
  usual.before_vectors = [can_be_left, before = options.before_vectors] {
    can_be_left->store(true, std::memory_order_relaxed);
    if (before) before();
  };
  const auto late = std::make_shared<LateCode>();
  late->job = variants::CompileJob::begin(options.background,
                                          [compile, usual, late] { late->code = compile(usual); });
  if (late->job == nullptr) return {compile(options), nullptr};
  if (known != nullptr) return {known, late};
  if (late->job->wait(options.deadline,
                      [&] { return can_be_left->load(std::memory_order_relaxed); }))
    return {late->wait(), nullptr};
  Code code = compile(baseline);
  if (!code || late->job->is_done()) return {late->wait(), nullptr};
  return {std::move(code), late};
}

}  // namespace pycuda::cpu::jit
