# SPDX-License-Identifier: MIT
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from pycuda._driver import Function
from pycuda.gpuarray import GPUArray

COO_FLAT_KERNEL_TEMPLATE: str
COO_SERIAL_KERNEL_TEMPLATE: str

class CoordinateSpMV:
    dtype: np.dtype[Any]
    index_dtype: np.dtype[Any]
    shape: tuple[int, int]
    nnz: int
    # The matrix is one of SciPy, whose package has no types.
    def __init__(self, mat: Any, dtype: DTypeLike) -> None: ...
    def get_flat_kernel(self) -> Function: ...
    def get_serial_kernel(self) -> Function: ...
    def __call__(self, x: GPUArray[Any], y: GPUArray[Any] | None = None) -> GPUArray[Any]: ...
