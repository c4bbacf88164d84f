# SPDX-License-Identifier: MIT
"""Running sums and products along an axis, and the positions of true elements, which are made with them."""

import numpy as np

from pycuda import _driver
from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.core.kernels import compiled
from pycuda._arrays.core.shapes import _along_one
from pycuda._arrays.ops.reductions import _sum_dtype, delivered

_array = _driver._array
_POSITION = np.dtype(np.int64)


def _running(name, a, axis, dtype, out):
    a, axis = _along_one(a, axis)
    dtype = _sum_dtype(a.dtype) if dtype is None else np.dtype(dtype)
    result = _array.empty_like(a, dtype, "C")
    if a.size:
        _array.scan(name, a, axis, dtype, result, None)
    return delivered(result, out, casting="unsafe")  # as NumPy's


def cumsum(a, axis=None, dtype=None, out=None):
    """The sums of all elements up to each, along an axis (None: of the flattened array).

    Integers that are smaller than 64 bits are summed in 64 bits, as by NumPy.

    Examples
    --------
    >>> gpuarray.cumsum(gpuarray.arange(5, dtype=np.int64))
    array([ 0,  1,  3,  6, 10])
    """
    return _running("sum", a, axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    """The products of all elements up to each, along an axis (None: of the flattened array)."""
    return _running("prod", a, axis, dtype, out)


def cummax(a, axis=None, dtype=None, out=None):
    """The largest of all elements up to each, along an axis (None: of the flattened array), in the array's dtype."""
    return _running("max", a, axis, a.dtype if dtype is None else dtype, out)


def cummin(a, axis=None, dtype=None, out=None):
    """The smallest of all elements up to each, along an axis (None: of the flattened array), in the array's dtype."""
    return _running("min", a, axis, a.dtype if dtype is None else dtype, out)


# Tiles are counted, the counts become where each tile's positions begin, and each tile writes its own. On a
# processor a tile is one thread's work.
_PLACES = """
#define ALONE $0
#define TILE $1
#define THREADS 256
#if ALONE
extern "C" __global__ void __launch_bounds__(1) count_true(const u8* mask, i64* counts, i64 n) {
  const i64 first = blockIdx.x * static_cast<i64>(TILE), last = first + TILE < n ? first + TILE : n;
  int count = 0;
  for (i64 i = first; i < last; ++i) count += mask[i] != 0;
  counts[blockIdx.x] = count;
}
extern "C" __global__ void __launch_bounds__(1) place_true(const u8* mask, const i64* ends, i64* places, i64 n) {
  const i64 first = blockIdx.x * static_cast<i64>(TILE), last = first + TILE < n ? first + TILE : n;
  i64 place = blockIdx.x == 0 ? 0 : ends[blockIdx.x - 1];
  const i64 end = ends[blockIdx.x];
  // What is written for an element that is not true is overwritten: no branch that cannot be foretold.
  for (i64 i = first; i < last && place < end; ++i) {
    places[place] = i;
    place += mask[i] != 0;
  }
}
#else
#define ITEMS (TILE / THREADS)
extern "C" __global__ void __launch_bounds__(THREADS) count_true(const u8* mask, i64* counts, i64 n) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  int mine = 0;
  for (int k = 0; k < ITEMS; ++k) {
    const i64 i = blockIdx.x * static_cast<i64>(TILE) + k * THREADS + threadIdx.x;
    mine += i < n && mask[i] != 0;
  }
  atomicAdd(&count, mine);
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
}
extern "C" __global__ void __launch_bounds__(THREADS) place_true(const u8* mask, const i64* ends, i64* places, i64 n) {
  __shared__ u8 tile[TILE];
  __shared__ int up_to[THREADS];
  const i64 first = blockIdx.x * static_cast<i64>(TILE);
  for (int k = threadIdx.x; k < TILE; k += THREADS) tile[k] = first + k < n && mask[first + k] != 0;
  __syncthreads();
  const int start = threadIdx.x * ITEMS;
  int mine = 0;
  for (int k = 0; k < ITEMS; ++k) mine += tile[start + k];
  up_to[threadIdx.x] = mine;
  for (int apart = 1; apart < THREADS; apart *= 2) {
    __syncthreads();
    const int left = threadIdx.x >= apart ? up_to[threadIdx.x - apart] : 0;
    __syncthreads();
    up_to[threadIdx.x] += left;
  }
  i64 place = (blockIdx.x == 0 ? 0 : ends[blockIdx.x - 1]) + up_to[threadIdx.x] - mine;
  for (int k = 0; k < ITEMS; ++k) {
    if (tile[start + k]) places[place++] = first + start + k;
  }
}
#endif
"""
_SERIAL_TILE, _PARALLEL_TILE = 4096, 2048


def positions_of_true(mask):
    """The positions of the true elements of a bool array, counted in C order: int64, in order."""
    if not mask.size:
        return GPUArray((0,), _POSITION)
    flat = mask.ravel()
    if not _array.contiguity(flat)[0]:
        flat = flat.copy()
    serial = _driver._device_traits().serial_threads
    tile = _SERIAL_TILE if serial else _PARALLEL_TILE
    types = "1" if serial else "0", str(tile)
    tiles = -(-flat.size // tile)
    shape = {"grid": (tiles, 1), "block": (1 if serial else 256, 1, 1)}
    counts, ends = GPUArray((tiles,), _POSITION), GPUArray((tiles,), _POSITION)
    compiled("count_true", _PLACES, *types)(flat, counts, np.int64(flat.size), **shape)
    _array.scan("sum", counts, 0, _POSITION, ends, None)
    found = int(ends[-1:].get()[0])
    places = GPUArray((found,), _POSITION)
    if found:
        compiled("place_true", _PLACES, *types)(flat, ends, places, np.int64(flat.size), **shape)
    return places
