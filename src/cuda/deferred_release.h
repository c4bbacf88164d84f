// SPDX-License-Identifier: MIT
// Deferred releases: the driver forbids releasing resources on its own threads while they run
// host functions of graphs.
#pragma once

#include <functional>

#include "cuda/context.h"

namespace pycuda::cuda {

/// Queues a release for `make_deferred_releases`, with its context. False when out of memory.
bool defer_release(const ContextPtr& context, const char* routine,
                   std::function<CUresult()> release) noexcept;

/// Makes the deferred releases, in order, on a thread that may use the driver. Waits for the device
/// as they do; failures are reported. True if there were any.
bool make_deferred_releases() noexcept;

/// Called after each `defer_release`, on the thread that may not use the driver. It sees to it that
/// `make_deferred_releases` is called soon on another one.
using DeferredReleaseHook = void (*)() noexcept;
/// One for the process; null for none.
void set_deferred_release_hook(DeferredReleaseHook hook) noexcept;

}  // namespace pycuda::cuda
