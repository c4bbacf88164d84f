// SPDX-License-Identifier: MIT
// <stdlib.h> for device code: the compiler has malloc, free, abs; the short type names come with it as on Linux.
#pragma once
#include <sys/types.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
