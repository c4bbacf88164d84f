# SPDX-License-Identifier: MIT
"""Let bodies attract each other: every body meets all others, a tile of them in shared memory at a time."""

import time

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

BODIES, STEPS, TILE = 2048, 10, 128
TIME_STEP, SOFTENING = np.float32(1e-3), np.float32(1e-2)

module = SourceModule("""
const int TILE = 128;

// A body is x, y, z and its mass.
__global__ void accelerate(float4 *speeds, const float4 *bodies, int count, float step, float softening)
{
  __shared__ float4 tile[TILE];
  const int i = blockIdx.x * TILE + threadIdx.x;
  const float4 me = bodies[i];
  float x = 0, y = 0, z = 0;
  for (int first = 0; first < count; first += TILE) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < TILE; ++j) {
      const float4 other = tile[j];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
      const float pull = other.w * inverse * inverse * inverse;
      x += pull * dx;
      y += pull * dy;
      z += pull * dz;
    }
    __syncthreads();
  }
  float4 speed = speeds[i];
  speed.x += step * x;
  speed.y += step * y;
  speed.z += step * z;
  speeds[i] = speed;
}

__global__ void move(float4 *bodies, const float4 *speeds, float step)
{
  const int i = blockIdx.x * TILE + threadIdx.x;
  bodies[i].x += step * speeds[i].x;
  bodies[i].y += step * speeds[i].y;
  bodies[i].z += step * speeds[i].z;
}
""")
accelerate = module.get_function("accelerate").prepare("PPiff")
move = module.get_function("move").prepare("PPf")


def step_with_numpy(places, masses, speeds):
    apart = places[None, :, :] - places[:, None, :]
    squares = (apart**2).sum(axis=2) + SOFTENING
    pull = masses[None, :] / (squares * np.sqrt(squares))
    speeds += TIME_STEP * np.einsum("ij,ijk->ik", pull, apart)
    places += TIME_STEP * speeds


random = np.random.default_rng(0)
bodies = random.standard_normal((BODIES, 4), np.float32)
bodies[:, 3] = random.random(BODIES, np.float32)
speeds = np.zeros_like(bodies)
bodies_gpu, speeds_gpu = cuda.to_device(bodies), cuda.to_device(speeds)

start, end = cuda.Event(), cuda.Event()
grid, block = (BODIES // TILE, 1), (TILE, 1, 1)
# A first launch compiles; over no bodies and in no time it changes nothing.
accelerate.prepared_call(grid, block, speeds_gpu, bodies_gpu, 0, TIME_STEP, SOFTENING)
move.prepared_call(grid, block, bodies_gpu, speeds_gpu, 0)
start.record()
for _ in range(STEPS):
    accelerate.prepared_call(grid, block, speeds_gpu, bodies_gpu, BODIES, TIME_STEP, SOFTENING)
    move.prepared_call(grid, block, bodies_gpu, speeds_gpu, TIME_STEP)
end.record()
end.synchronize()
device_seconds = start.time_till(end) * 1e-3
result = cuda.from_device_like(bodies_gpu, bodies)

began = time.perf_counter()
for _ in range(STEPS):
    step_with_numpy(bodies[:, :3], bodies[:, 3], speeds[:, :3])
numpy_seconds = time.perf_counter() - began
np.testing.assert_allclose(result, bodies, rtol=1e-3, atol=1e-4)

meetings = STEPS * BODIES**2 / device_seconds
print(f"{STEPS} steps of {BODIES} bodies: {meetings / 1e6:.0f} million pairs a second on the device")
print(f"device {device_seconds * 1e3:.2f} ms, NumPy {numpy_seconds * 1e3:.2f} ms")
