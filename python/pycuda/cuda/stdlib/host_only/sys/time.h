// SPDX-License-Identifier: MIT
// <sys/time.h> is for host code: nothing of it, for kernels whose source includes it.
#pragma once
