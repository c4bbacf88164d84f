# SPDX-License-Identifier: MIT
"""Integers in addresses: quotients by constants, indexes that are split into parts, and what is known to be aligned."""

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import is_cpu
from pycuda import gpuarray
from pycuda.compiler import SourceModule

DIVISORS = [2, 3, 5, 6, 7, 9, 10, 11, 13, 25, 28, 32, 60, 100, 125, 127, 625, 641, 1000, 1 << 16, 65537, 10**9]
DIVISORS += [(1 << 30) - 1, 1 << 30, (1 << 31) - 2, (1 << 31) - 1]


def _c_quotient(x, divisor):
    """Rounded towards zero, in 64 bits."""
    return np.sign(x) * np.sign(divisor) * (np.abs(x) // abs(divisor))


def _edges(low, high, divisors):
    """Dividends beside multiples of each divisor, the first and the last ones among them."""
    found = [np.arange(max(low, -50), 50), np.arange(low, low + 50), np.arange(high - 50, high + 1)]
    for divisor in divisors:
        last = high // divisor
        multiples = np.unique(np.linspace(low // divisor, last, 40).astype(np.int64)) * divisor
        found += [multiples - 1, multiples, multiples + 1]
    every = np.unique(np.concatenate(found))
    every = every[(every >= low) & (every <= high)]
    random = np.random.default_rng(7).integers(low, high + 1, 4096)
    return np.concatenate([every, random, np.zeros(-(len(every) + 4096) % 256, np.int64)])


@pytest.mark.parametrize("kind", ["int", "unsigned"])
def test_quotients_by_constants(context, kind):
    signed = kind == "int"
    divisors = DIVISORS + ([-d for d in DIVISORS] if signed else [(1 << 31) + 1, (1 << 32) - 1])
    kernels = [
        f"__global__ void by{i}({kind} *q, {kind} *r, const {kind} *a) {{"
        " int i = blockIdx.x * blockDim.x + threadIdx.x;"
        f" {kind} x = a[i]; q[i] = x / ({kind}){d}ll; r[i] = x % ({kind}){d}ll; }}"
        for i, d in enumerate(divisors)
    ]
    module = SourceModule("\n".join(kernels))
    dtype = np.int32 if signed else np.uint32
    x = _edges(*((-(1 << 31), (1 << 31) - 1) if signed else (0, (1 << 32) - 1)), DIVISORS)
    a = gpuarray.to_gpu(x.astype(dtype))
    q, r = gpuarray.empty_like(a), gpuarray.empty_like(a)
    for i, divisor in enumerate(divisors):
        module.get_function(f"by{i}")(q, r, a, block=(256, 1, 1), grid=(len(x) // 256, 1))
        quotient = _c_quotient(x, divisor)
        assert (q.get() == quotient.astype(dtype)).all(), divisor
        assert (r.get() == (x - quotient * divisor).astype(dtype)).all(), divisor


PARTS = """
#define I (int)(blockIdx.x * blockDim.x + threadIdx.x) + first
#define T __global__ void
T by_numbers(int *out, int n, int first, int w, int h)
{ int i = I; if (i < n) out[i - first] = i % w + 1000 * (i / w % h) + 1000000 * (i / (w * h)); }
T unsigned_numbers(int *out, int n, int first, unsigned w, unsigned h)
{ unsigned i = I; if (i < n) out[i - first] = i % w + 1000 * (i / w % h) + 1000000 * (i / (w * h)); }
T largest_first(int *out, int n, int first, int w, int h)
{
  int i = I;
  if (i >= n) return;
  int z = i / (w * h), rest = i - z * w * h, y = rest / w;
  out[i - first] = rest % w + 1000 * y + 1000000 * z;
}
T without_a_guard(int *out, int n, int first, int w, int h)
{ int i = I, y = i / w; out[i - first] = i % w + 1000 * (y % h) + 1000000 * (y / h); }
T by_constants(int *out, int n, int first, int w, int h)
{ int i = I; if (i < n) out[i - first] = i % 40 + 1000 * (i / 40 % 3) + 1000000 * (i / 120); }
"""


@pytest.mark.parametrize(
    "kernel", ["by_numbers", "unsigned_numbers", "largest_first", "without_a_guard", "by_constants"]
)
def test_an_index_in_three_parts(context, kernel):
    split = SourceModule(PARTS).get_function(kernel)
    height, threads = 3, 4096
    out = gpuarray.zeros(threads, np.int32)
    for width in [40] if kernel == "by_constants" else [1, 2, 7, 32, 33, 40, 64, 100, 4096, -40, -1]:
        for first in [0, 5, -2000]:
            if kernel == "unsigned_numbers" and (width < 0 or first < 0):
                continue
            i = np.arange(first, first + threads, dtype=np.int64)
            arguments = [np.int32(v) for v in (first + threads, first, width, height)]
            split(out, *arguments, block=(128, 1, 1), grid=(threads // 128, 1))
            y, z = _c_quotient(i, width), _c_quotient(i, width * height)
            if kernel == "largest_first":
                y = _c_quotient(i - z * width * height, width)
            want = _remainder(i, width) + 1000 * _remainder(y, height) + 1000000 * z
            assert (out.get() == want.astype(np.int32)).all(), (width, first)


def test_quotients_and_remainders_by_zero_are_all_ones(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver: CUDA leaves them to the device")
    module = SourceModule("""
    __global__ void quotient(int *out, int w) { out[threadIdx.x] = (int)threadIdx.x / w; }
    __global__ void remainder(int *out, int w) { out[threadIdx.x] = (int)threadIdx.x % w; }
    """)
    out = gpuarray.zeros(128, np.int32)
    for kernel in ["quotient", "remainder"]:
        module.get_function(kernel)(out, np.int32(0), block=(128, 1, 1))
        assert (out.get() == -1).all()


def _remainder(x, divisor):
    return x - _c_quotient(x, divisor) * divisor


@pytest.mark.parametrize("split", ["i % w, y = i / w % h, z = i / (w * h)", "i % 96, y = i / 96 % 50, z = i / 4800"])
def test_accesses_by_parts_of_an_index_are_contiguous(context, split):
    if not is_cpu():
        pytest.skip("needs the CPU driver, which tells its plan")
    source = f"""
    __global__ void pad(float *out, const float *in, int w, int h, int n)
    {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      int x = {split};
      out[(z * (h + 2) + y + 1) * (w + 2) + x + 1] = in[i];
    }}
    """
    pad = SourceModule(source).get_function("pad")
    stores = [row.form for row in pad.plan(block=(256, 1, 1)).rows if row.instruction.startswith("st.global")]
    assert any(form.startswith("contiguous") for form in stores), stores
    w, h, n = 96, 50, 96 * 50 * 3 - 5
    image = np.random.default_rng(3).random(n, np.float32)
    out = gpuarray.zeros(3 * (h + 2) * (w + 2), np.float32)
    pad(out, gpuarray.to_gpu(image), *map(np.int32, (w, h, n)), block=(256, 1, 1), grid=(-(-n // 256), 1))
    whole = np.zeros(3 * h * w, np.float32)
    whole[:n] = image
    want = np.pad(whole.reshape(3, h, w), ((0, 0), (1, 1), (1, 1)))
    assert (out.get().reshape(want.shape) == want).all()


TESTED = """
__global__ void ring(float *out, const float *in, int shift)
{
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[(i + shift) & 1023] - in[(i - 1) & 1023] + in[(i + 5) % 1000];
}
__global__ void tile(float *out, const float *in, int shift)
{
  __shared__ float t[32][33];
  int thread = threadIdx.y * blockDim.x + threadIdx.x, column = thread % 32, row = thread / 32;
  t[row][column] = in[(blockIdx.y * 32 + row) * 64 + (blockIdx.x * 32 + column + shift) % 64];
  __syncthreads();
  out[(blockIdx.x * 32 + row) * 64 + blockIdx.y * 32 + column] = t[column][row];
}
"""


@pytest.mark.parametrize("shift", [0, 3, 1021])
@pytest.mark.parametrize(
    ("kernel", "grid", "block"),
    [
        ("ring", (16, 1), (256, 1, 1)),
        ("ring", (41, 1), (100, 1, 1)),
        ("tile", (2, 2), (32, 32, 1)),
        ("tile", (2, 2), (16, 64, 1)),
        ("tile", (2, 2), (1024, 1, 1)),
    ],
)
def test_gangs_that_do_not_wrap_round_read_neighbours(context, kernel, grid, block, shift):
    function = SourceModule(TESTED).get_function(kernel)
    if is_cpu() and block[0] % 16 == 0:
        loads = [row.form for row in function.plan(block=block).rows if row.instruction.startswith("ld.global")]
        assert all(form.startswith("contiguous") for form in loads), loads
    a = np.random.default_rng(5).random(4096, np.float32)
    out = gpuarray.zeros(8192, np.float32)
    function(out, gpuarray.to_gpu(a), np.int32(shift), grid=grid, block=block)
    if kernel == "ring":
        i = np.arange(grid[0] * block[0])
        want = a[(i + shift) & 1023] - a[(i - 1) & 1023] + a[(i + 5) % 1000]
    else:
        want = np.roll(a.reshape(64, 64), -shift, 1).T.ravel()
    assert (out.get()[: want.size] == want).all()


def test_accesses_of_dynamic_shared_memory_are_known_to_be_aligned(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver, which tells its plan")
    source = """
    __global__ void rows(float *a, int width)
    {
      extern __shared__ float shared[];
      float *row = shared + threadIdx.y * (width + 2);
      row[threadIdx.x] = a[threadIdx.y * width + threadIdx.x];
      __syncthreads();
      a[threadIdx.y * width + threadIdx.x] = row[(threadIdx.x + 1) % width];
    }
    """
    rows = SourceModule(source).get_function("rows")
    of_shared = [row.form for row in rows.plan(block=(32, 8, 1)).rows if ".shared" in row.instruction]
    assert of_shared
    assert not [form for form in of_shared if "alignment" in form]
    a = np.arange(256, dtype=np.float32).reshape(8, 32)
    want = np.roll(a, -1, axis=1)
    rows(cuda.InOut(a), np.int32(32), block=(32, 8, 1), shared=4 * 8 * 34)
    assert (a == want).all()
