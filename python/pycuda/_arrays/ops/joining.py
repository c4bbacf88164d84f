# SPDX-License-Identifier: MIT
"""Arrays put together and repeated."""

import builtins

import numpy as np

from pycuda import _driver
from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.core.shapes import _axis, _dims

_array = _driver._array


def _shared_allocator(arrays, allocator):
    return arrays[0].allocator if allocator is None else allocator


def _sequence(name, arrays, axis):
    """The arrays that are joined, as a list."""
    if isinstance(axis, (GPUArray, np.ndarray)):
        raise TypeError(f"{name} takes the arrays as one sequence: {name}((a, b))")
    arrays = list(arrays)
    for ary in arrays:
        if not isinstance(ary, GPUArray):
            copy = "to_gpu(a)" if isinstance(ary, np.ndarray) else "to_gpu(numpy.array(a))"
            raise TypeError(f"{name} takes arrays on the device, not {type(ary).__name__}: {copy} copies one there")
    return arrays


def concatenate(arrays, axis=0, allocator=None):
    """A new array of several, one after the other along an existing axis.

    All have the same shape but for that axis (ValueError else). The dtype is NumPy's common one.

    Examples
    --------
    >>> a = gpuarray.arange(3, dtype=np.int32)
    >>> gpuarray.concatenate([a, a])
    array([0, 1, 2, 0, 1, 2], dtype=int32)
    """
    arrays = _sequence("concatenate", arrays, axis)
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    first = arrays[0]
    if not first.ndim:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = _axis(axis, first.ndim)
    total = 0
    dtype = first.dtype
    for i, ary in enumerate(arrays):
        if ary.ndim != first.ndim:
            raise ValueError(f"{i}'th array has different number of axes: shall have {first.ndim}, has {ary.ndim}")
        rest = ary.shape[:axis] + ary.shape[axis + 1 :]
        if rest != first.shape[:axis] + first.shape[axis + 1 :]:
            raise ValueError(
                f"{i}'th array has residual not matching other arrays: shapes {ary.shape} and "
                f"{first.shape}, axis {axis}"
            )
        total += ary.shape[axis]
        if ary.dtype != dtype:
            dtype = np.result_type(dtype, ary.dtype)
    shape = (*first.shape[:axis], total, *first.shape[axis + 1 :])
    result = GPUArray(shape, dtype, _shared_allocator(arrays, allocator))
    start = 0
    for ary in arrays:
        where_ = (slice(None),) * axis + (slice(start, start + ary.shape[axis]),)
        if ary.size:
            _array.copy(result[where_], ary, None)
        start += ary.shape[axis]
    return result


def stack(arrays, axis=0, allocator=None):
    """A new array of several of the same shape, one after the other along a new `axis`, of NumPy's common dtype.

    Examples
    --------
    >>> a = gpuarray.arange(2, dtype=np.int32)
    >>> gpuarray.stack([a, a + 10])
    array([[ 0,  1],
           [10, 11]], dtype=int32)
    """
    arrays = _sequence("stack", arrays, axis)
    if not arrays:
        raise ValueError("need at least one array to stack")
    shape = arrays[0].shape
    if builtins.any(ary.shape != shape for ary in arrays):
        raise ValueError(f"arrays must have the same shape: {[ary.shape for ary in arrays]}")
    if not -len(shape) - 1 <= axis <= len(shape):
        raise ValueError(f"invalid axis: {axis} for arrays of shape {shape}")
    axis %= len(shape) + 1
    where_ = (slice(None),) * axis + (None,)
    return concatenate([ary[where_] for ary in arrays], axis, allocator)


def broadcast_to(a, shape):
    """The array repeated along axes of length one and new axes: a view.

    Examples
    --------
    >>> gpuarray.broadcast_to(gpuarray.arange(2, dtype=np.int32), (2, 2))
    array([[0, 1],
           [0, 1]], dtype=int32)
    """
    shape = _dims(shape)
    missing = len(shape) - a.ndim
    if missing < 0 or builtins.any(have not in (1, want) for have, want in zip(a.shape, shape[missing:])):
        raise ValueError(f"could not broadcast from shape {a.shape} into shape {shape}")
    strides = (0,) * missing + tuple(
        step if have == want else 0 for step, have, want in zip(a.strides, a.shape, shape[missing:])
    )
    return _array.view(a, 0, shape, strides, None)
