# SPDX-License-Identifier: MIT
"""Multiply matrices of halves with CUDA's matrix units (tensor cores), and without them."""

import time

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SIDE, TILE, WARPS = 512, 16, 4

module = SourceModule(
    """
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void plain(float *c, const half *a, const half *b, int side)
{
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < side; ++k) sum += __half2float(a[row * side + k]) * __half2float(b[k * side + column]);
  c[row * side + column] = sum;
}

// A warp makes a tile of 16 x 16 elements; a block, tiles side by side.
extern "C" __global__ void tensor(float *c, const half *a, const half *b, int side)
{
  const int row = blockIdx.y * 16, column = (blockIdx.x * blockDim.y + threadIdx.y) * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  for (int k = 0; k < side; k += 16) {
    wmma::load_matrix_sync(left, a + row * side + k, side);
    wmma::load_matrix_sync(right, b + k * side + column, side);
    wmma::mma_sync(sums, left, right, sums);
  }
  wmma::store_matrix_sync(c + row * side + column, sums, side, wmma::mem_row_major);
}
""",
    no_extern_c=True,
)

rng = np.random.default_rng(0)
a, b = (rng.standard_normal((SIDE, SIDE)).astype(np.float16) for _ in range(2))
c = np.empty((SIDE, SIDE), np.float32)
a_gpu, b_gpu, c_gpu = cuda.to_device(a), cuda.to_device(b), cuda.mem_alloc(c.nbytes)

start = time.perf_counter()
expected = a.astype(np.float32) @ b.astype(np.float32)
numpy_seconds = time.perf_counter() - start

times = []
for name, block, tile in (("plain", (32, 8, 1), (32, 8)), ("tensor", (32, WARPS, 1), (TILE * WARPS, TILE))):
    kernel = module.get_function(name)
    grid = (SIDE // tile[0], SIDE // tile[1])
    cuda.memset_d8(c_gpu, 0xFF, c.nbytes)
    arguments = (c_gpu, a_gpu, b_gpu, np.int32(SIDE))
    kernel(*arguments, block=block, grid=grid)
    device_seconds = min(kernel(*arguments, time_kernel=True, block=block, grid=grid) for _ in range(5))
    error = abs(cuda.from_device_like(c_gpu, c) - expected).max()
    assert error < 1e-3, f"{name} is off by {error}"
    times.append(f"{name} {device_seconds * 1e3:.3f} ms ({2 * SIDE**3 / device_seconds / 1e9:.1f} GFLOP/s)")

print(f"{SIDE} x {SIDE} halves: {', '.join(times)}")
print(f"device {device_seconds * 1e3:.3f} ms, NumPy {numpy_seconds * 1e3:.3f} ms")
