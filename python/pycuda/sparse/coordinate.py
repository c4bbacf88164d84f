# SPDX-License-Identifier: MIT
"""Sparse matrices as lists of elements with their rows and columns."""

import numpy as np

from pycuda import gpuarray
from pycuda._arrays.ops.creation import packed_copy
from pycuda._generated_modules import generated_module
from pycuda.tools import dtype_to_ctype

# A complex number is added part by part.
_ADD = """
#include <pycuda-complex.hpp>
typedef %(value_type)s value_type;
typedef %(index_type)s index_type;
__device__ void add_to(float *y, float value) { atomicAdd(y, value); }
__device__ void add_to(double *y, double value) { atomicAdd(y, value); }
template <class T> __device__ void add_to(pycuda::complex<T> *y, pycuda::complex<T> value) {
  atomicAdd((T *)y, value.real());
  atomicAdd((T *)y + 1, value.imag());
}
"""

# Each thread takes neighbouring elements, adds up those of one row, and then adds that to the result.
COO_FLAT_KERNEL_TEMPLATE = (
    _ADD
    + """
extern "C" __global__ void spmv_coo_flat_kernel(const index_type count, const index_type each, const index_type *rows,
                                                const index_type *columns, const value_type *values,
                                                const value_type *x, value_type *y) {
  const index_type first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  const index_type last = first + each < count ? first + each : count;
  if (first >= last) return;
  index_type row = rows[first];
  value_type sum = values[first] * x[columns[first]];
  for (index_type i = first + 1; i < last; ++i) {
    if (rows[i] != row) {
      add_to(y + row, sum);
      row = rows[i];
      sum = values[i] * x[columns[i]];
    } else {
      sum = sum + values[i] * x[columns[i]];
    }
  }
  add_to(y + row, sum);
}
"""
)

# One thread does all: for a few elements, or to see the sum in the order of the elements.
COO_SERIAL_KERNEL_TEMPLATE = (
    _ADD
    + """
extern "C" __global__ void spmv_coo_serial_kernel(const index_type count, const index_type *rows,
                                                  const index_type *columns, const value_type *values,
                                                  const value_type *x, value_type *y) {
  for (index_type i = 0; i < count; ++i) y[rows[i]] = y[rows[i]] + values[i] * x[columns[i]];
}
"""
)

_FEW = 256
_BLOCK = 128
_EACH = 32


def checked_dtype(mat, dtype):
    """The dtype of a matrix on the device.

    Raises
    ------
    TypeError
        For what is not a sparse matrix, and for elements that the kernels do not compute with, or would lose parts of.
    """
    if not (hasattr(mat, "tocoo") and hasattr(mat, "tocsr")):
        raise TypeError(f"the matrix must be a sparse one of SciPy, not {type(mat).__name__}")
    dtype = np.dtype(dtype)
    if dtype not in (np.float32, np.float64, np.complex64, np.complex128):
        raise TypeError(f"matrices have float or complex elements of 32 or 64 bits, not {dtype}")
    if mat.dtype.kind == "c" and dtype.kind != "c":
        raise TypeError(f"a matrix of dtype {mat.dtype} does not fit elements of dtype {dtype}")
    return dtype


def checked_coordinates(mat):
    """The elements of a sparse matrix with their rows and columns.

    Raises
    ------
    ValueError
        For a matrix without rows and columns, and for elements outside of it, which kernels would write anywhere.
    """
    if len(mat.shape) != 2:
        raise ValueError(f"the matrix must have rows and columns, its shape is {mat.shape}")
    coordinates = mat.tocoo()
    for name, places, length in (("row", coordinates.row, mat.shape[0]), ("column", coordinates.col, mat.shape[1])):
        if places.size and not 0 <= places.min() <= places.max() < length:
            raise ValueError(
                f"elements of {name}s {places.min()} to {places.max()} are not all in a matrix of shape {mat.shape}"
            )
    return coordinates


def check_vector(name, vector, length, dtype=None):
    """Raises TypeError for what is not an array on the device, ValueError for one of another shape (or dtype)."""
    if not isinstance(vector, gpuarray.GPUArray):
        raise TypeError(f"{name} must be a GPUArray, not {type(vector).__name__}")
    dtype = vector.dtype if dtype is None else dtype
    if vector.shape != (length,) or vector.dtype != dtype:
        raise ValueError(f"{name} must have shape {(length,)} and dtype {dtype}, not {vector.shape} and {vector.dtype}")


def apart(x, y):
    """`x`, or a contiguous copy of it where it has gaps or shares memory with `y`, which is contiguous."""
    if x.flags.c_contiguous and (not x.size or x.ptr + x.nbytes <= y.ptr or y.ptr + y.nbytes <= x.ptr):
        return x
    return packed_copy(x, x.dtype)


class CoordinateSpMV:
    """A sparse matrix of SciPy on the device: ``spmv(x, y)`` adds its product with `x` to `y`.

    Parameters
    ----------
    mat : scipy.sparse matrix
    dtype : dtype-like
        float32, float64, complex64 or complex128.
    """

    def __init__(self, mat, dtype):
        self.dtype = checked_dtype(mat, dtype)
        self.index_dtype = np.dtype(np.int32)
        self.shape = mat.shape
        coordinates = checked_coordinates(mat)
        order = np.lexsort((coordinates.col, coordinates.row))
        self.nnz = len(order)
        if self.nnz > np.iinfo(np.int32).max - _EACH * _BLOCK:
            raise ValueError(f"a matrix of {self.nnz} elements is too large for indices of 32 bits")
        if self.nnz:
            self.row_gpu = gpuarray.to_gpu(coordinates.row[order].astype(self.index_dtype))
            self.col_gpu = gpuarray.to_gpu(coordinates.col[order].astype(self.index_dtype))
            self.data_gpu = gpuarray.to_gpu(coordinates.data[order].astype(self.dtype))

    def _kernel(self, template, name):
        types = {"value_type": dtype_to_ctype(self.dtype), "index_type": dtype_to_ctype(self.index_dtype)}
        return generated_module(template % types).get_function(name)

    def get_flat_kernel(self):
        """The kernel of many threads: (count, each, rows, columns, values, x, y)."""
        return self._kernel(COO_FLAT_KERNEL_TEMPLATE, "spmv_coo_flat_kernel")

    def get_serial_kernel(self):
        """The kernel of one thread: (count, rows, columns, values, x, y)."""
        return self._kernel(COO_SERIAL_KERNEL_TEMPLATE, "spmv_coo_serial_kernel")

    def __call__(self, x, y=None):
        """Add the product with `x` to `y`, by default to zeros; gives `y`."""
        check_vector("x", x, self.shape[1], self.dtype)
        if y is None:
            y = gpuarray.zeros(self.shape[0], self.dtype)
        check_vector("y", y, self.shape[0], self.dtype)
        if not y.flags.c_contiguous:
            raise ValueError(f"y must be contiguous: its strides are {y.strides}")
        if not self.nnz:
            return y
        arrays = self.row_gpu, self.col_gpu, self.data_gpu, apart(x, y), y
        count = self.index_dtype.type(self.nnz)
        if self.nnz <= _FEW:
            self.get_serial_kernel()(count, *arrays, block=(1, 1, 1))
            return y
        blocks = -(-self.nnz // (_EACH * _BLOCK))
        self.get_flat_kernel()(count, self.index_dtype.type(_EACH), *arrays, block=(_BLOCK, 1, 1), grid=(blocks, 1))
        return y
