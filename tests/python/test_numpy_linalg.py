# SPDX-License-Identifier: MIT
"""np.linalg and np.fft given arrays of the device, against NumPy itself."""

import math

import numpy as np
import pytest
from numpy_cases import agree, fails_alike, numbers, same
from pycuda import array_api
from pycuda.gpuarray import GPUArray, to_gpu

pytestmark = pytest.mark.usefixtures("context")


def regular(shape, dtype):
    """Matrices far from singular ones."""
    return (numbers(shape, dtype) + 20 * np.eye(shape[-1])).astype(dtype)


def definite(shape, dtype):
    a = numbers(shape, dtype)
    return (a @ np.swapaxes(a.conj(), -1, -2) + 5 * np.eye(shape[-1])).astype(dtype)


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex64"])
def test_norms(dtype):
    for shape in [(5,), (3, 4), (2, 3, 4)]:
        a = numbers(shape, dtype)
        agree(np.linalg.norm, a)
        agree(lambda x: np.linalg.norm(x, keepdims=True), a)
        for axis in range(-len(shape), len(shape)):
            for order in (None, 0, 1, 2, 3, np.inf, -np.inf):
                agree(lambda x: np.linalg.norm(x, order, axis), a)
        agree(lambda x: np.linalg.vector_norm(x, ord=1), a)
        if len(shape) > 1:
            for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
                agree(lambda x: np.linalg.norm(x, order, (0, -1), keepdims=True), a)
                agree(lambda x: np.linalg.norm(x, order, (-1, 0)), a)
    for order in (None, "fro", "nuc", 1, 2, np.inf):
        agree(lambda x: np.linalg.norm(x, order), numbers((3, 4), dtype))
    fails_alike(lambda x: np.linalg.norm(x, 2), numbers((2, 2, 2), dtype))
    fails_alike(lambda x: np.linalg.norm(x, 3), numbers((2, 2), dtype))
    fails_alike(lambda x: np.linalg.norm(x, "fro"), numbers((2,), dtype))
    fails_alike(lambda x: np.linalg.norm(x, "what", (0, 1)), numbers((2, 2), dtype))
    fails_alike(lambda x: np.linalg.norm(x, None, (0, 1, 2)), numbers((2, 2, 2), dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_solutions_and_decompositions(dtype):
    for shape in [(4, 4), (2, 3, 3)]:
        a = regular(shape, dtype)
        for call in (np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.matrix_rank, np.linalg.pinv):
            agree(call, a)
        agree(np.linalg.cond, a)
        agree(lambda x: np.linalg.cond(x, 1), a)
        agree(lambda x: np.linalg.matrix_rank(x, 1e-3), a)
        agree(lambda x: np.linalg.matrix_power(x / 20, 3), a)
        agree(lambda x: np.linalg.matrix_power(x, -1), a)
        agree(np.linalg.solve, a, numbers((shape[-1], 2), dtype))
        agree(lambda x: np.linalg.qr(x, "r"), a)
        for call in (np.linalg.qr, lambda x: np.linalg.svd(x, False), np.linalg.cholesky, np.linalg.eigvalsh):
            agree(call, definite(shape, dtype))
        agree(lambda x: np.linalg.svd(x, compute_uv=False), a)
        agree(lambda x: np.linalg.cholesky(x, upper=True), definite(shape, dtype))
        for part in "LU":
            agree(lambda x: np.linalg.eigvalsh(x, part), a)
            values, vectors = np.linalg.eigh(to_gpu(a), part)
            same(values, np.linalg.eigh(a, part)[0])
            assert isinstance(vectors, GPUArray)
        agree(np.linalg.svdvals, a)
        agree(lambda x, y: np.linalg.multi_dot([x, y, x]), numbers((3, 3), dtype), numbers((3, 3), dtype))
    a = numbers((6, 3), dtype)
    agree(lambda x, y: np.linalg.lstsq(x, y)[:2], a, numbers((6,), dtype))
    assert np.linalg.lstsq(to_gpu(a), to_gpu(a))[2] == 3
    matrix = regular((4, 4), dtype)
    values, vectors = np.linalg.eig(to_gpu(matrix))
    got, kept = values.get(), vectors.get()
    np.testing.assert_allclose(matrix @ kept, kept * got, rtol=1e-3, atol=1e-3)
    same(np.linalg.eigvals(to_gpu(matrix)), np.linalg.eigvals(matrix))
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.inv(to_gpu(np.zeros((2, 2))))
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.det(to_gpu(np.zeros((2, 3))))
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.matrix_power(to_gpu(np.zeros((2, 3))), 2)


def test_products_of_the_standard():
    a, b = numbers((2, 3), "f8"), numbers((2, 3), "f8", 2)
    agree(np.linalg.cross, a, b)
    agree(np.linalg.vecdot, a, b)
    agree(np.linalg.outer, a[0], b[0])
    agree(np.linalg.trace, a)
    agree(lambda x, y: np.linalg.matmul(x, y.T), a, b)
    agree(lambda x, y: np.linalg.tensordot(x, y, axes=2), a, b)
    agree(lambda x: np.linalg.matrix_norm(x, ord=1), a)
    agree(np.linalg.matrix_rank, np.zeros(3))


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex64", "complex128"])
def test_transforms(dtype):
    a = numbers((4, 6), dtype)
    names = ["fft", "ifft", "hfft", "irfft"] + ([] if "complex" in dtype else ["rfft", "ihfft"])
    for call in (getattr(np.fft, name) for name in names):
        agree(call, a)
        agree(lambda x: call(x, 5, 0, "ortho"), a)
        fails_alike(lambda x: call(x, axis=2), a)
        fails_alike(lambda x: call(x, 0), a)
    names = ["fft2", "ifft2", "fftn", "ifftn", "irfft2", "irfftn"] + ([] if "complex" in dtype else ["rfft2", "rfftn"])
    for call in (getattr(np.fft, name) for name in names):
        agree(call, a)
        agree(lambda x: call(x, (3, 8), (1, 0), "forward"), a)
    for call in (np.fft.fftshift, np.fft.ifftshift):
        agree(call, a)
        agree(lambda x: call(x, 1), a)
        agree(lambda x: call(x, (0, -1)), numbers((3, 5), dtype))


@pytest.mark.parametrize("order", [math.inf, -math.inf, 0, 1, 2, 3])
def test_norms_of_vectors_without_elements(order):
    host = np.zeros((3, 0))
    for norm in (np.linalg.norm, np.linalg.vector_norm):
        (fails_alike if order < 0 else agree)(lambda x, norm=norm: norm(x, ord=order, axis=-1), host)
    if order == math.inf:
        assert array_api.linalg.vector_norm(to_gpu(host), ord=order, axis=-1).get().tolist() == [0, 0, 0]


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_norms_of_matrices_without_elements(shape):
    for order in ("fro", "nuc", 1, 2, math.inf):
        agree(lambda x, order=order: np.linalg.norm(x, ord=order), np.zeros(shape))
