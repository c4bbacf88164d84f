# SPDX-License-Identifier: MIT
"""Decompositions, inverses and solutions of linear equations: the part of the standard's `linalg` that LAPACK does.

Notes
-----
NumPy's LAPACK does the work, on the host: on the CPU driver it reads the arrays where they are, from
a GPU they are copied, and so are results. All work on the device is waited for. All functions take
matrices or stacks of them (the last two axes) of float32, float64, complex64 or complex128, which
results have too; integers and truth values count as float64.
"""

from collections import namedtuple

import numpy as np

from pycuda._arrays.ops.host_fallback import host_array, on_device

__all__ = [
    "cholesky",
    "det",
    "eigh",
    "eigvalsh",
    "inv",
    "matrix_rank",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
]

EighResult = namedtuple("EighResult", "eigenvalues eigenvectors")
QRResult = namedtuple("QRResult", "Q R")
SlogdetResult = namedtuple("SlogdetResult", "sign logabsdet")
SVDResult = namedtuple("SVDResult", "U S Vh")


def _dtype_of(name, *arrays):
    """The dtype to calculate in."""
    dtype = np.result_type(*(ary.dtype for ary in arrays))
    if dtype.kind in "biu":
        return np.dtype(np.float64)
    if dtype.char not in "fdFD":
        raise TypeError(f"{name} needs elements of dtype float32, float64, complex64 or complex128, not {dtype}")
    return dtype


def _real(dtype):
    return np.dtype(dtype.char.lower())


def _matrices(name, x, square=False):
    """NumPy's array of the matrices, and the dtype to calculate in."""
    if x.ndim < 2:
        raise np.linalg.LinAlgError(f"{name} needs matrices, an array with two axes or more: {x.shape}")
    if square and x.shape[-1] != x.shape[-2]:
        raise np.linalg.LinAlgError(f"{name} needs square matrices, not {x.shape}")
    dtype = _dtype_of(name, x)
    return host_array(x).astype(dtype, copy=False), dtype


def cholesky(x, /, *, upper=False):
    """The triangular factor of positive definite matrices.

    Parameters
    ----------
    x : GPUArray, shape (..., M, M)
        Symmetric or Hermitian; one triangle is read.
    upper : bool
        Whether `x` is ``U.mT.conj() @ U``, or ``L @ L.mT.conj()``.

    Returns
    -------
    GPUArray, shape (..., M, M)

    Raises
    ------
    numpy.linalg.LinAlgError
        A ValueError: for matrices that are not positive definite, or not square.
    """
    matrices, dtype = _matrices("cholesky", x, square=True)
    if upper:  # the lower factor of the transposed matrix, whose lower triangle is the upper one
        return on_device(np.swapaxes(np.linalg.cholesky(np.swapaxes(matrices, -1, -2)), -1, -2), dtype)
    return on_device(np.linalg.cholesky(matrices), dtype)


def det(x, /):
    """The determinants of square matrices: shape (..., M, M) to (...), with the dtype of `x`."""
    matrices, dtype = _matrices("det", x, square=True)
    return on_device(np.linalg.det(matrices), dtype)


def eigh(x, /):
    """The eigenvalues and eigenvectors of symmetric or Hermitian matrices.

    Parameters
    ----------
    x : GPUArray, shape (..., M, M)
        The lower triangle is read.

    Returns
    -------
    eigenvalues : GPUArray, shape (..., M)
        Real, ascending.
    eigenvectors : GPUArray, shape (..., M, M)
        Orthonormal columns, with the dtype of `x`.

    Raises
    ------
    numpy.linalg.LinAlgError
        A ValueError: for matrices that are not square, or if the iteration does not end.
    """
    matrices, dtype = _matrices("eigh", x, square=True)
    values, vectors = np.linalg.eigh(matrices)
    return EighResult(on_device(values, _real(dtype)), on_device(vectors, dtype))


def eigvalsh(x, /):
    """The eigenvalues of symmetric or Hermitian matrices, real and ascending: (..., M, M) to (..., M). See `eigh`."""
    matrices, dtype = _matrices("eigvalsh", x, square=True)
    return on_device(np.linalg.eigvalsh(matrices), _real(dtype))


def inv(x, /):
    """The inverse of square matrices, (..., M, M); `numpy.linalg.LinAlgError` where one is singular."""
    matrices, dtype = _matrices("inv", x, square=True)
    return on_device(np.linalg.inv(matrices), dtype)


def _cut(values, shape, rtol):
    """Below what singular values count as zero: (..., 1)."""
    if rtol is None:
        rtol = max(shape[-2:]) * np.finfo(values.dtype).eps
    elif hasattr(rtol, "get"):
        rtol = host_array(rtol)
    largest = values.max(axis=-1, keepdims=True, initial=0)
    return largest * np.asarray(rtol, values.dtype)[..., None]


def matrix_rank(x, /, *, rtol=None):
    """How many singular values are not zero.

    Parameters
    ----------
    x : GPUArray, shape (..., M, N)
    rtol : float or GPUArray, shape (...), optional
        Up to this part of a matrix's largest singular value others count as zero: by default
        ``max(M, N)`` times the machine epsilon of the dtype.

    Returns
    -------
    GPUArray of int64, shape (...)
    """
    matrices, _ = _matrices("matrix_rank", x)
    values = np.linalg.svd(matrices, compute_uv=False)
    return on_device((values > _cut(values, x.shape, rtol)).sum(axis=-1), np.int64)


def pinv(x, /, *, rtol=None):
    """The Moore-Penrose inverse of matrices.

    Parameters
    ----------
    x : GPUArray, shape (..., M, N)
    rtol : float or GPUArray, shape (...), optional
        As for `matrix_rank`.

    Returns
    -------
    GPUArray, shape (..., N, M)
    """
    matrices, dtype = _matrices("pinv", x)
    left, values, right = np.linalg.svd(matrices, full_matrices=False)
    kept = values > _cut(values, x.shape, rtol)
    inverse = np.where(kept, 1 / np.where(kept, values, 1), 0).astype(values.dtype)
    result = np.swapaxes(right.conj(), -1, -2) @ (inverse[..., None] * np.swapaxes(left.conj(), -1, -2))
    return on_device(result, dtype)


def qr(x, /, *, mode="reduced"):
    """Matrices as products of orthonormal columns and an upper triangle.

    Parameters
    ----------
    x : GPUArray, shape (..., M, N)
    mode : {"reduced", "complete"}
        ``K = min(M, N)`` columns, or ``K = M``.

    Returns
    -------
    Q : GPUArray, shape (..., M, K)
    R : GPUArray, shape (..., K, N)
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"the mode of qr must be 'reduced' or 'complete', not {mode!r}")
    matrices, dtype = _matrices("qr", x)
    q, r = np.linalg.qr(matrices, mode)
    return QRResult(on_device(q, dtype), on_device(r, dtype))


def slogdet(x, /):
    """Signs and logarithms of the absolute values of determinants.

    Parameters
    ----------
    x : GPUArray, shape (..., M, M)

    Returns
    -------
    sign : GPUArray, shape (...)
        Of absolute value one, or 0 for singular matrices; the dtype of `x`.
    logabsdet : GPUArray, shape (...)
        Real; minus infinity for singular matrices.
    """
    matrices, dtype = _matrices("slogdet", x, square=True)
    sign, logarithm = np.linalg.slogdet(matrices)
    return SlogdetResult(on_device(sign, dtype), on_device(logarithm, _real(dtype)))


def solve(x1, x2, /):
    """What square matrices must be multiplied by to give `x2`.

    Parameters
    ----------
    x1 : GPUArray, shape (..., M, M)
    x2 : GPUArray, shape (M,) or (..., M, K)
        A vector, for all matrices, or matrices; stacks broadcast.

    Returns
    -------
    GPUArray, shape (..., M) or (..., M, K)

    Raises
    ------
    numpy.linalg.LinAlgError
        A ValueError: where a matrix is singular.
    ValueError
        When shapes do not fit.
    """
    matrices, _ = _matrices("solve", x1, square=True)
    if not x2.ndim or x2.shape[0 if x2.ndim == 1 else -2] != x1.shape[-1]:
        raise ValueError(f"solve: {x2.shape} does not fit matrices {x1.shape}")
    dtype = _dtype_of("solve", x1, x2)
    right = host_array(x2).astype(dtype, copy=False)
    matrices = matrices.astype(dtype, copy=False)
    if x2.ndim == 1:  # NumPy before 2 would ask whether it is a stack of vectors
        return on_device(np.linalg.solve(matrices, right[:, None])[..., 0], dtype)
    return on_device(np.linalg.solve(matrices, right), dtype)


def svd(x, /, *, full_matrices=True):
    """Matrices as products ``(U * S[..., None, :]) @ Vh``: the singular value decomposition.

    Parameters
    ----------
    x : GPUArray, shape (..., M, N)
    full_matrices : bool
        Whether `U` and `Vh` are square, or have ``K = min(M, N)`` columns and rows.

    Returns
    -------
    U : GPUArray, shape (..., M, M) or (..., M, K)
        Orthonormal columns.
    S : GPUArray, shape (..., K)
        The singular values: real, descending.
    Vh : GPUArray, shape (..., N, N) or (..., K, N)
        Orthonormal rows.

    Raises
    ------
    numpy.linalg.LinAlgError
        A ValueError: if the iteration does not end, as with NaN.
    """
    matrices, dtype = _matrices("svd", x)
    u, s, vh = np.linalg.svd(matrices, full_matrices=bool(full_matrices))
    return SVDResult(on_device(u, dtype), on_device(s, _real(dtype)), on_device(vh, dtype))


def svdvals(x, /):
    """The singular values of matrices, real and descending: (..., M, N) to (..., min(M, N))."""
    matrices, dtype = _matrices("svdvals", x)
    return on_device(np.linalg.svd(matrices, compute_uv=False), _real(dtype))
