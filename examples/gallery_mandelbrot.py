# SPDX-License-Identifier: MIT
"""Render the Mandelbrot set; mandelbrot.png."""

import time

import numpy as np
import picture
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from numpy.typing import NDArray
from pycuda.compiler import SourceModule

WIDTH, HEIGHT, STEPS = 960, 640, 200
LEFT, TOP, PIXEL = -2.2, -1.0, 3.0 / 960

kernel = SourceModule("""
__global__ void mandelbrot(unsigned char *steps, int width, int height, int most, double left, double top, double pixel)
{
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= height) return;
  const double cx = left + column * pixel, cy = top + row * pixel;
  double x = 0, y = 0;
  int step = 0;
  // No multiply and add in one rounding, so that the picture is NumPy's to the pixel.
  for (; step < most; ++step) {
    const double xx = __dmul_rn(x, x), yy = __dmul_rn(y, y);
    if (__dadd_rn(xx, yy) > 4) break;
    y = __dadd_rn(__dmul_rn(2 * x, y), cy);
    x = __dadd_rn(__dadd_rn(xx, -yy), cx);
  }
  steps[row * width + column] = step;
}
""", options=["-fmad=false"]).get_function("mandelbrot")


def mandelbrot_with_numpy() -> NDArray[np.uint8]:
    cx = (LEFT + np.arange(WIDTH) * PIXEL)[None, :].repeat(HEIGHT, 0).ravel()
    cy = (TOP + np.arange(HEIGHT) * PIXEL)[:, None].repeat(WIDTH, 1).ravel()
    x, y, steps = np.zeros_like(cx), np.zeros_like(cx), np.zeros(cx.size, np.uint8)
    inside = np.arange(cx.size)
    for _ in range(STEPS):
        xx, yy = x * x, y * y
        going = ~(xx + yy > 4)
        inside, cx, cy = inside[going], cx[going], cy[going]
        x, y, xx, yy = x[going], y[going], xx[going], yy[going]
        steps[inside] += 1
        y = 2 * x * y + cy
        x = xx - yy + cx
    return steps.reshape(HEIGHT, WIDTH)


steps = np.empty((HEIGHT, WIDTH), np.uint8)
steps_gpu = cuda.mem_alloc(steps.nbytes)
arguments = [np.int32(WIDTH), np.int32(HEIGHT), np.int32(STEPS), *map(np.float64, (LEFT, TOP, PIXEL))]
block = (16, 16, 1)
grid = ((WIDTH + 15) // 16, (HEIGHT + 15) // 16)
kernel(steps_gpu, *arguments, block=block, grid=grid)
device_seconds = kernel(steps_gpu, *arguments, block=block, grid=grid, time_kernel=True)
cuda.memcpy_dtoh(steps, steps_gpu)

start = time.perf_counter()
expected = mandelbrot_with_numpy()
numpy_seconds = time.perf_counter() - start
assert (steps == expected).all()

share = steps / STEPS
colours = np.stack([np.sin(share**0.4 * angle) ** 2 for angle in (9.0, 7.0, 5.0)], axis=-1)
colours[steps == STEPS] = 0
picture.save("mandelbrot.png", (255 * colours).astype(np.uint8))
print(f"mandelbrot.png: {WIDTH} x {HEIGHT} pixels")
print(f"device {device_seconds * 1e3:.2f} ms, NumPy {numpy_seconds * 1e3:.2f} ms")
