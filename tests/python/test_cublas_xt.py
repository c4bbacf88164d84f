# SPDX-License-Identifier: MIT
"""cuBLASXt of the CPU driver: products of matrices in the host's or the device's memory, compared with NumPy."""

import ctypes

import cublas_calls as cublas
import numpy as np
import pycuda.driver as cuda
import pytest
import scipy.linalg
from cublas_calls import LEFT, LOWER, NON_UNIT, NONE, TRANSPOSED, UPPER, close, from_device, on_device, random
from programs import is_cpu


@pytest.fixture(autouse=True)
def on_the_cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver")


class Xt(cublas.Blas):
    def __init__(self, major=13):
        self.library = cublas.library(major)
        self.handle = ctypes.c_void_p()
        assert self.library.cublasXtCreate(ctypes.byref(self.handle)) == 0

    def status(self, name, *arguments):
        sized = [ctypes.c_size_t(value) if isinstance(value, int) else value for value in arguments]
        return super().status("Xt" + name, *sized)

    def close(self):
        self("Destroy")


@pytest.fixture
def xt():
    made = Xt()
    yield made
    made.close()


def scalar(value, dtype):
    return np.array(value, dtype)


@pytest.mark.parametrize("dtype", cublas.LETTERS)
class TestProducts:
    def test_of_general_matrices_of_the_host(self, xt, dtype):
        a, b, c = random((5, 4), dtype), random((5, 3), dtype, 1), random((4, 3), dtype, 2)
        expected = 2 * a.T @ b + 3 * c
        xt(cublas.LETTERS[dtype] + "gemm", TRANSPOSED, NONE, 4, 3, 5, scalar(2, dtype), a, 5, b, 5, scalar(3, dtype),
           c, 4)  # fmt: skip
        close(c, expected)

    def test_of_symmetric_matrices(self, xt, dtype):
        half, b, c = random((4, 4), dtype), random((4, 3), dtype, 1), random((4, 3), dtype, 2)
        a = np.tril(half) + np.tril(half, -1).T
        xt(cublas.LETTERS[dtype] + "symm", LEFT, LOWER, 4, 3, scalar(1, dtype), half, 4, b, 4, scalar(0, dtype), c, 4)
        close(c, a @ b)

    def test_of_a_matrix_with_itself(self, xt, dtype):
        a, c = random((4, 6), dtype), random((4, 4), dtype, 2)
        expected = np.where(np.tri(4, dtype=bool), a @ a.T, c)
        xt(cublas.LETTERS[dtype] + "syrk", LOWER, NONE, 4, 6, scalar(1, dtype), a, 4, scalar(0, dtype), c, 4)
        close(c, expected)

    def test_triangles(self, xt, dtype):
        a, b = random((4, 4), dtype) + 4 * np.eye(4, dtype=dtype), random((4, 3), dtype, 1)
        place, product = b.copy(order="F"), np.zeros_like(b)
        shape = LEFT, UPPER, NONE, NON_UNIT, 4, 3, scalar(1, dtype)
        a = np.asfortranarray(a)
        xt(cublas.LETTERS[dtype] + "trsm", *shape, a, 4, place, 4)
        close(place, scipy.linalg.solve_triangular(a, b).astype(dtype))
        xt(cublas.LETTERS[dtype] + "trmm", *shape, a, 4, place, 4, product, 4)
        close(product, b)


def test_matrices_may_be_the_devices(xt):
    a, b = random((4, 4), "f4"), random((4, 4), "f4", 1)
    place = on_device(np.zeros((4, 4), "f4"))
    one, zero = scalar(1, "f4"), scalar(0, "f4")
    xt("Sgemm", NONE, NONE, 4, 4, 4, one, on_device(a), 4, b, 4, zero, place, 4)
    close(from_device(place, a), a @ b)


def test_settings_and_devices(xt):
    value, devices = ctypes.c_int(), (ctypes.c_int * 2)(0, 10_000)
    assert xt.library.cublasXtDeviceSelect(xt.handle, 1, devices) == 0
    assert xt.library.cublasXtDeviceSelect(xt.handle, 2, devices) == cublas.INVALID_VALUE
    assert xt.library.cublasXtMaxBoards(ctypes.byref(value)) == 0
    assert value.value == cuda.Device.count()
    for name, good, wrong in [("BlockDim", 512, 0), ("PinningMemMode", 1, 2)]:
        xt("Set" + name, good)
        assert xt.status("Set" + name, wrong) == cublas.INVALID_VALUE
        xt("Get" + name, ctypes.byref(value))
        assert value.value == good


def test_mistakes_have_their_statuses(xt):
    a, one = random((4, 4), "f4"), scalar(1, "f4")
    shape = NONE, NONE, 4, 4, 4
    assert xt.status("Sgemm", *shape, one, None, 4, a, 4, one, a, 4) == cublas.INVALID_VALUE
    assert xt.status("Sgemm", *shape, one, a, 3, a, 4, one, a, 4) == cublas.INVALID_VALUE
    assert xt.status("Sspmm") == cublas.NOT_SUPPORTED
    with cublas.handle() as ordinary:
        assert xt.library.cublasXtSetBlockDim(ordinary.handle, 64) == cublas.NOT_INITIALIZED
