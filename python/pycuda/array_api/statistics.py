# SPDX-License-Identifier: MIT
"""Sums, means and extremes along axes."""

import builtins

from pycuda._arrays.core.shapes import _axis
from pycuda._arrays.ops import scans
from pycuda._arrays.ops.creation import ones, zeros
from pycuda._arrays.ops.joining import concatenate


def sum(x, /, *, axis=None, dtype=None, keepdims=False):  # noqa: A001
    """The sum; small integers in 64 bits."""
    return x.sum(axis=axis, dtype=dtype, keepdims=keepdims)


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    """The product; small integers in 64 bits."""
    return x.prod(axis=axis, dtype=dtype, keepdims=keepdims)


def max(x, /, *, axis=None, keepdims=False):  # noqa: A001
    """The largest element; NaN if there is one."""
    return x.max(axis=axis, keepdims=keepdims)


def min(x, /, *, axis=None, keepdims=False):  # noqa: A001
    """The smallest element; NaN if there is one."""
    return x.min(axis=axis, keepdims=keepdims)


def mean(x, /, *, axis=None, keepdims=False):
    """The mean."""
    return x.mean(axis=axis, keepdims=keepdims)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The variance; `correction` is taken from the number of elements."""
    return x.var(axis=axis, ddof=correction, keepdims=keepdims)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The standard deviation."""
    return x.std(axis=axis, ddof=correction, keepdims=keepdims)


def all(x, /, *, axis=None, keepdims=False):  # noqa: A001
    """Whether all elements are true."""
    return x.all(axis=axis, keepdims=keepdims)


def any(x, /, *, axis=None, keepdims=False):  # noqa: A001
    """Whether any element is true."""
    return x.any(axis=axis, keepdims=keepdims)


def _running(scan, first, x, axis, dtype, include_initial):
    if not x.ndim:
        x = x.reshape((1,))
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"an axis is needed for an array of shape {x.shape}")
        axis = 0
    axis = _axis(axis, x.ndim)
    result = scan(x, axis, dtype)
    if include_initial:
        shape = tuple(1 if i == axis else length for i, length in enumerate(x.shape))
        result = concatenate([first(shape, result.dtype), result], axis)
    return result


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """The sums of all elements up to each."""
    return _running(scans.cumsum, zeros, x, axis, dtype, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """The products of all elements up to each."""
    return _running(scans.cumprod, ones, x, axis, dtype, include_initial)


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """The differences of neighbours along an axis, so many times."""
    axis = _axis(axis, x.ndim)
    if n < 0:
        raise ValueError(f"the number of differences must not be negative: {n}")
    if n == 0:
        return x
    around = [part for part in (prepend, x, append) if part is not None]
    result = concatenate(around, axis) if len(around) > 1 else x
    before = (slice(None),) * axis
    for _ in range(builtins.min(n, result.shape[axis])):
        later, earlier = result[(*before, slice(1, None))], result[(*before, slice(None, -1))]
        result = later != earlier if result.dtype.kind == "b" else later - earlier
    return result
