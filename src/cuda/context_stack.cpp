// SPDX-License-Identifier: MIT
// The threads' stacks, and the list of contexts that stand on any of them.
#include "cuda/context_stack.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace pycuda::cuda {
namespace {

using driver::DriverError;
using internal::on_thread;
using internal::ThreadStack;

struct ActiveContexts {
  std::mutex mutex;  // protects all below
  /// Every push that has not been popped, of all threads, oldest first.
  std::vector<std::weak_ptr<Context>> pushes;
  /// The contexts that threads left current when they ended, oldest first, each once.
  std::vector<std::weak_ptr<Context>> left;
  bool was_any = false;  ///< a thread has pushed one, ever
};

ActiveContexts& active_contexts() {
  // Never destroyed: threads may end after static objects have.
  static auto* active = new ActiveContexts;
  return *active;
}

void note_push(const ContextPtr& context) {
  ActiveContexts& active = active_contexts();
  const std::lock_guard lock(active.mutex);
  active.pushes.push_back(context);
  active.was_any = true;
}

void note_pop(const Context& context) noexcept {
  ActiveContexts& active = active_contexts();
  const std::lock_guard lock(active.mutex);
  for (auto push = active.pushes.rbegin(); push != active.pushes.rend(); ++push) {
    // Whoever calls this still owns the context, so that its own entry cannot have expired.
    if (push->lock().get() == &context) {
      active.pushes.erase(std::next(push).base());
      return;
    }
  }
}

/// Keeps the contexts of a thread that ends for threads that have none: whoever imports
/// pycuda.autoinit in a thread of a pool has made the context of the process.
void note_left(const ContextPtr& context) noexcept {
  ActiveContexts& active = active_contexts();
  const std::lock_guard lock(active.mutex);
  std::erase_if(active.left, [&](const std::weak_ptr<Context>& earlier) {
    const ContextPtr other = earlier.lock();
    return other == nullptr || other == context || !other->valid();
  });
  try {
    active.left.push_back(context);
  } catch (const std::bad_alloc&) {  // the thread's end is no place for errors
  }
}

/// The newest context of a list that is still there.
ContextPtr newest_of(const std::vector<std::weak_ptr<Context>>& contexts) {
  for (auto entry = contexts.rbegin(); entry != contexts.rend(); ++entry) {
    ContextPtr context = entry->lock();
    if (context && context->valid()) return context;
  }
  return nullptr;
}

CUresult activate(const ContextPtr& context) noexcept {
  const CUresult code = context->driver().cuCtxPushCurrent.status(context->handle());
  if (code == CUDA_SUCCESS) on_thread.current = context.get();
  return code;
}

CUresult deactivate(const Context& context) noexcept {
  if (on_thread.current != &context) return CUDA_SUCCESS;
  on_thread.current = nullptr;
  CUcontext popped = nullptr;
  return context.driver().cuCtxPopCurrent.status(&popped);
}

}  // namespace

/// What this thread has pushed, top last. The top is current in the driver, or, with an empty
/// stack, `adopted`.
struct internal::ThreadStack {
  std::vector<ContextPtr> contexts;
  /// The process's context, made current here because the thread has none of its own.
  ContextPtr adopted;
  /// Another reference to the top, or null: what a dead resource left for the next one to take,
  /// since an atomic count costs as much as the rest of `require_context`.
  ContextPtr spare;

  ThreadStack() { on_thread.stack = this; }
  ThreadStack(const ThreadStack&) = delete;
  ThreadStack& operator=(const ThreadStack&) = delete;
  ~ThreadStack() {
    drop_adopted();
    for (const ContextPtr& context : contexts) note_left(context);
    while (!contexts.empty()) drop_top();
    on_thread.stack = nullptr;
  }

  /// The thread's end and detached contexts are no place for errors of the pop.
  void drop_top() noexcept {
    const ContextPtr top = take_top();
    static_cast<void>(deactivate(*top));
    note_pop(*top);
  }
  ContextPtr take_top() noexcept {
    spare.reset();
    ContextPtr top = std::move(contexts.back());
    contexts.pop_back();
    return top;
  }
  void drop_adopted() noexcept {
    if (!adopted) return;
    static_cast<void>(deactivate(*adopted));
    on_thread.adopted = nullptr;
    adopted.reset();
  }
};

namespace {

/// What to do where there is no context. One that ended is not made again by an import.
const char* why_no_context() {
  ActiveContexts& active = active_contexts();
  const std::lock_guard lock(active.mutex);
  return active.was_any
             ? "no currently active context? The one before has been popped or detached: its "
               "push() makes a popped one current, pycuda.tools.make_default_context() makes a new "
               "one"
             : "no currently active context? `import pycuda.autoinit` makes one";
}

ThreadStack& this_thread() {
  thread_local ThreadStack stack;
  return stack;
}

}  // namespace

namespace internal {

void forget_on_thread(const Context& context) noexcept {
  ThreadStack& stack = this_thread();
  if (stack.adopted.get() == &context) stack.drop_adopted();
  static_cast<void>(deactivate(context));
  if (stack.spare.get() == &context) stack.spare.reset();
  std::erase_if(stack.contexts, [&](const ContextPtr& pushed) {
    if (pushed.get() != &context) return false;
    note_pop(context);
    return true;
  });
}

void leave_for_next(ContextPtr context) noexcept {
  ThreadStack* const stack = on_thread.stack;
  // Nothing but the top: the stack owns it anyway, so that no context lives longer for this.
  if (stack == nullptr || stack->contexts.empty() || stack->contexts.back() != context) return;
  if (!stack->spare) stack->spare = std::move(context);
}

void restore_top() noexcept {
  ThreadStack& stack = this_thread();
  while (!stack.contexts.empty()) {
    const ContextPtr& top = stack.contexts.back();
    if (top->valid() && (on_thread.current == top.get() || activate(top) == CUDA_SUCCESS)) return;
    stack.drop_top();
  }
}

}  // namespace internal

ContextPtr make_context(const Device& device, unsigned int flags) {
  ContextPtr context = Context::create(device, flags);
  push_context(context);
  return context;
}

void push_context(const ContextPtr& context) {
  const auto& push = context->driver().cuCtxPushCurrent;
  if (!context->valid()) {
    throw push.error(CUDA_ERROR_INVALID_CONTEXT, context_is_gone);
  }
  ThreadStack& stack = this_thread();
  stack.contexts.reserve(stack.contexts.size() + 1);
  stack.drop_adopted();
  stack.spare.reset();
  if (!stack.contexts.empty()) static_cast<void>(deactivate(*stack.contexts.back()));
  if (const CUresult code = activate(context); code != CUDA_SUCCESS) {
    internal::restore_top();
    throw push.error(code);
  }
  stack.contexts.push_back(context);
  note_push(context);
}

void pop_context() {
  ThreadStack& stack = this_thread();
  if (stack.contexts.empty()) {
    throw DriverError("context::pop", CUDA_ERROR_INVALID_CONTEXT, "cannot pop non-current context");
  }
  const ContextPtr top = stack.take_top();
  note_pop(*top);
  const CUresult code = deactivate(*top);
  internal::restore_top();
  // A context detached on another thread has gone from here as well: that is no failure of the pop.
  if (code != CUDA_SUCCESS && top->valid()) throw top->driver().cuCtxPopCurrent.error(code);
}

ContextPtr current_context() {
  ThreadStack& stack = this_thread();
  if (!stack.contexts.empty() && !stack.contexts.back()->valid()) internal::restore_top();
  return stack.contexts.empty() ? nullptr : stack.contexts.back();
}

ContextPtr process_context() {
  ActiveContexts& active = active_contexts();
  const std::lock_guard lock(active.mutex);
  if (ContextPtr context = newest_of(active.pushes)) return context;
  return newest_of(active.left);
}

ContextPtr require_context() {
  // What is current is what calls will be for: the top of the stack, or the context of a scope.
  internal::OnThread& here = on_thread;
  const Context* current = here.current;
  if (current != nullptr && current != here.adopted && current->valid()) {
    if (here.stack != nullptr && here.stack->spare.get() == current) {
      return std::move(here.stack->spare);
    }
    return const_cast<Context*>(current)->shared_from_this();
  }
  ThreadStack& stack = this_thread();
  if (ContextPtr own = current_context()) return own;
  ContextPtr context = process_context();
  if (context == nullptr) {
    stack.drop_adopted();
    throw DriverError("explicit_context_dependent", CUDA_ERROR_INVALID_CONTEXT, why_no_context());
  }
  if (stack.adopted != context || on_thread.current != context.get()) {
    stack.drop_adopted();
    if (const CUresult code = activate(context); code != CUDA_SUCCESS) {
      throw context->driver().cuCtxPushCurrent.error(code);
    }
    on_thread.adopted = context.get();
    stack.adopted = context;
  }
  return context;
}

std::size_t context_stack_depth() { return this_thread().contexts.size(); }

}  // namespace pycuda::cuda
