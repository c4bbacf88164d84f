# SPDX-License-Identifier: MIT
"""Reductions as functions with PyCUDA's arguments."""

import numpy as np

from pycuda import _driver
from pycuda._arrays.core.dtype_kinds import kind
from pycuda._arrays.ops.reductions import _reduce, allocated

_array = _driver._array


def _common_dtype(a, b):
    return a.dtype if a.dtype is b.dtype else np.result_type(a.dtype, b.dtype)


def _taken(a, indices, stream):
    from pycuda._arrays.ops.selection import take

    return take(a, indices, None, stream)


def sum(a, dtype=None, stream=None, allocator=None, *, axis=None, keepdims=False, out=None):
    """The sum, computed and returned in `dtype`, by default the array's: an array without axes.

    Unlike `GPUArray.sum`, small integers are summed in their own dtype, as in the original.
    """
    if axis is None and dtype is None and stream is None and out is None and not keepdims and allocator is None:
        return a._reduce_all("sum", None, False)
    return allocated(_reduce("sum", a, axis, dtype, stream, keepdims, out), allocator)


def prod(a, dtype=None, stream=None, allocator=None, *, axis=None, keepdims=False, out=None):
    """The product, computed and returned in `dtype`, by default the array's."""
    if axis is None and dtype is None and stream is None and out is None and not keepdims and allocator is None:
        return a._reduce_all("prod", None, False)
    return allocated(_reduce("prod", a, axis, dtype, stream, keepdims, out), allocator)


def dot(a, b, dtype=None, stream=None, allocator=None):
    """The sum of the products of the elements, without conjugation."""
    if a.shape != b.shape:
        if a.size != b.size:
            raise ValueError(f"operands of dot have shapes {a.shape} and {b.shape}")
        a, b = a.ravel(), b.ravel()
    if dtype is None and a.dtype is b.dtype and stream is None and allocator is None:
        return a._reduce_all("dot", b, False)
    dtype = _common_dtype(a, b) if dtype is None else dtype
    return allocated(_reduce("dot", a, None, dtype, stream, second=b), allocator)


def vdot(a, b, dtype=None, stream=None):
    """The sum of the products of the conjugates of `a` and the elements of `b`: an array without axes."""
    if a.shape != b.shape:
        a, b = a.ravel(), b.ravel()
    if dtype is None and a.dtype is b.dtype and stream is None:
        return a._reduce_all("vdot", b, False)
    dtype = _common_dtype(a, b) if dtype is None else dtype
    return _reduce("vdot", a, None, dtype, stream, second=b)


def subset_sum(subset, a, dtype=None, stream=None, allocator=None):
    """The sum of ``a.flat[subset]``: an array without axes. `subset` is an array of integers on the device."""
    return sum(_taken(a, subset, stream), dtype, stream, allocator)


def subset_dot(subset, a, b, dtype=None, stream=None, allocator=None):
    """The sum of the products of the elements at the indices `subset`."""
    return dot(_taken(a, subset, stream), _taken(b, subset, stream), dtype, stream, allocator)


def _ordered(a):
    if kind(a.dtype) not in "iuf":
        raise TypeError(f"unsupported dtype specified: {a.dtype}")
    return a


def max(a, stream=None, *, axis=None, keepdims=False, out=None):
    """The largest element along `axis` (None: of all), of the array's dtype; NaN only if there is nothing else."""
    if axis is None and stream is None and out is None and not keepdims:
        return _ordered(a)._reduce_all("fmax", None, False)
    return _reduce("fmax", _ordered(a), axis, None, stream, keepdims, out)


def min(a, stream=None, *, axis=None, keepdims=False, out=None):
    """The smallest element along `axis` (None: of all), of the array's dtype; NaN only if there is nothing else."""
    if axis is None and stream is None and out is None and not keepdims:
        return _ordered(a)._reduce_all("fmin", None, False)
    return _reduce("fmin", _ordered(a), axis, None, stream, keepdims, out)


def subset_max(subset, a, stream=None):
    """The largest of ``a.flat[subset]``: an array without axes. `subset` is an array of integers on the device."""
    return max(_taken(a, subset, stream), stream)


def subset_min(subset, a, stream=None):
    """The smallest of ``a.flat[subset]``: an array without axes. `subset` is an array of integers on the device."""
    return min(_taken(a, subset, stream), stream)


def any(a, stream=None, allocator=None, *, axis=None, keepdims=False):
    """Whether any element along `axis` (None: of all) is not zero: bool."""
    return allocated(a.any(axis, stream, keepdims=keepdims), allocator)


def all(a, stream=None, allocator=None, *, axis=None, keepdims=False):
    """Whether all elements along `axis` (None: of all) are not zero: bool."""
    return allocated(a.all(axis, stream, keepdims=keepdims), allocator)
