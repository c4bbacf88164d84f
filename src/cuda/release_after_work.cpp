// SPDX-License-Identifier: MIT
#include "cuda/release_after_work.h"

#include <list>
#include <mutex>
#include <utility>

#include "cuda/capture.h"

namespace pycuda::cuda {
namespace {

struct Left {
  ContextPtr context;
  std::shared_ptr<const void> thing;
};

/// What waits for the end of captures.
struct Waiting {
  std::mutex mutex;  ///< protects `left`
  std::list<Left> left;
};

// Never destroyed: threads may end after static objects have.
Waiting& waiting() {
  static auto* const made = new Waiting;
  return *made;
}

void leave(std::list<Left>& things) noexcept {
  const std::lock_guard lock(waiting().mutex);
  waiting().left.splice(waiting().left.end(), things);
}

std::list<Left> take_all() noexcept {
  std::list<Left> taken;
  const std::lock_guard lock(waiting().mutex);
  taken.swap(waiting().left);
  return taken;
}

/// What the graph keeps of memory: it goes as any known memory when the graph does.
struct EscapedMemory {
  ContextPtr context;
  std::shared_ptr<const void> memory;

  EscapedMemory(ContextPtr of, std::shared_ptr<const void> known)
      : context(std::move(of)), memory(std::move(known)) {}
  EscapedMemory(const EscapedMemory&) = delete;
  EscapedMemory& operator=(const EscapedMemory&) = delete;
  ~EscapedMemory() { release_escaped_memory(context, std::move(memory)); }
};

}  // namespace

void release_after_work(const ContextPtr& context, std::shared_ptr<const void> thing) noexcept {
  if (Capture::wait_for_work(*context)) return;
  std::list<Left> one;
  try {
    one.push_back({context, std::move(thing)});
  } catch (...) {  // no memory to remember it: it goes at once
    return;
  }
  leave(one);
  // The last capture may have ended between the two steps.
  if (!Capture::in_context(*context)) release_after_captures();
}

void release_escaped_memory(const ContextPtr& context,
                            std::shared_ptr<const void> memory) noexcept {
  Capture* const own = Capture::of_thread();
  if (own == nullptr || own->context() != context || GraphResources::any_goes_on_thread()) {
    return release_after_work(context, std::move(memory));
  }
  try {
    own->resources()->keep(std::make_shared<EscapedMemory>(context, memory));
  } catch (...) {
    release_after_work(context, std::move(memory));
  }
}

void release_after_captures() noexcept {
  for (bool once_more = true; once_more;) {
    once_more = false;
    std::list<Left> held;
    const Context* waited_for = nullptr;
    std::list<Left> taken = take_all();
    while (!taken.empty()) {
      const ContextPtr context = taken.front().context;
      if (context.get() == waited_for || Capture::wait_for_work(*context)) {
        waited_for = context.get();
        taken.pop_front();
        continue;
      }
      held.splice(held.end(), taken, taken.begin());
      leave(held);
      if (!Capture::in_context(*context)) once_more = true;
    }
  }
}

}  // namespace pycuda::cuda
