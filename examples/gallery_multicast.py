# SPDX-License-Identifier: MIT
"""A sum over devices in one pass: each of them holds a part, and one address stands for all of them.

Needs compute capability 9.0 and an NVLink switch, or the CPU driver, which takes what it claims to be from
PYCUDA_CPU_ARCH and PYCUDA_CPU_DEVICES.
"""

import os
import sys
import time

import numpy as np

os.environ.setdefault("PYCUDA_CPU_ARCH", "90")
os.environ.setdefault("PYCUDA_CPU_DEVICES", "4")
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

COUNT = 1 << 16

devices = cuda.Device.count()
if devices < 2 or not pycuda.autoinit.device.get_attribute(cuda.device_attribute.MULTICAST_SUPPORTED):
    print("needs two devices with multicast objects")
    sys.exit()

all_reduce = SourceModule("""
// What all devices have at `everywhere` is summed up, and the sum written to all of them.
extern "C" __global__ void all_reduce(float4 *everywhere, int count)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    float4 sum;
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(sum.x), "=f"(sum.y), "=f"(sum.z), "=f"(sum.w) : "l"(everywhere + i) : "memory");
    asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};"
                 :: "l"(everywhere + i), "f"(sum.x), "f"(sum.y), "f"(sum.z), "f"(sum.w) : "memory");
  }
}
""", no_extern_c=True).get_function("all_reduce")

unit = cuda.MulticastObject.granularity(devices)
size = -(-COUNT * 4 // unit) * unit
team = cuda.MulticastObject(devices, size)
for number in range(devices):
    team.add_device(cuda.Device(number))

parts = np.random.default_rng(0).random((devices, COUNT), np.float32)
memories = []
for number in range(devices):
    memory = cuda.PhysicalMemory(size, id=number)
    team.bind(memory)
    addresses = cuda.mem_reserve(size)
    addresses.map(memory, access=cuda.mem_access_flags.NONE)
    addresses.set_access(cuda.mem_access_flags.READWRITE)
    cuda.memcpy_htod(addresses, parts[number])
    memories.append(addresses)

everywhere = cuda.mem_reserve(size)
everywhere.map(team.memory, access=cuda.mem_access_flags.NONE)
everywhere.set_access(cuda.mem_access_flags.READWRITE)
device_seconds = all_reduce(everywhere, np.int32(COUNT // 4), block=(256, 1, 1), grid=(64, 1), time_kernel=True)

start = time.perf_counter()
expected = parts.sum(axis=0)
numpy_seconds = time.perf_counter() - start
for addresses in memories:
    found = np.empty_like(expected)
    cuda.memcpy_dtoh(found, addresses)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
print(f"{COUNT} floats of {devices} devices were summed up on all of them: correct")
print(f"device {device_seconds * 1e3:.3f} ms, NumPy {numpy_seconds * 1e3:.3f} ms")
