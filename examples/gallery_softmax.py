# SPDX-License-Identifier: MIT
"""Softmax of each row of a matrix: a block a row, shuffles within warps, shared memory between them."""

import time
from typing import Any

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from numpy.typing import NDArray
from pycuda.compiler import SourceModule

ROWS, COLUMNS, THREADS = 1024, 1000, 128

softmax = SourceModule("""
const int WARPS = 4;

struct Max { __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };
struct Sum { __device__ float operator()(float a, float b) const { return a + b; } };

// Every thread of the block gets the result.
template <typename Operation>
__device__ float over_block(float value, Operation operation, float *of_warps)
{
  for (int lane = 16; lane > 0; lane /= 2) value = operation(value, __shfl_xor_sync(~0u, value, lane));
  __syncthreads();  // the last call's values have been read
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  float result = of_warps[0];
  for (int warp = 1; warp < WARPS; ++warp) result = operation(result, of_warps[warp]);
  return result;
}

extern "C" __global__ void softmax(float *out, const float *in, int columns)
{
  __shared__ float of_warps[WARPS];
  in += (size_t)blockIdx.x * columns;
  out += (size_t)blockIdx.x * columns;
  float most = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) most = fmaxf(most, in[i]);
  most = over_block(most, Max(), of_warps);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += out[i] = expf(in[i] - most);
  sum = over_block(sum, Sum(), of_warps);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) out[i] /= sum;
}
""", no_extern_c=True).get_function("softmax")


def softmax_with_numpy(a: NDArray[Any]) -> NDArray[Any]:
    powers: NDArray[Any] = np.exp(a - a.max(axis=1, keepdims=True))
    powers /= powers.sum(axis=1, keepdims=True)
    return powers


a = 10 * np.random.default_rng(0).standard_normal((ROWS, COLUMNS), np.float32)
a_gpu, out_gpu = cuda.to_device(a), cuda.mem_alloc(a.nbytes)
shape: dict[str, Any] = {"block": (THREADS, 1, 1), "grid": (ROWS, 1)}
softmax(out_gpu, a_gpu, np.int32(COLUMNS), **shape)
device_seconds = softmax(out_gpu, a_gpu, np.int32(COLUMNS), time_kernel=True, **shape)
result = cuda.from_device_like(out_gpu, a)

start = time.perf_counter()
softmax_with_numpy(a)
numpy_seconds = time.perf_counter() - start
np.testing.assert_allclose(result, softmax_with_numpy(a.astype(np.float64)), rtol=2e-5, atol=1e-30)
print(f"{ROWS} rows of {COLUMNS}; device {device_seconds * 1e3:.2f} ms, NumPy {numpy_seconds * 1e3:.2f} ms")
