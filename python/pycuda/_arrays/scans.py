# SPDX-License-Identifier: MIT
"""Running sums and products along an axis, and what is made with them: positions of true elements.

Notes
-----
Rows are cut into tiles: their totals first, then the totals' own scan, then each tile from what
precedes it. On a processor a tile is one thread's work.
"""

import numpy as np

from pycuda import _driver
from pycuda._arrays.array import GPUArray
from pycuda._arrays.kernels import compiled, is_cpu, type_name
from pycuda._arrays.reductions import _sum_dtype
from pycuda._arrays.shapes import _axis
from pycuda._arrays.sorting import rows_of

_array = _driver._array

_TEXT = """
typedef $0 In; typedef $1 T; typedef $2 Out;
#define ALONE $3
#define TILE $4
#define THREADS 256
FN T combined(T a, T b) { return static_cast<T>($5); }
FN T neutral() { return $6; }
FN i64 least(i64 a, i64 b) { return a < b ? a : b; }
struct Tile { i64 row, start, base, count; };
FN Tile tile_of(i64 number, i64 length, i64 tiles) {
  const i64 row = number / tiles, start = (number - row * tiles) * TILE;
  return {row, start, row * length + start, least(TILE, length - start)};
}
#if ALONE
extern "C" __global__ void tile_totals(const In* in, T* totals, i64 length, i64 tiles, i64 all) {
  const i64 number = blockIdx.x * static_cast<i64>(blockDim.x) + threadIdx.x;
  if (number >= all) return;
  const Tile tile = tile_of(number, length, tiles);
  T sum = neutral();
  for (i64 i = 0; i < tile.count; ++i) sum = combined(sum, cast<T>(in[tile.base + i]));
  totals[number] = sum;
}
// What precedes a tile is before[number - 1], of its own row.
#define SCAN_TILE(EMIT)                                                                      \\
  const i64 number = blockIdx.x * static_cast<i64>(blockDim.x) + threadIdx.x;                \\
  if (number >= all) return;                                                                 \\
  const Tile tile = tile_of(number, length, tiles);                                          \\
  T sum = tile.start > 0 ? before[number - 1] : neutral();                                   \\
  for (i64 k = 0; k < tile.count; ++k) {                                                     \\
    const i64 i = tile.base + k;                                                             \\
    const T element = cast<T>(in[i]), previous = sum;                                        \\
    sum = combined(sum, element);                                                            \\
    EMIT;                                                                                    \\
  }
#else
#define ITEMS (TILE / THREADS)
// Totals of threads become the combination of all up to each thread.
FN void scan_threads(T* shared, T mine) {
  shared[threadIdx.x] = mine;
  for (int apart = 1; apart < THREADS; apart *= 2) {
    __syncthreads();
    const T left = threadIdx.x >= apart ? shared[threadIdx.x - apart] : neutral();
    __syncthreads();
    if (threadIdx.x >= apart) shared[threadIdx.x] = combined(left, shared[threadIdx.x]);
  }
  __syncthreads();
}
extern "C" __global__ void __launch_bounds__(THREADS) tile_totals(const In* in, T* totals, i64 length, i64 tiles,
                                                                  i64 all) {
  __shared__ __align__(16) unsigned char room[THREADS * sizeof(T)];
  T* const shared = reinterpret_cast<T*>(room);
  for (i64 number = blockIdx.x; number < all; number += gridDim.x) {
    const Tile tile = tile_of(number, length, tiles);
    T sum = neutral();
    // The operation may depend on the order only in its rounding: neighbours by neighbours.
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      const i64 i = k * THREADS + static_cast<i64>(threadIdx.x);
      if (i < tile.count) sum = combined(sum, cast<T>(in[tile.base + i]));
    }
    scan_threads(shared, sum);
    if (threadIdx.x == 0) totals[number] = shared[THREADS - 1];
    __syncthreads();
  }
}
#define SCAN_TILE(EMIT)                                                                      \\
  __shared__ __align__(16) unsigned char room[THREADS * sizeof(T)];                          \\
  __shared__ __align__(16) unsigned char elements_room[TILE * sizeof(In)];                   \\
  T* const shared = reinterpret_cast<T*>(room);                                              \\
  In* const elements = reinterpret_cast<In*>(elements_room);                                 \\
  for (i64 number = blockIdx.x; number < all; number += gridDim.x) {                         \\
    const Tile tile = tile_of(number, length, tiles);                                        \\
    for (i64 k = threadIdx.x; k < tile.count; k += THREADS) elements[k] = in[tile.base + k]; \\
    __syncthreads();                                                                         \\
    const i64 first = static_cast<i64>(threadIdx.x) * ITEMS;                                 \\
    const i64 last = least(first + ITEMS, tile.count);                                       \\
    T total = neutral();                                                                     \\
    for (i64 k = first; k < last; ++k) total = combined(total, cast<T>(elements[k]));        \\
    scan_threads(shared, total);                                                             \\
    T sum = tile.start > 0 ? before[number - 1] : neutral();                                 \\
    if (threadIdx.x > 0) sum = combined(sum, shared[threadIdx.x - 1]);                       \\
    for (i64 k = first; k < last; ++k) {                                                     \\
      const i64 i = tile.base + k;                                                           \\
      const T element = cast<T>(elements[k]), previous = sum;                                \\
      sum = combined(sum, element);                                                          \\
      EMIT;                                                                                  \\
    }                                                                                        \\
    __syncthreads();                                                                         \\
  }
#endif
extern "C" __global__ void scan_tiles(const In* in, const T* before, Out* out, i64 length, i64 tiles, i64 all) {
  SCAN_TILE(static_cast<void>(previous); out[i] = cast<Out>(sum))
}
"""

_PLACES_TEXT = (
    _TEXT
    + """
extern "C" __global__ void place_true(const In* in, const T* before, Out* out, i64 length, i64 tiles, i64 all) {
  SCAN_TILE(if (element != 0) out[previous] = i)
}
"""
)

_SUM = "a + b", "T()"
_PRODUCT = "a * b", "one<T>()"
_WIDE = {"f16": "f32", "bf16": "f32"}
_CPU_TILE, _GPU_TILE = 4096, 1024
_POSITION = np.dtype(np.int64)


def _launch(kernel, cpu, arrays, length, tiles, count):
    sizes = np.int64(length), np.int64(tiles), np.int64(count)
    blocks = min(count, 2**31 - 1)
    kernel(*arrays, *sizes, grid=(blocks, 1), block=(1 if cpu else 256, 1, 1))


def _totals_before(text, types, rows, length, computed, cpu, source):
    """For each tile, the scan of the totals of its row up to and with it; the number of tiles of a row."""
    tile = _CPU_TILE if cpu else _GPU_TILE
    tiles = -(-length // tile)
    if tiles == 1:
        return np.uintp(0), tiles, None
    totals = GPUArray((rows, tiles), computed)
    _launch(compiled("tile_totals", text, *types), cpu, (source, totals), length, tiles, rows * tiles)
    inner = (types[1], types[1], types[1], *types[3:])
    before = GPUArray((rows, tiles), computed)
    _scan_rows(inner, rows, tiles, computed, cpu, totals, before)
    return before, tiles, totals


def _scan_rows(types, rows, length, computed, cpu, source, target):
    before, tiles, totals = _totals_before(_TEXT, types, rows, length, computed, cpu, source)
    _launch(compiled("scan_tiles", _TEXT, *types), cpu, (source, before, target), length, tiles, rows * tiles)
    return totals


def _types(stored, result, operation, cpu):
    wide = _WIDE.get(type_name(result), type_name(result))
    tile = str(_CPU_TILE if cpu else _GPU_TILE)
    return type_name(stored), wide, type_name(result), "1" if cpu else "0", tile, *operation


def _scan(a, axis, dtype, out, operation):
    if axis is None:
        a, axis = a.ravel(), 0
    axis = _axis(axis, a.ndim)
    dtype = _sum_dtype(a.dtype) if dtype is None else np.dtype(dtype)
    if out is not None and (out.shape != a.shape or out.dtype != dtype):
        raise ValueError(
            f"out has shape {out.shape} and dtype {out.dtype}, the result has shape {a.shape} and dtype {dtype}"
        )
    cpu = is_cpu()
    types = _types(a.dtype, dtype, operation, cpu)
    if a.size:
        rows, back = rows_of(a, axis)
        result = GPUArray(rows.shape, dtype)
        computed = np.dtype(np.float32) if types[1] == "f32" else dtype
        length = a.shape[axis]
        _scan_rows(types, a.size // length, length, computed, cpu, rows, result)
        result = result.transpose(back)
    else:
        result = GPUArray(a.shape, dtype)
    if out is None:
        return result
    _array.copy(out, result, None)
    return out


def cumsum(a, axis=None, dtype=None, out=None):
    """The sums of all elements up to each, along an axis (None: of the flattened array).

    Integers that are smaller than 64 bits are summed in 64 bits, as by NumPy.
    """
    return _scan(a, axis, dtype, out, _SUM)


def cumprod(a, axis=None, dtype=None, out=None):
    """The products of all elements up to each, along an axis (None: of the flattened array)."""
    return _scan(a, axis, dtype, out, _PRODUCT)


def positions_of_true(mask):
    """The positions of the true elements of a bool array, counted in C order: int64, in order."""
    if not mask.size:
        return GPUArray((0,), _POSITION)
    flat = mask.ravel()
    if not _array.contiguity(flat)[0]:
        flat = flat.copy()
    cpu = is_cpu()
    types = _types(flat.dtype, _POSITION, _SUM, cpu)
    length = flat.size
    before, tiles, totals = _totals_before(_PLACES_TEXT, types, 1, length, _POSITION, cpu, flat)
    count = int((before.ravel()[-1:] if totals is not None else flat.sum()).get().sum())
    result = GPUArray((count,), _POSITION)
    if count:
        kernel = compiled("place_true", _PLACES_TEXT, *types)
        _launch(kernel, cpu, (flat, before, result), length, tiles, tiles)
    return result
