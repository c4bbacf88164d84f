// SPDX-License-Identifier: MIT
// The one registry.
#include "cpu/api/registry.h"

namespace pycuda::cpu::api {

Registry& registry = *new Registry;

}  // namespace pycuda::cpu::api
