# SPDX-License-Identifier: MIT
"""Price a European call option by Monte Carlo, beside the formula of Black and Scholes."""

import math
import time

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

PRICE, STRIKE, RATE, VOLATILITY, YEARS = 100.0, 105.0, 0.03, 0.25, 1.0
THREADS, BLOCKS, PATHS_PER_THREAD = 128, 64, 128

price = SourceModule("""
// A counter-based generator: thread and step give the number, so that every device draws the same.
__device__ unsigned hash(unsigned x)
{
  x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
  return x;
}

__global__ void price(float *means, int paths, float start, float strike, float drift, float deviation)
{
  __shared__ float sums[128];
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int path = 0; path < paths; ++path) {
    const unsigned counter = 2 * (thread * paths + path);
    const float u = (hash(counter) + 0.5f) * 2.3283064e-10f, v = hash(counter + 1) * 2.3283064e-10f;
    const float normal = sqrtf(-2 * logf(fminf(u, 0.99999994f))) * cospif(2 * v);
    sum += fmaxf(start * expf(drift + deviation * normal) - strike, 0);
  }
  sums[threadIdx.x] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) means[blockIdx.x] = sums[0] / (paths * blockDim.x);
}
""").get_function("price")

drift = (RATE - VOLATILITY**2 / 2) * YEARS
deviation = VOLATILITY * math.sqrt(YEARS)
discount = math.exp(-RATE * YEARS)
paths = THREADS * BLOCKS * PATHS_PER_THREAD

means = np.empty(BLOCKS, np.float32)
means_gpu = cuda.mem_alloc(means.nbytes)
arguments = [np.int32(PATHS_PER_THREAD), *map(np.float32, (PRICE, STRIKE, drift, deviation))]
shape = {"block": (THREADS, 1, 1), "grid": (BLOCKS, 1)}
price(means_gpu, *arguments, **shape)
device_seconds = price(means_gpu, *arguments, time_kernel=True, **shape)
cuda.memcpy_dtoh(means, means_gpu)
on_device = discount * float(means.astype(np.float64).mean())

start = time.perf_counter()
normal = np.random.default_rng(0).standard_normal(paths, np.float32)
at_end = np.float32(PRICE) * np.exp(np.float32(drift) + np.float32(deviation) * normal)
payoff = np.maximum(at_end - np.float32(STRIKE), 0)
with_numpy = discount * float(payoff.mean(dtype=np.float64))
numpy_seconds = time.perf_counter() - start

d1 = (math.log(PRICE / STRIKE) + (RATE + VOLATILITY**2 / 2) * YEARS) / deviation
below = [(1 + math.erf(d / math.sqrt(2))) / 2 for d in (d1, d1 - deviation)]
exact = PRICE * below[0] - STRIKE * discount * below[1]
error = discount * float(payoff.std(dtype=np.float64)) / math.sqrt(paths)
assert abs(on_device - exact) < 4 * error and abs(with_numpy - exact) < 4 * error

print(f"{paths} paths: device {on_device:.4f}, NumPy {with_numpy:.4f}, formula {exact:.4f}, standard error {error:.4f}")
print(f"device {device_seconds * 1e3:.2f} ms, NumPy {numpy_seconds * 1e3:.2f} ms")
