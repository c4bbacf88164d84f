// SPDX-License-Identifier: MIT
// Compilations that Ctrl-C can interrupt: the wait ends, the work continues.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace pycuda::cpu::api {

/// Runs `work`, and waits until it is done. Where the program's first thread waits in a call that
/// an interrupt may end (exec::watch_waits), another thread does the work, and this returns false
/// at once after an interrupt: `work` then goes on in the background, so it must own all that it
/// uses. Throws what `work` throws.
bool done_before_interrupt(const std::function<void()>& work);

/// The same for a function with a result; nothing after an interrupt.
template <class Make>
auto made_before_interrupt(Make make) {
  auto result = std::make_shared<std::optional<decltype(make())>>();
  const bool done =
      done_before_interrupt([result, make = std::move(make)] { result->emplace(make()); });
  return done ? std::move(*result) : std::nullopt;
}

}  // namespace pycuda::cpu::api
