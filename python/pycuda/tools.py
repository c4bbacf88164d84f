# SPDX-License-Identifier: MIT
"""Contexts by default, memory pools, C types of dtypes, and sizes of the device."""

from __future__ import annotations

import numpy as np

from pycuda._contexts import (
    clear_context_caches,
    context_dependent_memoize,
    context_dependent_memoized_functions,
    get_default_device,
    init_cuda_context_fixture,
    make_default_context,
    mark_cuda_test,
    reset_context,
)
from pycuda._debug_pool import DebugMemoryPool
from pycuda._occupancy import DeviceData, OccupancyRecord
from pycuda.compyte.dtypes import (
    TYPE_REGISTRY,
    _fill_dtype_registry,
    get_or_register_dtype,
    parse_c_arg_backend,
    register_dtype,
)
from pycuda.compyte.dtypes import dtype_to_ctype as base_dtype_to_ctype
from pycuda.driver import (
    DeviceMemoryPool,
    PageLockedAllocator,
    PageLockedMemoryPool,
    bitlog2,
)

__all__ = [
    "Argument",
    "DebugMemoryPool",
    "DeviceData",
    "DeviceMemoryPool",
    "OccupancyRecord",
    "PageLockedAllocator",
    "PageLockedMemoryPool",
    "ScalarArg",
    "VectorArg",
    "base_dtype_to_ctype",
    "bitlog2",
    "clear_context_caches",
    "context_dependent_memoize",
    "context_dependent_memoized_functions",
    "dtype_to_ctype",
    "get_arg_type",
    "get_default_device",
    "get_or_register_dtype",
    "init_cuda_context_fixture",
    "make_default_context",
    "mark_cuda_test",
    "parse_c_arg",
    "platform_bits",
    "register_dtype",
    "reset_context",
]

_fill_dtype_registry(respect_windows=True)
TYPE_REGISTRY.get_or_register_dtype("pycuda::complex<float>", np.complex64)
TYPE_REGISTRY.get_or_register_dtype("pycuda::complex<double>", np.complex128)
TYPE_REGISTRY.get_or_register_dtype(["half", "__half"], np.float16)

_STORED_IN_TEXTURES = {
    np.dtype(np.float32): "fp_tex_float",
    np.dtype(np.float64): "fp_tex_double",
    np.dtype(np.complex64): "fp_tex_cfloat",
    np.dtype(np.complex128): "fp_tex_cdouble",
}


def platform_bits():
    """Bits of a pointer: 32 or 64."""
    return 8 * np.dtype(np.uintp).itemsize


def dtype_to_ctype(dtype, with_fp_tex_hack=False):
    """The C name of `dtype`; with the hack, the type that a texture stores it as.

    Raises
    ------
    ValueError
        When `dtype` is None or has no C name.

    Examples
    --------
    >>> tools.dtype_to_ctype(np.dtype(np.float32))
    'float'
    """
    if dtype is None:
        raise ValueError("dtype may not be None")
    dtype = np.dtype(dtype)
    if with_fp_tex_hack and dtype in _STORED_IN_TEXTURES:
        return _STORED_IN_TEXTURES[dtype]
    return base_dtype_to_ctype(dtype)


class Argument:
    """An argument of a kernel: its dtype and its name."""

    def __init__(self, dtype, name):
        try:
            self.dtype = np.dtype(dtype)
        except TypeError as error:
            raise TypeError(f"{error}: {type(self).__name__}(dtype, name) has the dtype first") from None
        self.name = name

    def __repr__(self):
        return f"{type(self).__name__}({self.name!r}, {self.dtype})"


class VectorArg(Argument):
    """A pointer argument."""

    struct_char = "P"

    def declarator(self):
        """Its C declaration."""
        return f"{dtype_to_ctype(self.dtype)} *{self.name}"


class ScalarArg(Argument):
    """An argument passed by value."""

    def declarator(self):
        """Its C declaration."""
        return f"{dtype_to_ctype(self.dtype)} {self.name}"

    @property
    def struct_char(self):
        """Its code for `Function.prepare`."""
        if self.dtype.char == "V":
            return f"{self.dtype.itemsize}s"
        return self.dtype.char


def parse_c_arg(c_arg):
    """`VectorArg` or `ScalarArg` for a C declaration such as ``const float *x``."""
    return parse_c_arg_backend(c_arg, ScalarArg, VectorArg)


def get_arg_type(c_arg):
    """The `Function.prepare` code of a C declaration."""
    return parse_c_arg(c_arg).struct_char
