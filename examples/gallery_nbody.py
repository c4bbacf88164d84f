# SPDX-License-Identifier: MIT
"""Let two galaxies meet: every body attracts all others, a tile of them in shared memory at a time; nbody.png."""

import time
from typing import Any

import numpy as np
import picture
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from numpy.typing import NDArray
from pycuda.compiler import SourceModule

BODIES, STEPS, STEPS_EXPOSED, TILE, SIDE = 1024, 10, 80, 128, 600
TIME_STEP, SOFTENING = np.float32(1e-3), np.float32(1e-2)
HEAVY = 100  # the mass in the middle of a galaxy

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

// Light falls on the film where a body is seen along z.
__global__ void expose(unsigned *film, const float4 *bodies, int side, float reach)
{
  const float4 body = bodies[blockIdx.x * TILE + threadIdx.x];
  const int column = floorf((body.x / reach + 1) * side / 2), row = floorf((body.y / reach + 1) * side / 2);
  if (column >= 0 && column < side && row >= 0 && row < side) atomicAdd(&film[row * side + column], 1u);
}
""")
accelerate = module.get_function("accelerate").prepare("PPiff")
move = module.get_function("move").prepare("PPf")
expose = module.get_function("expose").prepare("PPif")


def step_with_numpy(places: NDArray[Any], masses: NDArray[Any], speeds: NDArray[Any]) -> None:
    apart = places[None, :, :] - places[:, None, :]
    squares = (apart**2).sum(axis=2) + SOFTENING
    pull = masses[None, :] / (squares * np.sqrt(squares))
    speeds += TIME_STEP * np.einsum("ij,ijk->ik", pull, apart)
    places += TIME_STEP * speeds


def galaxy(
    random: np.random.Generator, count: int, centre: tuple[float, float], velocity: tuple[float, float]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Bodies on circles about a heavy one, turning one way."""
    radius, angle = random.uniform(0.15, 1.0, count) ** 0.75, random.uniform(0, 2 * np.pi, count)
    radius[0] = 0
    speed = np.sqrt(HEAVY * radius**2 / (radius**2 + SOFTENING) ** 1.5)
    bodies, speeds = np.zeros((2, count, 4), np.float32)
    bodies[:, 0], bodies[:, 1] = radius * np.cos(angle) + centre[0], radius * np.sin(angle) + centre[1]
    bodies[:, 2] = random.normal(0, 0.05, count)
    bodies[:, 3] = 0.01
    bodies[0, 2:] = 0, HEAVY
    speeds[:, 0], speeds[:, 1] = velocity[0] - speed * np.sin(angle), velocity[1] + speed * np.cos(angle)
    return bodies, speeds


random = np.random.default_rng(0)
first = galaxy(random, BODIES // 2, (-0.8, -0.4), (3, 0))
second = galaxy(random, BODIES // 2, (0.8, 0.4), (-3, 0))
bodies, speeds = (np.concatenate(parts) for parts in zip(first, second))
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

film = cuda.to_device(np.zeros((SIDE, SIDE), np.uint32))
for _ in range(STEPS_EXPOSED):
    accelerate.prepared_call(grid, block, speeds_gpu, bodies_gpu, BODIES, TIME_STEP, SOFTENING)
    move.prepared_call(grid, block, bodies_gpu, speeds_gpu, TIME_STEP)
    expose.prepared_call(grid, block, film, bodies_gpu, SIDE, 2.2)
exposed = cuda.from_device(film, (SIDE, SIDE), np.uint32)
light = 1 - np.exp(-0.8 * exposed)
picture.save("nbody.png", (255 * light[..., None] ** [0.9, 1.0, 0.6]).astype(np.uint8))

meetings = STEPS * BODIES**2 / device_seconds
print(f"nbody.png: {STEPS} steps of {BODIES} bodies: {meetings / 1e6:.0f} million pairs a second on the device")
print(f"device {device_seconds * 1e3:.2f} ms, NumPy {numpy_seconds * 1e3:.2f} ms")
