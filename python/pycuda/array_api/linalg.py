# SPDX-License-Identifier: MIT
# ruff: noqa: F401 (decompositions are of this namespace)
"""The standard's `linalg` extension: products and norms, made on the device, and decompositions, made by LAPACK."""

import builtins

from pycuda._arrays.core.gpuarray import _apply, _array
from pycuda._arrays.core.shapes import _axes, _axis
from pycuda._arrays.ops import products
from pycuda._arrays.ops.products import matmul, tensordot
from pycuda.array_api import decompositions
from pycuda.array_api.creation import eye, zeros_like
from pycuda.array_api.decompositions import (
    cholesky,
    det,
    eigh,
    eigvalsh,
    inv,
    matrix_rank,
    pinv,
    qr,
    slogdet,
    solve,
    svd,
    svdvals,
)
from pycuda.array_api.manipulation import concat, moveaxis

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_transpose",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
    *decompositions.__all__,
]


def matrix_transpose(x, /):
    """The last two axes exchanged: a view."""
    if x.ndim < 2:
        raise ValueError(f"a matrix needs two axes or more, not shape {x.shape}")
    return x.swapaxes(-1, -2)


def vecdot(x1, x2, /, *, axis=-1):
    """The sums of products along an axis, the first operand conjugated."""
    return products.vecdot(x1, x2, axis)


def outer(x1, x2, /):
    """The products of each element of one vector with each of the other."""
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"outer needs two vectors: {x1.shape} and {x2.shape}")
    return products.outer(x1, x2)


def diagonal(x, /, *, offset=0):
    """The elements on a diagonal of the last two axes: a view."""
    rows, columns = x.shape[-2:]
    x = x[..., builtins.max(-offset, 0) :, builtins.max(offset, 0) :]
    length = builtins.max(0, builtins.min(x.shape[-2:])) if rows and columns else 0
    strides = (*x.strides[:-2], x.strides[-2] + x.strides[-1])
    return _array.view(x, 0, (*x.shape[:-2], length), strides, None)


def trace(x, /, *, offset=0, dtype=None):
    """The sum of the elements on a diagonal of the last two axes."""
    return diagonal(x, offset=offset).sum(axis=-1, dtype=dtype)


def cross(x1, x2, /, *, axis=-1):
    """The vector products of vectors of three elements along an axis."""
    x1, x2 = moveaxis(x1, axis, -1), moveaxis(x2, axis, -1)
    if x1.shape[-1] != 3 or x2.shape[-1] != 3:
        raise ValueError(f"cross needs vectors of three elements: {x1.shape} and {x2.shape}")
    parts = []
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        parts.append((x1[..., j] * x2[..., k] - x1[..., k] * x2[..., j])[..., None])
    return moveaxis(concat(parts, axis=-1), -1, axis)


def matrix_power(x, n, /):
    """The product of so many times the same square matrix; the identity for 0, of the inverse below 0."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"a square matrix is needed, not {x.shape}")
    if n < 0:
        x, n = inv(x), -n
    result, base = None, x
    while n:
        if n & 1:
            result = base if result is None else matmul(result, base)
        n >>= 1
        if n:
            base = matmul(base, base)
    if result is None:
        result = zeros_like(x)
        result[...] = eye(x.shape[-1], dtype=x.dtype)
    return result.copy() if result is x else result


def _largest(sizes, **options):
    """The largest absolute value along axes; 0 where there are none, which `max` refuses."""
    return sizes.max(**options) if sizes.size else sizes.sum(**options)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """The length of vectors: (the sum of `abs(x)` to the power `ord`) to the power 1 / `ord`."""
    axes = None if axis is None else tuple(_axes(axis, x.ndim))
    size = _apply("absolute", (x,), None, None, None)
    options = {"axis": axes, "keepdims": keepdims}
    if ord == float("inf"):
        return _largest(size, **options)
    if ord == -float("inf"):
        return size.min(**options)
    if ord == 0:
        return (size != 0).sum(**options).astype(size.dtype)
    if ord == 1:
        return size.sum(**options)
    if ord == 2:
        return _apply("sqrt", ((size * size).sum(**options),), None, None, None)
    return (size**ord).sum(**options) ** (1 / ord)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """Norms of matrices.

    Parameters
    ----------
    x : GPUArray, shape (..., M, N)
    keepdims : bool
        Whether the last two axes stay, with length one.
    ord : {"fro", "nuc", 1, -1, 2, -2, inf, -inf}
        The root of the sum of squares; the sum of singular values, the largest of them (2), the
        smallest (-2); the largest (smallest) sum of absolute values in a column (1) or row (inf).

    Returns
    -------
    GPUArray, shape (...)
        Real.
    """
    if x.ndim < 2:
        raise ValueError(f"a matrix needs two axes or more, not shape {x.shape}")
    if ord == "fro":
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    if ord in ("nuc", 2, -2):
        values = svdvals(x)
        result = values.sum(axis=-1) if ord == "nuc" else _largest(values, axis=-1) if ord > 0 else values.min(axis=-1)
        return result[..., None, None] if keepdims else result
    if ord not in (1, -1, float("inf"), -float("inf")):
        raise ValueError(f"the order of a matrix norm is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, not {ord!r}")
    size = _apply("absolute", (x,), None, None, None)
    summed, rest = (-2, -1) if builtins.abs(ord) == 1 else (-1, -2)
    sums = size.sum(axis=_axis(summed, x.ndim), keepdims=True)
    axis = _axis(rest, x.ndim)
    result = _largest(sums, axis=axis, keepdims=True) if ord > 0 else sums.min(axis=axis, keepdims=True)
    return result if keepdims else result.reshape(result.shape[:-2])
