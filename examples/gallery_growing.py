# SPDX-License-Identifier: MIT
"""Collect hits of unknown number in an array that grows in place, beside one that is copied when it is full."""

import time
from typing import Any

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

ROUNDS, CANDIDATES, THREADS = 24, 1 << 18, 256

# How many numbers of a round leave a small remainder is known when all have been tried.
find = SourceModule("""
__global__ void find(const unsigned *numbers, int count, unsigned divisor, unsigned *hits, unsigned *found)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count || numbers[i] % divisor >= 7) return;
  hits[atomicAdd(found, 1)] = numbers[i];
}
""").get_function("find")

random = np.random.default_rng(1)
rounds = [random.integers(0, 1 << 31, CANDIDATES, np.uint32) for _ in range(ROUNDS)]
divisors = random.integers(8, 60, ROUNDS)
start = time.perf_counter()
expected = np.concatenate([np.sort(numbers[numbers % divisor < 7]) for numbers, divisor in zip(rounds, divisors)])
numpy_seconds = time.perf_counter() - start


def collect(hits: Any, found: gpuarray.GPUArray[Any], numbers: gpuarray.GPUArray[Any], divisor: int) -> int:
    """Append a round's hits, for which there is room; how many there are then."""
    grid = (-(-len(numbers) // THREADS), 1)
    find(numbers, np.int32(len(numbers)), np.uint32(divisor), hits, found, block=(THREADS, 1, 1), grid=grid)
    return int(found.get()[0])


def in_place() -> tuple[gpuarray.GrowingArray, list[int]]:
    """No copy: memory is put behind what is there."""
    hits = gpuarray.GrowingArray(0, np.uint32, capacity=ROUNDS * CANDIDATES)
    found, ends = gpuarray.zeros(1, np.uint32), [0]
    for numbers, divisor in zip(on_device, divisors):
        hits.resize(ends[-1] + CANDIDATES)
        ends.append(collect(hits, found, numbers, divisor))
    hits.resize(ends[-1])
    return hits, ends


def by_copying() -> tuple[gpuarray.GPUArray[Any], list[int]]:
    """A new array of twice the size, and a copy, whenever the old one is full."""
    hits = gpuarray.empty(CANDIDATES, np.uint32)
    found, ends = gpuarray.zeros(1, np.uint32), [0]
    for numbers, divisor in zip(on_device, divisors):
        if ends[-1] + CANDIDATES > len(hits):
            larger = gpuarray.empty(2 * len(hits) + CANDIDATES, np.uint32)
            cuda.memcpy_dtod(larger.gpudata, hits.gpudata, hits.nbytes)
            hits = larger
        ends.append(collect(hits, found, numbers, divisor))
    return hits[: ends[-1]], ends


on_device = [gpuarray.to_gpu(numbers) for numbers in rounds]
device_seconds = []
for function in (in_place, by_copying):
    function()  # the first run compiles
    start = time.perf_counter()
    hits, ends = function()
    cuda.Context.synchronize()
    device_seconds.append(time.perf_counter() - start)
    found = hits.get()
    # The hits of a round come in any order.
    found = np.concatenate([np.sort(found[first:last]) for first, last in zip(ends, ends[1:])])
    assert (found == expected).all()
    print(f"{function.__name__}: {len(found)} hits, {device_seconds[-1] * 1e3:.2f} ms")
print(f"device {device_seconds[0] * 1e3:.2f} ms, NumPy {numpy_seconds * 1e3:.2f} ms")
