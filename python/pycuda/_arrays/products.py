# SPDX-License-Identifier: MIT
"""Matrix products of arrays on the device, by a tiled kernel."""

import numpy as np

from pycuda._arrays.creation import empty, zeros
from pycuda.compiler import SourceModule
from pycuda.tools import context_dependent_memoize, dtype_to_ctype

_TILE = 16

_SOURCE = """
__global__ void matmul(const {type} *a, const {type} *b, {type} *c, long rows, long inner, long columns)
{{
  __shared__ {type} tile_a[{tile}][{tile}], tile_b[{tile}][{tile}];
  const int x = threadIdx.x, y = threadIdx.y;
  const long row = (long) blockIdx.y * {tile} + y, column = (long) blockIdx.x * {tile} + x;
  {type} sum = 0;
  for (long start = 0; start < inner; start += {tile}) {{
    tile_a[y][x] = row < rows && start + x < inner ? a[row * inner + start + x] : 0;
    tile_b[y][x] = start + y < inner && column < columns ? b[(start + y) * columns + column] : 0;
    __syncthreads();
    for (int k = 0; k < {tile}; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }}
  if (row < rows && column < columns) c[row * columns + column] = sum;
}}
"""


@context_dependent_memoize
def _kernel(dtype):
    module = SourceModule(_SOURCE.format(type=dtype_to_ctype(dtype), tile=_TILE))
    return module.get_function("matmul")


def _packed(array, dtype):
    """`array` in C order and of `dtype`; itself if it is so already."""
    if array.dtype == dtype and array.flags.c_contiguous:
        return array
    packed = empty(array.shape, dtype)
    packed[...] = array.astype(dtype) if array.dtype != dtype else array
    return packed


def matmul(a, b):
    """The product of two matrices, of a matrix and a vector, or of two vectors, as NumPy's `matmul`.

    Parameters
    ----------
    a, b : GPUArray
        One or two axes; real floats or integers. Stacks of matrices and complex numbers are not there yet.

    Raises
    ------
    ValueError
        When the inner lengths differ.
    NotImplementedError
        For other numbers of axes or other dtypes.
    """
    dtype = np.result_type(a.dtype, b.dtype)
    if not (1 <= a.ndim <= 2 and 1 <= b.ndim <= 2) or dtype.kind not in "iuf" or dtype == np.float16:
        raise NotImplementedError(f"matmul of shapes {a.shape} and {b.shape}, dtypes {a.dtype} and {b.dtype}")
    if a.shape[-1] != b.shape[0]:
        raise ValueError(f"matmul: {a.shape} and {b.shape} do not fit, {a.shape[-1]} is not {b.shape[0]}")
    rows, inner = a.shape if a.ndim == 2 else (1, a.shape[0])
    columns = b.shape[1] if b.ndim == 2 else 1
    shape = a.shape[:-1] + b.shape[1:]
    if rows * columns * inner == 0:
        return zeros(shape, dtype)
    left, right = _packed(a, dtype), _packed(b, dtype)
    result = empty((rows, columns), dtype)
    grid = (-(-columns // _TILE), -(-rows // _TILE))
    if grid[1] > 65535:
        raise NotImplementedError(f"matmul of more than {65535 * _TILE} rows")
    sizes = np.int64(rows), np.int64(inner), np.int64(columns)
    _kernel(dtype)(left, right, result, *sizes, block=(_TILE, _TILE, 1), grid=grid)
    return result.reshape(shape)
