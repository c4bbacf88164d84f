// SPDX-License-Identifier: MIT
// Any launch can run thread by thread, and that code is made in a fraction of the time.
#include "cpu/api/forms_for_now.h"

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/log.h"
#include "cpu/api/better_forms.h"
#include "cpu/api/module.h"
#include "cpu/exec/background.h"
#include "cpu/exec/gang_block.h"
#include "cpu/jit/checkpoint.h"
#include "cpu/jit/program.h"

namespace pycuda::cpu::api {
namespace {

/// A launch waits for what is made sooner.
constexpr auto worth_waiting = std::chrono::seconds(1);

const Kernel* made_form(const Kernel& kernel, Form form) {
  if (kernel.facts.forms.has(form)) return &kernel;
  return kernel.on_demand->made[static_cast<std::size_t>(form)].load(std::memory_order_acquire);
}

/// Which forms are being made, or could not be, and for whom: a kernel of a module that came later
/// may lie where another one lay.
class Making {
 public:
  static Making& instance() {
    static Making* const making = new Making;
    return *making;
  }
  /// False when it has been begun already.
  bool begin(const std::shared_ptr<const ModuleImage>& image, const Kernel& kernel, Form form) {
    const std::lock_guard lock(mutex_);
    std::erase_if(begun_, [](const auto& entry) { return entry.second.expired(); });
    return begun_.insert_or_assign({&kernel, form}, image).second;
  }

 private:
  std::mutex mutex_;  ///< protects `begun_`
  std::map<std::pair<const Kernel*, Form>, std::weak_ptr<const ModuleImage>> begun_;
};

/// The image is held meanwhile: what is linked belongs to it.
void make(const std::shared_ptr<const ModuleImage>& image, const Kernel& kernel, const Dim3& grid,
          const Dim3& block) {
  const jit::Checkpoints checkpoints(exec::end_with_process);
  const auto before = std::chrono::steady_clock::now();
  const bool done = make_best_form(image->code(), kernel, grid, block).ok();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - before;
  base::log(base::LogLevel::Info,
            "kernel '" + kernel.facts.name + "' " +
                (done ? "has its form for other blocks from now on, compiled in "
                      : "gets no form for other blocks, after ") +
                std::to_string(time.count()) + " s");
}

}  // namespace

base::Result<const Kernel*, jit::KernelFailure> make_best_form(const jit::LoadedProgram& code,
                                                               const Kernel& kernel,
                                                               const Dim3& grid,
                                                               const Dim3& block) {
  auto linked = code.link_form(kernel, exec::best_form_of_launch(kernel, grid, block));
  // What is made for small blocks may turn out not to be for this launch.
  if (linked && !(*linked)->facts.forms.has(exec::form_of_launch(**linked, grid, block)))
    linked = code.link_form(kernel, exec::form_of_launch(kernel, grid, block));
  return linked;
}

const Kernel* form_for_now(const std::shared_ptr<const ModuleImage>& image, const Kernel& kernel,
                           const Dim3& grid, const Dim3& block) {
  const Form best = exec::best_form_of_launch(kernel, grid, block);
  if (best == Form::Threads || made_form(kernel, best) != nullptr ||
      jit::vector_compile_time(kernel.facts) < worth_waiting || !(patience() >= 0))
    return nullptr;
  const Kernel* now = made_form(kernel, exec::form_of_launch(kernel, grid, block));
  if (now == nullptr) now = made_form(kernel, Form::Threads);
  if (now == nullptr) {
    const auto linked = image->code().link_form(kernel, Form::Threads);
    if (!linked) return nullptr;
    now = *linked;
  }
  // Whoever has its form decides by itself which of them it runs.
  if (!now->facts.forms.has(exec::form_of_launch(*now, grid, block))) return nullptr;
  if (Making::instance().begin(image, kernel, best)) {
    base::log(base::LogLevel::Info,
              "kernel '" + kernel.facts.name +
                  "' is long: blocks of this shape run in a slower form until theirs is made");
    exec::run_in_background([image, &kernel, grid, block] { make(image, kernel, grid, block); });
  }
  return now;
}

}  // namespace pycuda::cpu::api
