// SPDX-License-Identifier: MIT
// Releases an object that queued work of a context may still use, in any stream: once that work is
// done, and not during a stream capture, which waiting would invalidate.
#pragma once

#include <memory>

#include "cuda/context.h"

namespace pycuda::cuda {

/// Releases `thing` when all work queued in `context` is done: waits for it or, while a capture
/// goes on in the context, leaves the release to the end of the last capture.
void release_after_work(const ContextPtr& context, std::shared_ptr<const void> thing) noexcept;

/// The same for memory whose address has escaped. While this thread captures in the context,
/// captured work may use the address: then the memory is released with the graph. (Memory released
/// because another graph is destroyed meanwhile was never known to this one.)
void release_escaped_memory(const ContextPtr& context, std::shared_ptr<const void> memory) noexcept;

/// Makes the releases that were left to the end of captures, for contexts without captures. Called
/// at the end of each capture.
void release_after_captures() noexcept;

}  // namespace pycuda::cuda
