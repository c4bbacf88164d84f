// SPDX-License-Identifier: MIT
// <stdio.h> for device code: the compiler has printf.
#pragma once
#include <stddef.h>

// Headers declare functions of files that no kernel calls.
typedef struct _IO_FILE FILE;

#define EOF (-1)
#define BUFSIZ 8192
