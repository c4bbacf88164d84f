# SPDX-License-Identifier: MIT
"""cuSOLVER's sparse functions as C programs see them: matrices in rows, of the host or the device, with descriptors."""

import ctypes
import pathlib

import cusolver_calls as cusolver
import numpy as np
import pycuda
import pycuda.driver as cuda
import scipy.sparse

REALS = {"f4": ctypes.c_float, "f8": ctypes.c_double, "c8": ctypes.c_float, "c16": ctypes.c_double}


def cusparse():
    return ctypes.CDLL(str(pathlib.Path(pycuda.__file__).parent / "libcusparse.so.12"))


class Sparse:
    """A handle, and a descriptor of matrices whose indices count from `base`."""

    def __init__(self, base=0):
        self.library, self.cusparse, self.base = cusolver.library(), cusparse(), base
        self.handle, self.descriptor = ctypes.c_void_p(), ctypes.c_void_p()
        assert self.library.cusolverSpCreate(ctypes.byref(self.handle)) == 0
        assert self.cusparse.cusparseCreateMatDescr(ctypes.byref(self.descriptor)) == 0
        assert self.cusparse.cusparseSetMatIndexBase(self.descriptor, base) == 0

    def status(self, name, *arguments):
        return getattr(self.library, "cusolverSp" + name)(self.handle, *map(as_c, arguments))

    def __call__(self, name, *arguments):
        status = self.status(name, *arguments)
        assert status == 0, f"cusolverSp{name}: status {status}"

    def made(self, name):
        """A new info object."""
        info = ctypes.c_void_p()
        assert getattr(self.library, "cusolverSpCreate" + name)(ctypes.byref(info)) == 0
        return info

    def close(self):
        self("Destroy")


def as_c(value):
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    if isinstance(value, cuda.DeviceAllocation):
        return ctypes.c_void_p(int(value))
    return value


def place(array, on_device):
    return cusolver.on_device(array) if on_device else array


def value_of(where, like):
    """The numbers at a place that `place` made."""
    if isinstance(where, np.ndarray):
        return where
    result = np.empty_like(like)
    cuda.memcpy_dtoh(result, where)
    return result


class Csr:
    """A matrix's arrays where the functions want them; `pattern` are the arguments without values."""

    def __init__(self, sparse, matrix, on_device=False):
        matrix = scipy.sparse.csr_matrix(matrix)
        matrix.sort_indices()
        self.entries = matrix.nnz
        self.values = place(matrix.data, on_device)
        self.offsets = place((matrix.indptr + sparse.base).astype(np.int32), on_device)
        self.indices = place((matrix.indices + sparse.base).astype(np.int32), on_device)
        self.pattern = self.entries, sparse.descriptor, self.offsets, self.indices
        self.numbers = self.entries, sparse.descriptor, self.values, self.offsets, self.indices


def random(n, dtype, columns=None, density=0.2, seed=0):
    """A sparse matrix that is not near to a singular one."""
    columns = columns or n
    generator = np.random.default_rng(seed)
    dense = cusolver.random((n, columns), dtype, seed) * (generator.uniform(size=(n, columns)) < density)
    np.fill_diagonal(dense, dense.diagonal() + 3)
    return dense.astype(dtype)


def definite(n, dtype, seed=0):
    a = random(n, dtype, seed=seed)
    return (a @ a.conj().T).astype(dtype)


def laplacian(side):
    """Of a square grid with five points."""
    line = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (side, side))
    eye = scipy.sparse.identity(side)
    return scipy.sparse.csr_matrix(scipy.sparse.kron(line, eye) + scipy.sparse.kron(eye, line))
