# SPDX-License-Identifier: MIT
"""Shapes, strides and axes of device arrays."""

import builtins
import operator

import numpy as np


def _dims(shape):
    """A tuple of ints from what the original takes as a shape."""
    if isinstance(shape, (str, bytes)):
        raise AssertionError("a shape must be an integer or a sequence of integers, not a string")
    if isinstance(shape, int):
        shape = (shape,)
    elif not isinstance(shape, tuple):
        try:
            shape = tuple(shape)
        except TypeError:
            shape = (shape,)
    try:
        lengths = tuple(operator.index(length) for length in shape)
    except TypeError as error:
        if builtins.any(isinstance(length, (float, np.floating)) for length in shape):
            raise TypeError(f"{error}: a shape is of integers, // divides them") from None
        raise
    if builtins.any(length < 0 for length in lengths):
        raise OverflowError(f"the shape {lengths} has a negative length")
    return lengths


def _order_is_fortran(order):
    if order == "C":
        return False
    if order == "F":
        return True
    raise ValueError(f"invalid order: {order}; it is 'C' (rows) or 'F' (columns)")


def _compact_strides(shape, strides, itemsize):
    """Dense strides with the axes in the same order."""
    result = [0] * len(shape)
    step = itemsize
    for axis in sorted(range(len(shape)), key=lambda i: (abs(strides[i]), -i)):
        result[axis] = step
        step *= builtins.max(shape[axis], 1)
    return tuple(result)


def _axis(axis, ndim):
    number = operator.index(axis)
    if not -ndim <= number < ndim:
        raise np.exceptions.AxisError(number, ndim)
    return number % ndim


def _axes(axis, ndim):
    """Axes as a list of different non-negative numbers; all of them for None."""
    if axis is None:
        return list(range(ndim))
    numbers = [_axis(one, ndim) for one in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    if len(set(numbers)) != len(numbers):
        raise ValueError("duplicate value in 'axis'")
    return numbers


def _reduced_axes(axis, ndim):
    """`_axes`, but 0 and -1 are no axes of an array that has none, instead of an error, as in NumPy's reductions."""
    if not ndim and hasattr(axis, "__index__") and operator.index(axis) in (0, -1):
        return []
    return _axes(axis, ndim)


def _along_one(a, axis):
    """The array and the number of its axis: flattened for None, and if it has none for 0 and -1, as in NumPy."""
    if axis is None or not a.ndim and operator.index(axis) in (0, -1):
        return a.ravel(), 0
    return a, _axis(axis, a.ndim)


def _reshaped_strides(shape, strides, new_shape, itemsize, fortran):
    """Strides of the same elements in another shape, or None when only a copy can have it."""
    if 0 in shape or not new_shape or not shape:
        probe = np.ndarray(new_shape, np.dtype((np.void, itemsize)), np.empty(0, np.uint8)) if 0 in shape else None
        if probe is not None:
            return probe.strides
        return (itemsize,) * len(new_shape)
    # NumPy knows the rule; as_strided touches no memory.
    probe = np.lib.stride_tricks.as_strided(np.empty(1, np.dtype((np.void, itemsize))), shape, strides)
    probe = probe.view()
    try:
        reshaped = probe.reshape(new_shape, order="F" if fortran else "C", copy=False)
    except ValueError:
        return None
    return reshaped.strides
