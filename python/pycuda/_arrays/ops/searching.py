# SPDX-License-Identifier: MIT
"""Places in sorted arrays, and the different elements of arrays."""

import numpy as np

from pycuda import _driver
from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.core.kernels import compiled, type_name
from pycuda._arrays.ops.creation import asarray, packed, to_gpu
from pycuda._arrays.ops.joining import concatenate
from pycuda._arrays.ops.scans import cumsum, positions_of_true
from pycuda._arrays.ops.selection import take
from pycuda._arrays.ops.sorting import _ORDER, argsort, sort
from pycuda._splay import splay

_array = _driver._array
_apply = _array.apply
_POSITION = np.dtype(np.int64)

_SEARCH = (
    _ORDER
    + """
extern "C" __global__ void search(const T* sorted, const i64* order, i64 length, const T* values, i64* places, i64 n,
                                  int right) {
  for (i64 i = blockIdx.x * static_cast<i64>(blockDim.x) + threadIdx.x; i < n;
       i += static_cast<i64>(gridDim.x) * blockDim.x) {
    const T value = values[i];
    i64 low = 0, high = length;
    while (low < high) {
      const i64 middle = low + (high - low) / 2;
      const T there = sorted[order == 0 ? middle : order[middle]];
      if (right ? !before(value, there) : before(there, value)) low = middle + 1; else high = middle;
    }
    places[i] = low;
  }
}
"""
)


def searchsorted(a, v, side="left", sorter=None):
    """The int64 positions where `v` would go into the sorted array `a` (by `sorter`, if given).

    Examples
    --------
    >>> a = gpuarray.arange(5, dtype=np.float32)
    >>> gpuarray.searchsorted(a, gpuarray.to_gpu(np.float32([0.5, 3])))
    array([1, 3])
    """
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right', not {side!r}")
    if a.ndim != 1:
        raise ValueError(f"searchsorted needs an array with one axis, not of shape {a.shape}")
    v = v if isinstance(v, GPUArray) else asarray(np.asarray(v))
    dtype = np.result_type(a.dtype, v.dtype)
    name = type_name(dtype)
    result = GPUArray(v.shape, _POSITION)
    if not v.size:
        return result
    order = np.uintp(0)
    if sorter is not None:
        if sorter.shape != a.shape or sorter.dtype.kind not in "iu":
            raise ValueError(f"sorter must be integers of shape {a.shape}, not {sorter.dtype} of {sorter.shape}")
        order = packed(sorter, _POSITION)
    grid, block = splay(v.size)
    sorted_values = packed(a, dtype) if a.size else np.uintp(0)
    compiled("search", _SEARCH, name, "0", "0")(
        sorted_values,
        order,
        np.int64(a.size),
        packed(v, dtype),
        result,
        np.int64(v.size),
        np.int32(side == "right"),
        grid=grid,
        block=block,
    )
    return result


def _first_of_each(ordered, equal_nan):
    """Where sorted elements differ from the one before: bool."""
    first = GPUArray(ordered.shape, np.bool_)
    first[:1] = True
    if ordered.size > 1:
        differs = ordered[1:] != ordered[:-1]
        if equal_nan and ordered.dtype.kind in "fcV":
            nan = _apply("isnan", (ordered,), None, None, None)
            differs = differs & ~(nan[1:] & nan[:-1])
        first[1:] = differs
    return first


def unique(a, return_index=False, return_inverse=False, return_counts=False, *, equal_nan=True):
    """The different elements in order, as `numpy.unique` of the flattened array.

    Returns
    -------
    GPUArray or tuple
        The elements; then, as asked for, where each is first, which of them each element of `a` is
        (in the shape of `a`), and how often each is there.

    Examples
    --------
    >>> gpuarray.unique(gpuarray.to_gpu(np.array([2, 1, 2], np.int32)))
    array([1, 2], dtype=int32)
    """
    flat = a.ravel()
    order = argsort(flat) if return_index or return_inverse else None
    ordered = sort(flat) if order is None else take(flat, order)
    if not ordered.size:
        starts = GPUArray((0,), _POSITION)
    else:
        first = _first_of_each(ordered, equal_nan)
        starts = positions_of_true(first)
    results = [take(ordered, starts)]
    if return_index:
        results.append(take(order, starts))
    if return_inverse:
        inverse = GPUArray(flat.shape, _POSITION)
        if flat.size:
            which = cumsum(first, dtype=_POSITION) - 1
            inverse[order] = which
        results.append(inverse.reshape(a.shape))
    if return_counts:
        ends = concatenate([starts[1:], to_gpu(np.array([flat.size], _POSITION))]) if flat.size else starts
        results.append(ends - starts)
    return results[0] if len(results) == 1 else tuple(results)
