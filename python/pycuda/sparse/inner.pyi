# SPDX-License-Identifier: MIT
from collections.abc import Callable
from typing import Any

from numpy.typing import DTypeLike, NDArray

from pycuda._driver import Event, Stream
from pycuda.gpuarray import GPUArray

STREAM_POOL: list[tuple[Any, Stream]]

def get_stream() -> Stream: ...

class AsyncInnerProduct:
    gpu_result: GPUArray[Any]
    gpu_finished_evt: Event
    pagelocked_allocator: Callable[[tuple[int, ...], DTypeLike], NDArray[Any]]
    def __init__(
        self,
        a: GPUArray[Any],
        b: GPUArray[Any],
        pagelocked_allocator: Callable[[tuple[int, ...], DTypeLike], NDArray[Any]],
    ) -> None: ...
    def get_host_result(self) -> Any: ...
