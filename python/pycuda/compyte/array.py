# SPDX-License-Identifier: MIT
"""Strides, memory order and common dtypes of array-like objects."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.lib.stride_tricks import as_strided

__all__ = [
    "ArrayFlags",
    "ArrayIsh",
    "as_strided",
    "c_contiguous_strides",
    "equal_strides",
    "f_contiguous_strides",
    "get_common_dtype",
    "is_c_contiguous_strides",
    "is_f_contiguous_strides",
]


class ArrayIsh(Protocol):
    """What `ArrayFlags` needs of an array."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def strides(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> np.dtype[Any]: ...


def f_contiguous_strides(itemsize, shape):
    """Strides in bytes of a dense array whose first axis varies fastest."""
    strides = []
    step = int(itemsize)
    for length in shape:
        strides.append(step)
        step *= int(length)
    return tuple(strides)


def c_contiguous_strides(itemsize, shape):
    """Strides in bytes of a dense array whose last axis varies fastest."""
    return f_contiguous_strides(itemsize, tuple(shape)[::-1])[::-1]


def equal_strides(strides1, strides2, shape):
    """Whether two strides address the same bytes: those of axes of length one do not count."""
    if strides1 == strides2:
        return True
    if not len(strides1) == len(strides2) == len(shape):
        return False
    return all(first == second for first, second, length in zip(strides1, strides2, shape, strict=True) if length > 1)


def is_c_contiguous_strides(strides, itemsize, shape):
    """Whether the last axis varies fastest without gaps."""
    return equal_strides(strides, c_contiguous_strides(itemsize, shape), shape)


def is_f_contiguous_strides(strides, itemsize, shape):
    """Whether the first axis varies fastest without gaps."""
    return equal_strides(strides, f_contiguous_strides(itemsize, shape), shape)


class ArrayFlags:
    """`c_contiguous`, `f_contiguous` and `forc` (either) of an array, printed as NumPy prints flags."""

    def __init__(self, ary: ArrayIsh) -> None:
        itemsize = ary.dtype.itemsize
        self.f_contiguous = is_f_contiguous_strides(ary.strides, itemsize, ary.shape)
        self.c_contiguous = is_c_contiguous_strides(ary.strides, itemsize, ary.shape)
        self.forc = self.f_contiguous or self.c_contiguous

    def __repr__(self) -> str:
        return f"  C_CONTIGUOUS : {self.c_contiguous}\n  F_CONTIGUOUS : {self.f_contiguous}"

    __str__ = __repr__


def get_common_dtype(obj1, obj2, allow_double):
    """The dtype of `obj1 op obj2` by NumPy's promotion; double precision becomes single if not `allow_double`.

    Arrays count with their dtype. A Python scalar beside an array is weak, a NumPy scalar counts with its own type.
    """

    def stand_in(operand):
        if hasattr(operand, "dtype"):
            return np.empty(1, operand.dtype)
        return operand

    common = np.result_type(stand_in(obj1), stand_in(obj2))
    if not allow_double:
        if common == np.float64:
            return np.dtype(np.float32)
        if common == np.complex128:
            return np.dtype(np.complex64)
    return common
