// SPDX-License-Identifier: MIT
// A virtual CUDA device on the CPU: its memory, its limits and the workers that run its kernels.
#pragma once

#include "cpu/exec/address_table.h"
#include "cpu/exec/cpu_budget.h"
#include "cpu/exec/device_memory.h"
