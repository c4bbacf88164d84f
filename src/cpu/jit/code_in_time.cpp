// SPDX-License-Identifier: MIT
#include "cpu/jit/code_in_time.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "cpu/jit/compile.h"

namespace pycuda::cpu::jit {
namespace {

/// In PTX instructions, functions included: compiling so few takes a fraction of
/// Options::most_wait, and is not worth a thread. Of longer ones the number says little: a product
/// of matrices is one instruction here and hundreds in a vector form.
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

/// Who makes one module's code.
struct Maker {
  std::shared_ptr<const ptx::Module> parsed;
  Options options;
  std::string key;
  CompiledProgram rest;

  Code compile(const Options& chosen) const {
    auto compiled = compile_module(*parsed, chosen);
    if (!compiled) return compiled.error();
    auto made = std::make_shared<CompiledProgram>(rest);
    made->kernels = std::move(compiled->kernels);
    made->object = std::move(compiled->object);
    return std::shared_ptr<const CompiledProgram>(std::move(made));
  }

  void keep(const CompiledProgram& code) const {
    if (!options.cache_folder.empty()) write_cached(options.cache_folder, key, code);
  }

  Code compile_and_keep() const {
    Code made = compile(options);
    if (made) keep(**made);
    return made;
  }
};

}  // namespace

void LateCode::set(Code code, const std::function<void(const CompiledProgram&)>& keep) {
  const std::lock_guard lock(mutex_);
  code_ = std::move(code);
  if (*code_) keep(***code_);
}

bool LateCode::keep_meanwhile(const std::function<void()>& keep) {
  const std::lock_guard lock(mutex_);
  if (code_) return false;
  keep();
  return true;
}

Code LateCode::wait() {
  work_->wait();
  const std::lock_guard lock(mutex_);
  return *code_;
}

CodeInTime code_in_time(const std::shared_ptr<const ptx::Module>& parsed, const Options& options,
                        const std::string& key, const CompiledProgram& rest) {
  const auto maker = std::make_shared<const Maker>(Maker{parsed, options, key, rest});
  if (!options.aside || !options.vectors || !may_take_long(*parsed, options.only_kernels))
    return {maker->compile_and_keep(), nullptr};

  const auto late = std::make_shared<LateCode>();
  const auto can_wait = std::make_shared<std::atomic<bool>>(false);
  const std::shared_ptr<TimedWork> work = TimedWork::begin(options.aside, [maker, late, can_wait] {
    Options chosen = maker->options;
    chosen.before_vectors = [&] {
      can_wait->store(true, std::memory_order_relaxed);
      if (maker->options.before_vectors) maker->options.before_vectors();
    };
    late->set(maker->compile(chosen), [&](const CompiledProgram& code) { maker->keep(code); });
  });
  if (work == nullptr) return {maker->compile_and_keep(), nullptr};
  late->set_work(work);
  if (work->wait(options.most_wait, [&] { return can_wait->load(std::memory_order_relaxed); }))
    return {late->wait(), nullptr};

  Options soon = options;
  soon.vectors_wait = true;
  Code code = maker->compile(soon);
  if (!code || !late->keep_meanwhile([&] { maker->keep(**code); })) return {late->wait(), nullptr};
  return {std::move(code), late};
}

}  // namespace pycuda::cpu::jit
