# SPDX-License-Identifier: MIT
"""NumPy's functions of arrays as sets: by sorting and searching."""

import numpy as np

from pycuda._arrays.core.gpuarray import GPUArray, _apply
from pycuda._arrays.numpy.joining import concatenate
from pycuda._arrays.ops.operands import device
from pycuda._arrays.ops.searching import searchsorted, unique
from pycuda._arrays.ops.selection import nonzero, take
from pycuda._arrays.ops.sorting import argsort, sort
from pycuda.array_api import ordering


def _inside(element, ordered, invert=False):
    """Whether each element is among those of a sorted array."""
    if not ordered.size:
        return GPUArray(element.shape, np.bool_).fill(invert)
    dtype = np.result_type(element.dtype, ordered.dtype)
    element, ordered = element.astype(dtype, copy=False), ordered.astype(dtype, copy=False)
    at = searchsorted(ordered, element)
    there = take(ordered, _apply("minimum", (at, ordered.size - 1), None, None, None))
    return there != element if invert else there == element


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether each element is among the others."""
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    return _inside(device(element), sort(device(test_elements), None), invert)


def union1d(ar1, ar2):
    """The different elements of both, in order."""
    return unique(concatenate((device(ar1), device(ar2)), None))


def _chosen(a, mask):
    return take(a, nonzero(mask)[0])


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The different elements that both have, in order; with `return_indices` also where each is first in both."""
    ar1, ar2 = device(ar1).ravel(), device(ar2).ravel()
    dtype = np.result_type(ar1.dtype, ar2.dtype)
    first, at_first = unique(ar1.astype(dtype, copy=False), return_index=True)
    second, at_second = unique(ar2.astype(dtype, copy=False), return_index=True)
    in_both = _inside(first, second)
    common = _chosen(first, in_both)
    if not return_indices:
        return common
    return common, _chosen(at_first, in_both), _chosen(at_second, _inside(second, first))


def setdiff1d(ar1, ar2, assume_unique=False):
    """The different elements of the first that the second has not, in order."""
    first = device(ar1).ravel() if assume_unique else unique(device(ar1))
    return _chosen(first, _inside(first, sort(device(ar2), None), True))


def setxor1d(ar1, ar2, assume_unique=False):
    """The different elements that one of both has, in order."""
    first, second = (device(one).ravel() if assume_unique else unique(device(one)) for one in (ar1, ar2))
    both = sort(concatenate((first, second)))
    if not both.size:
        return both
    edges = both[1:] != both[:-1]
    yes = GPUArray((1,), np.bool_).fill(True)
    edges = concatenate((yes, edges, yes))
    return _chosen(both, edges[1:] & edges[:-1])


def unique_all(x):
    """The different elements, where each is first, which each element is, how often each is there."""
    return ordering.unique_all(x)


def unique_counts(x):
    """The different elements, and how often each is there."""
    return ordering.unique_counts(x)


def unique_inverse(x):
    """The different elements, and which of them each element is."""
    return ordering.unique_inverse(x)


def unique_values(x):
    """The different elements."""
    return ordering.unique_values(x)


def lexsort(keys, axis=-1):
    """The positions of elements in the order of several keys along an axis, of which the last one decides first."""
    keys = [device(key) for key in keys]
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    order = argsort(keys[0], axis)
    for key in keys[1:]:
        if key.shape != keys[0].shape:
            raise ValueError("all keys need to be the same shape")
        places = argsort(ordering.take_along_axis(key, order, axis=axis), axis)
        order = ordering.take_along_axis(order, places, axis=axis)
    return order


def _check_kth(a, kth, axis):
    length = a.size if axis is None or not a.ndim else a.shape[axis]
    for one in np.atleast_1d(kth):
        if not -length <= one < length:
            raise ValueError(f"kth(={one}) out of bounds ({length})")


def partition(a, kth, axis=-1, kind="introselect", order=None):
    """The elements along an axis with the smallest `kth` in front: sorted."""
    _check_kth(a, kth, axis)
    return sort(a, axis)


def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """The positions of the elements along an axis with the smallest `kth` in front: of all in order."""
    _check_kth(a, kth, axis)
    return argsort(a, axis)


def sort_complex(a):
    """The elements in order along the last axis, as complex numbers."""
    single = a.dtype.char in "bhBHefF"
    return sort(a.astype(np.complex64 if single else np.complex128, copy=False), -1)
