// SPDX-License-Identifier: MIT
// Releases an object that work of a context may still use, in any stream: once that work is done,
// and not during a capture, which a wait would invalidate.
#pragma once

#include <memory>

#include "cuda/context.h"

namespace pycuda::cuda {

/// Drops `thing` when all that `context` has been given is done: waits for that or, where anything
/// is captured in the context, leaves it to the end of the last capture there.
void drop_after_work(const ContextPtr& context, std::shared_ptr<const void> thing) noexcept;

/// The same for memory of which others may know the bare address. While this thread captures in the
/// context, captured work may be among them: then the memory goes with the graph. (What goes with
/// another graph meanwhile is nothing that this one has been told of.)
void drop_known_memory(const ContextPtr& context, std::shared_ptr<const void> memory) noexcept;

/// Drops what has been left to the end of captures, as far as nothing is captured any more where it
/// belongs. Called at the end of each.
void drop_what_captures_left() noexcept;

}  // namespace pycuda::cuda
