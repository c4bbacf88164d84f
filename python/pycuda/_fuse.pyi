# SPDX-License-Identifier: MIT
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

from pycuda.driver import Stream
from pycuda.gpuarray import GPUArray

_R = TypeVar("_R")

class Fused(Generic[_R]):
    def __init__(self, function: Callable[..., _R], kernel_name: str | None = None) -> None: ...
    def __call__(
        self,
        *arguments: Any,
        out: GPUArray[Any] | tuple[GPUArray[Any], ...] | list[GPUArray[Any]] | None = None,
        stream: Stream | None = None,
        **named: Any,
    ) -> _R: ...
    def __get__(self, instance: Any, owner: Any = None) -> Any: ...
    def source(self, *arguments: Any, **named: Any) -> str: ...

@overload
def fuse(function: Callable[..., _R], *, kernel_name: str | None = None) -> Fused[_R]: ...
@overload
def fuse(function: None = None, *, kernel_name: str | None = None) -> Callable[[Callable[..., _R]], Fused[_R]]: ...
