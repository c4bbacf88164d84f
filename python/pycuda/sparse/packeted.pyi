# SPDX-License-Identifier: MIT
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from pycuda._driver import Function
from pycuda.gpuarray import GPUArray
from pycuda.sparse.coordinate import CoordinateSpMV
from pycuda.sparse.operator import OperatorBase

PKT_KERNEL_TEMPLATE: str

class PacketedSpMV(OperatorBase):
    rows_per_packet: int
    threads_per_packet: int
    block_count: int
    new2old_fetch_indices: GPUArray[np.int64]
    old2new_fetch_indices: GPUArray[np.int64]
    remaining_coo_gpu: CoordinateSpMV | None
    # The matrix is one of SciPy, whose package has no types.
    def __init__(self, mat: Any, is_symmetric: bool, dtype: DTypeLike) -> None: ...
    def get_kernel(self) -> Function: ...
    def permute(self, x: GPUArray[Any]) -> GPUArray[Any]: ...
    def unpermute(self, x: GPUArray[Any]) -> GPUArray[Any]: ...
    def __call__(self, x: GPUArray[Any], y: GPUArray[Any] | None = None) -> GPUArray[Any]: ...
