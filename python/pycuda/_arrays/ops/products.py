# SPDX-License-Identifier: MIT
"""Matrix products of arrays on the device, by a tiled kernel or by cuBLAS where that is installed."""

import operator

import numpy as np

from pycuda import _driver
from pycuda._arrays.core.gpuarray import GPUArray, _array
from pycuda._arrays.core.kernels import FUSED_SUM, compiled, type_name
from pycuda._arrays.core.shapes import _axis
from pycuda._arrays.ops.creation import packed, zeros
from pycuda._arrays.ops.joining import broadcast_to
from pycuda._arrays.ops.operands import device
from pycuda._arrays.ops.reductions import _reduce, dot

# A block of 16 x 16 threads makes a square of the result, each thread 4 x 4 elements of it.
_TEXT = (
    """
typedef $0 T; typedef $1 A;
#define SIDE 16
#define MICRO 4
#define EDGE (SIDE * MICRO)
"""
    + FUSED_SUM
    + """
extern "C" __global__ void matmul(const T *a, const T *b, T *c, i64 rows, i64 inner, i64 columns, i64 a_step,
                                  i64 b_step, i64 row_tiles) {
  __shared__ __align__(16) unsigned char a_room[EDGE * SIDE * sizeof(A)], b_room[SIDE * EDGE * sizeof(A)];
  A (*const tile_a)[SIDE] = reinterpret_cast<A (*)[SIDE]>(a_room);
  A (*const tile_b)[EDGE] = reinterpret_cast<A (*)[EDGE]>(b_room);
  const int x = threadIdx.x, y = threadIdx.y;
  const i64 stacked = blockIdx.y / row_tiles, row_tile = blockIdx.y - stacked * row_tiles;
  const i64 row = row_tile * EDGE + y, column = static_cast<i64>(blockIdx.x) * EDGE + x;
  a += stacked * a_step;
  b += stacked * b_step;
  c += stacked * rows * columns;
  A sum[MICRO][MICRO];
#pragma unroll
  for (int i = 0; i < MICRO; ++i)
#pragma unroll
    for (int j = 0; j < MICRO; ++j) sum[i][j] = A();
  for (i64 start = 0; start < inner; start += SIDE) {
#pragma unroll
    for (int i = 0; i < MICRO; ++i) {
      const i64 r = row + i * SIDE, q = column + i * SIDE;
      tile_a[y + i * SIDE][x] = r < rows && start + x < inner ? cast<A>(a[r * inner + start + x]) : A();
      tile_b[y][x + i * SIDE] = start + y < inner && q < columns ? cast<A>(b[(start + y) * columns + q]) : A();
    }
    __syncthreads();
    for (int k = 0; k < SIDE; ++k) {
#pragma unroll
      for (int i = 0; i < MICRO; ++i)
#pragma unroll
        for (int j = 0; j < MICRO; ++j)
          sum[i][j] = fused_sum(sum[i][j], tile_a[y + i * SIDE][k], tile_b[k][x + j * SIDE]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < MICRO; ++i)
#pragma unroll
    for (int j = 0; j < MICRO; ++j) {
      const i64 r = row + i * SIDE, q = column + j * SIDE;
      if (r < rows && q < columns) c[r * columns + q] = cast<T>(sum[i][j]);
    }
}
"""
)
_WIDE = {"f16": "f32", "bf16": "f32"}
_SIDE, _MICRO = 16, 4
_MOST_BLOCKS = 65535  # along the grid's second axis


def _stacked(array, dtype, stack):
    """Packed matrices, and the elements from one to the next: 0 if there is only one for all."""
    own = array.shape[:-2]
    if all(length == 1 for length in own):
        return packed(array, dtype), 0
    if own != stack:
        array = broadcast_to(array, (*stack, *array.shape[-2:]))
    return packed(array, dtype), array.shape[-2] * array.shape[-1]


def _multiply(a, b, dtype):
    """The products of matrices (at least two axes) as one array."""
    rows, inner, columns = a.shape[-2], a.shape[-1], b.shape[-1]
    try:
        stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise ValueError(f"matmul: the stacks of {a.shape} and {b.shape} do not broadcast together") from None
    shape = (*stack, rows, columns)
    count = 1
    for length in stack:
        count *= length
    if not count * rows * columns * inner:
        return zeros(shape, dtype)
    left, a_step = _stacked(a, dtype, stack)
    right, b_step = _stacked(b, dtype, stack)
    result = GPUArray(shape, dtype)
    sizes = rows, inner, columns, a_step, b_step
    from pycuda._arrays.ops import cublas  # start-up time: it brings ctypes

    if cublas.multiply(left, right, result, count, *sizes):
        return result
    name = type_name(dtype)
    wide = _WIDE.get(name, name)
    if _driver._device_traits().serial_threads:
        from pycuda._arrays.ops import serial_products  # start-up time: the text of a large kernel

        serial_products.multiply(left, right, result, count, *sizes, name, wide)
        return result
    edge = _SIDE * _MICRO
    row_tiles = -(-rows // edge)
    if row_tiles > _MOST_BLOCKS:
        raise NotImplementedError(f"matmul of more than {_MOST_BLOCKS * edge} rows: {a.shape} and {b.shape}")
    kernel = compiled("matmul", _TEXT, name, wide)
    at_once = _MOST_BLOCKS // row_tiles
    for first in range(0, count, at_once):
        some = min(at_once, count - first)
        grid = (-(-columns // edge), row_tiles * some)
        parts = left, right, result
        if count > at_once:
            steps = a_step, b_step, rows * columns
            parts = [_from(part, first * step) for part, step in zip(parts, steps)]
        numbers = [np.int64(number) for number in (*sizes, row_tiles)]
        kernel(*parts, *numbers, block=(_SIDE, _SIDE, 1), grid=grid)
    return result


def _from(array, elements):
    """A flat view without the first elements."""
    return array.reshape(-1)[elements:]


def matmul(a, b):
    """The product of matrices, of stacks of them, of matrices and vectors, as NumPy's `matmul`.

    Parameters
    ----------
    a, b : GPUArray
        Any numbers; stacks broadcast. float16 and bfloat16 are summed in float32.

    Raises
    ------
    ValueError
        When lengths do not fit, or for arrays without axes.

    Examples
    --------
    >>> a = gpuarray.arange(4, dtype=np.float32).reshape(2, 2)
    >>> gpuarray.matmul(a, a)
    array([[ 2.,  3.],
           [ 6., 11.]], dtype=float32)
    """
    if not a.ndim or not b.ndim:
        raise ValueError(f"matmul needs arrays with axes: {a.shape} and {b.shape}; multiply by numbers with *")
    dtype = np.result_type(a.dtype, b.dtype)
    type_name(dtype)
    inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != inner:
        raise ValueError(f"matmul: {a.shape} and {b.shape} do not fit, {a.shape[-1]} is not {inner}")
    # With a vector, what is read is what costs: a reduction goes at memory's speed.
    if b.ndim == 1:
        return _products_along(-1, a, b, dtype)
    if a.ndim == 1:
        return _products_along(-2, a[:, None], b, dtype)
    if b.shape[-1] == 1:
        return _products_along(-1, a, b.swapaxes(-1, -2), dtype)[..., None]
    if a.shape[-2] == 1:
        return _products_along(-2, a.swapaxes(-1, -2), b, dtype)[..., None, :]
    return _multiply(a, b, dtype)


def _products_along(axis, a, b, dtype, operation="dot", caller="matmul"):
    """The sums of the products of both, broadcast together, along one axis."""
    try:
        shape = np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        raise ValueError(f"{caller}: the stacks of {a.shape} and {b.shape} do not broadcast together") from None
    first, second = (broadcast_to(one.astype(dtype, copy=False), shape) for one in (a, b))
    return _reduce(operation, first, axis, dtype, None, second=second)


def tensordot(a, b, axes=2):
    """The sum of products over several axes of both, as `numpy.tensordot`.

    Parameters
    ----------
    a, b : GPUArray
    axes : int or pair of sequences of int
        So many last axes of `a` with as many first ones of `b`; or which of `a` with which of `b`.
    """
    if hasattr(axes, "__index__"):
        count = operator.index(axes)
        if not 0 <= count <= min(a.ndim, b.ndim):
            raise ValueError(f"tensordot over {count} axes of arrays with {a.ndim} and {b.ndim}")
        a_axes, b_axes = list(range(a.ndim - count, a.ndim)), list(range(count))
    else:
        a_axes, b_axes = ([one] if hasattr(one, "__index__") else list(one) for one in axes)
        a_axes = [_axis(axis, a.ndim) for axis in a_axes]
        b_axes = [_axis(axis, b.ndim) for axis in b_axes]
    if [a.shape[i] for i in a_axes] != [b.shape[i] for i in b_axes]:
        raise ValueError(f"tensordot: axes {a_axes} of {a.shape} and {b_axes} of {b.shape} do not fit")
    a_rest = [i for i in range(a.ndim) if i not in a_axes]
    b_rest = [i for i in range(b.ndim) if i not in b_axes]
    inner = 1
    for i in a_axes:
        inner *= a.shape[i]
    a_shape, b_shape = tuple(a.shape[i] for i in a_rest), tuple(b.shape[i] for i in b_rest)
    rows, columns = _size(a_shape), _size(b_shape)
    left = a.transpose(a_rest + a_axes).reshape((rows, inner))
    right = b.transpose(b_axes + b_rest).reshape((inner, columns))
    return matmul(left, right).reshape(a_shape + b_shape)


def _size(shape):
    size = 1
    for length in shape:
        size *= length
    return size


def vecdot(a, b, axis=-1):
    """The sums of the products of conjugated elements of `a` and those of `b` along an axis."""
    if a.shape[_axis(axis, a.ndim)] != b.shape[_axis(axis, b.ndim)]:
        raise ValueError(f"vecdot: {a.shape} and {b.shape} do not fit along axis {axis}")
    return _products_along(axis, a, b, np.result_type(a.dtype, b.dtype), "vdot", "vecdot")


def outer(a, b):
    """The products of each element of `a` with each of `b`, both flattened: shape ``(a.size, b.size)``.

    Examples
    --------
    >>> a, b = gpuarray.arange(2, dtype=np.int32), gpuarray.arange(3, dtype=np.int32)
    >>> gpuarray.outer(a, b)
    array([[0, 0, 0],
           [0, 1, 2]], dtype=int32)
    """
    return a.ravel()[:, None] * b.ravel()[None, :]


def matmul_operator(self, other):
    """``self @ other``."""
    if not isinstance(other, GPUArray):
        return NotImplemented
    return matmul(self, other)


def matmul_in_place(self, other):
    """``self @= other``."""
    product = self @ other
    if product is NotImplemented:
        return NotImplemented
    if product.shape != self.shape:
        raise ValueError(f"a product of shape {product.shape} does not fit an array of shape {self.shape}")
    if not np.can_cast(product.dtype, self.dtype, "same_kind"):
        raise TypeError(f"a product of dtype {product.dtype} cannot be stored in an array of dtype {self.dtype}")
    _array.copy(self, product, None)
    return self


def product(self, other, stream=None):
    """The product by NumPy's rules: of two vectors the sum of products (no conjugation), of matrices `matmul`.

    With more axes the sums are over the last axis of this array and the last but one of `other`, and the result
    has the other axes of both, one after the other. With an operand without axes, or a number, it is the product
    of elements. ValueError where the lengths do not fit.

    Examples
    --------
    >>> a = gpuarray.arange(3, dtype=np.float32)
    >>> float(a.dot(a))
    5.0
    """
    try:
        other_ndim = other.ndim
    except AttributeError:
        return self.dot(device(other), stream)
    if self.ndim == 0 or other_ndim == 0:
        return self * other
    if self.ndim == 1 and other_ndim == 1:
        if stream is None and self.dtype is other.dtype and self.shape == other.shape:
            return self._reduce_all("dot", other, False)
        return dot(self, other, self.dtype if self.dtype == other.dtype else None, stream)
    if other_ndim > 2:
        return tensordot(self, other, (-1, -2))
    return matmul(self, other)
