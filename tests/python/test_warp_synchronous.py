# SPDX-License-Identifier: MIT
"""Lanes of a warp that exchange values through volatile shared memory without barriers, as before Volta."""

import numpy as np
import pytest
from programs import has_cpu_driver, run_program

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="GPUs from Volta on do not execute warps in step")

FORMS = [{}, {"PYCUDA_CPU_VECTOR": 0}, {"PYCUDA_CPU_CHECK": 1}]


def form_name(form):
    return "-".join(f"{name}={value}" for name, value in form.items()) or "default"


PRELUDE = r"""
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

def launch(name, *arguments, grid=1, block=32):
    module.get_function(name)(*arguments, grid=(grid, 1), block=(block, 1, 1))
"""

# More blocks than there are workers.
SPIN_WAITS = (
    PRELUDE
    + r"""
module = SourceModule('''
__global__ void between_warps(int *out)
{
    __shared__ volatile int parts[96], flag;
    int t = threadIdx.x;
    if (t == 0) flag = 0;
    parts[t] = t;
    parts[t + 32] = t < 32 ? parts[t + 32] : 0;
    __syncthreads();
    if (t < 32) {
        while (flag == 0) ;
        out[blockIdx.x * 32 + t] = parts[t] + parts[32];
    } else {
        for (int step = 16; step; step /= 2) parts[t] += parts[t + step];
        __threadfence_block();
        if (t == 32) flag = 1;
    }
}
__global__ void between_blocks(volatile int *flags, int *out)
{
    __shared__ volatile int parts[64];
    int t = threadIdx.x, b = blockIdx.x;
    while (b + 1 < gridDim.x && flags[b + 1] == 0) ;
    parts[t] = t + b;
    parts[t + 32] = 0;
    for (int step = 16; step; step /= 2) parts[t] += parts[t + step];
    if (t == 0) {
        out[b] = parts[0] + (b + 1 < gridDim.x ? flags[b + 1] : 0);
        __threadfence();
        flags[b] = out[b];
    }
}
__global__ void in_the_loop(volatile int *flags, int *out)
{
    __shared__ volatile int seen[32];
    int t = threadIdx.x, b = blockIdx.x;
    do {
        seen[t] = t != 7 ? t : b + 1 < gridDim.x ? flags[b + 1] : 1;
    } while (seen[7] == 0);
    out[32 * b + t] = seen[t ^ 7];
    __threadfence();
    if (t == 0) flags[b] = 100 + b;
}
__device__ __noinline__ void await(volatile int *flag) { while (*flag == 0) ; }
__global__ void in_a_call(volatile int *flags, int *out)
{
    __shared__ volatile int seen[32];
    int t = threadIdx.x, b = blockIdx.x;
    seen[t] = 0;
    if (b + 1 < gridDim.x) await(flags + b + 1);
    seen[t] = t + b;
    out[32 * b + t] = seen[t ^ 1];
    __threadfence();
    flags[b] = 1;
}
__global__ void between_lanes(int *out)
{
    __shared__ volatile int flag, parts[64];
    int t = threadIdx.x;
    if (t == 0) flag = 0;
    __syncthreads();
    if (t == 0) {
        while (flag == 0) ;
        out[0] = flag;
    } else if (t < 17) {
        parts[t] = t;
        for (int step = 8; step; step /= 2)
            if (t <= step) parts[t] += parts[t + step];
        if (t == 1) flag = parts[1];
    }
}
__global__ void locked(int *lock, int *out)
{
    __shared__ volatile int sum;
    int t = threadIdx.x;
    if (t == 0) sum = 0;
    __syncthreads();
    while (atomicCAS(lock, 0, 1) != 0) ;
    sum = sum + t;
    out[32] += sum - sum + 1;
    __threadfence();
    atomicExch(lock, 0);
    __syncthreads();
    out[blockIdx.x] = sum;
}
''')
blocks = 40
out = np.zeros(32 * blocks, np.int32)
launch("between_warps", drv.InOut(out), grid=blocks, block=64)
assert (out.reshape(blocks, 32) == np.arange(32) + np.arange(32, 64).sum()).all(), out
flags, out = np.zeros(blocks, np.int32), np.zeros(blocks, np.int32)
launch("between_blocks", drv.InOut(flags), drv.InOut(out), grid=blocks)
assert (out == np.cumsum([496 + 32 * b for b in range(blocks - 1, -1, -1)])[::-1]).all(), out
flags, out = np.zeros(blocks, np.int32), np.zeros((blocks, 32), np.int32)
launch("in_the_loop", drv.InOut(flags), drv.InOut(out), grid=blocks)
assert (out[:, 1:] == np.arange(1, 32) ^ 7).all() and (out[-1, 0], *out[:-1, 0]) == (1, *range(101, 100 + blocks)), out
flags, out = np.zeros(blocks, np.int32), np.zeros((blocks, 32), np.int32)
launch("in_a_call", drv.InOut(flags), drv.InOut(out), grid=blocks)
assert (out == (np.arange(32) ^ 1) + np.arange(blocks)[:, None]).all(), out
out = np.zeros(1, np.int32)
launch("between_lanes", drv.InOut(out))
assert out[0] == 136, out
lock, out = np.zeros(1, np.int32), np.zeros(33, np.int32)
launch("locked", drv.InOut(lock), drv.InOut(out), grid=8)
assert (out[:8] == 496).all() and out[32] == 8 * 32, out
print("right")
"""
)


@pytest.mark.parametrize("form", FORMS, ids=form_name)
def test_spin_waits_in_kernels_whose_warps_take_turns(form):
    assert run_program(SPIN_WAITS, PYCUDA_DRIVER="cpu", **form)[0] == "right\n"
