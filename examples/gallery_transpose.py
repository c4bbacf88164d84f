# SPDX-License-Identifier: MIT
"""Transpose a matrix through tiles of shared memory, and without them."""

import time
from typing import Any

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SIDE, TILE = 1024, 32

module = SourceModule("""
const int TILE = 32;

__global__ void plain(float *out, const float *in, int side)
{
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int i = 0; i < TILE; i += blockDim.y) out[x * side + y + i] = in[(y + i) * side + x];
}

// Reads and writes go along rows; one more column keeps a tile's column out of a single memory bank.
__global__ void tiled(float *out, const float *in, int side)
{
  __shared__ float tile[TILE][TILE + 1];
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int i = 0; i < TILE; i += blockDim.y) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * side + x];
  __syncthreads();
  const int column = blockIdx.y * TILE + threadIdx.x, row = blockIdx.x * TILE + threadIdx.y;
  for (int i = 0; i < TILE; i += blockDim.y) out[(row + i) * side + column] = tile[threadIdx.x][threadIdx.y + i];
}
""")

a = np.random.default_rng(0).random((SIDE, SIDE), np.float32)
a_gpu, out_gpu = cuda.to_device(a), cuda.mem_alloc(a.nbytes)
shape: dict[str, Any] = {"block": (TILE, 8, 1), "grid": (SIDE // TILE, SIDE // TILE)}

times = []
for name in ("plain", "tiled"):
    kernel = module.get_function(name)
    cuda.memset_d8(out_gpu, 0, a.nbytes)
    kernel(out_gpu, a_gpu, np.int32(SIDE), **shape)
    device_seconds = min(kernel(out_gpu, a_gpu, np.int32(SIDE), time_kernel=True, **shape) for _ in range(5))
    assert (cuda.from_device_like(out_gpu, a) == a.T).all()
    times.append(f"{name} {device_seconds * 1e3:.3f} ms ({2 * a.nbytes / device_seconds / 1e9:.1f} GB/s)")

start = time.perf_counter()
np.ascontiguousarray(a.T)
numpy_seconds = time.perf_counter() - start
print(f"{SIDE} x {SIDE} floats: {', '.join(times)}")
print(f"device {device_seconds * 1e3:.3f} ms, NumPy {numpy_seconds * 1e3:.3f} ms")
