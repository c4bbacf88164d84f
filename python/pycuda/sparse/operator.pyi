# SPDX-License-Identifier: MIT
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from pycuda.gpuarray import GPUArray

class OperatorBase:
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def shape(self) -> tuple[int, int]: ...

class IdentityOperator(OperatorBase):
    def __init__(self, dtype: DTypeLike, n: int) -> None: ...
    def __call__(self, operand: GPUArray[Any]) -> GPUArray[Any]: ...

class DiagonalPreconditioner(OperatorBase):
    diagonal: GPUArray[Any]
    def __init__(self, diagonal: GPUArray[Any]) -> None: ...
    def __call__(self, operand: GPUArray[Any]) -> GPUArray[Any]: ...
