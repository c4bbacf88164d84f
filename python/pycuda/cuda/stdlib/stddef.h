// SPDX-License-Identifier: MIT
// <stddef.h> for device code: size_t, ptrdiff_t, NULL, offsetof.
#pragma once

typedef decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr)) ptrdiff_t;
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
