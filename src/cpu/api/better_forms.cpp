// SPDX-License-Identifier: MIT
// When, where, and for how long: the compiler itself is jit's, the thread exec's.
#include "cpu/api/better_forms.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "base/env.h"
#include "base/log.h"
#include "cpu/api/module.h"
#include "cpu/exec/background.h"
#include "cpu/jit/checkpoint.h"
#include "cpu/jit/program.h"

namespace pycuda::cpu::api {

double patience() {
  constexpr double most = 1e9;
  return base::environment_decimal("PYCUDA_CPU_PATIENCE", -most, most, "1").value_or(1);
}

bool compile_aside(std::function<void()> work) {
  return exec::run_in_background(
      [work = std::move(work)] {
        const jit::Checkpoints checkpoints(exec::end_with_process);
        work();
      },
      exec::Priority::AtOnce);
}

namespace {

/// Compiles without holding the module: it may be unloaded meanwhile. The disk cache keeps the code
/// in any case.
void improve(const jit::Program& program, const std::string& name,
             const std::weak_ptr<const ModuleImage>& holder) {
  const jit::Checkpoints checkpoints(exec::end_with_process);
  const auto before = std::chrono::steady_clock::now();
  auto better = program.compile_kernel(name);
  const std::shared_ptr<const ModuleImage> image = holder.lock();
  if (image == nullptr) return;
  const Kernel& kernel = *image->code().find_kernel(name);
  if (!better) {
    kernel.forms->settled.store(true, std::memory_order_relaxed);
    base::log(base::LogLevel::Info,
              "kernel '" + name + "' stays as it is: " + ptx::to_text(better.error()));
    return;
  }
  const bool improved = image->code().improve(kernel, std::move(*better));
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - before;
  base::log(base::LogLevel::Info, improved ? "kernel '" + name +
                                                 "' runs in vectors from now on, compiled in " +
                                                 std::to_string(time.count()) + " s"
                                           : "kernel '" + name + "' has no vector form");
}

}  // namespace

void arrange_better_form(const Kernel& kernel, std::shared_ptr<const jit::Program> program,
                         std::weak_ptr<const ModuleImage> image) {
  if (kernel.forms == nullptr || kernel.forms->settled.load(std::memory_order_relaxed)) return;
  const double times = patience();
  const bool is_coming = program->is_being_compiled(kernel.facts.name);
  const std::string now = "kernel '" + kernel.facts.name +
                          "' runs thread by thread for now: its vector form takes long to compile ";
  if (!(times >= 0)) {
    base::log(base::LogLevel::Info, now + "and is not made, as PYCUDA_CPU_PATIENCE says");
    return;
  }
  base::log(base::LogLevel::Info,
            now + (is_coming ? "and is being compiled in the background"
                             : "and is compiled in the background once the kernel has run for as "
                               "long as that is expected to take"));
  // What is being made already only has to be linked.
  const auto wait = (is_coming ? 0 : times) * std::chrono::duration<double, std::nano>(
                                                  jit::vector_compile_time(kernel.facts));
  constexpr double most = 1e18;
  kernel.forms->patience_ns.store(static_cast<std::int64_t>(std::clamp(wait.count(), 1.0, most)),
                                  std::memory_order_relaxed);
  kernel.forms->improve = [program = std::move(program), name = kernel.facts.name,
                           holder = std::move(image)] {
    exec::run_in_background([program, name, holder] { improve(*program, name, holder); });
  };
}

}  // namespace pycuda::cpu::api
