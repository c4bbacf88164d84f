// SPDX-License-Identifier: MIT
// Each thread's stack of contexts, and which context a call is for.
#pragma once

#include "cuda/context.h"

namespace pycuda::cuda {

/// Only the top of this thread's stack is ever current in the driver; a push first takes the former
/// top off the driver's own stack. A thread that ends with contexts on its stack lets go of them;
/// nothing is aborted.

/// Makes a context on the device and pushes it.
ContextPtr make_context(const Device& device, unsigned int flags = 0);

/// Makes `context` current on this thread. A dead context throws "cuCtxPushCurrent failed: invalid
/// device context - " and context_is_gone.
void push_context(const ContextPtr& context);

/// Takes the top off; the valid one below becomes current again. With an empty stack it throws
/// "context::pop failed: invalid device context - cannot pop non-current context".
void pop_context();

/// The top valid context of this thread's own stack, or null.
ContextPtr current_context();

/// The context pushed most recently that still stands on some thread's stack; else the last one
/// that a thread left current when it ended, if the program keeps it; or null.
ContextPtr process_context();

/// The context that new resources are made in: that of a ContextScope, else this thread's, else the
/// process's, which then is made current on this thread. With none of them:
/// "explicit_context_dependent failed: invalid device context - no currently active context?".
ContextPtr require_context();

/// How many contexts this thread's stack holds.
std::size_t context_stack_depth();

namespace internal {

/// Gives up a reference to a context; where that is the top of this thread's stack, the next
/// `require_context` takes it over.
void leave_for_next(ContextPtr context) noexcept;
/// Takes a context off this thread's stack and, where it is current, out of the driver.
void forget_on_thread(const Context& context) noexcept;
/// Drops dead contexts from the top of this thread's stack and makes the valid one below current.
void restore_top() noexcept;

}  // namespace internal
}  // namespace pycuda::cuda
