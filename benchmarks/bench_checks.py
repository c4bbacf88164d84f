# SPDX-License-Identifier: MIT
"""What checks and counters cost: the time of small kernels with each of them, as a multiple of the time without.

The time is that of all processors together, so other programs on the machine hardly change it. Each figure is the
median of several launches, in turn with the other checks; the last row is the geometric mean.
"""

import argparse
import os
import statistics
import time

# Launches wait for vector code, however long a busy machine takes to compile it.
os.environ.setdefault("PYCUDA_CPU_PATIENCE", "-1")

import numpy as np
import pycuda
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

CHECKS = ("memory", "sync", "memory,sync", "init", "race", "all", "counters")
COUNT = 1 << 16

SOURCE = """
__global__ void saxpy(float *a, float *b, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = 2 * a[i] + b[i];
}

__global__ void reduction(float *a, float *b, int n)
{
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 256 + t];
  for (int d = 128; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[t] += s[t + d];
  }
  if (t == 0) b[blockIdx.x] = s[0];
}

__global__ void shuffles(float *a, float *b, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = a[i];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x % 32 == 0) b[i / 32] = v;
}

__global__ void transpose(float *a, float *b, int n)
{
  __shared__ float s[16][17];
  int x = threadIdx.x % 16, y = threadIdx.x / 16, first = blockIdx.x * 256;
  s[y][x] = a[first + threadIdx.x];
  __syncthreads();
  b[first + threadIdx.x] = s[x][y];
}

__global__ void product(float *a, float *b, int n)
{
  __shared__ float left[16][16], right[16][16];
  int x = threadIdx.x % 16, y = threadIdx.x / 16, tiles = 8;
  float sum = 0;
  for (int k = 0; k < tiles; ++k) {
    left[y][x] = a[(blockIdx.x * tiles + k) * 256 % n + threadIdx.x];
    right[y][x] = a[(k * 7 + blockIdx.x) * 256 % n + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 16; ++j) sum += left[y][j] * right[j][x];
    __syncthreads();
  }
  b[blockIdx.x * 256 + threadIdx.x] = sum;
}

__global__ void histogram(float *a, float *b, int n)
{
  __shared__ int bins[64];
  int t = threadIdx.x;
  if (t < 64) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[(int)(a[blockIdx.x * 256 + t] * 64)], 1);
  __syncthreads();
  if (t < 64) atomicAdd(&b[t], (float)bins[t]);
}
"""
KERNELS = ("saxpy", "reduction", "shuffles", "transpose", "product", "histogram")


def launch_time(function, a, b):
    """Seconds that processors need for one launch over all of the elements."""
    began = time.process_time()
    function(a, b, np.int32(COUNT), block=(256, 1, 1), grid=(COUNT // 256, 1))
    cuda.Context.synchronize()
    return time.process_time() - began


def times(function, a, b, rounds):
    """The median seconds of a launch, by check; "" for the unchecked one."""
    samples = {check: [] for check in ("", *CHECKS)}
    for number in range(rounds + 1):
        for check, taken in samples.items():
            with pycuda.counters() if check == "counters" else pycuda.checks(check or "0"):
                launch_time(function, a, b)  # compiles, and warms up
                seconds = min(launch_time(function, a, b) for _ in range(5))
            if number:
                taken.append(seconds)
    return {check: statistics.median(taken) for check, taken in samples.items()}


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    module = SourceModule(SOURCE)
    values = np.random.default_rng(1).random(COUNT, dtype=np.float32)
    ratios = {check: [] for check in CHECKS}
    print(f"{'kernel':10} {'us':>9}" + "".join(f"{check:>12}" for check in CHECKS))
    for name in KERNELS:
        a, b = cuda.to_device(values), cuda.to_device(values)
        taken = times(module.get_function(name), a, b, options.rounds)
        for check in CHECKS:
            ratios[check].append(taken[check] / taken[""])
        row = "".join(f"{ratios[check][-1]:>12.1f}" for check in CHECKS)
        print(f"{name:10} {taken[''] * 1e6:>9.1f}{row}", flush=True)
    print(f"{'mean':10} {'':>9}" + "".join(f"{statistics.geometric_mean(ratios[check]):>12.1f}" for check in CHECKS))


if __name__ == "__main__":
    main()
