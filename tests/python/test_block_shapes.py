# SPDX-License-Identifier: MIT
"""Warps are 32 consecutive threads by linear index, in blocks of every shape and in every form that kernels run in."""

import pytest
from programs import has_cpu_driver, run_program

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

SHAPES = """
SHAPES = [(16, 16, 1), (8, 8, 8), (1, 16, 16), (5, 7, 3), (24, 10, 1), (4, 4, 1), (2, 3, 30), (33, 5, 1), (3, 1, 20)]
SHAPES += [(1, 100, 1)]
"""

# Each kernel's result is computed again from the definition: thread = x + X * (y + Y * z), warp = thread / 32.
WARP_OPERATIONS = (
    SHAPES
    + r"""
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

module = SourceModule('''
__device__ int own() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ int threads() { return blockDim.x * blockDim.y * blockDim.z; }
__global__ void places(int *out)
{
    int lane, warp, t = own();
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    int *o = out + 6 * (blockIdx.x * threads() + t);
    o[0] = lane; o[1] = warp; o[2] = threadIdx.x; o[3] = threadIdx.y; o[4] = threadIdx.z; o[5] = __activemask();
}
__global__ void operations(const int *in, int *out)
{
    int t = own(), i = blockIdx.x * threads() + t, n = threads();
    unsigned mask = (t | 31) < n ? ~0u : (1u << (n & 31)) - 1;
    int x = in[i];
    int *o = out + 5 * i;
    o[0] = __shfl_down_sync(mask, x, 3);
    o[1] = __shfl_xor_sync(mask, x, 1);
    o[2] = __ballot_sync(mask, x % 3 == 0);
    o[3] = __any_sync(mask, x % 50 == 0);
    o[4] = __reduce_add_sync(mask, x);
}
__global__ void sums(const int *in, int *out)
{
    __shared__ int part[32];
    int t = threadIdx.z * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x, n = threads();
    unsigned mask = (t | 31) < n ? ~0u : (1u << (n & 31)) - 1;
    int x = __reduce_add_sync(mask, in[blockIdx.x * n + t]);
    if (t % 32 == 0) part[t / 32] = x;
    __syncthreads();
    if (t == 0) { int s = 0; for (int w = 0; w * 32 < n; ++w) s += part[w]; out[blockIdx.x] = s; }
}
''')
places, operations, sums = (module.get_function(name) for name in ("places", "operations", "sums"))
blocks = 3
for shape in SHAPES:
    n = shape[0] * shape[1] * shape[2]
    t = np.arange(n)
    full = np.array([(1 << min(32, n - w * 32)) - 1 for w in range((n + 31) // 32)], np.uint64)
    out = np.zeros((blocks, n, 6), np.int32)
    places(drv.Out(out), block=shape, grid=(blocks, 1))
    want = np.stack([t % 32, t // 32, t % shape[0], t // shape[0] % shape[1], t // (shape[0] * shape[1]),
                     full[t // 32].astype(np.uint32).view(np.int32)], 1)
    assert (out[..., :5] == want[:, :5]).all(), ("places", shape)
    x = np.random.default_rng(n).integers(0, 100, (blocks, n)).astype(np.int32)
    got = np.zeros((blocks, n, 5), np.int32)
    operations(drv.In(x), drv.Out(got), block=shape, grid=(blocks, 1))
    last = np.minimum((t // 32 + 1) * 32, n)
    down = np.where(t % 32 + 3 < 32, np.minimum(t + 3, n - 1), t)
    sure = (t + 3 < last) | (t % 32 + 3 >= 32)
    assert (got[..., 0] == x[:, down])[:, sure].all(), ("down", shape)
    paired = (t ^ 1) < n
    assert (got[..., 1][:, paired] == x[:, np.where(paired, t ^ 1, 0)][:, paired]).all(), ("xor", shape)
    warps = [slice(w * 32, min(w * 32 + 32, n)) for w in range((n + 31) // 32)]
    for w in warps:
        bits = (x[:, w] % 3 == 0) @ (1 << np.arange(w.stop - w.start, dtype=np.uint64))
        assert (got[:, w, 2].view(np.uint32) == bits[:, None]).all(), ("ballot", shape)
        assert (got[:, w, 3] == (x[:, w] % 50 == 0).any(1)[:, None]).all(), ("any", shape)
        assert (got[:, w, 4] == x[:, w].sum(1)[:, None]).all(), ("add", shape)
    total = np.zeros(blocks, np.int32)
    sums(drv.In(x), drv.Out(total), block=shape, grid=(blocks, 1))
    assert (total == x.sum(1)).all(), ("sums", shape)
print("right")
"""
)

FORMS = [{}, {"PYCUDA_CPU_VECTOR": 0}, {"PYCUDA_CPU_CHECK": 1}, {"PYCUDA_CPU_ISA": "avx2"}]


def form_name(form):
    return "-".join(f"{name}={value}" for name, value in form.items()) or "default"


@pytest.mark.parametrize("form", FORMS, ids=form_name)
def test_warp_operations_are_of_32_consecutive_threads(form):
    output, _ = run_program(WARP_OPERATIONS, PYCUDA_DRIVER="cpu", **form)
    assert output == "right\n"


# As from before Volta: a warp's threads take each step together, without barriers. `tree` and `rotate` are compiled for
# each shape, the others for the first one (N is a number then) and once for all the rest.
STEP_SHAPES = [
    [(16, 16, 1), (8, 8, 8), (1, 16, 16), (16, 8, 1), (4, 4, 1), (3, 1, 20)],
    [(33, 3, 1), (5, 5, 5), (64, 1, 1), (32, 8, 1), (1, 256, 1), (24, 4, 1)],
]
IN_STEP = r"""
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

line = "#define LINE(t) int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)"
of_a_shape = '''
__global__ void tree(const float *in, float *out)
{
    __shared__ float s[N < 64 ? 96 : N + 32];
    LINE(t);
    s[t] = in[blockIdx.x * N + t];
    if (N + t < 64) s[N + t] = 1e30f;
    if (t < 32) s[(N < 64 ? 64 : N) + t] = 1e30f;
    __syncthreads();
    #pragma unroll TRIPS
    for (int half = 512; half > 32; half /= 2) {
        if (t < half && t + half < N) s[t] = min(s[t], s[t + half]);
        __syncthreads();
    }
    if (t < 32) {
        volatile float *v = s;
        if (t + 32 < N) v[t] = min(v[t], v[t + 32]);
        v[t] = min(v[t], v[t + 16]);
        v[t] = min(v[t], v[t + 8]);
        v[t] = min(v[t], v[t + 4]);
        v[t] = min(v[t], v[t + 2]);
        v[t] = min(v[t], v[t + 1]);
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void rotate(int *out)
{
    __shared__ volatile int s[N];
    int t = (threadIdx.z * Y + threadIdx.y) * X + threadIdx.x;
    int first = t & ~31, count = min(32, N - first);
    s[t] = t;
    for (int i = 0; i < 5; ++i) s[t] = s[first + (t - first + 1) % count];
    out[blockIdx.x * N + t] = s[t];
}
'''
of_any_shape = '''
/* A scan within each warp, in a function that is called. */
__device__ __noinline__ void scan_warp(volatile int *s, int lane)
{
    if (lane >= 1) s[0] += s[-1];
    if (lane >= 2) s[0] += s[-2];
    if (lane >= 4) s[0] += s[-4];
    if (lane >= 8) s[0] += s[-8];
    if (lane >= 16) s[0] += s[-16];
}
__global__ void scan(const int *in, int *out)
{
    __shared__ int s[SIZE];
    LINE(t);
    s[t] = in[blockIdx.x * N + t];
    scan_warp(s + t, t & 31);
    out[blockIdx.x * N + t] = s[t];
}
/* Lanes take different ways and meet again; the neighbour's value is read without volatile. */
__global__ void meet(const int *in, int *out)
{
    __shared__ int s[SIZE + 1];
    volatile int *v = s;
    LINE(t);
    int first = t & ~31, count = min(32, N - first), next = first + (t - first + 1) % count;
    int x = in[blockIdx.x * N + t];
    v[t] = x;
    if (x % 3 == 0) v[t] = v[next] * 2;
    else if (x % 3 == 1) { for (int i = 0; i < x % 7; ++i) v[t] = v[t] + 5; }
    int mine = v[t];
    v[t] = mine;
    out[blockIdx.x * N + t] = s[next] + (s[next] << 8);
}
/* Odd-even transposition: 32 steps sort each warp's numbers. */
__global__ void sort(const int *in, int *out)
{
    extern __shared__ volatile int d[];
    LINE(t);
    int lane = t & 31, count = min(32, N - (t & ~31));
    d[t] = in[blockIdx.x * N + t];
    #pragma unroll TRIPS
    for (int i = 0; i < 32; ++i) {
        int other = (lane ^ i) & 1 ? lane - 1 : lane + 1;
        if (other >= 0 && other < count) {
            int a = d[t], b = d[t - lane + other];
            d[t] = other > lane ? min(a, b) : max(a, b);
        }
    }
    out[blockIdx.x * N + t] = d[t];
}
'''

def compiled(text, **numbers):
    return SourceModule("".join(f"#define {name} {value}\n" for name, value in numbers.items()) + line + text)


blocks = 8
for_rest = compiled(of_any_shape, N="int(blockDim.x * blockDim.y * blockDim.z)", SIZE=512, TRIPS=1)
for x, y, z in SHAPES:
    n = x * y * z
    # Straight code of many steps in one shape, which takes long to compile; loops in the others.
    trips = 32 if (x, y, z) == SHAPES[0] else 1
    module = compiled(of_a_shape + (of_any_shape if trips == 32 else ""), X=x, Y=y, Z=z, N=n, SIZE=n, TRIPS=trips)
    other = module if trips == 32 else for_rest
    random = np.random.default_rng(n)
    values = random.random((blocks, n)).astype(np.float32)
    least = np.empty(blocks, np.float32)
    shape = dict(block=(x, y, z), grid=(blocks, 1))
    module.get_function("tree")(drv.In(values), drv.Out(least), **shape)
    assert (least == values.min(1)).all(), ("tree", x, y, z)
    turned = np.empty((blocks, n), np.int32)
    module.get_function("rotate")(drv.Out(turned), **shape)
    t = np.arange(n)
    first = t // 32 * 32
    count = np.minimum(32, n - first)
    assert (turned == first + (t % 32 + 5) % count).all(), ("rotate", x, y, z)
    numbers = random.integers(0, 1000, (blocks, n)).astype(np.int32)
    found = np.empty((blocks, n), np.int32)
    warps = [slice(w, min(w + 32, n)) for w in range(0, n, 32)]
    other.get_function("scan")(drv.In(numbers), drv.Out(found), **shape)
    for w in warps:
        assert (found[:, w] == numbers[:, w].cumsum(1)).all(), ("scan", x, y, z)
    other.get_function("meet")(drv.In(numbers), drv.Out(found), **shape)
    near = first + (t % 32 + 1) % count
    kind = numbers % 3
    # The first way is complete before the second one begins, or the other way round.
    last = np.where(kind == 1, numbers + 5 * (numbers % 7), numbers)
    early = np.where(kind == 0, numbers[:, near] * 2, last)
    late = np.where(kind == 0, np.where(kind[:, near] == 0, numbers, last)[:, near] * 2, last)
    assert ((found == early[:, near] * 257) | (found == late[:, near] * 257)).all(), ("meet", x, y, z)
    other.get_function("sort")(drv.In(numbers), drv.Out(found), shared=4 * n, **shape)
    for w in warps:
        assert (found[:, w] == np.sort(numbers[:, w], 1)).all(), ("sort", x, y, z)
print("right")
"""


@pytest.mark.parametrize("shapes", STEP_SHAPES, ids=["squares", "others"])
@pytest.mark.parametrize("form", FORMS, ids=form_name)
def test_warps_take_steps_together_in_volatile_shared_memory(form, shapes):
    output, _ = run_program(f"SHAPES = {shapes}\n" + IN_STEP, PYCUDA_DRIVER="cpu", **form)
    assert output == "right\n"


# The width of a block as a number: the linear index is as good as with blockDim, and right in blocks of another width.
LITERAL_WIDTH = r"""
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

module = SourceModule('''
__global__ void rotate(const int *in, int *out, int *places)
{
    int t = threadIdx.y * 16 + threadIdx.x, i = blockIdx.x * 256 + t;
    out[i] = __shfl_sync(~0u, in[i], threadIdx.x + 1);
    places[i] = threadIdx.x + 100 * threadIdx.y + 10000 * blockDim.x;
}
''')
rotate = module.get_function("rotate")
x = np.arange(1024, dtype=np.int32) * 7
out, places = np.zeros_like(x), np.zeros_like(x)
for width, height in ((16, 16), (8, 16), (16, 4), (4, 8), (32, 4)):
    rotate(drv.In(x), drv.Out(out), drv.Out(places), block=(width, height, 1), grid=(4, 1))
    for block in range(4):
        i = np.array([[block * 256 + b * 16 + a for a in range(width)] for b in range(height)])
        want = np.empty(width * height, np.int32)
        own = x[i].ravel()
        for t in range(width * height):
            want[t] = own[t // 32 * 32 + (t % width + 1) % 32]
        order = i.ravel()
        # In wider blocks several threads write to one place.
        if width <= 16:
            assert (out[order] == want).all(), (width, height)
            there = np.array([[a + 100 * b + 10000 * width for a in range(width)] for b in range(height)]).ravel()
            assert (places[order] == there).all(), (width, height)
print("right")
"""


@pytest.mark.parametrize("form", FORMS, ids=form_name)
def test_sums_with_a_literal_block_width_are_right_in_blocks_of_any_width(form):
    output, _ = run_program(LITERAL_WIDTH, PYCUDA_DRIVER="cpu", **form)
    assert output == "right\n"


THREAD_NAMES = r"""
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

module = SourceModule('''
#include <cstdio>
__device__ __noinline__ int depth(int n)
{
    return n <= 0 ? threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z : depth(n - 1);
}
__global__ void called(int *out)
{
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int x = __shfl_xor_sync(~0u, t, 1);
    out[x] = depth(t % 3);
}
__global__ void said(int which)
{
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    if (__shfl_sync(~0u, t, 0) / 32 == which && t % 16 == 5)
        printf("%d %d %d\\n", threadIdx.x, threadIdx.y, threadIdx.z);
}
__global__ void stray(int *out, int which)
{
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int x = __shfl_xor_sync(~0u, t, 1) ^ 1;
    if (x == which) out += 1ll << 45;  // 128 TiB: more than a process can address
    out[x] = x;
}
''')
out = np.zeros(512, np.int32)
module.get_function("called")(drv.Out(out), block=(8, 8, 8))
t = np.arange(512) ^ 1
assert (out == t % 8 + 100 * (t // 8 % 8) + 10000 * (t // 64)).all(), out
module.get_function("said")(np.int32(3), block=(8, 8, 8))
drv.Context.synchronize()
try:
    module.get_function("stray")(drv.Out(out), np.int32(203), block=(8, 8, 8))
    drv.Context.synchronize()
except drv.Error as error:
    print(error)
"""


@pytest.mark.parametrize("form", [{}, {"PYCUDA_CPU_VECTOR": 0}], ids=form_name)
def test_threads_across_the_ends_of_rows_keep_their_names(form):
    output, _ = run_program(THREAD_NAMES, PYCUDA_DRIVER="cpu", **form)
    # Threads 101 and 117 of the third warp, and thread 203.
    assert output.splitlines()[:2] == ["5 4 1", "5 6 1"]
    assert "thread (3, 1, 3)" in output
