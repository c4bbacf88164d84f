// SPDX-License-Identifier: MIT
// <inttypes.h> for device code: formats of the integer types.
#pragma once
#include <stdint.h>

#define PRId32 "d"
#define PRIi32 "i"
#define PRIu32 "u"
#define PRIx32 "x"
#define PRId64 "ld"
#define PRIi64 "li"
#define PRIu64 "lu"
#define PRIx64 "lx"
