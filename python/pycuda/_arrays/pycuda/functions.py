# SPDX-License-Identifier: MIT
"""Functions with PyCUDA's arguments: reductions, take and put of several arrays, extremes, views."""

import numpy as np

from pycuda import _driver
from pycuda._arrays.core.dtype_kinds import kind
from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.core.refusals import not_on_device
from pycuda._arrays.ops import selection
from pycuda._arrays.ops.creation import zeros
from pycuda._arrays.ops.reductions import _reduce, allocated, counted, dot

_array = _driver._array
_apply = _array.apply


def _taken(a, indices, stream):
    return selection.take(a, indices, None, None, stream)


def sum(a, dtype=None, stream=None, allocator=None, *, axis=None, keepdims=False, out=None):
    """The sum, computed and returned in `dtype`, by default the array's: an array without axes.

    Unlike `GPUArray.sum`, small integers are summed in their own dtype, as in the original. Truth values are counted
    in int64: ``gpuarray.sum(a > 0)`` is the number of positive elements.

    Examples
    --------
    >>> gpuarray.sum(gpuarray.arange(5, dtype=np.int64)).get()
    array(10)
    """
    if not isinstance(a, GPUArray):
        raise not_on_device("sum", a)
    if axis is None and dtype is None and stream is None and out is None and not keepdims and allocator is None:
        return a._reduce_all("sum", None, a.dtype == np.bool_)
    return allocated(_reduce("sum", a, axis, counted(dtype, a), stream, keepdims, out), allocator)


def prod(a, dtype=None, stream=None, allocator=None, *, axis=None, keepdims=False, out=None):
    """The product, computed and returned in `dtype`, by default the array's (int64 of truth values)."""
    if not isinstance(a, GPUArray):
        raise not_on_device("prod", a)
    if axis is None and dtype is None and stream is None and out is None and not keepdims and allocator is None:
        return a._reduce_all("prod", None, a.dtype == np.bool_)
    return allocated(_reduce("prod", a, axis, counted(dtype, a), stream, keepdims, out), allocator)


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
    """The largest element along `axis` (None: of all), of the array's dtype; NaN only if there is nothing else.

    Examples
    --------
    >>> float(gpuarray.max(gpuarray.arange(5, dtype=np.float32)))
    4.0
    """
    if not isinstance(a, GPUArray):
        raise not_on_device("max", a)
    if isinstance(stream, GPUArray):
        raise TypeError("max takes one array: maximum(a, b) compares the elements of two")
    if axis is None and stream is None and out is None and not keepdims:
        return _ordered(a)._reduce_all("fmax", None, False)
    return _reduce("fmax", _ordered(a), axis, None, stream, keepdims, out)


def min(a, stream=None, *, axis=None, keepdims=False, out=None):
    """The smallest element along `axis` (None: of all), of the array's dtype; NaN only if there is nothing else.

    Examples
    --------
    >>> float(gpuarray.min(gpuarray.arange(5, dtype=np.float32)))
    0.0
    """
    if not isinstance(a, GPUArray):
        raise not_on_device("min", a)
    if isinstance(stream, GPUArray):
        raise TypeError("min takes one array: minimum(a, b) compares the elements of two")
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
    if not isinstance(a, GPUArray):
        raise not_on_device("any", a)
    return allocated(a.any(axis, stream, keepdims=keepdims), allocator)


def all(a, stream=None, allocator=None, *, axis=None, keepdims=False):
    """Whether all elements along `axis` (None: of all) are not zero: bool."""
    if not isinstance(a, GPUArray):
        raise not_on_device("all", a)
    return allocated(a.all(axis, stream, keepdims=keepdims), allocator)


def take(a, indices, out=None, stream=None, axis=None):
    """The elements at the indices, along an axis or of the flattened array.

    Examples
    --------
    >>> a = gpuarray.arange(10, 15, dtype=np.float32)
    >>> gpuarray.take(a, gpuarray.to_gpu(np.array([3, 0], np.int32)))
    array([13., 10.], dtype=float32)
    """
    return selection.take(a, indices, axis, out, stream)


def multi_take(arrays, indices, out=None, stream=None):
    """`take` of several arrays at the same indices: a list of arrays of the indices' shape."""
    arrays = list(arrays)
    outs = [None] * len(arrays) if out is None else list(out)
    if len(outs) != len(arrays):
        raise ValueError(f"out and arrays must have the same length: {len(outs)} and {len(arrays)}")
    return [take(ary, indices, one, stream) for ary, one in zip(arrays, outs)]


def multi_put(arrays, dest_indices, dest_shape=None, out=None, stream=None):
    """``out[i][dest_indices] = arrays[i]`` for each i: a list, of new arrays of `dest_shape` if `out` is None."""
    arrays = list(arrays)
    if not arrays:
        return []
    indices = selection._device_indices(dest_indices)
    if out is None:
        shape = indices.shape if dest_shape is None else dest_shape
        out = [zeros(shape, ary.dtype, ary.allocator) for ary in arrays]
    elif len(out) != len(arrays):
        raise ValueError(f"out and arrays must have the same length: {len(out)} and {len(arrays)}")
    for target, ary in zip(out, arrays):
        if ary.shape != indices.shape:
            raise ValueError(f"array and indices must have equal shapes, not {ary.shape} and {indices.shape}")
        if not _array.select(target.reshape(-1), (indices,), ary, stream, True, True):
            raise selection._out_of_range(target)
    return out


def multi_take_put(arrays, dest_indices, src_indices, dest_shape=None, out=None, stream=None, src_offsets=None):
    """``out[i][dest_indices] = arrays[i][src_indices + src_offsets[i]]``."""
    arrays = list(arrays)
    source = selection._device_indices(src_indices)
    offsets = [0] * len(arrays) if src_offsets is None else list(src_offsets)
    if len(offsets) != len(arrays):
        raise ValueError(f"src_offsets and arrays must have the same length: {len(offsets)} and {len(arrays)}")
    taken = [
        take(ary, source + int(offset) if offset else source, stream=stream) for ary, offset in zip(arrays, offsets)
    ]
    return multi_put(taken, dest_indices, dest_shape, out, stream)


def if_positive(criterion, then_, else_, out=None, stream=None):
    """`then_` where the criterion is greater than zero, else `else_`."""
    shapes = [one.shape for one in (criterion, then_, else_) if isinstance(one, GPUArray)]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"shapes do not match: {shapes}") from None
    return _apply("if_positive", (criterion, then_, else_), out, None, stream)


def _extreme(name, a, b, out, stream):
    if not isinstance(a, GPUArray) and not isinstance(b, GPUArray):
        return getattr(np, name)(a, b)
    return _apply(name, (a, b), out, None, stream)


def maximum(a, b, out=None, stream=None):
    """The larger of each pair of elements; a NaN gives way to a number.

    Examples
    --------
    >>> gpuarray.maximum(gpuarray.arange(4, dtype=np.int32), 2)
    array([2, 2, 2, 3], dtype=int32)
    """
    return _extreme("fmax", a, b, out, stream)


def minimum(a, b, out=None, stream=None):
    """The smaller of each pair of elements; a NaN gives way to a number.

    Examples
    --------
    >>> gpuarray.minimum(gpuarray.arange(4, dtype=np.int32), 2)
    array([0, 1, 2, 2], dtype=int32)
    """
    return _extreme("fmin", a, b, out, stream)


def transpose(a, axes=None):
    """`GPUArray.transpose` as a function."""
    if not isinstance(a, GPUArray):
        raise not_on_device("transpose", a)
    return a.transpose(axes)


def reshape(a, *shape, **kwargs):
    """`GPUArray.reshape` as a function.

    Examples
    --------
    >>> gpuarray.reshape(gpuarray.arange(4, dtype=np.int32), (2, 2))
    array([[0, 1],
           [2, 3]], dtype=int32)
    """
    if not isinstance(a, GPUArray):
        raise not_on_device("reshape", a)
    return a.reshape(*shape, **kwargs)
