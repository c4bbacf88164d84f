// SPDX-License-Identifier: MIT
#include "cpu/api/background.h"

#include <utility>

#include "base/env.h"
#include "cpu/exec/background.h"
#include "cpu/variants/checkpoint.h"

namespace pycuda::cpu::api {
namespace {

bool compile(std::function<void()> work, exec::Priority priority) {
  return exec::run_in_background(
      [work = std::move(work)] {
        const variants::Checkpoints checkpoints(exec::end_with_process);
        work();
      },
      priority);
}

}  // namespace

double patience() {
  constexpr double most = 1e9;
  return base::environment_decimal("PYCUDA_CPU_PATIENCE", -most, most, "1").value_or(1);
}

bool compile_soon(std::function<void()> work) {
  return compile(std::move(work), exec::Priority::AtOnce);
}

variants::Background background_of(std::weak_ptr<const void> owner) {
  const auto with = [](exec::Priority priority) {
    return [priority](std::function<void()> work) { return compile(std::move(work), priority); };
  };
  return {compile_soon, with(exec::Priority::Usual), with(exec::Priority::Low), patience(),
          std::move(owner)};
}

}  // namespace pycuda::cpu::api
