// SPDX-License-Identifier: MIT
// As for the better forms of long kernels, but what is gained is a part of the time, not most of
// it.
#include "cpu/api/streaming_forms.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "base/log.h"
#include "cpu/api/better_forms.h"
#include "cpu/api/module.h"
#include "cpu/exec/background.h"
#include "cpu/jit/checkpoint.h"
#include "cpu/jit/program.h"

namespace pycuda::cpu::api {
namespace {

/// A third of the time is gained at best: what compiling takes has been lost after so many times as
/// long.
constexpr double most_gain = 1.0 / 3;

/// As `improve` of long kernels: the module may be unloaded meanwhile.
void add_form(const jit::Program& program, const std::string& name,
              const std::weak_ptr<const ModuleImage>& holder) {
  const jit::Checkpoints checkpoints(exec::end_with_process);
  const auto before = std::chrono::steady_clock::now();
  auto form = program.compile_streaming_kernel(name);
  const std::shared_ptr<const ModuleImage> image = holder.lock();
  if (image == nullptr) return;
  const Kernel& kernel = *image->code().find_kernel(name);
  if (!form || !image->code().add_streaming_form(kernel, *form)) {
    kernel.streaming->settled.store(true, std::memory_order_relaxed);
    base::log(base::LogLevel::Info,
              "kernel '" + name + "' has no form whose stores go past the caches");
    return;
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - before;
  base::log(base::LogLevel::Info, "stores of kernel '" + name +
                                      "' go past the caches in large launches from now on, "
                                      "compiled in " +
                                      std::to_string(time.count()) + " s");
}

}  // namespace

void arrange_streaming_form(const Kernel& kernel, std::shared_ptr<const jit::Program> program,
                            std::weak_ptr<const ModuleImage> image) {
  if (kernel.streaming == nullptr || kernel.streaming->settled.load(std::memory_order_relaxed))
    return;
  const double times = patience() / most_gain;
  if (!(times >= 0)) return;
  const auto wait =
      times * std::chrono::duration<double, std::nano>(jit::vector_compile_time(kernel.facts));
  constexpr double most = 1e18;
  kernel.streaming->patience_ns.store(
      static_cast<std::int64_t>(std::clamp(wait.count(), 1.0, most)), std::memory_order_relaxed);
  kernel.streaming->improve = [program = std::move(program), name = kernel.facts.name,
                               holder = std::move(image)] {
    exec::run_in_background([program, name, holder] { add_form(*program, name, holder); });
  };
}

}  // namespace pycuda::cpu::api
