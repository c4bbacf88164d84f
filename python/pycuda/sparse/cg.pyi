# SPDX-License-Identifier: MIT
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pycuda.gpuarray import GPUArray
from pycuda.sparse.packeted import PacketedSpMV

class ConvergenceError(RuntimeError): ...

class CGStateContainer:
    operator: Any
    precon: Any
    pagelocked_allocator: Callable[[tuple[int, ...], DTypeLike], NDArray[Any]]
    rhs: GPUArray[Any]
    x: GPUArray[Any]
    residual: GPUArray[Any]
    d: GPUArray[Any]
    delta: GPUArray[Any]
    iterations: int
    residual_evaluations: int
    # The operator and the approximate inverse are called with vectors, and have a dtype and a shape.
    def __init__(
        self,
        operator: Any,
        precon: Any = None,
        pagelocked_allocator: Callable[[tuple[int, ...], DTypeLike], NDArray[Any]] | None = None,
    ) -> None: ...
    def make_lc2_kernel(self, dtype: np.dtype[Any], a_is_gpu: bool, b_is_gpu: bool) -> Any: ...
    def lc2(
        self,
        a: complex | GPUArray[Any],
        x: GPUArray[Any],
        b: complex | GPUArray[Any],
        y: GPUArray[Any],
        out: GPUArray[Any] | None = None,
    ) -> GPUArray[Any]: ...
    def guarded_div_kernel(self, dtype_x: np.dtype[Any], dtype_y: np.dtype[Any], dtype_z: np.dtype[Any]) -> Any: ...
    def guarded_div(self, a: GPUArray[Any], b: GPUArray[Any]) -> GPUArray[Any]: ...
    def reset(self, rhs: GPUArray[Any], x: GPUArray[Any] | None = None) -> GPUArray[Any]: ...
    def one_iteration(self, compute_real_residual: bool = False) -> None: ...
    def run(
        self,
        max_iterations: int | None = None,
        tol: float = 1e-7,
        debug_callback: Callable[[str, int, GPUArray[Any], GPUArray[Any], GPUArray[Any], GPUArray[Any]], object]
        | None = None,
    ) -> GPUArray[Any]: ...

def solve_pkt_with_cg(
    pkt_spmv: PacketedSpMV,
    b: GPUArray[Any],
    precon: Any = None,
    x: GPUArray[Any] | None = None,
    tol: float = 1e-7,
    max_iterations: int | None = None,
    debug: bool = False,
    pagelocked_allocator: Callable[[tuple[int, ...], DTypeLike], NDArray[Any]] | None = None,
) -> tuple[GPUArray[Any], int, int]: ...
