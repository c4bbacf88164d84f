# SPDX-License-Identifier: MIT
"""Dtypes of the standard: NumPy's, and questions about them."""

import numpy as np

from pycuda._arrays.core.gpuarray import GPUArray
from pycuda.array_api.devices import check_device

bool = np.dtype(np.bool_)  # noqa: A001
int8, int16, int32, int64 = (np.dtype(f"i{size}") for size in (1, 2, 4, 8))
uint8, uint16, uint32, uint64 = (np.dtype(f"u{size}") for size in (1, 2, 4, 8))
float32, float64 = np.dtype(np.float32), np.dtype(np.float64)
complex64, complex128 = np.dtype(np.complex64), np.dtype(np.complex128)

_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


def _dtype(thing):
    return thing.dtype if isinstance(thing, GPUArray) else np.dtype(thing)


def astype(x, dtype, /, *, copy=True, device=None):
    """The elements with another dtype."""
    check_device(device)
    return x.astype(dtype, copy=copy)


def can_cast(from_, to, /):
    """Whether every value of one dtype is one of the other."""
    return np.can_cast(_dtype(from_), np.dtype(to))


def result_type(*arrays_and_dtypes):
    """The dtype that arrays, dtypes and numbers are promoted to."""
    if not any_strong(arrays_and_dtypes):
        raise ValueError("at least one array or dtype is needed")
    return np.result_type(*(one.dtype if isinstance(one, GPUArray) else one for one in arrays_and_dtypes))


def any_strong(things):
    """Whether there is something else than Python's numbers."""
    return not all(isinstance(one, (int, float, complex)) for one in things)


def isdtype(dtype, kind):
    """Whether a dtype is another one, of a kind of the standard, or one of several of those."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ValueError(f"unrecognized kind of dtype: {kind!r}; known are {', '.join(_KINDS)}")
        return np.dtype(dtype).kind in _KINDS[kind]
    return np.dtype(dtype) == np.dtype(kind)


def finfo(type, /):
    """Limits of a floating-point dtype."""
    return np.finfo(_dtype(type))


def iinfo(type, /):
    """Limits of an integer dtype."""
    return np.iinfo(_dtype(type))
