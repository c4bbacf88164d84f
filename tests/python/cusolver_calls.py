# SPDX-License-Identifier: MIT
"""cuSOLVER of the CPU driver as C programs see it: handles, matrices with room between their columns, workspaces."""

import contextlib
import ctypes
import pathlib

import numpy as np
import pycuda
import pycuda.driver as cuda
from cublas_calls import REALS, argument, on_device, random

TYPES = ["f4", "f8", "c8", "c16"]
LETTERS = {"f4": "S", "f8": "D", "c8": "C", "c16": "Z"}
DATA_TYPES = {"f4": 0, "f8": 1, "c8": 4, "c16": 5}
NONE, TRANSPOSED, CONJUGATED = 0, 1, 2
LOWER, UPPER = 0, 1
LEFT, RIGHT = 0, 1
NO_VECTORS, VECTORS = 0, 1
ALL, BY_INDEX, BY_VALUE = 1001, 1002, 1003
NOT_INITIALIZED, INVALID_VALUE, EXECUTION_FAILED, NOT_SUPPORTED = 1, 3, 6, 9


def library(major=12):
    return ctypes.CDLL(str(pathlib.Path(pycuda.__file__).parent / f"libcusolver.so.{major}"))


def named(dtype, real, complex_=None):
    """The function's name for a type: potrf is Spotrf; orgqr and ungqr are Sorgqr and Cungqr."""
    return LETTERS[dtype] + (complex_ if complex_ and dtype[0] == "c" else real)


class Matrix:
    """A matrix on the device, in column order, with two more rows that no function may touch."""

    def __init__(self, values):
        self.rows, self.columns = values.shape
        self.ld = self.rows + 2
        self.memory = on_device(self._around(values))
        self.dtype = values.dtype

    def _around(self, values):
        padded = np.full((self.ld, self.columns), 77, values.dtype, order="F")
        padded[: self.rows] = values
        return padded

    def get(self):
        flat = np.empty(self.ld * self.columns, self.dtype)
        if flat.size:
            cuda.memcpy_dtoh(flat, self.memory)
        padded = flat.reshape((self.ld, self.columns), order="F")
        assert (padded[self.rows :] == 77).all(), "elements between the columns were written"
        return padded[: self.rows]


class Vector:
    def __init__(self, count, dtype, values=None):
        self.values = np.full(count, 55, dtype) if values is None else np.asarray(values, dtype)
        self.memory = on_device(self.values)

    def get(self):
        result = np.empty_like(self.values)
        if result.size:
            cuda.memcpy_dtoh(result, self.memory)
        return result


class Solver:
    """A handle, whose calls return their status."""

    def __init__(self, major=12):
        self.library = library(major)
        self.handle = ctypes.c_void_p()
        assert self.library.cusolverDnCreate(ctypes.byref(self.handle)) == 0
        self.info = Vector(1, np.int32)

    def status(self, name, *arguments):
        held = [value.memory if isinstance(value, (Matrix, Vector)) else value for value in arguments]
        return getattr(self.library, "cusolverDn" + name)(self.handle, *map(argument, held))

    def __call__(self, name, *arguments):
        """Calls a function whose last argument is `info`, and returns that."""
        status = self.status(name, *arguments, self.info)
        assert status == 0, f"cusolverDn{name}: status {status}"
        return self.info.get()[0]

    def workspace(self, name, *arguments):
        """The workspace of a function, by what its bufferSize function says: memory and size."""
        size = ctypes.c_int(-1)
        status = self.status(name + "_bufferSize", *arguments, ctypes.byref(size))
        assert status == 0, f"cusolverDn{name}_bufferSize: status {status}"
        assert size.value > 0
        return cuda.mem_alloc(size.value * 16), size.value

    def bytes_workspace(self, name, *arguments):
        """The same of functions with 64-bit sizes: the four arguments."""
        device, host = ctypes.c_size_t(), ctypes.c_size_t()
        status = self.status(name + "_bufferSize", *arguments, ctypes.byref(device), ctypes.byref(host))
        assert status == 0, f"cusolverDn{name}_bufferSize: status {status}"
        return cuda.mem_alloc(device.value), device, None, host


@contextlib.contextmanager
def handle(major=12):
    solver = Solver(major)
    yield solver
    assert solver.library.cusolverDnDestroy(solver.handle) == 0


def definite(n, dtype, seed=0):
    """A positive definite matrix."""
    a = random((n, n), dtype, seed)
    return (a @ a.conj().T + (n + 1) * np.eye(n)).astype(dtype)


def hermitian(n, dtype, seed=0):
    a = random((n, n), dtype, seed)
    return ((a + a.conj().T) / 2).astype(dtype)


def symmetric(n, dtype, seed=0):
    a = random((n, n), dtype, seed)
    return ((a + a.T) / 2).astype(dtype)


def half(matrix, fill):
    return np.tril(matrix) if fill == LOWER else np.triu(matrix)


def marked(matrix, fill):
    """The matrix of which one triangle counts: the other one has numbers that must stay."""
    other = np.full_like(matrix, 33)
    return half(matrix, fill) + (np.triu(other, 1) if fill == LOWER else np.tril(other, -1))


def real(dtype):
    return np.dtype(REALS[dtype])


def close(result, expected, scale=1):
    """Within a few roundings of the numbers' own size."""
    expected = np.asarray(expected)
    tolerance = (2e-4 if np.finfo(result.dtype).bits == 32 else 1e-11) * scale
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)
