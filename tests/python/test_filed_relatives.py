# SPDX-License-Identifier: MIT
"""Relatives of faults that programs of other people showed: the same kind in another shape, type or order of steps.

NumPy says what is right; on the CPU driver the plan says that the fast form runs.
"""

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import has_cpu_driver, is_cpu, run_program
from pycuda.compiler import SourceModule

ROWS = """
typedef TYPE T;
__global__ void rows(T *r, const COUNTER n, const COUNTER width, const COUNTER pitch)
{
  COUNTER x = blockDim.x * blockIdx.x + threadIdx.x;
  if (x >= n) return;
  BODY
}
"""


def walked(rows, width, operation):
    """`operation` on the first `width` elements of each row, in their type."""
    rows = rows.copy()
    with np.errstate(over="ignore"):
        for row in rows:
            operation(row[:width])
    return rows


def add_one(row):
    row += row.dtype.type(1)


def run_sums(row):
    for i in range(1, len(row)):
        row[i] = row[i - 1] + row[i]


def turn_around(row):
    row[:] = row[::-1].copy()


@pytest.mark.parametrize(
    ("counter", "element", "body", "operation"),
    [
        ("unsigned", "unsigned short", "for (COUNTER y = 0; y < width; y++) r[x * pitch + y] += 1;", add_one),
        ("unsigned long long", "signed char", "for (COUNTER y = width; y-- > 0;) r[x * pitch + y] += 1;", add_one),
        ("int", "unsigned long long", "T *p = r + x * pitch; for (T *e = p + width; p != e; ++p) *p += 1;", add_one),
        ("unsigned", "int", "for (COUNTER y = 1; y < width; y++) r[x * pitch + y] += r[x * pitch + y - 1];", run_sums),
        (
            "size_t",
            "float",
            "for (COUNTER y = 0; y < width / 2; y++) { T t = r[x * pitch + y];"
            " r[x * pitch + y] = r[x * pitch + width - 1 - y]; r[x * pitch + width - 1 - y] = t; }",
            turn_around,
        ),
    ],
    ids=["shorts", "bytes_backwards", "pointers", "sums_along", "turned_around"],
)
def test_rows_that_each_thread_walks(context, counter, element, body, operation):
    names = {"unsigned short": "u2", "signed char": "i1", "unsigned long long": "u8", "int": "i4", "float": "f4"}
    counts = {"unsigned": "u4", "unsigned long long": "u8", "int": "i4", "size_t": "u8"}
    source = ROWS.replace("BODY", body).replace("TYPE", element).replace("COUNTER", counter)
    kernel = SourceModule(source).get_function("rows")
    for width, pitch in ((1, 1), (70, 70), (64, 65), (33, 48)):
        rows = np.random.default_rng(width).integers(0, 100, (130, pitch)).astype(names[element])
        want = walked(rows, width, operation)
        numbers = [np.dtype(counts[counter]).type(number) for number in (len(rows), width, pitch)]
        kernel(cuda.InOut(rows), *numbers, block=(64, 1, 1), grid=(3, 1))
        assert (rows == want).all(), (width, pitch)


NARROW = """
__global__ void around(const int *in, int *out)
{
  extern __shared__ int s[];
  int X = blockDim.x, Y = blockDim.y, Z = blockDim.z, x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  int t = x + X * (y + Y * z), at = t + X * Y * Z * blockIdx.x;
  s[t] = in[at];
  __syncthreads();
  int sum = s[(x + 1) % X + X * (y + Y * z)] + 10 * s[x + X * ((y + 1) % Y + Y * z)]
            + 100 * s[x + X * (y + Y * ((z + 1) % Z))];
  for (int round = 0; round < 3; round++) {
    __syncthreads();
    s[t] = sum + round;
    __syncthreads();
    sum = s[X * Y * Z - 1 - t];
  }
  out[at] = sum;
}
"""


@pytest.mark.parametrize("shape", [(4, 8, 8), (1, 16, 16), (2, 2, 64), (6, 5, 3), (3, 1, 21), (7, 9, 1)])
def test_barriers_in_blocks_of_narrow_rows(context, shape):
    kernel = SourceModule(NARROW).get_function("around")
    x, y, z = shape
    a = np.random.default_rng(x).integers(0, 1000, (5, z, y, x)).astype(np.int32)
    out = np.zeros_like(a)
    kernel(cuda.In(a), cuda.Out(out), block=shape, grid=(5, 1), shared=a[0].nbytes)
    want = np.roll(a, -1, 3) + 10 * np.roll(a, -1, 2) + 100 * np.roll(a, -1, 1)
    want = want.reshape(5, -1)
    for round_ in range(3):
        want = (want + round_)[:, ::-1]
    assert (out.reshape(5, -1) == want).all()
    if is_cpu() and x * y * z >= 64:
        assert kernel.plan(block=shape).is_vector


TALL = """
template <int STEP> __device__ void step(float *s, int t, float k)
{
  float a = s[t], b = s[(t + STEP) % 128], c = s[(t + 128 - STEP) % 128];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 40; i++) { float d = a * k - b; b = c * 0.5f + a; c = a > b ? d - 1.f : d + 0.25f; a = b - d; }
  s[t] = a * 0.001f + b * 0.002f - c * 0.003f;
  __syncthreads();
}
template <int FIRST, int LAST> __device__ void steps(float *s, int t, float k)
{
  if constexpr (FIRST < LAST) { step<FIRST>(s, t, k); steps<FIRST + 1, LAST>(s, t, k); }
}
__device__ void some(int which, float *s, int t, float k)
{
  if (which & 1) steps<1, 8>(s, t, k);
  if (which & 2) steps<8, 15>(s, t, k);
}
extern "C" __global__ void part(float *a, float k, int which)
{
  __shared__ float s[128];
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  s[t] = a[128 * blockIdx.x + t];
  __syncthreads();
  some(which, s, t, k);
  a[128 * blockIdx.x + t] = s[t];
}
"""


@pytest.mark.parametrize("options", [[], ["--use_fast_math"]], ids=["exact", "fast"])
@pytest.mark.parametrize("block", [(128, 1, 1), (16, 8, 1)])
def test_a_long_kernel_with_barriers_computes_what_its_parts_do(context, options, block):
    part = SourceModule(TALL, no_extern_c=True, options=options).get_function("part")
    a = np.random.default_rng(0).random((4, 128)).astype(np.float32)
    at_once, one_by_one = a.copy(), a.copy()
    part(cuda.InOut(at_once), np.float32(0.75), np.int32(3), block=block, grid=(4, 1))
    for which in (1, 2):
        part(cuda.InOut(one_by_one), np.float32(0.75), np.int32(which), block=block, grid=(4, 1))
    assert (at_once == one_by_one).all() and np.isfinite(at_once).all()
    assert (at_once != a).any(1).all()


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, whose memory is the process's")
@pytest.mark.parametrize(
    "make",
    [
        "gpuarray.zeros(n, np.float32)",
        "gpuarray.zeros((n // 4, 2), np.complex64)",
        "gpuarray.zeros_like(gpuarray.empty(n, np.int32))",
        "gpuarray.empty(n, np.uint32).fill(0)",
    ],
    ids=["zeros", "complex", "zeros_like", "fill"],
)
def test_zeros_of_fresh_memory_take_no_pages(make):
    program = f"""
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import gpuarray

def resident():
    return 4096 * int(open("/proc/self/statm").read().split()[1])

gpuarray.zeros(1000, np.float32).get()
n = 1 << 27
before = resident()
a = {make}
cuda.Context.synchronize()
assert resident() - before < n, resident() - before
assert not a[:: 1 << 20].get().any()
print("right")
"""
    assert run_program(program, PYCUDA_DRIVER="cpu")[0] == "right\n"


def test_zeros_are_zeros_where_memory_was_used_before(context):
    from pycuda import gpuarray

    for nbytes in (1 << 10, 1 << 20, 1 << 25):
        for _ in range(3):
            dirty = gpuarray.empty(nbytes // 4, np.int32)
            dirty.fill(7)
            address = int(dirty.gpudata)
            del dirty
            zeros = gpuarray.zeros(nbytes // 4, np.int32)
            assert not zeros.get().any(), (nbytes, address, int(zeros.gpudata))
            zeros[nbytes // 8 :].fill(5)
            zeros.fill(0)
            assert not zeros.get().any()


TILES = """
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void tiles(const int *in, int *out, int *kept, int n)
{
  extern __shared__ int mine[];
  __shared__ cg::block_tile_memory<256> scratch;
  auto b = cg::this_thread_block(scratch);
  auto t = cg::tiled_partition<SIZE>(b);
  int r = b.thread_rank();
  for (int i = r; i < n; i += 256) mine[i] = i;
  b.sync();
  int x = in[r];
  out[2 * r] = cg::inclusive_scan(t, x);
  out[2 * r + 1] = cg::exclusive_scan(t, x, cg::greater<int>());
  b.sync();
  for (int i = r; i < n; i += 256) kept[i] = mine[n - 1 - i];
}
"""


@pytest.mark.parametrize("size", [64, 128, 256])
def test_tiles_keep_off_memory_that_the_launch_gives(context, size):
    source = TILES.replace("SIZE", str(size))
    tiles = SourceModule(source, no_extern_c=True).get_function("tiles")
    a = np.random.default_rng(size).integers(0, 1000, 256).astype(np.int32)
    for n in (256, 1000, 8192):
        out, kept = np.zeros((256, 2), np.int32), np.zeros(n, np.int32)
        tiles(cuda.In(a), cuda.Out(out), cuda.Out(kept), np.int32(n), block=(256, 1, 1), shared=4 * n)
        rows = a.reshape(-1, size)
        assert (out[:, 0] == rows.cumsum(1).ravel()).all()
        before = np.maximum.accumulate(rows, 1)[:, :-1]
        assert (out[:, 1].reshape(-1, size)[:, 1:] == before).all()
        assert (kept == np.arange(n)[::-1]).all()


LINKED_CONSTANTS = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import DynamicModule

def linked(*sizes):
    module = DynamicModule()
    for part, (declaration, size) in enumerate(zip(("char a[%d]", "double2 b[%d / 16]"), sizes)):
        source = f"__constant__ {declaration % size}; __global__ void k{part}(char *o) {{ o[0] = sizeof("
        module.add_source(source + f"{'ab'[part]}) / 1000; }}", nvcc_options=["-rdc=true"], name=f"part{part}")
    return module.link()

out = np.zeros(1, np.int8)
linked(40000, 25536).get_function("k1")(cuda.Out(out), block=(1, 1, 1))
print(out[0])
for second in (25552, 40000):
    try:
        linked(40000, second)
    except cuda.Error as error:
        print(error)
"""


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, whose message is compared")
def test_constants_of_linked_parts_count_together():
    lines = run_program(LINKED_CONSTANTS, PYCUDA_DRIVER="cpu")[0].split("\n")
    assert lines[0] == "25"
    told = [line for line in lines if "too much global constant data" in line]
    assert [f"({total} bytes of .const variables, 65536 max)" in line for total, line in zip((65552, 80000), told)] == [
        True,
        True,
    ]
