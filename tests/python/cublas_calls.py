# SPDX-License-Identifier: MIT
"""cuBLAS of the CPU driver as C programs see it: handles, device arrays, calls whose status is checked."""

import contextlib
import ctypes
import pathlib

import numpy as np
import pycuda
import pycuda.driver as cuda

NONE, TRANSPOSED, CONJUGATED = 0, 1, 2
LOWER, UPPER = 0, 1
LEFT, RIGHT = 0, 1
NON_UNIT, UNIT = 0, 1
HOST, DEVICE = 0, 1
NOT_INITIALIZED, INVALID_VALUE, EXECUTION_FAILED, NOT_SUPPORTED = 1, 7, 13, 15

LETTERS = {"f4": "S", "f8": "D", "c8": "C", "c16": "Z"}
REALS = {"f4": "f4", "f8": "f8", "c8": "f4", "c16": "f8"}


def library(major=13):
    return ctypes.CDLL(str(pathlib.Path(pycuda.__file__).parent / f"libcublas.so.{major}"))


def argument(value):
    """As C takes it: device memory and numbers by value, NumPy's scalars and arrays by address."""
    if isinstance(value, cuda.DeviceAllocation):
        return ctypes.c_void_p(int(value))
    if isinstance(value, (np.generic, np.ndarray)):
        return ctypes.c_void_p(np.asarray(value).ctypes.data)
    return value


class Blas:
    """A handle, whose calls return their status."""

    def __init__(self, major=13):
        self.library = library(major)
        self.handle = ctypes.c_void_p()
        assert self.library.cublasCreate_v2(ctypes.byref(self.handle)) == 0

    def status(self, name, *arguments):
        held = [np.array(value) if isinstance(value, np.generic) else value for value in arguments]
        return getattr(self.library, "cublas" + name)(self.handle, *map(argument, held))

    def __call__(self, name, *arguments):
        status = self.status(name, *arguments)
        assert status == 0, f"cublas{name}: status {status}"

    def close(self):
        self("Destroy_v2")


@contextlib.contextmanager
def handle(major=13):
    blas = Blas(major)
    yield blas
    blas.close()


def on_device(array):
    """A copy of an array in column order."""
    data = np.asfortranarray(array)
    memory = cuda.mem_alloc(max(data.nbytes, 1))
    cuda.memcpy_htod(memory, data.ravel("K"))
    return memory


def from_device(memory, like):
    result = np.empty(like.size, like.dtype)
    cuda.memcpy_dtoh(result, memory)
    return result.reshape(like.shape, order="F")


def random(shape, dtype, seed=0):
    generator = np.random.default_rng(seed)
    values = generator.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * generator.uniform(-1, 1, shape)
    return np.asfortranarray(values.astype(dtype))


def operated(matrix, operation):
    return (matrix, matrix.T, matrix.conj().T)[operation]


def close(result, expected):
    tolerance = 1e-4 if np.dtype(REALS.get(np.dtype(expected.dtype).str[1:], "f8")).itemsize == 4 else 1e-11
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)
