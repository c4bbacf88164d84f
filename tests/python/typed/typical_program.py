# SPDX-License-Identifier: MIT
"""A typical program, typed by its author."""
from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import cumath, gpuarray
from pycuda.compiler import SourceModule
from pycuda.curandom import XORWOWRandomNumberGenerator
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.tools import DeviceMemoryPool

SOURCE = "__global__ void twice(float *a) { a[threadIdx.x] *= 2; }"


def double(a: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    module = SourceModule(SOURCE, options=["-lineinfo"])
    twice = module.get_function("twice")
    result = a.copy()
    twice(cuda.InOut(result), block=(len(a), 1, 1))
    return result


def norm(a: npt.NDArray[np.float64]) -> float:
    x: gpuarray.GPUArray = gpuarray.to_gpu(a)
    y = cumath.sqrt((x * x).sum())
    return float(y.get())


def main() -> None:
    stream = cuda.Stream()
    start, end = cuda.Event(), cuda.Event()
    start.record(stream)
    z = gpuarray.zeros((3, 4), np.float32)
    z.fill(3)
    end.record(stream)
    end.synchronize()
    print(start.time_till(end), z.shape, z.dtype, z[1:, ::2].get())
    k = ElementwiseKernel("float *x", "x[i] = i", "iota")
    k(z)
    total = ReductionKernel(np.float32, "0", "a+b", "x[i]", "float *x")(z)
    print(total.get())
    pool = DeviceMemoryPool()
    w = gpuarray.empty(10, np.float32, allocator=pool.allocate)
    rng = XORWOWRandomNumberGenerator()
    w = rng.gen_uniform(10, np.float32)
    print(pycuda.autoinit.device.name(), w)
    with cuda.Device(0).make_context() as ctx:
        print(ctx)
    h = cuda.pagelocked_empty(10, np.float32)
    cuda.memcpy_htod(w.gpudata, h)
    d = cuda.to_device(h)
    print(cuda.from_device(d, (10,), np.float32))


if __name__ == "__main__":
    main()
