# SPDX-License-Identifier: MIT
"""Searching, sorting, sets, and elements by their positions."""

from typing import NamedTuple

import numpy as np

from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.core.shapes import _axis
from pycuda._arrays.ops import searching, selection, sorting
from pycuda._arrays.ops.creation import to_gpu
from pycuda._arrays.ops.searching import unique
from pycuda.array_api.manipulation import moveaxis


class UniqueAll(NamedTuple):
    values: GPUArray
    indices: GPUArray
    inverse_indices: GPUArray
    counts: GPUArray


class UniqueCounts(NamedTuple):
    values: GPUArray
    counts: GPUArray


class UniqueInverse(NamedTuple):
    values: GPUArray
    inverse_indices: GPUArray


def unique_all(x, /):
    """The different elements, where each is first, which each element is, how often each is there."""
    return UniqueAll(*unique(x, True, True, True, equal_nan=False))


def unique_counts(x, /):
    """The different elements, and how often each is there."""
    return UniqueCounts(*unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x, /):
    """The different elements, and which of them each element is."""
    return UniqueInverse(*unique(x, return_inverse=True, equal_nan=False))


def unique_values(x, /):
    """The different elements."""
    return unique(x, equal_nan=False)


def sort(x, /, *, axis=-1, descending=False, stable=True):
    """The elements in order along an axis."""
    return sorting.sort(x, _axis(axis, x.ndim), descending=descending, stable=stable)


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """The positions of the elements in order along an axis."""
    return sorting.argsort(x, _axis(axis, x.ndim), descending=descending, stable=stable)


def argmax(x, /, *, axis=None, keepdims=False):
    """Where the first largest element is."""
    return x.argmax(axis, keepdims=keepdims)


def argmin(x, /, *, axis=None, keepdims=False):
    """Where the first smallest element is."""
    return x.argmin(axis, keepdims=keepdims)


def count_nonzero(x, /, *, axis=None, keepdims=False):
    """How many elements are not zero."""
    return (x != 0).sum(axis=axis, keepdims=keepdims)


def nonzero(x, /):
    """The indices of the elements that are not zero, one array for each axis."""
    return selection.nonzero(x)


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """Where elements would go into a sorted array."""
    return searching.searchsorted(x1, x2, side, sorter)


def take(x, indices, /, *, axis=None):
    """The elements at the indices along an axis."""
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"an axis is needed for an array of shape {x.shape}")
        axis = 0
    return selection.take(x, indices, axis=axis)


def take_along_axis(x, indices, /, *, axis=-1):
    """Along an axis, for each place the element that is named there."""
    axis = _axis(axis, x.ndim)
    if indices.ndim != x.ndim:
        raise ValueError(f"indices need as many axes as the array: {indices.shape} and {x.shape}")
    moved, places = moveaxis(x, axis, -1), moveaxis(indices, axis, -1)
    rest = np.broadcast_shapes(moved.shape[:-1], places.shape[:-1])
    index = []
    for i, length in enumerate(rest):
        shape = [1] * (len(rest) + 1)
        shape[i] = length
        position = np.arange(length) if moved.shape[i] > 1 else np.zeros(length, np.int64)
        index.append(to_gpu(position.reshape(shape)))
    if len(index) < 4:
        result = moved[(*index, places)]
    else:
        flat = places
        step = moved.shape[-1]
        flat = flat + (flat < 0) * step
        for i in reversed(range(len(rest))):
            flat = flat + index[i] * step
            step *= moved.shape[i]
        result = selection.take(moved, flat)
    return moveaxis(result, -1, axis)
