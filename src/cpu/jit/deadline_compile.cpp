// SPDX-License-Identifier: MIT
#include "cpu/jit/deadline_compile.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
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
  if (!options.background || !may_take_long(*parsed, options.only_kernels))
    return {compile(options), nullptr};

  Options baseline = options;
  baseline.tier = Tier::Baseline;
  const auto known = read_cached(digest, baseline);
  Options usual = options;
  struct Progress {
    std::atomic<bool> can_be_left{false};  ///< baseline code could stand in for what is made now
    std::atomic<bool> takes_long{false};
  };
  const auto progress = std::make_shared<Progress>();
  const auto telling = [&](const std::function<void()>& before) {
    return [progress, before] {
      progress->can_be_left.store(true, std::memory_order_relaxed);
      if (before) before();
    };
  };
  usual.before_vectors = telling(options.before_vectors);
  usual.before_code = telling(options.before_code);
  usual.before_emission = [progress, most = options.most_cost,
                           before = options.before_emission](std::uint64_t cost) {
    if (cost > most) progress->takes_long.store(true, std::memory_order_relaxed);
    if (before) before(cost);
  };
  const auto late = std::make_shared<LateCode>();
  late->job = variants::CompileJob::begin(options.background,
                                          [compile, usual, late] { late->code = compile(usual); });
  if (late->job == nullptr) return {compile(options), nullptr};
  if (known != nullptr) return {known, late};
  if (late->job->wait(
          options.deadline, [&] { return progress->can_be_left.load(std::memory_order_relaxed); },
          [&] { return progress->takes_long.load(std::memory_order_relaxed); }))
    return {late->wait(), nullptr};
  Code code = compile(baseline);
  if (!code || late->job->is_done()) return {late->wait(), nullptr};
  return {std::move(code), late};
}

}  // namespace pycuda::cpu::jit
