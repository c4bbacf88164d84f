# SPDX-License-Identifier: MIT
"""Two processes work on one allocation: a file descriptor stands for it, and nothing is copied between them."""

import subprocess
import sys
import time

import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
from pycuda.gpuarray import GPUArray

COUNT = 1 << 20

SOURCE = """
__global__ void roots(float *x, int first, int step)
{
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * step + first;
  x[i] = sqrtf(x[i]);
}
"""


def take_roots(x: GPUArray[np.float32], first: int) -> float:
    """Every other element by its root; seconds."""
    roots = SourceModule(SOURCE).get_function("roots")
    seconds = roots(x, np.int32(first), np.int32(2), block=(256, 1, 1), grid=(COUNT // 512, 1), time_kernel=True)
    assert seconds is not None
    return seconds


def mapped(memory: cuda.PhysicalMemory) -> GPUArray[np.float32]:
    """The allocation as an array."""
    addresses = cuda.mem_reserve(memory.size)
    addresses.map(memory)
    return GPUArray(COUNT, np.float32, gpudata=addresses)


if len(sys.argv) > 1:  # the other process, which was given a descriptor and the size
    take_roots(mapped(cuda.PhysicalMemory.from_file_descriptor(int(sys.argv[1]), int(sys.argv[2]))), first=1)
    pycuda.autoinit.context.synchronize()
    raise SystemExit

unit = cuda.mem_get_allocation_granularity()
size = -(-4 * COUNT // unit) * unit
memory = cuda.PhysicalMemory(size, handle_types=cuda.mem_handle_type.POSIX_FILE_DESCRIPTOR)
x = mapped(memory)
host = np.random.default_rng(0).random(COUNT, np.float32)
x.set(host)

descriptor = memory.share()
other = subprocess.Popen([sys.executable, __file__, str(descriptor), str(size)], pass_fds=[descriptor])
seconds = take_roots(x, first=0)  # meanwhile, the other half
if other.wait() != 0:
    raise SystemExit("the other process has failed")

start = time.perf_counter()
expected = np.sqrt(host)
numpy_seconds = time.perf_counter() - start
np.testing.assert_allclose(x.get(), expected, rtol=1e-6)
print(f"{COUNT} numbers in {size >> 20} MiB that both processes have mapped: each took half of the roots")
print(f"device {seconds * 1e3:.3f} ms, NumPy {numpy_seconds * 1e3:.3f} ms")
