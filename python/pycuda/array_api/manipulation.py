# SPDX-License-Identifier: MIT
"""Other shapes and orders of the same elements."""

import builtins
import operator

import numpy as np

from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.core.shapes import _along_one, _axes, _axis
from pycuda._arrays.ops import joining
from pycuda._arrays.ops.creation import to_gpu
from pycuda._arrays.ops.scans import cumsum
from pycuda._arrays.ops.searching import searchsorted
from pycuda._arrays.ops.selection import take


def broadcast_to(x, /, shape):
    """The array repeated along axes of length one and new axes: a view."""
    return joining.broadcast_to(x, shape)


def broadcast_arrays(*arrays):
    """Arrays seen with the shape that all broadcast to."""
    shape = np.broadcast_shapes(*(ary.shape for ary in arrays))
    return [joining.broadcast_to(ary, shape) for ary in arrays]


def concat(arrays, /, *, axis=0):
    """Arrays one after the other along an axis; None: their elements in one axis."""
    arrays = list(arrays)
    if axis is None:
        arrays, axis = [ary.ravel() for ary in arrays], 0
    return joining.concatenate(arrays, axis)


def stack(arrays, /, *, axis=0):
    """Arrays one after the other along a new axis."""
    return joining.stack(arrays, axis)


def unstack(x, /, *, axis=0):
    """The parts along an axis: a tuple of views."""
    axis = _axis(axis, x.ndim)
    before = (slice(None),) * axis
    return tuple(x[(*before, i)] for i in range(x.shape[axis]))


def expand_dims(x, /, *, axis=0):
    """The array with a new axis of length one."""
    axes = _axes(axis if isinstance(axis, tuple) else (axis,), x.ndim + (len(axis) if isinstance(axis, tuple) else 1))
    return x[tuple(None if i in axes else slice(None) for i in range(x.ndim + len(axes)))]


def squeeze(x, /, axis):
    """The array without axes, which have length one."""
    return x.squeeze(axis)


def permute_dims(x, /, axes):
    """The axes in another order: a view."""
    return x.transpose(axes)


def moveaxis(x, source, destination, /):
    """Axes moved to other places: a view."""
    sources, destinations = _axes(source, x.ndim), _axes(destination, x.ndim)
    if len(sources) != len(destinations):
        raise ValueError(f"as many axes to move as places are needed: {source} and {destination}")
    order = [i for i in range(x.ndim) if i not in sources]
    for target, axis in sorted(zip(destinations, sources)):
        order.insert(target, axis)
    return x.transpose(order)


def flip(x, /, *, axis=None):
    """The elements in reverse order along axes: a view."""
    axes = _axes(axis, x.ndim)
    return x[tuple(slice(None, None, -1 if i in axes else None) for i in range(x.ndim))]


def reshape(x, /, shape, *, copy=None):
    """The same elements in another shape."""
    if copy:
        x = x.copy()
    result = x.reshape(tuple(shape))
    if copy is not None and not copy and x.size and result.ptr != x.ptr:
        raise ValueError(f"an array of shape {x.shape}, strides {x.strides} cannot have shape {shape} without a copy")
    return result


def roll(x, /, shift, *, axis=None):
    """Elements moved along axes; those that leave at one end come in at the other."""
    if axis is None:
        return roll(x.reshape((x.size,)), shift, axis=0).reshape(x.shape)
    shifts = shift if isinstance(shift, tuple) else (shift,)
    axes = axis if isinstance(axis, tuple) else (axis,)
    if len(shifts) == 1:
        shifts = shifts * len(axes)
    elif len(shifts) != len(axes):
        raise ValueError(f"as many shifts as axes are needed: {shift} and {axis}")
    result = x
    for by, one in zip(shifts, axes):
        one = _axis(one, x.ndim)
        length = x.shape[one]
        by = operator.index(by) % length if length else 0
        if by:
            before = (slice(None),) * one
            parts = [result[(*before, slice(length - by, None))], result[(*before, slice(None, length - by))]]
            result = joining.concatenate(parts, one)
    return result.copy() if result is x else result


def repeat(x, repeats, /, *, axis=None):
    """Each element so many times, along an axis (None: of the flattened array)."""
    x, axis = _along_one(x, axis)
    length = x.shape[axis]
    if isinstance(repeats, GPUArray) and repeats.size != 1:
        if repeats.shape != (length,) or repeats.dtype.kind not in "iu":
            raise ValueError(f"repeats must be {length} integers, not {repeats.dtype} of shape {repeats.shape}")
        ends = cumsum(repeats)
        total = int(ends[-1:].get()[0]) if length else 0
        index = searchsorted(ends, to_gpu(np.arange(total)), "right")
    else:
        index = to_gpu(np.repeat(np.arange(length), int(repeats) if isinstance(repeats, GPUArray) else repeats))
    return take(x, index, axis=axis)


def tile(x, repetitions, /):
    """The array so many times along each axis."""
    repetitions = tuple(repetitions)
    ndim = builtins.max(x.ndim, len(repetitions))
    repetitions = (1,) * (ndim - len(repetitions)) + repetitions
    lengths = (1,) * (ndim - x.ndim) + x.shape
    apart = tuple(part for length in lengths for part in (1, length))
    wide = tuple(part for times, length in zip(repetitions, lengths) for part in (times, length))
    result = GPUArray(wide, x.dtype)
    result[...] = x.reshape(apart)
    return result.reshape(tuple(times * length for times, length in zip(repetitions, lengths)))
