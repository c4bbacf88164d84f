# SPDX-License-Identifier: MIT
"""What a type checker infers: element types are kept where NumPy's rules keep them, else they are Any."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pycuda.driver as cuda
from pycuda import cumath, curandom, gpuarray
from pycuda.gpuarray import GPUArray
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel
from pycuda.tools import PageLockedMemoryPool, context_dependent_memoize
from typing_extensions import assert_type

x = gpuarray.zeros((3, 4), np.float32)
assert_type(x, GPUArray[np.float32])
assert_type(gpuarray.to_gpu(np.ones(3, np.int16)), GPUArray[np.int16])
assert_type(gpuarray.zeros(3, "f4"), GPUArray[Any])
assert_type(gpuarray.empty(3, np.dtype(np.uint8)), GPUArray[np.uint8])
assert_type(gpuarray.zeros_like(x), GPUArray[np.float32])
assert_type(gpuarray.arange(10, dtype=np.int32), GPUArray[np.int32])

assert_type(x + x, GPUArray[np.float32])
assert_type(2 * x - 1.5, GPUArray[np.float32])
y = x.astype(np.float64)
assert_type(y, GPUArray[np.float64])
assert_type(x + y, GPUArray[Any])
assert_type(x * np.float64(2), GPUArray[Any])  # a float to type checkers, and wider than x
assert_type(np.float64(2) - x, GPUArray[Any])
assert_type(x**2, GPUArray[np.float32])
n = gpuarray.zeros(4, np.int16)
assert_type(n + n, GPUArray[np.int16])
assert_type(7 - n // 2 % n, GPUArray[np.int16])
assert_type(n / 2, GPUArray[np.float64])
assert_type(1.5 / n, GPUArray[np.float64])
assert_type(n * 1.5, GPUArray[Any])
assert_type((x > 0) & (x < 1) | True, GPUArray[np.bool_])
assert_type(n & 3, GPUArray[np.int16])
assert_type(x @ x.T, GPUArray[np.float32])
z = gpuarray.zeros(4, np.complex64)
assert_type(abs(z), GPUArray[np.float32])
assert_type(abs(n), GPUArray[np.int16])
assert_type(x < 3, GPUArray[np.bool_])
assert_type(x == x, GPUArray[np.bool_])
assert_type(x[1:, ::2], GPUArray[np.float32])
assert_type(x.T.reshape(12), GPUArray[np.float32])
assert_type(x.view(np.int32), GPUArray[np.int32])
assert_type(x.max(axis=0), GPUArray[np.float32])
assert_type(x.argmax(), GPUArray[np.int64])
assert_type(x.sum(axis=0) / x.mean(), GPUArray[np.float32])
assert_type(x.std(), GPUArray[np.float32])
assert_type(x.sum(dtype=np.float64), GPUArray[Any])
assert_type(n.sum(), GPUArray[Any])
assert_type(x.cumsum(), GPUArray[np.float32])
assert_type(gpuarray.sum(x), GPUArray[np.float32])
assert_type(gpuarray.sum(n, np.int64), GPUArray[np.int64])
assert_type(gpuarray.dot(n, n), GPUArray[np.int16])
assert_type(gpuarray.maximum(x, x), GPUArray[np.float32])
assert_type(gpuarray.if_positive(x, n, n), GPUArray[np.int16])
assert_type(gpuarray.where(x > 0, x, x), GPUArray[np.float32])
assert_type(gpuarray.ones((2, 2)), GPUArray[np.float64])
assert_type(x.get(), npt.NDArray[np.float32])
assert_type(x.shape, tuple[int, ...])
assert_type(cumath.sin(x), GPUArray[np.float32])
np.sin(x)  # NumPy's stubs give it the type Any
assert_type(gpuarray.where(x > 0), tuple[GPUArray[np.int64], ...])
assert_type(gpuarray.concatenate([x, x]), GPUArray[np.float32])

assert_type(ReductionKernel(np.float64, "0", "a+b")(x), GPUArray[np.float64])
assert_type(InclusiveScanKernel(np.float32, "a+b")(x.ravel()), GPUArray[np.float32])
assert_type(curandom.rand(5, np.float64), GPUArray[np.float64])
assert_type(cuda.pagelocked_empty(10, np.float32), npt.NDArray[np.float32])
assert_type(curandom.rand(5), GPUArray[np.float32])
assert_type(PageLockedMemoryPool().allocate((3,), np.int8), npt.NDArray[np.int8])
assert_type(gpuarray.vec.make_float3(1, 2, 3), npt.NDArray[np.void])
print(cuda.device_attribute.WARP_SIZE.name.lower())
assert_type(cuda.from_device(x.gpudata, (12,), np.float32), npt.NDArray[np.float32])
assert_type(cuda.mem_get_info(), tuple[int, int])


@context_dependent_memoize
def known(number: int) -> str:
    return str(number)


assert_type(known(3), str)


def in_annotations(a: GPUArray[np.float32], b: GPUArray) -> GPUArray[np.float32]:
    return a * 2


class Layer(GPUArray[np.float32]):
    """A subclass keeps its class through views and copies."""


assert_type(Layer((2, 2), np.float32).copy(), Layer)
