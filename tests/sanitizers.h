// SPDX-License-Identifier: MIT
#pragma once

// Which sanitizer the tests are built with. GCC says it in macros, Clang as features.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PYCUDA_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define PYCUDA_THREAD_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define PYCUDA_ADDRESS_SANITIZER 1
#endif
#if defined(__SANITIZE_THREAD__)
#define PYCUDA_THREAD_SANITIZER 1
#endif

namespace pycuda::testing {

#if defined(PYCUDA_ADDRESS_SANITIZER)
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif

/// It delivers signals only at library calls, and keeps wild values in registers: what relies on a
/// signal within a kernel waits for ever.
#if defined(PYCUDA_THREAD_SANITIZER)
inline constexpr bool thread_sanitizer = true;
#else
inline constexpr bool thread_sanitizer = false;
#endif

}  // namespace pycuda::testing
