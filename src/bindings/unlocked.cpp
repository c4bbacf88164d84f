// SPDX-License-Identifier: MIT
#include "bindings/unlocked.h"

namespace pycuda::bindings {

bool may_unlock() noexcept { return nanobind::is_alive() && PyGILState_Check() != 0; }

}  // namespace pycuda::bindings
