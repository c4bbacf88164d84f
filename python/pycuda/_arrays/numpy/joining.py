# SPDX-License-Identifier: MIT
"""NumPy's functions that put arrays together, and that repeat and widen them."""

import numpy as np

from pycuda import _driver
from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.core.shapes import _axis, _dims
from pycuda._arrays.ops import joining
from pycuda._arrays.ops.creation import to_gpu
from pycuda._arrays.ops.operands import device, host
from pycuda._arrays.ops.reductions import delivered
from pycuda._arrays.ops.selection import take
from pycuda.array_api import manipulation

_array = _driver._array


def concatenate(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays one after the other along an axis; None: their elements in one axis."""
    arrays = [device(one) for one in arrays]
    if dtype is not None:
        dtype = np.dtype(dtype)
        for one in arrays:
            if not np.can_cast(one.dtype, dtype, casting):
                raise TypeError(f"elements of dtype {one.dtype} are not cast to {dtype} by the rule {casting!r}")
    result = manipulation.concat(arrays, axis=axis)
    return delivered(result if dtype is None else result.astype(dtype, copy=False), out)


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays of one shape, one after the other along a new axis."""
    arrays = [device(one) for one in arrays]
    if not arrays:
        raise ValueError("need at least one array to stack")
    if any(one.shape != arrays[0].shape for one in arrays):
        raise ValueError("all input arrays must have the same shape")
    axis = _axis(axis, arrays[0].ndim + 1)
    before = (slice(None),) * axis
    return concatenate([one[(*before, None)] for one in arrays], axis, out, dtype=dtype, casting=casting)


def _at_least(arrays, widened):
    results = tuple(widened(device(one)) for one in arrays)
    return results[0] if len(results) == 1 else results


def _with_one_axis(a):
    return a if a.ndim else a.reshape(1)


def _with_two_axes(a):
    return a if a.ndim >= 2 else _with_one_axis(a)[None, :]


def _with_three_axes(a):
    return a if a.ndim >= 3 else _with_two_axes(a)[:, :, None]


def atleast_1d(*arys):
    """The arrays with at least one axis: views."""
    return _at_least(arys, _with_one_axis)


def atleast_2d(*arys):
    """The arrays with at least two axes, new ones in front: views."""
    return _at_least(arys, _with_two_axes)


def atleast_3d(*arys):
    """The arrays with at least three axes: a vector becomes ``(1, n, 1)``, a matrix ``(m, n, 1)``. Views."""
    return _at_least(arys, _with_three_axes)


def vstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays one below the other: along the first axis, vectors as rows."""
    return concatenate([_with_two_axes(device(one)) for one in tup], 0, dtype=dtype, casting=casting)


def hstack(tup, *, dtype=None, casting="same_kind"):
    """Arrays side by side: along the second axis, vectors along their only one."""
    arrays = [_with_one_axis(device(one)) for one in tup]
    axis = 0 if arrays and arrays[0].ndim == 1 else 1
    return concatenate(arrays, axis, dtype=dtype, casting=casting)


def dstack(tup):
    """Arrays one behind the other: along the third axis."""
    return concatenate([_with_three_axes(device(one)) for one in tup], 2)


def column_stack(tup):
    """Arrays side by side, vectors as columns."""
    arrays = [device(one) for one in tup]
    return concatenate([one if one.ndim >= 2 else _with_two_axes(one).T for one in arrays], 1)


def append(arr, values, axis=None):
    """A new array with the values behind the array along an axis (None: both flattened)."""
    return concatenate((device(arr), device(values)), axis)


def repeat(a, repeats, axis=None):
    """Each element so many times, along an axis (None: of the flattened array)."""
    if isinstance(repeats, GPUArray) and repeats.size == 1:
        repeats = repeats.item()
    return manipulation.repeat(device(a), repeats, axis=axis)


def tile(A, reps):  # noqa: N803
    """The array so many times along each axis."""
    reps = host(reps)
    return manipulation.tile(device(A), reps if np.ndim(reps) else (reps,))


def resize(a, new_shape):
    """The elements again and again until they fill the new shape; zeros if there are none."""
    a, new_shape = device(a), _dims(new_shape)
    size = int(np.prod(new_shape, dtype=np.int64))
    if not a.size:
        return GPUArray(new_shape, a.dtype).fill(0)
    return take(a, to_gpu(np.arange(size) % a.size)).reshape(new_shape)


def broadcast_arrays(*args, subok=False):
    """The arrays seen with the shape that all broadcast to: a tuple of views."""
    return tuple(manipulation.broadcast_arrays(*(device(one) for one in args)))


def broadcast_to(array, shape, subok=False):
    """The array repeated along axes of length one and new axes: a view."""
    return joining.broadcast_to(array, shape)


def _flat_where_no_axis(arr, axis):
    arr = device(arr)
    if axis is None:
        return arr.ravel(), 0
    return arr, _axis(axis, arr.ndim)


def insert(arr, obj, values, axis=None):
    """A copy with values put in before the positions `obj` along an axis (None: of the flattened array)."""
    arr, axis = _flat_where_no_axis(arr, axis)
    obj = host(obj)
    values = device(values).astype(arr.dtype, copy=False)
    values = values[(None,) * (arr.ndim - values.ndim)] if values.ndim < arr.ndim else values
    length = arr.shape[axis]
    positions = np.arange(length)[obj] if isinstance(obj, slice) else np.asarray(obj)
    if positions.dtype == np.bool_:
        positions = np.flatnonzero(positions)
    elif not positions.size:
        positions = positions.astype(np.int64)
    if positions.ndim == 0:
        values = manipulation.moveaxis(values, 0, axis)
    count = values.shape[axis] if positions.size == 1 else positions.size
    # Which value each place of the result takes, or -1 for an element that was there.
    which = np.insert(np.full(length, -1), positions, np.arange(count))
    shape = (*arr.shape[:axis], which.size, *arr.shape[axis + 1 :])
    result = GPUArray(shape, arr.dtype)
    before = (slice(None),) * axis
    kept = np.flatnonzero(which < 0)
    if kept.size and arr.size:
        result[(*before, kept)] = arr
    if count and result.size:
        new = np.empty(count, np.int64)
        new[which[which >= 0]] = np.flatnonzero(which >= 0)
        result[(*before, new)] = values
    return result


def delete(arr, obj, axis=None):
    """A copy without the elements at the positions `obj` along an axis (None: of the flattened array)."""
    arr, axis = _flat_where_no_axis(arr, axis)
    kept = np.delete(np.arange(arr.shape[axis]), host(obj))
    return take(arr, to_gpu(kept), axis=axis)


_INDEXED_PADDING = ("edge", "reflect", "symmetric", "wrap")


def pad(array, pad_width, mode="constant", **kwargs):
    """The array with elements around it: constants, or its own (edge, reflect, symmetric, wrap)."""
    array = device(array)
    if isinstance(pad_width, dict):
        widths = np.zeros((array.ndim, 2), np.int64)
        for axis, width in pad_width.items():
            widths[axis] = width
    else:
        widths = np.asarray(host(pad_width))
        if widths.dtype.kind not in "iu":
            raise TypeError("`pad_width` must be of integral type.")
        widths = np.broadcast_to(widths, (array.ndim, 2))
    if (widths < 0).any():
        raise ValueError("index can't contain negative values")
    if mode in _INDEXED_PADDING:
        if kwargs.get("reflect_type", "even") != "even":
            raise NotImplementedError("np.pad of device arrays does not support reflect_type='odd'")
        for axis, width in enumerate(widths):
            if width.any():
                places = np.pad(np.arange(array.shape[axis]), width, mode, **kwargs)
                array = take(array, to_gpu(places), axis=axis)
        return array
    if mode not in ("constant", "empty"):
        raise NotImplementedError(
            f"np.pad of device arrays does not support mode {mode!r}: supported are constant, empty, "
            f"{', '.join(_INDEXED_PADDING)}"
        )
    values = kwargs.pop("constant_values", 0) if mode == "constant" else 0
    if kwargs:
        raise ValueError(f"unsupported keyword arguments for mode {mode!r}: {set(kwargs)}")
    result = GPUArray(tuple(n + a + b for n, (a, b) in zip(array.shape, widths.tolist())), array.dtype)
    inner = tuple(slice(a, a + n) for n, (a, _) in zip(array.shape, widths.tolist()))
    if mode == "constant":
        for axis, ends in enumerate(np.broadcast_to(np.asarray(host(values)), (array.ndim, 2)).astype(array.dtype)):
            before = (slice(None),) * axis
            result[(*before, slice(None, inner[axis].start))] = ends[0]
            result[(*before, slice(inner[axis].stop, None))] = ends[1]
    result[inner] = array
    return result


def _division_points(length, indices_or_sections):
    parts = host(indices_or_sections)
    if np.ndim(parts):
        return [0, *(int(point) for point in parts), length]
    sections = int(parts)
    if sections <= 0:
        raise ValueError("number sections must be larger than 0.")
    each, longer = divmod(length, sections)
    return [0, *np.cumsum([each + 1] * longer + [each] * (sections - longer)).tolist()]


def array_split(ary, indices_or_sections, axis=0):
    """The parts of an array along an axis: a list of views, the first ones longer by one where lengths do not fit."""
    ary = device(ary)
    axis = _axis(axis, ary.ndim)
    points = _division_points(ary.shape[axis], indices_or_sections)
    before = (slice(None),) * axis
    return [ary[(*before, slice(start, stop))] for start, stop in zip(points, points[1:])]


def split(ary, indices_or_sections, axis=0):
    """The parts of an array along an axis, so many of equal length or divided at indices: a list of views."""
    ary = device(ary)
    if not np.ndim(host(indices_or_sections)) and ary.shape[_axis(axis, ary.ndim)] % int(indices_or_sections):
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def hsplit(ary, indices_or_sections):
    """The parts of an array side by side: along the second axis, of a vector along its only one."""
    if not ary.ndim:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def vsplit(ary, indices_or_sections):
    """The parts of an array below each other: along the first axis."""
    if ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


def dsplit(ary, indices_or_sections):
    """The parts of an array behind each other: along the third axis."""
    if ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


def unstack(x, /, *, axis=0):
    """The parts along an axis: a tuple of views."""
    return manipulation.unstack(x, axis=axis)
