// SPDX-License-Identifier: MIT
// Lets Ctrl-C end the wait for work that cannot be stopped.
#pragma once

#include <functional>

namespace pycuda::bindings {

/// Runs `work` without the GIL, which is held before and after, and waits until it is done.
///
/// On the main thread, where alone Python runs the handlers of signals, another thread does the
/// work, and handlers run meanwhile. If one raises, so does this function, at once, and the work is
/// abandoned: it goes on in the background, so it must own all that it uses, must not throw, and
/// must not use Python. A process that ends before abandoned work does so without the destructors
/// of static objects, which that work may use.
void run_apart(const std::function<void()>& work, const std::function<void()>& when_abandoned);

}  // namespace pycuda::bindings
