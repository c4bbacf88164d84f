// SPDX-License-Identifier: MIT
// <errno.h> is for host code: nothing of it, for kernels whose source includes it.
#pragma once
