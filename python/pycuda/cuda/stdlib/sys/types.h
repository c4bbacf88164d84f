// SPDX-License-Identifier: MIT
// <sys/types.h> for device code: what Linux has: signed types of known width, short names of unsigned ones.
#pragma once
#include <stddef.h>

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef long ssize_t;
