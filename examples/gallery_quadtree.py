# SPDX-License-Identifier: MIT
"""Divide points into a quadtree: each node is a kernel that launches those of its quarters."""

import time
from typing import Any

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from numpy.typing import NDArray
from pycuda.compiler import DynamicSourceModule

POINTS, MOST_IN_A_LEAF, DEEPEST, THREADS = 60000, 64, 16, 128

module = DynamicSourceModule("""
const int MOST_IN_A_LEAF = 64, DEEPEST = 16;

// Where a point lies in the cell (x, y) of a level: 0 to 3, row by row.
__device__ int quarter(float2 point, int x, int y, int level)
{
  const float side = 1.0f / (1 << level);
  return (point.x >= (x + 0.5f) * side) + 2 * (point.y >= (y + 0.5f) * side);
}

// One block divides the points from `first` on and writes them, quarter by quarter, to the same place in `to`.
__global__ void divide(
    float2 *from, float2 *to, int first, int count, int x, int y, int level, int4 *leaves, int *found)
{
  __shared__ int counts[4], ends[4];
  if (count <= MOST_IN_A_LEAF || level == DEEPEST) {
    if (threadIdx.x == 0) leaves[atomicAdd(found, 1)] = make_int4(level, x, y, count);
    return;
  }
  if (threadIdx.x < 4) counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x) atomicAdd(counts + quarter(from[first + i], x, y, level), 1);
  __syncthreads();
  if (threadIdx.x < 4) {
    ends[threadIdx.x] = first;
    for (int i = 0; i < threadIdx.x; ++i) ends[threadIdx.x] += counts[i];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    const float2 point = from[first + i];
    to[atomicAdd(ends + quarter(point, x, y, level), 1)] = point;
  }
  __syncthreads();
  // The children see what this block has written. Each is a stream of its own: they may run side by side.
  if (threadIdx.x < 4 && counts[threadIdx.x] != 0) {
    const int i = threadIdx.x;
    divide<<<1, blockDim.x, 0, cudaStreamFireAndForget>>>(
        to, from, ends[i] - counts[i], counts[i], 2 * x + i % 2, 2 * y + i / 2, level + 1, leaves, found);
  }
}
""")


def leaves_with_numpy(
    points: NDArray[np.floating[Any]], x: int = 0, y: int = 0, level: int = 0
) -> list[tuple[int, int, int, int]]:
    """Level, cell and number of points of each leaf."""
    if len(points) <= MOST_IN_A_LEAF or level == DEEPEST:
        return [(level, x, y, len(points))] if len(points) else []
    middle = (np.array([x, y], np.float32) + np.float32(0.5)) / np.float32(2**level)
    right, low = (points >= middle).T
    leaves = []
    for i in range(4):
        quarter = points[(right == i % 2) & (low == i // 2)]
        leaves += leaves_with_numpy(quarter, 2 * x + i % 2, 2 * y + i // 2, level + 1)
    return leaves


# Launches that wait for their turn: as many as there may be nodes.
cuda.Context.set_limit(cuda.limit.DEV_RUNTIME_PENDING_LAUNCH_COUNT, 16384)
random = np.random.default_rng(0)
centres = random.random((12, 2))
points = centres[random.integers(0, 12, POINTS)] + random.normal(0, 0.03, (POINTS, 2))
points = np.clip(points, 0, 1 - 2**-24).astype(np.float32)

divide = module.get_function("divide")
spare, leaves_gpu = cuda.mem_alloc(points.nbytes), cuda.mem_alloc(16 * POINTS)
times, count = [], 0
for _ in range(3):
    points_gpu, found = cuda.to_device(points), cuda.to_device(np.zeros(1, np.int32))
    where = [np.int32(number) for number in (0, POINTS, 0, 0, 0)]
    seconds = divide(points_gpu, spare, *where, leaves_gpu, found, block=(THREADS, 1, 1), grid=(1, 1), time_kernel=True)
    times.append(seconds)
    count = int(cuda.from_device(found, 1, np.int32)[0])
leaves = cuda.from_device(leaves_gpu, (count, 4), np.int32)

start = time.perf_counter()
expected = leaves_with_numpy(points)
numpy_seconds = time.perf_counter() - start
assert sorted(map(tuple, leaves.tolist())) == sorted(expected)
assert leaves[:, 3].sum() == POINTS
print(f"{POINTS} points in {count} leaves on {leaves[:, 0].max() + 1} levels")
print(f"device {min(times) * 1e3:.2f} ms, NumPy {numpy_seconds * 1e3:.2f} ms")
