# SPDX-License-Identifier: MIT
# Types of pycuda.tools.
from collections.abc import Callable, Sequence
from typing import IO, Any, ClassVar, ParamSpec, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from pycuda._driver import (
    Context,
    Device,
)
from pycuda._driver import DeviceMemoryPool as DeviceMemoryPool
from pycuda._driver import PageLockedAllocator as PageLockedAllocator
from pycuda._driver import PageLockedMemoryPool as PageLockedMemoryPool
from pycuda._driver import bitlog2 as bitlog2
from pycuda.compyte.dtypes import DTypeRegistry

_P = ParamSpec("_P")
_R = TypeVar("_R")
_F = TypeVar("_F", bound=Callable[..., Any])

TYPE_REGISTRY: DTypeRegistry
context_dependent_memoized_functions: list[Callable[..., Any]]

class DebugMemoryPool(DeviceMemoryPool):
    interactive: bool
    logfile: IO[str]
    def __init__(self, interactive: bool = True, logfile: IO[str] | None = None) -> None: ...
    def describe(self, stack: Sequence[Any], size: int) -> str: ...

class DeviceData:
    max_threads: int
    warp_size: int
    warps_per_mp: int
    thread_blocks_per_mp: int
    registers: int
    registers_per_block: int
    shared_memory: int
    shared_memory_per_mp: int
    shared_memory_opt_in: int
    reserved_shared_memory: int
    smem_alloc_granularity: int
    smem_granularity: int
    register_allocation_unit: str
    def __init__(self, dev: Device | None = None) -> None: ...
    def align(self, bytes: int, word_size: int = 4) -> int: ...
    def align_dtype(self, elements: int, dtype_size: int) -> int: ...
    def align_words(self, word_size: int) -> int: ...
    def align_bytes(self, word_size: int = 4) -> int: ...
    def coalesce(self, thread_count: int) -> int: ...
    @staticmethod
    def make_valid_tex_channel_count(size: int) -> int: ...

class OccupancyRecord:
    tb_per_mp: int
    limited_by: str
    warps_per_mp: int
    occupancy: float
    def __init__(self, devdata: DeviceData, threads: int, shared_mem: int = 0, registers: int = 0) -> None: ...

class Argument:
    dtype: np.dtype[Any]
    name: str
    def __init__(self, dtype: DTypeLike, name: str) -> None: ...

class VectorArg(Argument):
    struct_char: ClassVar[str]
    def declarator(self) -> str: ...

class ScalarArg(Argument):
    @property
    def struct_char(self) -> str: ...
    def declarator(self) -> str: ...

def make_default_context(ctx_maker: Callable[[Device], Context] | None = None) -> Context: ...
def get_default_device(default: int = 0) -> Device: ...
def clear_context_caches() -> None: ...
def context_dependent_memoize(func: Callable[_P, _R]) -> Callable[_P, _R]: ...
def init_cuda_context_fixture() -> Any: ...
def mark_cuda_test(inner_f: _F) -> _F: ...
def platform_bits() -> int: ...
def dtype_to_ctype(dtype: DTypeLike, with_fp_tex_hack: bool = False) -> str: ...
def base_dtype_to_ctype(dtype: DTypeLike) -> str: ...
def get_or_register_dtype(names: str | Sequence[str], dtype: DTypeLike | None = None) -> np.dtype[Any]: ...
def register_dtype(dtype: DTypeLike, c_names: str | Sequence[str], alias_ok: bool = False) -> None: ...
def parse_c_arg(c_arg: str) -> VectorArg | ScalarArg: ...
def parse_c_arg_backend(
    c_arg: str,
    scalar_arg_factory: Callable[[np.dtype[Any], str], Any],
    vec_arg_factory: Callable[[np.dtype[Any], str], Any],
    name_to_dtype: Callable[[str], np.dtype[Any]] | None = None,
) -> Any: ...
def get_arg_type(c_arg: str) -> str: ...
