# SPDX-License-Identifier: MIT
"""cuBLAS of the CPU driver: vectors of any of the types (cublasDotEx and its like), against NumPy."""

import ctypes

import numpy as np
import pycuda.driver as cuda
import pytest
from cublas_calls import DEVICE, HOST, NOT_SUPPORTED, handle
from programs import is_cpu

CODES = {"f4": 0, "f8": 1, "f2": 2, "c8": 4, "c16": 5}
COMPUTE = {"f4": "f4", "f8": "f8", "f2": "f4", "c8": "c8", "c16": "c16"}
N = 37


@pytest.fixture(autouse=True)
def on_the_cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver")


@pytest.fixture
def blas():
    with handle() as one:
        yield one


def numbers(dtype, seed, size=N):
    generator = np.random.default_rng(seed)
    values = generator.integers(-8, 9, size) / 8
    if dtype[0] == "c":
        values = values + 1j * generator.integers(-8, 9, size) / 8
    return values.astype(dtype)


def place(array):
    memory = cuda.mem_alloc(array.nbytes)
    cuda.memcpy_htod(memory, array)
    return memory


def get(memory, dtype, size=N):
    result = np.empty(size, dtype)
    cuda.memcpy_dtoh(result, memory)
    return result


def close(result, expected):
    tolerance = 1e-3 if result.dtype == "f2" else 1e-5
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("width", ["", "_64"])
@pytest.mark.parametrize("name", ["DotEx", "DotcEx"])
@pytest.mark.parametrize("dtype", list(CODES))
def test_products_of_vectors(blas, dtype, name, width):
    x, y, result = numbers(dtype, 1), numbers(dtype, 2), np.zeros(1, dtype)
    size, step = (ctypes.c_int64(one) if width else one for one in (N, 1))
    kinds = CODES[dtype], CODES[COMPUTE[dtype]]
    blas(name + width, size, place(x), kinds[0], step, place(y), kinds[0], step, result, *kinds)
    wide = np.dtype("c16" if dtype[0] == "c" else "f8")
    close(result[0], np.dot(x.conj() if name == "DotcEx" else x, y.astype(wide)))


def test_steps_and_results_of_the_device(blas):
    x, y, result = numbers("f4", 1), numbers("f4", 2, 2 * N), cuda.mem_alloc(4)
    blas("SetPointerMode_v2", DEVICE)
    blas("DotEx", N, place(x), 0, -1, place(y), 0, 2, result, 0, 0)
    close(get(result, "f4", 1)[0], x[::-1] @ y[::2])
    blas("SetPointerMode_v2", HOST)


@pytest.mark.parametrize("dtype", ["f4", "f2"])
def test_sums_of_long_vectors_keep_growing(blas, dtype):
    x, result = place(np.full(1 << 25, 1 / 1024, dtype)), np.zeros(1, dtype)
    blas("DotEx", 1 << 25, x, CODES[dtype], 1, x, CODES[dtype], 1, result, CODES[dtype], CODES["f4"])
    assert result[0] == 32


@pytest.mark.parametrize("dtype", list(CODES))
def test_sums_and_multiples_of_vectors(blas, dtype):
    x, y = numbers(dtype, 1), numbers(dtype, 2)
    kind, compute = CODES[dtype], CODES[COMPUTE[dtype]]
    target, alpha = place(y), np.full(1, 2.5, COMPUTE[dtype])
    blas("AxpyEx", N, alpha, compute, place(x), kind, 1, target, kind, 1, compute)
    wide = x.astype("c16" if dtype[0] == "c" else "f8")
    close(get(target, dtype), (2.5 * wide + y).astype(dtype))
    target = place(x)
    blas("ScalEx", N, alpha, compute, target, kind, 1, compute)
    close(get(target, dtype), (2.5 * wide).astype(dtype))


@pytest.mark.parametrize("dtype", list(CODES))
def test_norms_of_vectors(blas, dtype):
    x, real = numbers(dtype, 1), {"c8": "f4", "c16": "f8"}.get(dtype, dtype)
    result, compute = np.zeros(1, real), {"c8": "f4", "c16": "f8"}.get(dtype, COMPUTE[dtype])
    blas("Nrm2Ex", N, place(x), CODES[dtype], 1, result, CODES[real], CODES[compute])
    close(result[0], np.linalg.norm(x.astype("c16")))


def test_norms_whose_squares_do_not_fit(blas):
    for size in (1e30, 1e-30):
        x, result = np.full(4, size, "f4"), np.zeros(1, "f4")
        blas("Nrm2Ex", 4, place(x), 0, 1, result, 0, 0)
        np.testing.assert_allclose(result[0], 2 * size, rtol=1e-6)


def test_types_that_are_not_documented_are_refused(blas):
    x, result = place(numbers("f4", 1)), np.zeros(1, "f4")
    assert blas.status("DotEx", N, x, 0, 1, x, 1, 1, result, 0, 0) == NOT_SUPPORTED
    assert blas.status("DotEx", N, x, 0, 1, x, 0, 1, result, 1, 0) == NOT_SUPPORTED
    assert blas.status("DotEx", N, x, 0, 1, x, 0, 1, result, 0, 1) == NOT_SUPPORTED
    assert blas.status("Nrm2Ex", N, x, 3, 1, result, 0, 0) == NOT_SUPPORTED
