# SPDX-License-Identifier: MIT
"""Mistakes that a type checker finds before the program runs: each marked line is one error."""

import numpy as np
import pycuda.driver as cuda
from pycuda import cumath, gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.gpuarray import GPUArray

x = gpuarray.zeros(3, np.float32)
x + np.ones(3, np.float32)  # refused: host array
x.no_such_method()  # refused: name
cumath.sin(np.ones(3))  # refused: host array
gpuarray.to_gpu([1, 2, 3])  # refused: no array
cuda.Stream("1")  # refused: flags
cuda.memcpy_htod(x.gpudata, [1, 2])  # refused: no buffer
x.sum(axis="rows")  # refused: axis
del x[0]  # refused: no elements are deleted
cuda.Out([1, 2])  # refused: no array
cuda.InOut(3)  # refused: no array
cuda.In(b"four")  # refused: no array
ElementwiseKernel("float *x", "x[i] = 1")(x, strem=None)  # refused: keyword
wide: GPUArray[np.int32] = gpuarray.arange(3, dtype=np.int32) / 2  # refused: floating point
for _ in gpuarray.zeros(3, np.float32).get(1):  # refused: ary
    pass
