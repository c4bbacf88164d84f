# SPDX-License-Identifier: MIT
"""Sorting device arrays: stable merge sorts of rows, of any dtype, along any axis.

Notes
-----
On a GPU a block sorts a tile in shared memory; then pairs of sorted runs are merged, each block
finding by bisection (the merge path) which parts of both make its tile of the result. On a processor
each thread sorts a chunk by itself, and merges the same way without waiting for others. NaN comes
last, as NumPy has it, or first in descending order.
"""

import numpy as np

from pycuda import _driver
from pycuda._arrays.creation import GPUArray
from pycuda._arrays.kernels import compiled, is_cpu, type_name
from pycuda._arrays.shapes import _axis

_array = _driver._array

_ORDER = """
typedef $0 T;
#define POSITIONS $1
#define DESCENDING $2
template <class K> FN bool ordered(K a, K b) {
  if constexpr (same<K, f16> || same<K, bf16>) return ordered(widened(a), widened(b));
  else if constexpr (is_cx<K>) {
    if (a.re < b.re) return a.im == a.im || b.im != b.im;
    if (b.re < a.re) return b.im != b.im && a.im == a.im;
    if (a.re == b.re || (a.re != a.re && b.re != b.re)) return ordered(a.im, b.im);
    return b.re != b.re;
  }
  else if constexpr (is_float<K>) return a < b || (b != b && a == a);
  else return a < b;
}
FN bool before(const T& a, const T& b) { return DESCENDING ? ordered(b, a) : ordered(a, b); }
struct Item {
  T key;
#if POSITIONS
  i64 at;
#endif
};
FN Item item_of(const T* keys, const i64* at, i64 i) {
#if POSITIONS
  return {keys[i], at[i]};
#else
  return {keys[i]};
#endif
}
FN Item first_item(const T* keys, i64 i, i64 at) {
#if POSITIONS
  return {keys[i], at};
#else
  return {keys[i]};
#endif
}
FN void put_item(T* keys, i64* at, i64 i, const Item& item) {
  keys[i] = item.key;
#if POSITIONS
  at[i] = item.at;
#endif
}
FN i64 least(i64 a, i64 b) { return a < b ? a : b; }
"""

_TILES = (
    _ORDER
    + """
#define THREADS 256
#define ITEMS 4
#define TILE (THREADS * ITEMS)
// How many of the first `diagonal` merged items come from a (those go first among equals).
FN int split(const Item* a, int a_count, const Item* b, int b_count, int diagonal) {
  int low = diagonal > b_count ? diagonal - b_count : 0, high = diagonal < a_count ? diagonal : a_count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (before(b[diagonal - 1 - middle].key, a[middle].key)) high = middle; else low = middle + 1;
  }
  return low;
}
FN void merge_items(const Item* a, int a_count, const Item* b, int b_count, int diagonal, int count, Item* result) {
  int i = split(a, a_count, b, b_count, diagonal), j = diagonal - i;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    if (k >= count) break;
    const bool from_b = i >= a_count || (j < b_count && before(b[j].key, a[i].key));
    result[k] = from_b ? b[j++] : a[i++];
  }
}
extern "C" __global__ void __launch_bounds__(THREADS) sort_tiles(const T* keys, T* out_keys, i64* out_at, i64 length,
                                                                 i64 tiles) {
  __shared__ __align__(16) unsigned char room[TILE * sizeof(Item)];
  Item* const shared = reinterpret_cast<Item*>(room);
  const i64 row = blockIdx.x / tiles, start = (blockIdx.x - row * tiles) * TILE, base = row * length + start;
  const int count = static_cast<int>(least(TILE, length - start)), first = threadIdx.x * ITEMS;
  for (int k = threadIdx.x; k < count; k += THREADS) shared[k] = first_item(keys, base + k, start + k);
  __syncthreads();
  const int have = count - first < ITEMS ? count - first : ITEMS;
  Item mine[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) if (k < have) mine[k] = shared[first + k];
#pragma unroll
  for (int round = 0; round < ITEMS; ++round) {
#pragma unroll
    for (int k = round & 1; k + 1 < ITEMS; k += 2) {
      if (k + 1 < have && before(mine[k + 1].key, mine[k].key)) {
        const Item held = mine[k]; mine[k] = mine[k + 1]; mine[k + 1] = held;
      }
    }
  }
  for (int width = ITEMS; width < TILE; width *= 2) {
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) if (k < have) shared[first + k] = mine[k];
    __syncthreads();
    const int left = first / (2 * width) * (2 * width);
    const int middle = left + width < count ? left + width : count;
    const int end = left + 2 * width < count ? left + 2 * width : count;
    if (have > 0) merge_items(shared + left, middle - left, shared + middle, end - middle, first - left, have, mine);
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) if (k < have) shared[first + k] = mine[k];
  __syncthreads();
  for (int k = threadIdx.x; k < count; k += THREADS) put_item(out_keys, out_at, base + k, shared[k]);
}
extern "C" __global__ void __launch_bounds__(THREADS) merge_runs(const T* keys, const i64* at, T* out_keys,
                                                                 i64* out_at, i64 length, i64 tiles, i64 width) {
  __shared__ __align__(16) unsigned char room[TILE * sizeof(Item)];
  __shared__ i64 splits[2];
  Item* const shared = reinterpret_cast<Item*>(room);
  const i64 row = blockIdx.x / tiles, start = (blockIdx.x - row * tiles) * TILE, base = row * length;
  const i64 left = start / (2 * width) * (2 * width), middle = least(left + width, length);
  const i64 end = least(left + 2 * width, length);
  const i64 begin = start - left, finish = least(begin + TILE, end - left);
  const T* const a = keys + base + left;
  const T* const b = keys + base + middle;
  if (threadIdx.x < 2) {
    const i64 diagonal = threadIdx.x == 0 ? begin : finish, a_count = middle - left, b_count = end - middle;
    i64 low = diagonal > b_count ? diagonal - b_count : 0, high = least(diagonal, a_count);
    while (low < high) {
      const i64 half = (low + high) / 2;
      if (before(b[diagonal - 1 - half], a[half])) high = half; else low = half + 1;
    }
    splits[threadIdx.x] = low;
  }
  __syncthreads();
  const int count = static_cast<int>(finish - begin), a_count = static_cast<int>(splits[1] - splits[0]);
  const i64 a_first = base + left + splits[0], b_first = base + middle + (begin - splits[0]);
  for (int k = threadIdx.x; k < count; k += THREADS) {
    shared[k] = item_of(keys, at, k < a_count ? a_first + k : b_first + (k - a_count));
  }
  __syncthreads();
  const int first = threadIdx.x * ITEMS, have = count - first < ITEMS ? count - first : ITEMS;
  Item mine[ITEMS];
  if (have > 0) merge_items(shared, a_count, shared + a_count, count - a_count, first, have, mine);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) if (k < have) shared[first + k] = mine[k];
  __syncthreads();
  for (int k = threadIdx.x; k < count; k += THREADS) put_item(out_keys, out_at, base + start + k, shared[k]);
}
"""
)
_TILE = 1024

_CHUNKS = (
    _ORDER
    + """
#define CHUNK 4096
#define RUN 16
FN void merge(const T* keys, const i64* at, i64 a, i64 a_end, i64 b, i64 b_end, T* out_keys, i64* out_at, i64 out,
              i64 count) {
  for (i64 k = 0; k < count; ++k) {
    const bool from_b = a >= a_end || (b < b_end && before(keys[b], keys[a]));
    put_item(out_keys, out_at, out + k, item_of(keys, at, from_b ? b++ : a++));
  }
}
extern "C" __global__ void sort_chunks(const T* keys, T* out_keys, i64* out_at, T* spare_keys, i64* spare_at,
                                       i64 length, i64 chunks, i64 all) {
  const i64 number = blockIdx.x * static_cast<i64>(blockDim.x) + threadIdx.x;
  if (number >= all) return;
  const i64 row = number / chunks, start = (number - row * chunks) * CHUNK, base = row * length + start;
  const i64 count = least(CHUNK, length - start);
  int rounds = 0;
  for (i64 width = RUN; width < count; width *= 2) ++rounds;
  // The last round ends in the output.
  T* to_keys = rounds % 2 == 0 ? out_keys : spare_keys;
  i64* to_at = rounds % 2 == 0 ? out_at : spare_at;
  for (i64 left = 0; left < count; left += RUN) {
    const i64 end = least(left + RUN, count);
    for (i64 i = left; i < end; ++i) {
      const Item item = first_item(keys, base + i, start + i);
      i64 j = i;
      for (; j > left && before(item.key, to_keys[base + j - 1]); --j) {
        put_item(to_keys, to_at, base + j, item_of(to_keys, to_at, base + j - 1));
      }
      put_item(to_keys, to_at, base + j, item);
    }
  }
  for (i64 width = RUN; width < count; width *= 2) {
    T* const from_keys = to_keys;
    i64* const from_at = to_at;
    to_keys = to_keys == out_keys ? spare_keys : out_keys;
    to_at = to_keys == out_keys ? out_at : spare_at;
    for (i64 left = 0; left < count; left += 2 * width) {
      const i64 middle = least(left + width, count), end = least(left + 2 * width, count);
      merge(from_keys, from_at, base + left, base + middle, base + middle, base + end, to_keys, to_at, base + left,
            end - left);
    }
  }
}
extern "C" __global__ void merge_chunks(const T* keys, const i64* at, T* out_keys, i64* out_at, i64 length,
                                        i64 chunks, i64 width, i64 all) {
  const i64 number = blockIdx.x * static_cast<i64>(blockDim.x) + threadIdx.x;
  if (number >= all) return;
  const i64 row = number / chunks, start = (number - row * chunks) * CHUNK, base = row * length;
  const i64 left = start / (2 * width) * (2 * width), middle = least(left + width, length);
  const i64 end = least(left + 2 * width, length), diagonal = start - left;
  const i64 count = least(CHUNK, end - start), b_count = end - middle;
  i64 low = diagonal > b_count ? diagonal - b_count : 0, high = least(diagonal, middle - left);
  while (low < high) {
    const i64 half = (low + high) / 2;
    if (before(keys[base + middle + diagonal - 1 - half], keys[base + left + half])) high = half; else low = half + 1;
  }
  merge(keys, at, base + left + low, base + middle, base + middle + diagonal - low, base + end, out_keys, out_at,
        base + start, count);
}
"""
)
_CHUNK = 4096
_POSITION = np.dtype(np.int64)


def _sort_rows(rows, length, keys, positions, descending):
    """Sorted keys, and where they were if `positions`, of contiguous `keys` of rows of one length."""
    cpu = is_cpu()
    types = type_name(keys.dtype), "1" if positions else "0", "1" if descending else "0"
    text, tile = (_CHUNKS, _CHUNK) if cpu else (_TILES, _TILE)
    tiles = -(-length // tile)
    merges = 0
    while tile << merges < length:
        merges += 1

    nothing = np.uintp(0)

    def room(wanted):
        values = GPUArray(keys.shape, keys.dtype) if wanted else nothing
        return values, GPUArray(keys.shape, _POSITION) if wanted and positions else nothing

    result, spare = room(True), room(merges > 0 or (cpu and length > 16))
    sizes = np.int64(length), np.int64(tiles)
    number = np.int64(rows * tiles)
    shape = {"grid": (rows * tiles, 1), "block": (256, 1, 1)}
    if cpu:
        shape = {"grid": (rows * tiles, 1), "block": (1, 1, 1)}
    target, other = (result, spare) if merges % 2 == 0 else (spare, result)
    if cpu:
        compiled("sort_chunks", text, *types)(keys, *target, *other, *sizes, number, **shape)
    else:
        compiled("sort_tiles", text, *types)(keys, *target, *sizes, **shape)
    width = tile
    while width < length:
        if cpu:
            compiled("merge_chunks", text, *types)(*target, *other, *sizes, np.int64(width), number, **shape)
        else:
            compiled("merge_runs", text, *types)(*target, *other, *sizes, np.int64(width), **shape)
        target, other = other, target
        width *= 2
    return target


def rows_of(a, axis, dtype=None):
    """A contiguous array (new, or `a` itself) with the axis last, and the order that puts it back."""
    order = [i for i in range(a.ndim) if i != axis] + [axis]
    moved = a.transpose(order) if axis != a.ndim - 1 else a
    dtype = a.dtype if dtype is None else dtype
    if not _array.contiguity(moved)[0] or moved.dtype != dtype:
        dense = GPUArray(moved.shape, dtype)
        _array.copy(dense, moved, None)
        moved = dense
    return moved, [order.index(i) for i in range(a.ndim)]


def _sorted(a, axis, positions, descending):
    type_name(a.dtype)
    if axis is None:
        a, axis = a.ravel(), 0
    if not a.ndim:
        raise np.exceptions.AxisError(axis, 0)
    axis = _axis(axis, a.ndim)
    if not a.size:
        return GPUArray(a.shape, a.dtype), GPUArray(a.shape, _POSITION)
    keys, back = rows_of(a, axis)
    values, at = _sort_rows(a.size // a.shape[axis], a.shape[axis], keys, positions, descending)
    return values.transpose(back), at.transpose(back) if positions else None


def sort(a, axis=-1, *, descending=False, stable=True):
    """The elements in order along an axis (None: of the flattened array): a new array.

    Equal elements keep their order whatever `stable` says; NaN is behind all numbers, or before them
    in descending order.
    """
    return _sorted(a, axis, False, descending)[0]


def argsort(a, axis=-1, *, descending=False, stable=True):
    """The int64 positions of the elements in order along an axis; equal ones keep their order."""
    return _sorted(a, axis, True, descending)[1]
