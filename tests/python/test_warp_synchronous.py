# SPDX-License-Identifier: MIT
"""Lanes of a warp that exchange values through volatile shared memory without barriers, as before Volta."""

import pytest
from programs import has_cpu_driver, run_program

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver: GPUs may step apart")

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


# Each lane's loop has its own trips, some of which it skips: it exchanges with lanes that are in the same trip.
LOOPS = (
    PRELUDE
    + r"""
source = '''
#define BEGIN(name) \
    __global__ void name(const unsigned *skip, const int *trips, int *out) { \
    __shared__ volatile int own[128]; \
    int t = threadIdx.x, n = trips[t], sum = t, next = (t & ~31) + (t + 5) % 32, i = 0; \
    own[t] = -t;
#define END out[t] = sum; }
#define SKIPPED (skip[i] >> (t & 31) & 1)
#define TRIPS _Pragma("unroll 1")
#define STEP own[t] = sum + i; sum = sum * 3 + own[next];
BEGIN(counted) TRIPS for (; i < n; ++i) { if (SKIPPED) continue; STEP } END
BEGIN(endless) TRIPS while (true) { if (++i >= n) break; if (SKIPPED) continue; STEP if (sum % 16 == 5) continue;
    own[t] = sum; sum += own[next ^ 1]; if (sum % 32 == 7) break; } END
BEGIN(tested_last) TRIPS do { ++i; if (SKIPPED) continue; STEP } while (i < n); END
BEGIN(nested) TRIPS for (; i < n; ++i) { int most = (t + i) % 4; TRIPS for (int k = 0; k < most; ++k) {
    if (skip[i + k] >> (t & 31) & 1) continue; own[t] = sum + k; sum = sum * 3 + own[next]; if (sum % 16 == 9) break; }
    if (SKIPPED) continue; STEP } END
__device__ __noinline__ int exchanged(volatile int *own, int t, int next, int put) { own[t] = put; return own[next]; }
BEGIN(called) TRIPS for (; i < n; ++i) { if (SKIPPED) continue; sum = sum * 3 + exchanged(own, t, next, sum + i);
    if (sum % 16 == 5) continue; sum += exchanged(own, t, next ^ 1, sum); } END
'''

def model(name, skip, trips):
    "What lanes compute that take each step together."
    t = np.arange(len(trips), dtype=np.int32)
    next = (t & ~31) + (t + 5) % 32
    own, sum = -t, t.copy()
    bits = (skip[:, None] >> (t & 31).astype(np.uint32) & 1).astype(bool)

    def step(active, add=0, times=3, other=next):
        own[active] = (sum + add)[active]
        sum[active] = (sum * np.int32(times) + own[other])[active]

    def rest(by):
        return np.fmod(sum, np.int32(by))

    alive = np.ones(len(t), bool)
    for i in range(trips.max() + 2):
        if name == "counted":
            step((i < trips) & ~bits[i], i)
        elif name == "called":
            active = (i < trips) & ~bits[i]
            step(active, i)
            step(active & (rest(16) != 5), 0, 1, next ^ 1)
        elif name == "endless":
            i += 1
            alive &= i < trips
            active = alive & ~bits[i]
            step(active, i)
            active &= rest(16) != 5
            step(active, 0, 1, next ^ 1)
            alive &= ~(active & (rest(32) == 7))
        elif name == "tested_last":
            i += 1
            step(alive & ~bits[i], i)
            alive &= i < trips
        elif name == "nested":
            alive = i < trips
            inner, most = alive.copy(), (t + i) % 4
            for k in range(4):
                inner &= k < most
                active = inner & ~bits[i + k]
                step(active, k)
                inner &= ~(active & (rest(16) == 9))
            step(alive & ~bits[i], i)
    return sum
"""
)

WRITTEN_LOOPS = (
    LOOPS
    + r"""
module = SourceModule(source)
random = np.random.default_rng(5)
for name in ("counted", "endless", "tested_last", "nested", "called"):
    for density in (0, 1, 2):
        skip = random.integers(0, 2**32, 40, np.uint32) & (random.integers(0, 2**32, 40, np.uint32) if density else 0)
        trips = random.integers(0, 20, 128, np.int32) if density != 1 else np.full(128, 9, np.int32)
        out = np.zeros(128, np.int32)
        launch(name, drv.In(skip), drv.In(trips), drv.InOut(out), block=128)
        want = model(name, skip, trips)
        assert (out == want).all(), (name, density, out != want)
print("right")
"""
)


@pytest.mark.parametrize("form", FORMS, ids=form_name)
def test_lanes_that_skip_trips_of_a_loop_meet_in_the_next_one(form):
    assert run_program(WRITTEN_LOOPS, PYCUDA_DRIVER="cpu", **form)[0] == "right\n"


# Two back edges, as compilers leave them: lanes that skip a trip go straight to the loop's first block.
BACK_EDGES = (
    LOOPS
    + r"""
def ptx(name, body):
    return f'''
.visible .entry {name}(.param .u64 skip, .param .u64 trips, .param .u64 out) {{
  .shared .align 4 .b8 own[512];
  .reg .b64 %d<8>; .reg .b32 %r<12>, %t, %n, %sum, %next, %i, %own, %other, %lane; .reg .pred %p<4>;
  ld.param.u64 %d1, [skip]; ld.param.u64 %d2, [trips]; ld.param.u64 %d3, [out];
  mov.u32 %t, %tid.x; and.b32 %lane, %t, 31; mul.wide.u32 %d4, %t, 4;
  add.u64 %d2, %d2, %d4; add.u64 %d3, %d3, %d4; ld.global.u32 %n, [%d2];
  mov.u32 %r1, own; shl.b32 %own, %t, 2; add.u32 %own, %own, %r1;
  add.u32 %r2, %lane, 5; and.b32 %r2, %r2, 31; sub.u32 %r3, %t, %lane; add.u32 %next, %r2, %r3;
  shl.b32 %other, %next, 2; add.u32 %other, %other, %r1;
  neg.s32 %r4, %t; st.volatile.shared.u32 [%own], %r4;
  mov.u32 %sum, %t; mov.u32 %i, 0;
{body}
DONE:
  st.global.u32 [%d3], %sum; ret;
}}
'''

skipped = '''  mul.wide.u32 %d5, %i, 4; add.u64 %d5, %d5, %d1; ld.global.u32 %r5, [%d5];
  shr.u32 %r5, %r5, %lane; and.b32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0;'''
step = '''  add.u32 %r6, %sum, %i; st.volatile.shared.u32 [%own], %r6; ld.volatile.shared.u32 %r7, [%other];
  mad.lo.u32 %sum, %sum, 3, %r7;'''
counted = f'''
  setp.ge.s32 %p0, %i, %n; @%p0 bra DONE;
AGAIN:
{skipped}
  @%p1 bra SKIP;
{step}
  add.u32 %i, %i, 1; setp.lt.s32 %p0, %i, %n; @%p0 bra AGAIN;
  bra DONE;
SKIP:
  add.u32 %i, %i, 1; setp.lt.s32 %p0, %i, %n; @%p0 bra AGAIN;
'''
endless = f'''
AGAIN:
  add.u32 %i, %i, 1; setp.ge.s32 %p0, %i, %n; @%p0 bra DONE;
{skipped}
  @%p1 bra AGAIN;
{step}
  rem.s32 %r8, %sum, 16; setp.eq.s32 %p2, %r8, 5; @%p2 bra AGAIN;
  xor.b32 %r9, %next, 1; shl.b32 %r9, %r9, 2; add.u32 %r9, %r9, %r1;
  st.volatile.shared.u32 [%own], %sum; ld.volatile.shared.u32 %r7, [%r9]; add.u32 %sum, %sum, %r7;
  rem.s32 %r8, %sum, 32; setp.ne.s32 %p2, %r8, 7; @%p2 bra AGAIN;
'''
tested_last = f'''
AGAIN:
  add.u32 %i, %i, 1;
{skipped}
  setp.lt.s32 %p0, %i, %n;
  @!%p1 bra STEP;
  @%p0 bra AGAIN;
  bra DONE;
STEP:
{step}
  @%p0 bra AGAIN;
'''
kernels = {"counted": counted, "endless": endless, "tested_last": tested_last}
text = ".version 7.8\n.target sm_80\n.address_size 64\n" + "".join(ptx(*kernel) for kernel in kernels.items())
module = drv.module_from_buffer(text.encode())
random = np.random.default_rng(7)
for name in kernels:
    for density in (0, 1, 2):
        skip = random.integers(0, 2**32, 40, np.uint32) & (random.integers(0, 2**32, 40, np.uint32) if density else 0)
        trips = random.integers(0, 20, 128, np.int32) if density != 1 else np.full(128, 9, np.int32)
        out = np.zeros(128, np.int32)
        launch(name, drv.In(skip), drv.In(trips), drv.InOut(out), block=128)
        want = model(name, skip, trips)
        assert (out == want).all(), (name, density, out != want)
print("right")
"""
)


@pytest.mark.parametrize("form", FORMS, ids=form_name)
def test_loops_with_two_back_edges_exchange_in_the_same_trip(form):
    assert run_program(BACK_EDGES, PYCUDA_DRIVER="cpu", **form)[0] == "right\n"
