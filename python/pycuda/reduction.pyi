# SPDX-License-Identifier: MIT
# Types of pycuda.reduction.
from collections.abc import Callable, Iterable
from typing import Any, Generic, overload

import numpy as np
from numpy.typing import DTypeLike
from typing_extensions import TypeVar

from pycuda._driver import _DType, _Stream
from pycuda.compiler import SourceModule
from pycuda.elementwise import _Arguments
from pycuda.gpuarray import GPUArray, _Allocator
from pycuda.tools import context_dependent_memoize as context_dependent_memoize
from pycuda.tools import dtype_to_ctype as dtype_to_ctype

_T = TypeVar("_T", bound=np.generic, default=Any)

class ReductionKernel(Generic[_T]):
    @overload
    def __init__(
        self,
        dtype_out: _DType[_T],
        neutral: str | float,
        reduce_expr: str,
        map_expr: str | None = None,
        arguments: _Arguments | None = None,
        name: str = "reduce_kernel",
        keep: bool = False,
        options: Iterable[str] | None = None,
        preamble: str = "",
        allocator: _Allocator = None,
    ) -> None: ...
    @overload
    def __init__(
        self,
        dtype_out: DTypeLike,
        neutral: str | float,
        reduce_expr: str,
        map_expr: str | None = None,
        arguments: _Arguments | None = None,
        name: str = "reduce_kernel",
        keep: bool = False,
        options: Iterable[str] | None = None,
        preamble: str = "",
        allocator: _Allocator = None,
    ) -> None: ...
    def __call__(
        self,
        *args: GPUArray[Any] | complex | Any,
        stream: _Stream = None,
        out: GPUArray[Any] | None = None,
        allocator: _Allocator = None,
        kernel_wrapper: Callable[[Any], Any] | None = None,
    ) -> GPUArray[_T]: ...
    def get_global(self, name: str) -> tuple[int, int]: ...

def get_all_kernel(dtype_out: DTypeLike, dtype_in: DTypeLike) -> ReductionKernel[Any]: ...
def get_any_kernel(dtype_out: DTypeLike, dtype_in: DTypeLike) -> ReductionKernel[Any]: ...
def get_dot_kernel(
    dtype_out: DTypeLike, dtype_a: DTypeLike | None, dtype_b: DTypeLike | None
) -> ReductionKernel[Any]: ...
def get_minmax_kernel(what: str, dtype: DTypeLike) -> ReductionKernel[Any]: ...
def get_minmax_neutral(what: str, dtype: DTypeLike) -> str: ...
def get_reduction_kernel_and_types(
    stage: int,
    out_type: str,
    block_size: int,
    neutral: str | float,
    reduce_expr: str,
    map_expr: str | None = None,
    arguments: _Arguments | None = None,
    name: str = "reduce_kernel",
    keep: bool = False,
    options: Iterable[str] | None = None,
    preamble: str = "",
) -> Any: ...
def get_reduction_module(
    out_type: str,
    block_size: int,
    neutral: str | float,
    reduce_expr: str,
    map_expr: str,
    arguments: _Arguments,
    name: str = "reduce_kernel",
    keep: bool = False,
    options: Iterable[str] | None = None,
    preamble: str = "",
) -> SourceModule: ...
def get_subset_dot_kernel(
    dtype_out: DTypeLike, dtype_subset: DTypeLike, dtype_a: DTypeLike | None = None, dtype_b: DTypeLike | None = None
) -> ReductionKernel[Any]: ...
def get_subset_minmax_kernel(what: str, dtype: DTypeLike, dtype_subset: DTypeLike) -> ReductionKernel[Any]: ...
def get_subset_sum_kernel(
    dtype_out: DTypeLike, dtype_subset: DTypeLike, dtype_in: DTypeLike
) -> ReductionKernel[Any]: ...
def get_sum_kernel(dtype_out: DTypeLike, dtype_in: DTypeLike) -> ReductionKernel[Any]: ...
