// SPDX-License-Identifier: MIT
// <time.h> for device code: clock_t; the compiler has clock().
#pragma once
#include <stddef.h>

typedef long clock_t;
typedef long long time_t;
