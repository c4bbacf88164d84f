# SPDX-License-Identifier: MIT
# Types of pycuda.compiler.
from collections.abc import Callable, Iterable
from os import PathLike
from typing import Literal, TypeAlias

from typing_extensions import Buffer, Self

from pycuda._driver import (
    Function,
    Module,
    SurfaceReference,
    TextureReference,
    _MessageHandler,
    jit_input_type,
)

__all__ = [
    "DEFAULT_NVCC_FLAGS",
    "CudaModule",
    "DynamicModule",
    "DynamicSourceModule",
    "JitLinkModule",
    "SourceModule",
    "compile",
    "compile_plain",
    "get_nvcc_version",
    "preprocess_source",
]

_Source: TypeAlias = str | bytes
_Path: TypeAlias = str | PathLike[str]
_Options: TypeAlias = Iterable[str] | None

DEFAULT_NVCC_FLAGS: list[str]

def get_nvcc_version(nvcc: str) -> str: ...
def preprocess_source(source: _Source, options: Iterable[str], nvcc: str) -> str: ...
def compile_plain(
    source: _Source,
    options: Iterable[str],
    keep: bool,
    nvcc: str,
    cache_dir: _Path | Literal[False] | None,
    target: str = "cubin",
) -> bytes: ...
def compile(
    source: _Source,
    nvcc: str = "nvcc",
    options: _Options = None,
    keep: bool = False,
    no_extern_c: bool = False,
    arch: str | None = None,
    code: str | None = None,
    cache_dir: _Path | Literal[False] | None = None,
    include_dirs: Iterable[_Path] | None = None,
    target: str = "cubin",
) -> bytes: ...

class CudaModule:
    module: Module
    def get_function(self, name: str) -> Function: ...

class SourceModule(CudaModule):
    def __init__(
        self,
        source: _Source,
        nvcc: str = "nvcc",
        options: _Options = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: _Path | Literal[False] | None = None,
        include_dirs: Iterable[_Path] | None = None,
        *,
        check_arguments: bool | None = None,
        name_expressions: Iterable[str] = (),
    ) -> None: ...
    def get_global(self, name: str) -> tuple[int, int]: ...
    def get_texref(self, name: str) -> TextureReference: ...
    def get_surfref(self, name: str) -> SurfaceReference: ...

class DynamicModule(CudaModule):
    # Set when the module is linked.
    get_global: Callable[[str], tuple[int, int]]
    get_texref: Callable[[str], TextureReference]
    get_surfref: Callable[[str], SurfaceReference]
    def __init__(
        self,
        nvcc: str = "nvcc",
        link_options: Iterable[tuple[int, int]] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: _Path | Literal[False] | None = None,
        include_dirs: Iterable[_Path] | None = None,
        message_handler: _MessageHandler = None,
        log_verbose: bool = False,
        cuda_libdir: _Path | None = None,
        *,
        check_arguments: bool | None = None,
    ) -> None: ...
    def add_source(self, source: _Source, nvcc_options: _Options = None, name: str = "kernel.ptx") -> Self: ...
    def add_data(self, data: Buffer | str, input_type: jit_input_type, name: str = "unknown") -> Self: ...
    def add_file(self, filename: str, input_type: jit_input_type) -> Self: ...
    def add_stdlib(self, libname: str) -> Self: ...
    def link(self) -> Self: ...

JitLinkModule = DynamicModule

class DynamicSourceModule(DynamicModule):
    def __init__(
        self,
        source: _Source,
        nvcc: str = "nvcc",
        options: _Options = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: _Path | Literal[False] | None = None,
        include_dirs: Iterable[_Path] | None = None,
        cuda_libdir: _Path | None = None,
        *,
        check_arguments: bool | None = None,
    ) -> None: ...
