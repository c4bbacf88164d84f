// SPDX-License-Identifier: MIT
#include "cpu/jit/program_code.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "cpu/ptx/parser.h"

namespace pycuda::cpu::jit {
namespace {

/// For code that a launch needs after the kernel's first: two seconds together are too long.
constexpr std::chrono::milliseconds longest_second_wait(500);

}  // namespace

Program::Implementation::Implementation(std::string_view ptx_text, std::string digest,
                                        const Options& options,
                                        std::shared_ptr<const CompiledProgram> module,
                                        bool from_cache, std::shared_ptr<const ptx::Module> parsed)
    : ptx_text_(ptx_text),
      clusters_(ptx::cluster_directives(ptx_text)),
      digest_(std::move(digest)),
      options_(options),
      module_(std::move(module)),
      from_cache_(from_cache),
      states_(std::max<std::size_t>(module_->parts.size(), 1)),
      parsed_(std::move(parsed)),
      parts_left_(states_.size()) {
  for (const VariableImage& image : module_->images) variables_.push_back(image.variable);
  if (!module_->parts.empty()) return;
  states_.front().code = module_;
  parsed_ = nullptr;
  parts_left_ = 0;
}

bool Program::Implementation::is_at_once(std::size_t part) const {
  return module_->parts.empty() || module_->parts[part].at_once;
}

std::size_t Program::Implementation::part_of(std::string_view kernel) const {
  const std::vector<Part>& parts = module_->parts;
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
    return std::find(part.kernels.begin(), part.kernels.end(), kernel) != part.kernels.end();
  });
  return found == parts.end() ? 0 : static_cast<std::size_t>(found - parts.begin());
}

Options Program::Implementation::part_options(std::size_t part) const {
  Options options = options_;
  options.by_parts = false;
  if (module_->parts.empty()) {
    if (module_->on_demand) options.forms = std::nullopt;
    return options;
  }
  options.only_kernels = module_->parts[part].kernels;
  options.quick = module_->is_large;
  if (!module_->parts[part].whole) options.forms = std::nullopt;
  return options;
}

Code Program::Implementation::part(std::size_t part) const {
  State& state = states_[part];
  const std::lock_guard lock(state.mutex);
  if (state.code != nullptr) return state.code;
  Code made = code_of(state, part_options(part));
  if (made) forget_parsed_if_done();
  return made;
}

Options Program::Implementation::options_of(const std::string& kernel,
                                            variants::Variant variant) const {
  using variants::Variant;
  const std::size_t number = part_of(kernel);
  Options options = part_options(number);
  options.only_kernels = {kernel};
  if (variant.is_form()) options.forms = variant.form();
  // With the forms of the kernel's first code: what is found of their stores must be the same.
  if (variant == Variant::streaming()) options.streaming_form = true;
  const auto is_baseline = [&] {
    const Code first = part(number);
    const KernelFacts* const facts = first ? find_facts(**first, kernel) : nullptr;
    return facts != nullptr && facts->is_baseline;
  };
  if (variant == Variant::vectors() || (variant.is_form() && is_baseline())) {
    options.tier = Tier::Optimised;
    options.quick = false;
  }
  if (variant.is_checked()) {
    options.forms = Forms::all();
    if (variant.is_likely()) options.forms = std::nullopt;
    options.threads_too = variant.is_likely();
    options.checks = variant.checks();
  }
  // A launch waits for these, and nothing else runs it. It may have waited for the first code.
  const bool is_waited_for = variant.is_checked() || (variant == Variant::of(Form::Threads) &&
                                                      options.tier != Tier::Optimised);
  if (!is_waited_for) options.background = {};
  options.deadline = std::min(options.deadline, longest_second_wait);
  return options;
}

Program::Implementation::State& Program::Implementation::state_of(const std::string& kernel,
                                                                  variants::Variant variant) const {
  const std::lock_guard lock(mutex_);
  return variants_[{kernel, variant}];
}

Code Program::Implementation::code(const std::string& kernel, variants::Variant variant) const {
  const Options options = options_of(kernel, variant);
  State& state = state_of(kernel, variant);
  const std::lock_guard lock(state.mutex);
  if (state.code == nullptr && variant == variants::Variant::usual()) {
    if (const auto late = this->late(part_of(kernel))) return late->wait();
  }
  return code_of(state, options);
}

void Program::Implementation::finish(const std::string& kernel, variants::Variant variant) const {
  if (!code(kernel, variant)) return;
  State& state = state_of(kernel, variant);
  std::unique_lock lock(state.mutex);
  const auto late = state.late;
  if (late == nullptr) return;
  lock.unlock();
  const Code made = late->wait();
  lock.lock();
  if (made) state.code = *made;
}

std::shared_ptr<const CompiledProgram> Program::Implementation::code_at_hand(
    const std::string& kernel, variants::Variant variant) const {
  const Options options = options_of(kernel, variant);
  State& state = state_of(kernel, variant);
  const std::unique_lock lock(state.mutex, std::try_to_lock);
  if (!lock) return nullptr;  // it is being compiled
  if (state.code == nullptr) state.code = read_cached(digest_, options);
  return state.code;
}

/// With the state's mutex held.
Code Program::Implementation::code_of(State& state, const Options& options) const {
  if (state.code != nullptr) return state.code;
  if (state.failure) return *state.failure;
  CodeByDeadline made = make(options);
  if (made.code) {
    state.code = *made.code;
    state.late = std::move(made.late);
  } else {
    state.failure = made.code.error();
  }
  return std::move(made.code);
}

std::shared_ptr<const LateCode> Program::Implementation::late(std::size_t part) const {
  State& state = states_[part];
  const std::lock_guard lock(state.mutex);
  return state.late;
}

CodeByDeadline Program::Implementation::make(const Options& options) const {
  if (auto found = read_cached(digest_, options)) return {std::move(found), nullptr};
  const auto source = parsed();
  if (!source) return {source.error(), nullptr};
  return compile_by_deadline(*source, options, digest_, {});
}

base::Result<std::shared_ptr<const ptx::Module>, ptx::Diagnostics> Program::Implementation::parsed()
    const {
  const std::lock_guard lock(mutex_);
  if (parsed_ == nullptr) {
    auto module = ptx::parse(ptx_text_);
    if (!module) return module.error();
    auto made = std::make_shared<const ptx::Module>(std::move(*module));
    if (parts_left_ == 0) return std::shared_ptr<const ptx::Module>(std::move(made));
    parsed_ = std::move(made);
  }
  return parsed_;
}

void Program::Implementation::forget_parsed_if_done() const {
  const std::lock_guard lock(mutex_);
  if (--parts_left_ == 0) parsed_ = nullptr;
}

}  // namespace pycuda::cpu::jit
