# SPDX-License-Identifier: MIT
"""New arrays, with the standard's arguments."""

import numpy as np

from pycuda._arrays.core.gpuarray import GPUArray, _apply
from pycuda._arrays.ops import creation, interchange
from pycuda._arrays.ops.creation import to_gpu
from pycuda.array_api.devices import check_device


def _host(array, dtype, device):
    check_device(device)
    return to_gpu(np.asarray(array, dtype))


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """An array of numbers, nested sequences, host arrays, or anything with DLPack or its memory on the device."""
    check_device(device)
    dtype = None if dtype is None else np.dtype(dtype)
    if not isinstance(obj, GPUArray):
        if hasattr(obj, "__cuda_array_interface__"):
            obj = interchange.from_cuda_array_interface(obj)
        elif hasattr(obj, "__dlpack__") and not isinstance(obj, (np.ndarray, np.generic)):
            obj = interchange.from_dlpack(obj)
        else:
            if copy is not None and not copy:
                raise ValueError("data of the host cannot become an array on the device without a copy")
            return to_gpu(np.asarray(obj, dtype))
    if dtype is not None and dtype != obj.dtype:
        if copy is not None and not copy:
            raise ValueError(f"an array of dtype {obj.dtype} cannot have dtype {dtype} without a copy")
        return obj.astype(dtype)
    return obj.copy() if copy else obj


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """Evenly spaced numbers in a half-open interval."""
    if stop is None:
        start, stop = 0, start
    return _host(np.arange(start, stop, step, dtype), None, device)


def empty(shape, *, dtype=None, device=None):
    """An array that is not initialised."""
    check_device(device)
    return GPUArray(shape, np.float64 if dtype is None else dtype)


def zeros(shape, *, dtype=None, device=None):
    """An array of zeros."""
    check_device(device)
    return creation.zeros(shape, np.float64 if dtype is None else dtype)


def ones(shape, *, dtype=None, device=None):
    """An array of ones."""
    check_device(device)
    return creation.ones(shape, np.float64 if dtype is None else dtype)


def full(shape, fill_value, *, dtype=None, device=None):
    """An array of one value."""
    check_device(device)
    return creation.full(shape, fill_value, dtype)


def empty_like(x, /, *, dtype=None, device=None):
    """An array of the shape of another, not initialised."""
    check_device(device)
    return creation.empty_like(x, dtype)


def zeros_like(x, /, *, dtype=None, device=None):
    """An array of zeros of the shape of another."""
    check_device(device)
    return creation.zeros_like(x, dtype)


def ones_like(x, /, *, dtype=None, device=None):
    """An array of ones of the shape of another."""
    check_device(device)
    return creation.ones_like(x, dtype)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """An array of one value of the shape of another."""
    check_device(device)
    return creation.full_like(x, fill_value, dtype)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """Ones on a diagonal, zeros elsewhere."""
    check_device(device)
    n_cols = n_rows if n_cols is None else n_cols
    on_diagonal = _columns_minus_rows(n_rows, n_cols) == k
    return on_diagonal.astype(np.float64 if dtype is None else dtype)


def _columns_minus_rows(n_rows, n_cols):
    return to_gpu(np.arange(n_cols))[None, :] - to_gpu(np.arange(n_rows))[:, None]


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """So many evenly spaced numbers from one to the other."""
    return _host(np.linspace(start, stop, num, dtype=dtype, endpoint=endpoint), None, device)


def meshgrid(*arrays, indexing="xy"):
    """Coordinates of the points of a grid: one array for each coordinate."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be 'xy' or 'ij', not {indexing!r}")
    count = len(arrays)
    order = list(range(count))
    if indexing == "xy" and count > 1:
        order[0], order[1] = 1, 0
    shape = [0] * count
    for number, ary in enumerate(arrays):
        shape[order[number]] = ary.size
    grids = []
    for number, ary in enumerate(arrays):
        along = [1] * count
        along[order[number]] = ary.size
        grid = GPUArray(tuple(shape), ary.dtype)
        grid[...] = ary.reshape(tuple(along))
        grids.append(grid)
    return grids


def _triangle(x, k, lower):
    if x.ndim < 2:
        raise ValueError(f"an array with at least two axes is needed, not of shape {x.shape}")
    distance = _columns_minus_rows(*x.shape[-2:])
    return _apply("where", (distance <= k if lower else distance >= k, x, 0), None, None, None)


def tril(x, /, *, k=0):
    """The elements on and below a diagonal, zeros above it."""
    return _triangle(x, k, True)


def triu(x, /, *, k=0):
    """The elements on and above a diagonal, zeros below it."""
    return _triangle(x, k, False)


def from_dlpack(x, /, *, device=None, copy=None):
    """The memory of another package's array."""
    check_device(device)
    return interchange.from_dlpack(x, copy=copy)
