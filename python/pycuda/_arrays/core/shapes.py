# SPDX-License-Identifier: MIT
"""Shapes, strides and axes of device arrays, and the launch shape for a number of elements."""

import builtins
import operator

import numpy as np

import pycuda.driver as driver

_MOST_BLOCKS_IN_TURN = 4096


def _runs_in_turn(device):
    """Whether `device` is a processor that runs a block's threads in turn; told as src/array tells it."""
    attribute = driver.device_attribute
    return (
        device.get_attribute(attribute.INTEGRATED) != 0
        and device.get_attribute(attribute.SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO) <= 2
    )


def splay(n, dev=None):
    """Grid and block for a kernel that goes through `n` elements.

    At most 128 threads a block and 4 * 8 blocks a multiprocessor, as PyCUDA has it. On a device that runs a block's
    threads in turn (the CPU driver) up to 4096 blocks: each trip through memory is long then, which takes a third to a
    half off the time for 2**20 floats and more.
    """
    return _splay_backend(n, driver.Context.get_device() if dev is None else dev)


def _splay_backend(n, dev):
    """`splay`, whose device is known."""
    multiprocessors = dev.get_attribute(driver.device_attribute.MULTIPROCESSOR_COUNT)
    most_blocks = 4 * 8 * multiprocessors
    if _runs_in_turn(dev):
        most_blocks = max(most_blocks, _MOST_BLOCKS_IN_TURN)
    least_threads, most_threads = 32, 128
    if n < least_threads:
        blocks, threads = 1, least_threads
    elif n < most_blocks * least_threads:
        blocks, threads = (n + least_threads - 1) // least_threads, least_threads
    elif n < most_blocks * most_threads:
        groups = (n + least_threads - 1) // least_threads
        blocks = most_blocks
        threads = (groups + most_blocks - 1) // most_blocks * least_threads
    else:
        blocks, threads = most_blocks, most_threads
    return (blocks, 1), (threads, 1, 1)


def _dims(shape):
    """A tuple of ints from what the original takes as a shape."""
    if isinstance(shape, (str, bytes)):
        raise AssertionError("a shape must be an integer or integers, not a text")
    if isinstance(shape, int):
        shape = (shape,)
    elif not isinstance(shape, tuple):
        try:
            shape = tuple(shape)
        except TypeError:
            shape = (shape,)
    lengths = tuple(operator.index(length) for length in shape)
    if builtins.any(length < 0 for length in lengths):
        raise OverflowError(f"the shape {lengths} has a negative length")
    return lengths


def _order_is_fortran(order):
    if order == "C":
        return False
    if order == "F":
        return True
    raise ValueError(f"invalid order: {order}")


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
