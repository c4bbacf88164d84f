// SPDX-License-Identifier: MIT
// The one registry.
#include "cpu/api/registry.h"

namespace pycuda::cpu::api {

// NOLINTNEXTLINE(bugprone-throwing-static-initialization): without memory there is no driver
Registry& registry = *new Registry;

}  // namespace pycuda::cpu::api
