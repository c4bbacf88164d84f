# SPDX-License-Identifier: MIT
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from pycuda.driver import Stream
from pycuda.gpuarray import GPUArray

_R = TypeVar("_R")

class Fused(Generic[_R]):
    def __init__(self, function: Callable[..., _R]) -> None: ...
    def __call__(
        self,
        *arguments: Any,
        out: GPUArray[Any] | tuple[GPUArray[Any], ...] | list[GPUArray[Any]] | None = None,
        stream: Stream | None = None,
        **named: Any,
    ) -> _R: ...
    def source(self, *arguments: Any, **named: Any) -> str: ...

def fuse(function: Callable[..., _R]) -> Fused[_R]: ...
