// SPDX-License-Identifier: MIT
// A generator, and what all functions do with it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <type_traits>

#include "curand/source.h"
#include "hostwork/driver.h"
#include "hostwork/registry.h"

namespace pycuda::curand {

/// The numbers that come next. Work in streams shares it.
struct State {
  std::function<std::unique_ptr<Source>()> make;
  std::unique_ptr<Source> source;  ///< made when it is first needed
  std::mutex mutex;
};

struct Generator {
  Kind kind = kXorwow;
  bool is_host = false;  ///< fills memory of the host, at once
  CUstream stream = nullptr;
  std::uint64_t seed = 0, offset = 0;
  bool is_legacy = false;  ///< the order
  unsigned dimensions = 1;
  std::shared_ptr<State> state;
  /// Set when work in a stream could not be done: the next call says so.
  std::shared_ptr<std::atomic<bool>> failed = std::make_shared<std::atomic<bool>>(false);
};
using Generators = hostwork::Registry<Generator>;

/// What a call ends with where a function cannot go on.
struct Refusal {
  Status status;
  const char* why;  ///< for the log; may be null
};
inline void require(bool holds, Status status, const char* why) {
  if (!holds) throw Refusal{status, why};
}

/// Runs a function's body. No exception leaves the library.
Status run_body(const char* function, Status (*run)(void*), void* body) noexcept;
template <class Body>
Status guarded(const char* function, Body&& body) noexcept {
  return run_body(
      function,
      [](void* data) -> Status { return (*static_cast<std::remove_reference_t<Body>*>(data))(); },
      &body);
}

void require_usable(const Generator* generator);
template <class Body>
Status with_generator(const char* function, const Generator* generator, Body&& body) noexcept {
  return guarded(function, [&]() -> Status {
    require_usable(generator);
    return body();
  });
}

/// Makes the numbers begin where the settings say.
void restart(Generator& generator);

}  // namespace pycuda::curand
