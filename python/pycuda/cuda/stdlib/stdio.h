// SPDX-License-Identifier: MIT
// <stdio.h> for device code: the compiler has printf.
#pragma once
#include <stddef.h>

#define EOF (-1)
#define BUFSIZ 8192
