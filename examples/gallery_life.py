# SPDX-License-Identifier: MIT
"""Play Conway's game of life: each block keeps its cells and their border in shared memory; life.png."""

import time

import numpy as np
import picture
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from numpy.typing import NDArray
from pycuda.compiler import SourceModule

SIDE, GENERATIONS = 512, 100

life = SourceModule("""
const int TILE = 16;

__global__ void life(const unsigned char *now, unsigned char *next, int side)
{
  __shared__ unsigned char cells[TILE + 2][TILE + 2];
  const int left = blockIdx.x * TILE - 1, top = blockIdx.y * TILE - 1;
  for (int i = threadIdx.y * TILE + threadIdx.x; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
    const int row = i / (TILE + 2), column = i % (TILE + 2);
    // The world is a torus.
    cells[row][column] = now[(top + row + side) % side * side + (left + column + side) % side];
  }
  __syncthreads();
  const int r = threadIdx.y + 1, c = threadIdx.x + 1;
  const int alive = cells[r - 1][c - 1] + cells[r - 1][c] + cells[r - 1][c + 1] + cells[r][c - 1] + cells[r][c + 1]
                  + cells[r + 1][c - 1] + cells[r + 1][c] + cells[r + 1][c + 1];
  next[(top + r) * side + left + c] = alive == 3 || (alive == 2 && cells[r][c]);
}
""").get_function("life")


def life_with_numpy(cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
    steps = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
    around: NDArray[np.uint8] = np.stack([np.roll(cells, step, (0, 1)) for step in steps]).sum(axis=0, dtype=np.uint8)
    alive: NDArray[np.bool_] = (around == 3) | ((around == 2) & (cells == 1))
    return alive.astype(np.uint8)


cells = np.random.default_rng(0).integers(0, 2, (SIDE, SIDE), np.uint8)
now, following = cuda.to_device(cells), cuda.mem_alloc(cells.nbytes)
life.prepare("PPi")
life.prepared_call((SIDE // 16, SIDE // 16), (16, 16, 1), now, following, SIDE)  # the first launch compiles

start, end = cuda.Event(), cuda.Event()
start.record()
for _ in range(GENERATIONS):
    life.prepared_call((SIDE // 16, SIDE // 16), (16, 16, 1), now, following, SIDE)
    now, following = following, now
end.record()
end.synchronize()
result = cuda.from_device_like(now, cells)

began = time.perf_counter()
for _ in range(GENERATIONS):
    cells = life_with_numpy(cells)
numpy_seconds = time.perf_counter() - began
assert (result == cells).all()

picture.save("life.png", np.where(result, 255, 24).astype(np.uint8))
print(
    f"life.png: {GENERATIONS} generations of {SIDE} x {SIDE} cells, {result.sum()} alive; "
    f"device {start.time_till(end):.2f} ms, NumPy {numpy_seconds * 1e3:.2f} ms"
)
