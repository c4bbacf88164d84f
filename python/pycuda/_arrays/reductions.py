# SPDX-License-Identifier: MIT
"""Sums, extremes and other reductions of device arrays."""

import builtins

import numpy as np

from pycuda import _driver
from pycuda._arrays.kinds import kind, wide
from pycuda._arrays.shapes import _axes
from pycuda._arrays.views import _part

_array = _driver._array
_apply = _array.apply


def _sum_dtype(dtype):
    if dtype.kind in "bi" and dtype.itemsize < 8:
        return np.dtype(np.int64)
    if dtype.kind == "u" and dtype.itemsize < 8:
        return np.dtype(np.uint64)
    return dtype


def _finish(result, a, axes, keepdims, out, stream):
    if keepdims:
        result = result.reshape(tuple(1 if i in axes else length for i, length in enumerate(a.shape)))
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"out has shape {out.shape}, the result has shape {result.shape}")
    if not np.can_cast(result.dtype, out.dtype, "same_kind"):
        raise TypeError(f"a result of dtype {result.dtype} cannot be stored with dtype {out.dtype}")
    _array.copy(out, result, stream)
    return out


def _reduce(name, a, axis, dtype, stream, keepdims=False, out=None, second=None):
    if axis is None and not keepdims and out is None:
        mask = -1 + (1 << a.ndim)
        axes = ()
    else:
        axes = _axes(axis, a.ndim)
        mask = builtins.sum(1 << i for i in axes)
    if name in ("any", "all"):
        computed = dtype = np.dtype(np.bool_)
    else:
        dtype = a.dtype if dtype is None else np.dtype(dtype)
        computed = dtype
    result = _array.reduce(name, a, second, mask, computed, dtype, stream)
    if not keepdims and out is None:
        return result
    return _finish(result, a, axes, keepdims, out, stream)


_POSITION = np.dtype(np.int64)


def _find(name, a, axis, stream, keepdims, out):
    axes = _axes(axis, a.ndim)
    if axis is not None and len(axes) != 1:
        raise TypeError("argmax and argmin take one axis or none")
    mask = builtins.sum(1 << i for i in axes)
    result = _array.reduce(name, a, None, mask, a.dtype, _POSITION, stream)
    return _finish(result, a, axes, keepdims, out, stream)


class Reductions:
    """The part of GPUArray that reduces by NumPy's rules."""

    __slots__ = ()

    def any(self, axis=None, stream=None, allocator=None, keepdims=False, out=None):
        """Whether any element is true."""
        return _reduce("any", self, axis, None, stream, keepdims, out)

    def all(self, axis=None, stream=None, allocator=None, keepdims=False, out=None):
        """Whether all elements are true."""
        return _reduce("all", self, axis, None, stream, keepdims, out)

    def sum(self, axis=None, dtype=None, out=None, keepdims=False, stream=None):
        """The sum; small integers are summed in 64 bits, as NumPy does."""
        dtype = _sum_dtype(self.dtype) if dtype is None else dtype
        return _reduce("sum", self, axis, dtype, stream, keepdims, out)

    def prod(self, axis=None, dtype=None, out=None, keepdims=False, stream=None):
        """The product; small integers in 64 bits, as NumPy does."""
        dtype = _sum_dtype(self.dtype) if dtype is None else dtype
        return _reduce("prod", self, axis, dtype, stream, keepdims, out)

    def max(self, axis=None, out=None, keepdims=False, stream=None):
        """The largest element; NaN if there is one."""
        return _reduce("max", self, axis, None, stream, keepdims, out)

    def min(self, axis=None, out=None, keepdims=False, stream=None):
        """The smallest element; NaN if there is one."""
        return _reduce("min", self, axis, None, stream, keepdims, out)

    def argmax(self, axis=None, out=None, keepdims=False, stream=None):
        """Where the first largest element is."""
        return _find("argmax", self, axis, stream, keepdims, out)

    def argmin(self, axis=None, out=None, keepdims=False, stream=None):
        """Where the first smallest element is."""
        return _find("argmin", self, axis, stream, keepdims, out)

    def mean(self, axis=None, dtype=None, out=None, keepdims=False, stream=None):
        """The mean."""
        if dtype is None:
            dtype = self.dtype if kind(self.dtype) in "fc" else np.dtype(np.float64)
        computed = wide(np.dtype(dtype))
        total = _reduce("sum", self, axis, computed, stream, keepdims, None)
        count = self.size // builtins.max(total.size, 1) if total.size else 0
        with_count = float("nan") if count == 0 else count
        return _apply(
            "true_divide",
            (total, with_count),
            out,
            None if out is not None else np.dtype(dtype),
            stream,
        )

    def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, stream=None):
        """The variance."""
        if dtype is None:
            dtype = self.dtype if kind(self.dtype) in "fc" else np.dtype(np.float64)
        computed = wide(np.dtype(dtype))
        apart = self - self.mean(axis, computed, keepdims=True, stream=stream)
        size = _apply("absolute", (apart,), None, None, stream) if apart.dtype.kind == "c" else apart
        squares = size * size
        total = _reduce("sum", squares, axis, squares.dtype, stream, keepdims, None)
        count = self.size // builtins.max(total.size, 1) - ddof if total.size else 0
        result_dtype = _part(np.dtype(dtype)) if np.dtype(dtype).kind == "c" else np.dtype(dtype)
        divisor = count if count > 0 else float("nan")
        return _apply("true_divide", (total, divisor), out, None if out is not None else result_dtype, stream)

    def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, stream=None):
        """The standard deviation."""
        variance = self.var(axis, dtype, None, ddof, keepdims, stream)
        return _apply("sqrt", (variance,), out, None, stream)

    def dot(self, other, stream=None):
        """The product of vectors or matrices, as NumPy's."""
        if self.ndim == 0 or other.ndim == 0:
            return self * other
        if self.ndim == 1 and other.ndim == 1:
            from pycuda._arrays.reduction_functions import dot

            return dot(self, other, stream=stream)
        from pycuda._arrays.products import matmul

        return matmul(self, other)

    def clip(self, min=None, max=None, out=None, stream=None):
        """The elements, no smaller than `min` and no larger than `max`."""
        from pycuda._arrays.choices import clip

        return clip(self, min, max, out, stream)
