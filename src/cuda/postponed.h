// SPDX-License-Identifier: MIT
// Deferred releases: the driver forbids releasing resources on its own threads while they run
// host functions of graphs.
#pragma once

#include <functional>

#include "cuda/context.h"

namespace pycuda::cuda {

/// Keeps a release for `release_postponed`, with its context. False when there is no memory for it.
bool postpone(const ContextPtr& context, const char* routine,
              std::function<CUresult()> release) noexcept;

/// Makes the postponed releases, in their order: on a thread that may use the driver. Waits for the
/// device as they do; failures are reported. True when there were any.
bool release_postponed() noexcept;

/// Called after each `postpone`, on the thread that may not use the driver. It sees to it that
/// `release_postponed` is called soon on another one.
using PostponedHook = void (*)() noexcept;
/// One for the process; null for none.
void set_postponed_hook(PostponedHook hook) noexcept;

}  // namespace pycuda::cuda
