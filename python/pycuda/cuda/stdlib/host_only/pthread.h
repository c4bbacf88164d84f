// SPDX-License-Identifier: MIT
// <pthread.h> is for host code: nothing of it, for kernels whose source includes it.
#pragma once
