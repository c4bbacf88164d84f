// SPDX-License-Identifier: MIT
// Any launch can run thread by thread, and that code is made in a fraction of the time.
#include "cpu/api/forms_for_now.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/log.h"
#include "cpu/api/better_forms.h"
#include "cpu/api/module.h"
#include "cpu/exec/gang_block.h"
#include "cpu/jit/program.h"
#include "cpu/jit/timed_work.h"

namespace pycuda::cpu::api {
namespace {

/// A launch waits for what is made in so much of a processor's time.
constexpr std::chrono::seconds worth_waiting(1);

/// What is estimated to be made sooner is not worth a thread.
constexpr std::chrono::milliseconds certainly_soon(100);

const Kernel* made_form(const Kernel& kernel, Form form) {
  if (kernel.facts.forms.has(form)) return &kernel;
  return kernel.on_demand->made[static_cast<std::size_t>(form)].load(std::memory_order_acquire);
}

/// A form that is being made, has been, or could not be.
struct Begun {
  std::weak_ptr<const ModuleImage> image;
  std::shared_ptr<jit::TimedWork> work;  ///< null: there was nobody to do it
  std::atomic<bool> is_told{false};      ///< that others run meanwhile
};

/// All of them, and for whom: a kernel of a module that came later may lie where another one lay.
class Making {
 public:
  static Making& instance() {
    static Making* const making = new Making;
    return *making;
  }
  /// This one, begun by the first that asks.
  std::shared_ptr<Begun> begin(const std::shared_ptr<const ModuleImage>& image,
                               const Kernel& kernel, Form form, const std::function<void()>& work) {
    const std::lock_guard lock(mutex_);
    std::erase_if(begun_, [](const auto& entry) { return entry.second->image.expired(); });
    std::shared_ptr<Begun>& begun = begun_[{&kernel, form}];
    if (begun == nullptr) {
      begun = std::make_shared<Begun>();
      begun->image = image;
      begun->work = jit::TimedWork::begin(compile_aside, work);
    }
    return begun;
  }

 private:
  std::mutex mutex_;  ///< protects `begun_`
  std::map<std::pair<const Kernel*, Form>, std::shared_ptr<Begun>> begun_;
};

/// The image is held meanwhile: what is linked belongs to it.
void make(const std::shared_ptr<const ModuleImage>& image, const Kernel& kernel, const Dim3& grid,
          const Dim3& block) {
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
                           const Dim3& grid, const Dim3& block, const Kernel* threads) {
  const Form best = exec::best_form_of_launch(kernel, grid, block);
  const auto estimate = jit::vector_compile_time(kernel.facts);
  if (best == Form::Threads || made_form(kernel, best) != nullptr || estimate < certainly_soon ||
      !(patience() >= 0))
    return nullptr;
  const std::shared_ptr<Begun> begun = Making::instance().begin(
      image, kernel, best, [image, &kernel, grid, block] { make(image, kernel, grid, block); });
  if (begun->work == nullptr) return nullptr;
  if (estimate < worth_waiting && begun->work->wait(worth_waiting, [] { return true; }))
    return nullptr;
  const Kernel* now = made_form(kernel, exec::form_of_launch(kernel, grid, block));
  if (now == nullptr) now = threads;
  if (now == nullptr) now = made_form(kernel, Form::Threads);
  if (now == nullptr) {
    const auto linked = image->code().link_form(kernel, Form::Threads);
    if (!linked) return nullptr;
    now = *linked;
  }
  // Whoever has its form decides by itself which of them it runs.
  if (!now->facts.forms.has(exec::form_of_launch(*now, grid, block))) return nullptr;
  if (!begun->is_told.exchange(true))
    base::log(base::LogLevel::Info,
              "kernel '" + kernel.facts.name +
                  "' is long: blocks of this shape run in a slower form until theirs is made");
  return now;
}

}  // namespace pycuda::cpu::api
