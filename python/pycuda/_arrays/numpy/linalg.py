# SPDX-License-Identifier: MIT
# ruff: noqa: F401 (functions with NumPy's own signatures are of this namespace)
"""np.linalg on device arrays: products and norms on the device, decompositions by NumPy on the host."""

import functools
from collections import namedtuple

import numpy as np

from pycuda._arrays.core.shapes import _axes
from pycuda._arrays.numpy.arguments import refuse
from pycuda._arrays.ops.host_fallback import host_array, on_device
from pycuda._arrays.ops.operands import device, floating
from pycuda.array_api import decompositions
from pycuda.array_api import linalg as standard
from pycuda.array_api.decompositions import svdvals
from pycuda.array_api.linalg import (
    cross,
    diagonal,
    matmul,
    matrix_transpose,
    outer,
    tensordot,
    trace,
    vecdot,
)

EigResult = namedtuple("EigResult", "eigenvalues eigenvectors")


def norm(x, ord=None, axis=None, keepdims=False):  # noqa: A002
    """The norm of vectors along an axis, of matrices along two, or of all elements (`axis` and `ord` None)."""
    x = floating(device(x))
    if axis is None:
        flat = ord is None or x.ndim == 1 or (ord in ("f", "fro") and x.ndim == 2)
        if ord is not None and x.ndim not in (1, 2):
            raise ValueError("Improper number of dimensions to norm.")
        axes = tuple(range(x.ndim))
        if flat and not (x.ndim == 1 and ord is not None):
            ord = 2  # noqa: A001
    else:
        axes = tuple(_axes(axis, x.ndim))
        if ord is None:
            if len(axes) > 2:
                raise ValueError("Improper number of dimensions to norm.")
            ord, flat = 2, True  # noqa: A001
        else:
            flat = len(axes) == 1
    if flat or len(axes) == 1:
        if isinstance(ord, str):
            raise ValueError(f"Invalid norm order '{ord}' for vectors")
        return standard.vector_norm(x, axis=axes, keepdims=keepdims, ord=ord)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    rest = [i for i in range(x.ndim) if i not in axes]
    try:
        result = standard.matrix_norm(x.transpose([*rest, *axes]), ord="fro" if ord == "f" else ord)
    except ValueError as error:
        raise ValueError("Invalid norm order for matrices.") from error
    return result.reshape(tuple(1 if i in axes else n for i, n in enumerate(x.shape))) if keepdims else result


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):  # noqa: A002
    """The norm of vectors along axes, or of all elements as one."""
    return standard.vector_norm(floating(device(x)), axis=axis, keepdims=keepdims, ord=ord)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):  # noqa: A002
    """The norm of matrices."""
    return standard.matrix_norm(floating(device(x)), keepdims=keepdims, ord=ord)


def matrix_power(a, n):
    """The product of so many times the same square matrix; of its inverse below 0."""
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return standard.matrix_power(a, n)


def multi_dot(arrays, *, out=None):
    """The product of several matrices, from left to right."""
    refuse("linalg.multi_dot", out=out)
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    return functools.reduce(standard.matmul, [device(one) for one in arrays])


def cholesky(a, /, *, upper=False):
    """The triangular factor of positive definite matrices. On the host."""
    return standard.cholesky(a, upper=upper)


def det(a):
    """The determinants of square matrices. On the host."""
    return standard.det(a)


def slogdet(a):
    """Signs and logarithms of the absolute values of determinants. On the host."""
    return standard.slogdet(a)


def inv(a):
    """The inverse of square matrices. On the host."""
    return standard.inv(a)


def solve(a, b):
    """What square matrices must be multiplied by to give `b`. On the host."""
    return standard.solve(device(a), device(b))


def qr(a, mode="reduced"):
    """Matrices as products of orthonormal columns and an upper triangle; "r": that alone. On the host."""
    if mode == "r":
        return standard.qr(a).R
    return standard.qr(a, mode=mode)


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """The singular value decomposition, or the singular values alone. On the host."""
    if hermitian:
        raise NotImplementedError("np.linalg.svd of device arrays does not support hermitian=True")
    return standard.svd(a, full_matrices=full_matrices) if compute_uv else standard.svdvals(a)


def _lower(a, UPLO):  # noqa: N803
    if UPLO not in ("L", "U", "l", "u"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return a if UPLO in "Ll" else standard.matrix_transpose(a).conj()


def eigh(a, UPLO="L"):  # noqa: N803
    """The eigenvalues and eigenvectors of symmetric or Hermitian matrices. On the host."""
    return standard.eigh(_lower(a, UPLO))


def eigvalsh(a, UPLO="L"):  # noqa: N803
    """The eigenvalues of symmetric or Hermitian matrices. On the host."""
    return standard.eigvalsh(_lower(a, UPLO))


def eig(a):
    """The eigenvalues and eigenvectors of square matrices. On the host."""
    matrices, _ = decompositions._matrices("eig", a, square=True)
    values, vectors = np.linalg.eig(matrices)
    return EigResult(on_device(values), on_device(vectors))


def eigvals(a):
    """The eigenvalues of square matrices. On the host."""
    matrices, _ = decompositions._matrices("eigvals", a, square=True)
    return on_device(np.linalg.eigvals(matrices))


def lstsq(a, b, rcond=None):
    """The least-squares solutions, the sums of squared residuals, the rank, the singular values. On the host."""
    a, b = device(a), device(b)
    matrices, _ = decompositions._matrices("lstsq", a)
    decompositions._dtype_of("lstsq", b)
    x, residuals, rank, values = np.linalg.lstsq(matrices, host_array(b), rcond)
    return on_device(x), on_device(residuals), int(rank), on_device(values)


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):  # noqa: N803
    """How many singular values are above `tol`, or above `rtol` times the largest. On the host."""
    if hermitian:
        raise NotImplementedError("np.linalg.matrix_rank of device arrays does not support hermitian=True")
    if A.ndim < 2:
        return on_device(int(bool((A != 0).any())), np.int64)
    if tol is None:
        return standard.matrix_rank(A, rtol=rtol)
    return (standard.svdvals(A) > tol).sum(-1)


def pinv(a, rcond=None, hermitian=False, *, rtol=np._NoValue):
    """The Moore-Penrose inverse of matrices. On the host."""
    if hermitian:
        raise NotImplementedError("np.linalg.pinv of device arrays does not support hermitian=True")
    if rcond is None:
        rcond = 1e-15 if rtol is np._NoValue else rtol
    return standard.pinv(a, rtol=rcond)


def cond(x, p=None):
    """The condition number of matrices: by singular values, or by a norm of the matrix and its inverse. On the host."""
    if p in (None, 2, -2):
        values = standard.svdvals(x)
        return values[..., -1] / values[..., 0] if p == -2 else values[..., 0] / values[..., -1]
    return norm(x, p, (-2, -1)) * norm(standard.inv(x), p, (-2, -1))
