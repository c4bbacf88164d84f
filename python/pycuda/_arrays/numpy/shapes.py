# SPDX-License-Identifier: MIT
"""NumPy's functions that give the same elements in other places: turned, rolled, on diagonals and in triangles."""

import operator

import numpy as np

from pycuda._arrays.core.shapes import _axis
from pycuda._arrays.ops import selection
from pycuda._arrays.ops.creation import to_gpu, zeros
from pycuda._arrays.ops.joining import broadcast_to
from pycuda._arrays.ops.operands import device
from pycuda.array_api import creation, linalg, manipulation


def roll(a, shift, axis=None):
    """Elements moved along axes; those that leave at one end come in at the other."""
    a = device(a)
    if axis is None:
        return manipulation.roll(a, int(np.sum(shift)))
    pairs = np.broadcast(shift, axis)
    if pairs.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    shifts, axes = zip(*((int(by), int(one)) for by, one in pairs)) if pairs.size else ((), ())
    return manipulation.roll(a, shifts, axis=axes) if axes else a.copy()


def flip(m, axis=None):
    """The elements in reverse order along axes (None: all): a view."""
    return manipulation.flip(device(m), axis=axis)


def flipud(m):
    """The elements in reverse order along the first axis: a view."""
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return manipulation.flip(m, axis=0)


def fliplr(m):
    """The elements in reverse order along the second axis: a view."""
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return manipulation.flip(m, axis=1)


def rot90(m, k=1, axes=(0, 1)):
    """The array turned by so many right angles in the plane of two axes: a view."""
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    first, second = (_axis(axis, m.ndim) for axis in axes)
    if first == second:
        raise ValueError("Axes must be different.")
    k %= 4
    if k == 2:
        return manipulation.flip(m, axis=(first, second))
    if k == 1:
        return manipulation.flip(m, axis=second).swapaxes(first, second)
    return manipulation.flip(m.swapaxes(first, second), axis=second) if k else m[...]


def moveaxis(a, source, destination):
    """Axes moved to other places: a view."""
    return manipulation.moveaxis(device(a), source, destination)


def rollaxis(a, axis, start=0):
    """An axis moved before another one: a view."""
    axis = _axis(axis, a.ndim)
    start = operator.index(start)
    if not -a.ndim <= start <= a.ndim:
        raise np.exceptions.AxisError(
            f"'start' arg requires {-a.ndim} <= start < {a.ndim + 1}, but {start} was passed in"
        )
    start += a.ndim if start < 0 else 0
    return manipulation.moveaxis(a, axis, start - 1 if axis < start else start)


def expand_dims(a, axis):
    """The array with new axes of length one: a view."""
    return manipulation.expand_dims(device(a), axis=tuple(axis) if isinstance(axis, list) else axis)


def squeeze(a, axis=None):
    """The array without axes of length one: a view."""
    return a.squeeze(axis)


def matrix_transpose(x, /):
    """The last two axes exchanged: a view."""
    return linalg.matrix_transpose(x)


def _triangle(m, k, chosen):
    m = device(m)
    if not m.ndim:
        raise TypeError("np.tril and np.triu need an array of one dimension or more")
    square = broadcast_to(m, (m.size, m.size)) if m.ndim == 1 else m
    return chosen(square, k=operator.index(k)).astype(m.dtype, copy=False)


def tril(m, k=0):
    """The elements on and below a diagonal, zeros above it; a vector is every row of its square."""
    return _triangle(m, k, creation.tril)


def triu(m, k=0):
    """The elements on and above a diagonal, zeros below it; a vector is every row of its square."""
    return _triangle(m, k, creation.triu)


def diagonal(a, offset=0, axis1=0, axis2=1):
    """The elements on a diagonal of two axes, along a new last axis: a view."""
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    first, second = _axis(axis1, a.ndim), _axis(axis2, a.ndim)
    if first == second:
        raise ValueError("axis1 and axis2 cannot be the same")
    rest = [i for i in range(a.ndim) if i not in (first, second)]
    return linalg.diagonal(a.transpose([*rest, first, second]), offset=operator.index(offset))


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum of the elements on a diagonal of two axes."""
    return diagonal(a, offset, axis1, axis2).sum(axis=-1, dtype=dtype, out=out)


def diag(v, k=0):
    """A matrix with the vector on a diagonal, or the diagonal of a matrix: a view."""
    v = device(v)
    if v.ndim == 2:
        return diagonal(v, k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    side = v.size + abs(k)
    result = zeros((side, side), v.dtype)
    diagonal(result, k)[...] = v
    return result


def diagflat(v, k=0):
    """A matrix with the flattened array on a diagonal."""
    return diag(device(v).ravel(), k)


def fill_diagonal(a, val, wrap=False):
    """Put values, repeated as needed, onto the main diagonal, in place."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    end = a.size
    if a.ndim == 2:
        step = a.shape[1] + 1
        if not wrap:
            end = min(end, a.shape[1] * a.shape[1])
    else:
        if len(set(a.shape)) != 1:
            raise ValueError("All dimensions of input must be of equal length")
        step = 1 + int(np.cumprod(a.shape[:-1]).sum())
    selection.put(a, np.arange(0, end, step), val)


def _of_matrix(arr, made):
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return tuple(to_gpu(one) for one in made(arr.shape))


def tril_indices_from(arr, k=0):
    """The indices of the lower triangle of a matrix of this shape: a pair of arrays."""
    return _of_matrix(arr, lambda shape: np.tril_indices(shape[0], k, shape[1]))


def triu_indices_from(arr, k=0):
    """The indices of the upper triangle of a matrix of this shape: a pair of arrays."""
    return _of_matrix(arr, lambda shape: np.triu_indices(shape[0], k, shape[1]))


def diag_indices_from(arr):
    """The indices of the main diagonal of an array of equal lengths: an array for each axis."""
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if len(set(arr.shape)) != 1:
        raise ValueError("All dimensions of input must be of equal length")
    return (to_gpu(np.arange(arr.shape[0])),) * arr.ndim


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Coordinates of the points of a grid: a tuple of an array for each coordinate, of its own axis if `sparse`."""
    arrays = [device(one) for one in xi]
    if not sparse or indexing not in ("xy", "ij"):
        return tuple(creation.meshgrid(*arrays, indexing=indexing))
    grids = [one.reshape((-1, *(1,) * (len(arrays) - 1 - number))) for number, one in enumerate(arrays)]
    grids = [one[(None,) * (len(arrays) - one.ndim)] for one in grids]
    if indexing == "xy" and len(grids) > 1:
        grids = [one.swapaxes(0, 1) for one in grids]
    return tuple(one.copy() if copy else one for one in grids)


def eye(N, M=None, k=0, dtype=np.float64):  # noqa: N803
    """A matrix of ones on a diagonal and zeros elsewhere."""
    return creation.eye(N, M, k=k, dtype=dtype)


def identity(n, dtype=None):
    """A square matrix of ones on its diagonal and zeros elsewhere."""
    return creation.eye(n, dtype=dtype)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None):
    """So many evenly spaced numbers from one to the other; with `retstep` also the distance."""
    made, step = np.linspace(start, stop, num, endpoint, True, dtype)
    return (to_gpu(made), step) if retstep else to_gpu(made)
