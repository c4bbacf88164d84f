# SPDX-License-Identifier: MIT
"""cuSPARSE of the CPU driver by ctypes, and matrices of NumPy to compare with."""

import contextlib
import ctypes
import pathlib

import numpy as np
import pycuda
import pycuda.driver as cuda
import pytest
from programs import is_cpu

TYPES = {"f4": 0, "f8": 1, "f2": 2, "i1": 3, "c8": 4, "c16": 5, "i4": 10}
FORMATS = ["csr", "csc", "coo"]
COLUMNS, ROWS = 1, 2
NOT_INITIALIZED, INVALID_VALUE, EXECUTION_FAILED, NOT_SUPPORTED = 1, 3, 6, 10
by = ctypes.byref


def i64(value):
    return ctypes.c_int64(value)


def numbers(shape, dtype, seed=0):
    generator = np.random.default_rng(seed)
    values = generator.integers(-8, 9, shape)
    if np.dtype(dtype).kind != "i":
        values = values / 8
    if np.dtype(dtype).kind == "c":
        values = values + 1j * generator.integers(-8, 9, shape) / 8
    return values.astype(dtype)


def sparse(shape, dtype, seed=0):
    return numbers(shape, dtype, seed) * (np.random.default_rng(seed + 1).random(shape) < 0.4).astype(dtype)


class Sparse:
    """The library, and what lives until a test ends."""

    def __init__(self):
        self.library = ctypes.CDLL(str(pathlib.Path(pycuda.__file__).parent / "libcusparse.so.12"))
        self.handle, self.held = ctypes.c_void_p(), []
        self.check("Create", by(self.handle))

    def status(self, name, *arguments):
        return getattr(self.library, "cusparse" + name)(*arguments)

    def check(self, name, *arguments):
        status = self.status(name, *arguments)
        assert status == 0, f"cusparse{name}: status {status}"

    def place(self, array):
        array = np.ascontiguousarray(array)
        memory = cuda.mem_alloc(max(array.nbytes, 8))
        if array.nbytes:
            cuda.memcpy_htod(memory, array)
        self.held.append(memory)
        return ctypes.c_void_p(int(memory))

    def get(self, place, shape, dtype):
        result = np.empty(shape, dtype)
        cuda.memcpy_dtoh(result, place.value)
        return result

    def matrix(self, dense, form="csr", index="i4", base=0):
        """The descriptor of a sparse matrix."""
        rows, columns = dense.shape
        lines = dense.T if form == "csc" else dense
        first, second = np.nonzero(lines)
        values = lines[first, second]
        if form != "coo":
            first = np.searchsorted(first, np.arange(lines.shape[0] + 1))
        kind = 3 if index == "i8" else 2
        places = [self.place((first + base).astype(index)), self.place((second + base).astype(index)),
                  self.place(values)]  # fmt: skip
        kinds = [kind] if form == "coo" else [kind, kind]
        made = ctypes.c_void_p()
        self.check(f"Create{form.capitalize()}", by(made), i64(rows), i64(columns), i64(len(values)), *places, *kinds,
                   base, TYPES[dense.dtype.str[1:]])  # fmt: skip
        return made

    def vector(self, values):
        made, place = ctypes.c_void_p(), self.place(values)
        self.check("CreateDnVec", by(made), i64(values.size), place, TYPES[values.dtype.str[1:]])
        return made, place

    def dense(self, values, order=COLUMNS):
        rows, columns = values.shape
        made, place = ctypes.c_void_p(), self.place(values.T if order == COLUMNS else values)
        ld = rows if order == COLUMNS else columns
        self.check("CreateDnMat", by(made), i64(rows), i64(columns), i64(ld), place, TYPES[values.dtype.str[1:]],
                   order)  # fmt: skip
        return made, place

    def dense_values(self, place, shape, dtype, order=COLUMNS):
        return self.get(place, shape[::-1], dtype).T if order == COLUMNS else self.get(place, shape, dtype)


@contextlib.contextmanager
def opened():
    """The library, for a test; skips on a GPU."""
    if not is_cpu():
        pytest.skip("needs the CPU driver")
    one = Sparse()
    yield one
    one.check("Destroy", one.handle)


@contextlib.contextmanager
def scalars(alpha, beta, dtype):
    held = [np.array(one, dtype) for one in (alpha, beta)]
    yield [ctypes.c_void_p(one.ctypes.data) for one in held]


def operated(a, operation):
    return (a, a.T, a.conj().T)[operation]


def close(result, expected):
    tolerance = 1e-5 if result.dtype.str[1:] in ("f4", "c8") else 1e-3 if result.dtype == "f2" else 1e-13
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)
