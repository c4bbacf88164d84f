# SPDX-License-Identifier: MIT
"""Blur an image and find its edges: tiles with a border in shared memory, weights in constant memory; filter.png."""

import time
from typing import Any

import numpy as np
import picture
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from numpy.typing import NDArray
from pycuda.compiler import SourceModule

WIDTH, HEIGHT, TILE = 960, 640, 16

module = SourceModule("""
const int TILE = 16, REACH = 2, SIDE = TILE + 2 * REACH;

__constant__ int weights[2 * REACH + 1];

// The block's tile of the image and REACH pixels around it; the image's outermost pixels go on beyond its edges.
__device__ void load_tile(unsigned char (*tile)[SIDE], const unsigned char *image, int width, int height)
{
  for (int i = threadIdx.y * TILE + threadIdx.x; i < SIDE * SIDE; i += TILE * TILE) {
    const int row = i / SIDE, column = i % SIDE;
    const int y = min(max((int)(blockIdx.y * TILE) + row - REACH, 0), height - 1);
    const int x = min(max((int)(blockIdx.x * TILE) + column - REACH, 0), width - 1);
    tile[row][column] = image[y * width + x];
  }
  __syncthreads();
}

__global__ void blur(unsigned char *out, const unsigned char *image, int width, int height)
{
  __shared__ unsigned char tile[SIDE][SIDE];
  load_tile(tile, image, width, height);
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x >= width || y >= height) return;
  int sum = 0;
  for (int row = 0; row <= 2 * REACH; ++row) {
    for (int column = 0; column <= 2 * REACH; ++column) {
      sum += weights[row] * weights[column] * tile[threadIdx.y + row][threadIdx.x + column];
    }
  }
  out[y * width + x] = (sum + 128) / 256;
}

__global__ void edges(unsigned char *out, const unsigned char *image, int width, int height)
{
  __shared__ unsigned char tile[SIDE][SIDE];
  load_tile(tile, image, width, height);
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x >= width || y >= height) return;
  const int r = threadIdx.y + REACH, c = threadIdx.x + REACH;
  const int across = tile[r - 1][c + 1] + 2 * tile[r][c + 1] + tile[r + 1][c + 1]
                   - tile[r - 1][c - 1] - 2 * tile[r][c - 1] - tile[r + 1][c - 1];
  const int down = tile[r + 1][c - 1] + 2 * tile[r + 1][c] + tile[r + 1][c + 1]
                 - tile[r - 1][c - 1] - 2 * tile[r - 1][c] - tile[r - 1][c + 1];
  out[y * width + x] = min(abs(across) + abs(down), 255);
}
""")
blur, edges = module.get_function("blur"), module.get_function("edges")
weights = np.array([1, 4, 6, 4, 1], np.int32)  # their sum is 16, so that a pixel's weights add up to 256
address, size = module.get_global("weights")
assert size == weights.nbytes
cuda.memcpy_htod(address, weights)


def scene() -> NDArray[np.uint8]:
    """Discs on a shaded ground, with noise: something to blur, and edges to find."""
    random = np.random.default_rng(0)
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    image: NDArray[np.float64] = 60 + 60 * y / HEIGHT + 20 * np.sin(x / 40)
    for _ in range(25):
        column, row, radius = random.uniform(0, WIDTH), random.uniform(0, HEIGHT), random.uniform(20, 90)
        inside = (x - column) ** 2 + (y - row) ** 2 < radius**2
        image[inside] = random.uniform(40, 220) + 0.3 * (x - column)[inside]
    noisy: NDArray[np.float64] = np.clip(image + random.normal(0, 12, image.shape), 0, 255)
    return noisy.astype(np.uint8)


def blur_with_numpy(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    around = np.pad(image.astype(np.int32), 2, mode="edge")
    rows = np.zeros((HEIGHT, around.shape[1]), np.int32)
    for i, weight in enumerate(weights):
        rows += weight * around[i : i + HEIGHT]
    total = np.zeros((HEIGHT, WIDTH), np.int32)
    for i, weight in enumerate(weights):
        total += weight * rows[:, i : i + WIDTH]
    return ((total + 128) // 256).astype(np.uint8)


def edges_with_numpy(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    around = np.pad(image.astype(np.int32), 1, mode="edge")
    rows = around[:-2] + 2 * around[1:-1] + around[2:]
    columns = around[:, :-2] + 2 * around[:, 1:-1] + around[:, 2:]
    return np.minimum(abs(rows[:, 2:] - rows[:, :-2]) + abs(columns[2:] - columns[:-2]), 255).astype(np.uint8)


image = scene()
image_gpu = cuda.to_device(image)
blurred_gpu, edges_gpu = cuda.mem_alloc(image.nbytes), cuda.mem_alloc(image.nbytes)
shape: dict[str, Any] = {"block": (TILE, TILE, 1), "grid": ((WIDTH + TILE - 1) // TILE, (HEIGHT + TILE - 1) // TILE)}
lengths = (np.int32(WIDTH), np.int32(HEIGHT))
device_seconds = 0.0
for _ in range(2):  # the first launch of a kernel compiles it
    device_seconds = blur(blurred_gpu, image_gpu, *lengths, time_kernel=True, **shape)
    device_seconds += edges(edges_gpu, blurred_gpu, *lengths, time_kernel=True, **shape)
blurred, outlines = cuda.from_device_like(blurred_gpu, image), cuda.from_device_like(edges_gpu, image)

start = time.perf_counter()
expected = blur_with_numpy(image)
expected_outlines = edges_with_numpy(expected)
numpy_seconds = time.perf_counter() - start
assert (blurred == expected).all() and (outlines == expected_outlines).all()

third = WIDTH // 3
picture.save("filter.png", np.hstack([image[:, :third], blurred[:, third : 2 * third], outlines[:, 2 * third :]]))
print(
    f"filter.png: {WIDTH} x {HEIGHT} pixels as they were, blurred, and their edges; "
    f"device {device_seconds * 1e3:.2f} ms, NumPy {numpy_seconds * 1e3:.2f} ms"
)
