# SPDX-License-Identifier: MIT
"""Multiply matrices of 8-bit floats (e4m3) with tensor cores: a quarter of the memory of single precision.

Needs compute capability 8.9. The CPU driver claims it when PYCUDA_CPU_ARCH says so.
"""

import os
import time
from typing import Any

import numpy as np

os.environ.setdefault("PYCUDA_CPU_ARCH", "90")
import pycuda.autoinit
from numpy.typing import NDArray
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SIDE, WARPS, MOST = 256, 4, 448.0  # the largest number of e4m3

if pycuda.autoinit.device.compute_capability() < (8, 9):
    raise SystemExit("this program needs tensor cores for 8-bit floats: compute capability 8.9 or newer")

module = SourceModule(
    """
#include <cuda_fp8.h>

extern "C" __global__ void quantise(__nv_fp8_e4m3 *out, const float *in, float scale)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __nv_fp8_e4m3(in[i] * scale);
}

extern "C" __global__ void restore(float *out, const __nv_fp8_e4m3 *in, float scale)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = float(in[i]) / scale;
}

// A warp makes 16 x 8 elements of a * b; the rows of `columns` are the columns of b. Words are four numbers.
extern "C" __global__ void product(float *c, const unsigned *a, const unsigned *columns, int side, float scale)
{
  const int row = blockIdx.y * 16 + threadIdx.x / 4, word = threadIdx.x % 4, words = side / 4;
  const int column = (blockIdx.x * blockDim.y + threadIdx.y) * 8;
  const unsigned *upper = a + row * words + word, *lower = upper + 8 * words;
  const unsigned *right = columns + (column + threadIdx.x / 4) * words + word;
  float sums[4] = {};
  for (int k = 0; k < words; k += 8) {
    asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(upper[k]), "r"(lower[k]), "r"(upper[k + 4]), "r"(lower[k + 4]), "r"(right[k]), "r"(right[k + 4]));
  }
  float *out = c + row * side + column + 2 * word;
  out[0] = sums[0] * scale;
  out[1] = sums[1] * scale;
  out[8 * side] = sums[2] * scale;
  out[8 * side + 1] = sums[3] * scale;
}
""",
    no_extern_c=True,
)
quantise, restore, product = (module.get_function(name) for name in ("quantise", "restore", "product"))


def quantised(matrix: NDArray[Any]) -> tuple[Any, float, NDArray[Any]]:
    """The matrix in 8-bit floats, how much larger they are, and what they stand for."""
    scale = MOST / float(abs(matrix).max())
    given, small = gpuarray.to_gpu(matrix), gpuarray.empty(matrix.shape, np.uint8)
    block, grid = (256, 1, 1), (matrix.size // 256, 1)
    quantise(small, given, np.float32(scale), block=block, grid=grid)
    restore(given, small, np.float32(scale), block=block, grid=grid)
    return small, scale, given.get()


rng = np.random.default_rng(0)
a, columns = (rng.standard_normal((SIDE, SIDE)).astype(np.float32) for _ in range(2))
a_small, a_scale, a_kept = quantised(a)
columns_small, columns_scale, columns_kept = quantised(columns)
c = gpuarray.empty((SIDE, SIDE), np.float32)

arguments = (c, a_small, columns_small, np.int32(SIDE), np.float32(1 / (a_scale * columns_scale)))
block, grid = (32, WARPS, 1), (SIDE // (8 * WARPS), SIDE // 16)
product(*arguments, block=block, grid=grid)
seconds = min(product(*arguments, block=block, grid=grid, time_kernel=True) for _ in range(5))

start = time.perf_counter()
exact = a @ columns.T
numpy_seconds = time.perf_counter() - start
expected = a_kept.astype(np.float64) @ columns_kept.T.astype(np.float64)
np.testing.assert_allclose(c.get(), expected, atol=2e-2)
lost = abs(expected - exact).max() / abs(exact).max()

print(
    f"{SIDE} x {SIDE}: {a_small.nbytes} bytes instead of {a.nbytes}; the numbers lose {100 * lost:.1f} % of the range"
)
print(f"device {seconds * 1e3:.3f} ms, NumPy {numpy_seconds * 1e3:.3f} ms")
