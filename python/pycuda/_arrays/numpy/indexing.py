# SPDX-License-Identifier: MIT
"""NumPy's functions that choose elements by conditions and positions."""

import math

import numpy as np

from pycuda._arrays.core.gpuarray import GPUArray, _apply
from pycuda._arrays.core.shapes import _axis, _dims
from pycuda._arrays.ops import selection
from pycuda._arrays.ops.creation import asarray, to_gpu
from pycuda._arrays.ops.joining import broadcast_to
from pycuda._arrays.ops.operands import device
from pycuda._arrays.ops.reductions import delivered
from pycuda._arrays.ops.scans import positions_of_true
from pycuda._arrays.ops.selection import _store
from pycuda.array_api import ordering


def _mask(condition):
    """A condition as truth values on the device; it may be an array of the host."""
    condition = asarray(condition)
    return condition if condition.dtype == np.bool_ else condition != 0


def _where(condition, yes, no):
    return _apply("where", (condition, yes, no), None, None, None)


def _choices(given):
    """What is chosen from, Python's numbers as they are, and the dtype of results."""
    choices = [one if type(one) in (int, float, complex) else device(one) for one in given]
    return choices, np.result_type(*(one.dtype if isinstance(one, GPUArray) else one for one in choices))


def select(condlist, choicelist, default=0):
    """Of several arrays the elements of the first one whose condition is true."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not len(condlist):
        raise ValueError("select with an empty condition list is not possible")
    choices, dtype = _choices((*choicelist, default))
    for condition in condlist:
        if getattr(condition, "dtype", None) != np.bool_:
            raise TypeError("invalid entry in condlist: should be boolean ndarray")
    conditions = [asarray(one) for one in condlist]
    shapes = [one.shape for one in (*conditions, *choices) if isinstance(one, GPUArray)]
    result = GPUArray(np.broadcast_shapes(*shapes), dtype)
    result[...] = choices.pop()
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        result = _where(condition, choice, result).astype(dtype, copy=False)
    return result


def _within(places, length, mode):
    """Positions brought into the range of an axis of a length by NumPy's `mode`; "raise" leaves them as they are."""
    if mode == "wrap":
        return places % length
    if mode == "clip":
        return _apply("clip", (places, 0, length - 1), None, None, None)
    if mode != "raise":
        raise ValueError(f"clipmode must be 'clip', 'raise' or 'wrap', not {mode!r}")
    return places


def _indices(given, length, mode):
    """Indices, which may be the host's, brought into range by `mode`."""
    if mode == "raise":
        return given
    given = asarray(given)
    if given.dtype.kind not in "iu":
        raise TypeError(f"indices must be integers, not {given.dtype}")
    if given.size and not length:
        raise IndexError("cannot do a non-empty take from an empty axes.")
    return _within(given.astype(np.int64), length, mode)


def choose(a, choices, out=None, mode="raise"):
    """Of several arrays the elements of that one whose number is named in each place."""
    a = device(a)
    choices, dtype = _choices(choices)
    if a.dtype.kind not in "biu":
        raise TypeError(f"Cannot cast array data from {a.dtype} to int64 according to the rule 'safe'")
    places, count = a.astype(np.int64), len(choices)
    places = _within(places, count, mode)
    if mode == "raise" and places.size and bool(((places < 0) | (places >= count)).any()):
        raise ValueError("invalid entry in choice array")
    shapes = [one.shape for one in (a, *choices) if isinstance(one, GPUArray)]
    result = GPUArray(np.broadcast_shapes(*shapes), dtype)
    result[...] = choices[-1]
    for number, choice in enumerate(choices[:-1]):
        result = _where(places == number, choice, result).astype(dtype, copy=False)
    return delivered(result, out)


def take(a, indices, axis=None, out=None, mode="raise"):
    """The elements at the indices, along an axis or of the flattened array."""
    a = device(a)
    length = a.size if axis is None or not a.ndim else a.shape[_axis(axis, a.ndim)]
    return selection.take(a, _indices(indices, length, mode), axis, out)


def put(a, ind, v, mode="raise"):
    """Put values, repeated as needed, at positions of the flattened array, in place."""
    selection.put(a, _indices(ind, a.size, mode), v)


def compress(condition, a, axis=None, out=None):
    """The parts along an axis (None: the elements) whose condition is true."""
    mask = _mask(condition)
    if mask.ndim != 1:
        raise ValueError("condition must be a 1-d array")
    return selection.take(device(a), positions_of_true(mask), axis, out)


def extract(condition, arr):
    """The elements whose condition is true, in one axis."""
    return selection.take(device(arr).ravel(), positions_of_true(_mask(condition)))


def place(arr, mask, vals):
    """Put values, one after the other and repeated as needed, where the mask is true, in place."""
    positions = positions_of_true(_mask(mask))
    vals = device(vals)
    if positions.size and not vals.size:
        raise ValueError("Cannot insert from an empty array!")
    selection.put(arr, positions, vals)


def putmask(a, mask, values):
    """Put values, repeated to the array's size, where the mask is true, in place."""
    mask, values = _mask(mask), device(values).ravel()
    if mask.shape != a.shape:
        raise ValueError("putmask: mask and data must be the same size")
    positions = positions_of_true(mask)
    if positions.size and values.size:
        selection.put(a, positions, selection.take(values, positions % values.size))


def copyto(dst, src, casting="same_kind", where=True):
    """Store elements, broadcast, where a condition is true, in place."""
    if not isinstance(dst, GPUArray):
        raise TypeError("np.copyto from the device to an array of the host: call get(), or get(out)")
    if isinstance(src, np.ndarray) and src.ndim:
        raise TypeError(
            f"np.copyto from an array of the host of shape {src.shape}: copy it with to_gpu first, or set()"
        )
    given = src.dtype if hasattr(src, "dtype") else np.min_scalar_type(src)
    if not np.can_cast(given, dst.dtype, casting) and not (
        casting == "same_kind" and type(src) in (int, bool) and dst.dtype.kind in "iufc"
    ):
        raise TypeError(f"Cannot cast from {given} to {dst.dtype} according to the rule {casting!r}")
    if where is True:
        _store(dst, src)
        return
    values = GPUArray(dst.shape, dst.dtype)
    _store(values, src)
    _store(dst, _where(broadcast_to(_mask(where), dst.shape), values, dst))


def _along(arr, indices, axis):
    indices = asarray(indices)
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        return arr.reshape((arr.size,)), indices, 0
    return arr, indices, axis


def take_along_axis(arr, indices, axis=-1):
    """Along an axis, for each place the element that is named there."""
    arr, indices, axis = _along(arr, indices, axis)
    return ordering.take_along_axis(arr, indices, axis=axis)


def put_along_axis(arr, indices, values, axis):
    """Along an axis, store for each place a value where it is named there, in place."""
    flat, indices, axis = _along(arr, indices, axis)
    axis = _axis(axis, flat.ndim)
    if indices.ndim != flat.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    places = indices.astype(np.int64)
    places = places + (places < 0) * flat.shape[axis]
    if bool(((places < 0) | (places >= flat.shape[axis])).any()):
        raise IndexError(f"an index is out of bounds for axis {axis} with size {flat.shape[axis]}")
    step = 1
    position = None
    for i in reversed(range(flat.ndim)):
        if i == axis:
            own = places
        elif flat.shape[i] == 1:
            own = None
        else:
            along = [1] * flat.ndim
            along[i] = flat.shape[i]
            own = to_gpu(np.arange(flat.shape[i]).reshape(along))
        if own is not None:
            position = own * step if position is None else position + own * step
        step *= flat.shape[i]
    spread = GPUArray(position.shape, arr.dtype)
    _store(spread, values if isinstance(values, (int, float, complex)) else device(values))
    if position.size:
        selection.put(arr, position, spread)


def unravel_index(indices, shape, order="C"):
    """Positions in the flattened array as indices for each axis."""
    indices, shape = device(indices), _dims(shape)
    if indices.dtype.kind not in "iu":
        raise TypeError("only int indices permitted")
    size = math.prod(shape)
    indices = indices.astype(np.int64)
    if indices.size and bool(((indices < 0) | (indices >= size)).any()):
        raise ValueError(f"an index is out of bounds for array with size {size}")
    if order not in ("C", "F"):
        raise ValueError(f"only 'C' or 'F' order is permitted, not {order!r}")
    if not shape:
        return ()
    parts = selection._along_axes(indices, shape if order == "C" else shape[::-1])
    return parts if order == "C" else parts[::-1]


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Indices for each axis as positions in the flattened array."""
    dims = _dims(dims)
    parts = [device(one) for one in multi_index]
    if len(parts) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    modes = (mode,) * len(dims) if isinstance(mode, str) else tuple(mode)
    if order not in ("C", "F"):
        raise ValueError(f"only 'C' or 'F' order is permitted, not {order!r}")
    position, step = None, 1
    for i in reversed(range(len(dims))) if order == "C" else range(len(dims)):
        if parts[i].dtype.kind not in "iu":
            raise TypeError("only int indices permitted")
        index = parts[i].astype(np.int64)
        index = _within(index, dims[i], modes[i])
        if modes[i] == "raise" and index.size and bool(((index < 0) | (index >= dims[i])).any()):
            raise ValueError("invalid entry in coordinates array")
        position = index * step if position is None else position + index * step
        step *= dims[i]
    return position
