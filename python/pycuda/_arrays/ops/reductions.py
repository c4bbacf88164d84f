# SPDX-License-Identifier: MIT
"""Sums, extremes and other reductions of device arrays."""

import builtins

import numpy as np

from pycuda import _driver, driver
from pycuda._arrays.core.dtype_kinds import kind, wide
from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.core.refusals import not_on_device
from pycuda._arrays.core.shapes import _axes, _reduced_axes
from pycuda._arrays.ops.views import _part

_array = _driver._array
_apply = _array.apply


def _sum_dtype(dtype):
    if dtype.kind in "bi" and dtype.itemsize < 8:
        return np.dtype(np.int64)
    if dtype.kind == "u" and dtype.itemsize < 8:
        return np.dtype(np.uint64)
    return dtype


def allocated(result, allocator, stream=None):
    """The result, in memory of `allocator` if that is given."""
    if allocator is None:
        return result
    moved = type(result)(result.shape, result.dtype, allocator)
    _array.copy(moved, result, stream)
    return moved


def _check_out(result, out, casting="same_kind"):
    """TypeError or ValueError if the result does not go to `out`."""
    if not hasattr(out, "gpudata"):
        raise TypeError(f"out must be an array on the device, not {type(out).__name__}")
    if out.shape != result.shape:
        raise ValueError(f"out has shape {out.shape}, the result has shape {result.shape}")
    if not np.can_cast(result.dtype, out.dtype, casting):
        raise TypeError(f"a result of dtype {result.dtype} cannot be stored in an array of dtype {out.dtype}")


def delivered(result, out, stream=None, casting="same_kind"):
    """The result, in `out` if that is given: of its shape, and of a dtype that `casting` allows."""
    if out is None:
        return result
    _check_out(result, out, casting)
    _array.copy(out, result, stream)
    return out


def all_delivered(results, outs):
    """Several results, each in its `out` if that is not None; nothing is written if one of them does not fit."""
    for result, out in zip(results, outs):
        if out is not None:
            _check_out(result, out)
    return tuple(map(delivered, results, outs))


def _finish(result, a, axes, keepdims, out, stream, casting="same_kind"):
    if keepdims:
        result = result.reshape(tuple(1 if i in axes else length for i, length in enumerate(a.shape)))
    return delivered(result, out, stream, casting)


def _reduce(name, a, axis, dtype, stream, keepdims=False, out=None, second=None):
    if axis is None and not keepdims and out is None:
        mask = -1 + (1 << a.ndim)
        axes = ()
    else:
        axes = _reduced_axes(axis, a.ndim)
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
    axes = _reduced_axes(axis, a.ndim)
    if isinstance(axis, (tuple, list)) and len(axes) != 1:
        raise TypeError("argmax and argmin take one axis or none")
    mask = builtins.sum(1 << i for i in axes)
    # NumPy's rule is on `out` itself, and not the way round that its elements are cast.
    if out is not None and not np.can_cast(out.dtype, _POSITION, "safe"):
        raise TypeError(f"positions of dtype {_POSITION} cannot be stored in an array of dtype {out.dtype}")
    result = _array.reduce(name, a, None, mask, a.dtype, _POSITION, stream)
    return _finish(result, a, axes, keepdims, out, stream, "unsafe")


def _truth(name, a, axis, stream, allocator, keepdims, out):
    if axis is None and out is None and stream is None and not keepdims and allocator is None:
        return a._reduce_all(name, None, False)
    if isinstance(axis, driver.Stream):  # PyCUDA's arguments begin with the stream and the allocator
        axis, stream, allocator = None, axis, allocator if stream is None else stream
    return allocated(_reduce(name, a, axis, None, stream, keepdims, out), allocator if out is None else None, stream)


def any(self, axis=None, stream=None, allocator=None, keepdims=False, out=None):
    """Whether any element is not zero, as NaN is not.

    Returns a bool array of the shape without `axis` (an int, a tuple of ints, or None for all axes; of length
    one with `keepdims`). Shared rules of all reductions: `out`, if given, has that shape and takes the result;
    `stream` orders the work; an axis out of range raises numpy.exceptions.AxisError.

    Examples
    --------
    >>> bool((gpuarray.arange(5, dtype=np.int32) > 3).any())
    True
    """
    return _truth("any", self, axis, stream, allocator, keepdims, out)


def all(self, axis=None, stream=None, allocator=None, keepdims=False, out=None):
    """Whether all elements are not zero, True where there are none: bool; see `any`."""
    return _truth("all", self, axis, stream, allocator, keepdims, out)


def sum(self, axis=None, dtype=None, out=None, keepdims=False, stream=None):
    """The sum along `axis` (None: of all elements), 0 where there are none.

    Computed and returned in `dtype`; by default the array's, but integers and bool smaller than 64 bits are
    summed in 64 bits, as NumPy does. float16 and bfloat16 are summed in float32 and rounded once. The order of
    additions is that of a tree, not NumPy's: floating-point sums differ in the last bits.

    Examples
    --------
    >>> a = gpuarray.arange(6, dtype=np.int64).reshape(2, 3)
    >>> a.sum(axis=1)
    array([ 3, 12])
    >>> int(a.sum())
    15
    """
    if axis is None and dtype is None and out is None and stream is None and not keepdims:
        return self._reduce_all("sum", None, True)
    dtype = _sum_dtype(self.dtype) if dtype is None else dtype
    return _reduce("sum", self, axis, dtype, stream, keepdims, out)


def prod(self, axis=None, dtype=None, out=None, keepdims=False, stream=None):
    """The product along `axis` (None: of all elements), 1 where there are none; `dtype` as of `sum`."""
    if axis is None and dtype is None and out is None and stream is None and not keepdims:
        return self._reduce_all("prod", None, True)
    dtype = _sum_dtype(self.dtype) if dtype is None else dtype
    return _reduce("prod", self, axis, dtype, stream, keepdims, out)


def max(self, axis=None, out=None, keepdims=False, stream=None):
    """The largest element along `axis`, of the array's dtype; NaN if there is one. ValueError without elements."""
    if axis is None and out is None and stream is None and not keepdims:
        return self._reduce_all("max", None, False)
    return _reduce("max", self, axis, None, stream, keepdims, out)


def min(self, axis=None, out=None, keepdims=False, stream=None):
    """The smallest element along `axis`, of the array's dtype; NaN if there is one. ValueError without elements."""
    if axis is None and out is None and stream is None and not keepdims:
        return self._reduce_all("min", None, False)
    return _reduce("min", self, axis, None, stream, keepdims, out)


def argmax(self, axis=None, out=None, keepdims=False, stream=None):
    """The int64 position of the first largest element (the first NaN, if there is one).

    Along one `axis`, or with None in the array flattened in C order. TypeError for several axes, ValueError
    where there are no elements.

    Examples
    --------
    >>> int(gpuarray.to_gpu(np.array([3, 9, 2])).argmax())
    1
    """
    if axis is None and out is None and stream is None and not keepdims:
        return self._reduce_all("argmax", None, False)
    return _find("argmax", self, axis, stream, keepdims, out)


def argmin(self, axis=None, out=None, keepdims=False, stream=None):
    """The int64 position of the first smallest element (the first NaN, if there is one); see `argmax`."""
    if axis is None and out is None and stream is None and not keepdims:
        return self._reduce_all("argmin", None, False)
    return _find("argmin", self, axis, stream, keepdims, out)


def mean(self, axis=None, dtype=None, out=None, keepdims=False, stream=None):
    """The mean along `axis`: the sum divided by the number of elements, NaN where there are none.

    Returned in `dtype`: by default the array's for floating-point and complex numbers, else float64.

    Examples
    --------
    >>> float(gpuarray.arange(5, dtype=np.float32).mean())
    2.0
    """
    if dtype is None:
        dtype = self.dtype if kind(self.dtype) in "fc" else np.dtype(np.float64)
    computed = wide(np.dtype(dtype))
    _axes(axis, self.ndim)  # unlike other reductions NumPy's refuses 0 and -1 of an array without axes
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
    """The variance along `axis`: the mean of ``abs(x - mean)**2``, in two passes as NumPy does.

    The sum of squares is divided by the number of elements less `ddof` (NaN if that is not positive). float64
    for integers, real for complex numbers.

    Examples
    --------
    >>> float(gpuarray.arange(5, dtype=np.float32).var())
    2.0
    """
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
    """The standard deviation along `axis`: the square root of `var`."""
    variance = self.var(axis, dtype, None, ddof, keepdims, stream)
    return _apply("sqrt", (variance,), out, None, stream)


def _common_dtype(a, b):
    return a.dtype if a.dtype is b.dtype else np.result_type(a.dtype, b.dtype)


def counted(dtype, *operands):
    """`dtype`, or int64 where only truth values are added: in the original, comparisons return numbers."""
    return _POSITION if dtype is None and builtins.all(one.dtype == np.bool_ for one in operands) else dtype


def dot(a, b, dtype=None, stream=None, allocator=None):
    """The sum of the products of the elements, without conjugation; that of truth values is counted in int64.

    Examples
    --------
    >>> a = gpuarray.arange(4, dtype=np.float32)
    >>> float(gpuarray.dot(a, a))
    14.0
    """
    if not isinstance(a, GPUArray) or not isinstance(b, GPUArray):
        raise not_on_device("dot", b if isinstance(a, GPUArray) else a)
    if a.shape != b.shape:
        if a.size != b.size:
            raise ValueError(f"dot needs operands of equal size, not of shapes {a.shape} and {b.shape}")
        a, b = a.ravel(), b.ravel()
    if dtype is None and a.dtype is b.dtype and stream is None and allocator is None:
        return a._reduce_all("dot", b, a.dtype == np.bool_)
    dtype = counted(dtype, a, b)
    dtype = _common_dtype(a, b) if dtype is None else dtype
    return allocated(_reduce("dot", a, None, dtype, stream, second=b), allocator)


def vdot(a, b, dtype=None, stream=None):
    """The sum of the products of the conjugates of `a` and the elements of `b`: an array without axes."""
    if not isinstance(a, GPUArray) or not isinstance(b, GPUArray):
        raise not_on_device("vdot", b if isinstance(a, GPUArray) else a)
    if a.shape != b.shape:
        a, b = a.ravel(), b.ravel()
    if dtype is None and a.dtype is b.dtype and stream is None:
        return a._reduce_all("vdot", b, False)
    dtype = _common_dtype(a, b) if dtype is None else dtype
    return _reduce("vdot", a, None, dtype, stream, second=b)
