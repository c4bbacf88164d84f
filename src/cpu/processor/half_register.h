// SPDX-License-Identifier: MIT
// The register that functions of LLVM's run time take and return a 16-bit float in.
#pragma once

#if defined(__x86_64__)
#include "cpu/processor/x86/half_register.h"
#elif defined(__aarch64__)
#include "cpu/processor/aarch64/half_register.h"
#endif
