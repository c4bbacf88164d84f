# SPDX-License-Identifier: MIT
# Types of pycuda.scan.
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike

from pycuda._driver import _S, _Stream
from pycuda.gpuarray import GPUArray, _Allocator
from pycuda.tools import dtype_to_ctype as dtype_to_ctype

CLUDA_PREAMBLE: str

class _ScanKernel:
    dtype: np.dtype[Any]
    def __init__(
        self,
        dtype: DTypeLike,
        scan_expr: str,
        neutral: str | float | None = None,
        name_prefix: str = "scan",
        options: Iterable[str] | None = None,
        preamble: str = "",
        devices: Any = None,
    ) -> None: ...
    def __call__(
        self,
        input_ary: GPUArray[_S],
        output_ary: GPUArray[Any] | Literal["new"] | None = None,
        allocator: _Allocator = None,
        stream: _Stream = None,
        queue: _Stream = None,
    ) -> GPUArray[_S]: ...
    def get_global(self, name: str) -> tuple[int, int]: ...

class InclusiveScanKernel(_ScanKernel): ...
class ExclusiveScanKernel(_ScanKernel): ...
