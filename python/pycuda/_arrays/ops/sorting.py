# SPDX-License-Identifier: MIT
"""Sorting device arrays: stable sorts of rows, of any dtype, along any axis.

Notes
-----
On a GPU a block sorts a tile in shared memory; then pairs of sorted runs are merged, each block
finding by bisection (the merge path) which parts of both make its tile of the result. On a processor
each thread sorts a run byte by byte, and the few runs are merged the same way. NaN comes last, as
NumPy has it, or first in descending order.
"""

import numpy as np

from pycuda import _driver
from pycuda._arrays.core.kernels import compiled, type_name
from pycuda._arrays.core.shapes import _along_one, _axis
from pycuda._arrays.ops.creation import GPUArray, packed

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

_RUNS = (
    _ORDER
    + """
#define TILE 4096
// What orders elements as integers do: equal for zeros of both signs, for all NaNs, and largest for these.
FN u64 rising(u64 bits, int size) { return bits >> (8 * size - 1) & 1 ? ~bits : bits | 1ull << (8 * size - 1); }
template <class K> FN u64 order_of(K v) {
  if constexpr (same<K, f16> || same<K, bf16>) {
    const f32 w = widened(v);
    return w != w ? 0xffff : w == 0 ? 0x8000 : rising(v.bits, 2) & 0xffff;
  }
  else if constexpr (same<K, f32>)
    return v != v ? 0xffffffff : v == 0 ? 0x80000000 : rising(__float_as_uint(v), 4) & 0xffffffff;
  else if constexpr (same<K, f64>) return v != v ? ~0ull : v == 0 ? 1ull << 63 : rising(__double_as_longlong(v), 8);
  else if constexpr (is_signed_integer<K>) return static_cast<u64>(v) ^ 1ull << (8 * sizeof(K) - 1);
  else return v;
}
// A byte of the order, the least significant one first.
template <class K> FN u32 digit(const K& v, int b) {
  u64 order;
  if constexpr (is_cx<K>) {
    // Real parts decide before imaginary ones, and NaNs before both.
    constexpr int half = sizeof(K) / 2;
    const u32 kind = (v.re != v.re ? 2 : 0) + (v.im != v.im ? 1 : 0);
    if (b == 2 * half) order = kind;
    else if (b < half) order = kind & 1 ? 0 : order_of(v.im) >> 8 * b;
    else order = kind & 2 ? 0 : order_of(v.re) >> 8 * (b - half);
  }
  else order = order_of(v) >> 8 * b;
  return (DESCENDING ? ~order : order) & 255;
}
constexpr int digits = is_cx<T> ? sizeof(T) + 1 : sizeof(T);
// A thread sorts a run of a row by its bytes (radix sort), so that equal elements keep their order.
extern "C" __global__ void __launch_bounds__(1) sort_runs(const T* keys, T* out_keys, i64* out_at,
                                                             T* spare_keys, i64* spare_at, i64 length, i64 run,
                                                             i64 runs) {
  const i64 row = blockIdx.x / runs, start = (blockIdx.x - row * runs) * run, base = row * length + start;
  const i64 count = least(run, length - start);
  if (count <= 32) {
    for (i64 i = 0; i < count; ++i) {
      const Item item = first_item(keys, base + i, start + i);
      i64 j = i;
      for (; j > 0 && before(item.key, out_keys[base + j - 1]); --j) {
        put_item(out_keys, out_at, base + j, item_of(out_keys, out_at, base + j - 1));
      }
      put_item(out_keys, out_at, base + j, item);
    }
    return;
  }
  u32 places[digits][256];
#pragma unroll 1
  for (int i = 0; i < digits * 256; ++i) places[0][i] = 0;
  for (i64 i = 0; i < count; ++i) {
    const T key = keys[base + i];
#pragma unroll
    for (int b = 0; b < digits; ++b) ++places[b][digit(key, b)];
  }
  int passes = 0;
#pragma unroll 1
  for (int b = 0; b < digits; ++b) passes += places[b][digit(keys[base], b)] != count;
  const T* from = keys + base;
#if POSITIONS
  const i64* from_at = nullptr;
#endif
  bool to_out = passes % 2 != 0;  // the last pass ends in the output
#pragma unroll 1
  for (int b = 0; b < digits; ++b) {
    u32* const place = places[b];
    if (place[digit(keys[base], b)] == count) continue;  // all the same
    u32 sum = 0;
#pragma unroll 1
    for (int d = 0; d < 256; ++d) { const u32 many = place[d]; place[d] = sum; sum += many; }
    T* const to = (to_out ? out_keys : spare_keys) + base;
#if POSITIONS
    i64* const to_at = (to_out ? out_at : spare_at) + base;
#endif
    for (i64 i = 0; i < count; ++i) {
      const T key = from[i];
      const u32 at = place[digit(key, b)]++;
      to[at] = key;
#if POSITIONS
      to_at[at] = from_at == nullptr ? start + i : from_at[i];
#endif
    }
    from = to;
#if POSITIONS
    from_at = to_at;
#endif
    to_out = !to_out;
  }
  if (passes != 0) return;
  for (i64 i = 0; i < count; ++i) put_item(out_keys, out_at, base + i, first_item(keys, base + i, start + i));
}
// A thread merges what comes to a tile of two sorted runs of `width` elements.
extern "C" __global__ void __launch_bounds__(1) merge_tiles(const T* keys, const i64* at, T* out_keys,
                                                               i64* out_at, i64 length, i64 width, i64 tiles) {
  const i64 row = blockIdx.x / tiles, start = (blockIdx.x - row * tiles) * TILE, base = row * length;
  const i64 left = start / (2 * width) * (2 * width), middle = least(left + width, length);
  const i64 end = least(left + 2 * width, length), diagonal = start - left;
  const i64 count = least(TILE, end - start), b_count = end - middle;
  i64 low = diagonal > b_count ? diagonal - b_count : 0, high = least(diagonal, middle - left);
  while (low < high) {
    const i64 half = (low + high) / 2;
    if (before(keys[base + middle + diagonal - 1 - half], keys[base + left + half])) high = half; else low = half + 1;
  }
  i64 a = base + left + low, b = base + middle + diagonal - low;
  const i64 a_end = base + middle, b_end = base + end;
  for (i64 k = 0; k < count; ++k) {
    const bool from_b = a >= a_end || (b < b_end && before(keys[b], keys[a]));
    put_item(out_keys, out_at, base + start + k, item_of(keys, at, from_b ? b++ : a++));
  }
}
"""
)
_MERGED_TILE = 4096
_POSITION = np.dtype(np.int64)


def _room(shape, dtype, positions):
    return GPUArray(shape, dtype), GPUArray(shape, _POSITION) if positions else np.uintp(0)


def _sort_in_blocks(rows, length, keys, positions, types):
    tiles = -(-length // _TILE)
    merges = max(tiles - 1, 0).bit_length()
    sizes = np.int64(length), np.int64(tiles)
    shape = {"grid": (rows * tiles, 1), "block": (256, 1, 1)}
    target = _room(keys.shape, keys.dtype, positions)
    other = _room(keys.shape, keys.dtype, positions) if merges else None
    compiled("sort_tiles", _TILES, *types)(keys, *target, *sizes, **shape)
    for merge in range(merges):
        compiled("merge_runs", _TILES, *types)(*target, *other, *sizes, np.int64(_TILE << merge), **shape)
        target, other = other, target
    return target


def _sort_in_threads(rows, length, keys, positions, types):
    # As many runs as keep all processors busy, for merging costs more than sorting.
    wanted = max(1, length >> 31, min(_driver._device_traits().multiprocessors // rows, length // (2 * _MERGED_TILE)))
    merges = (wanted - 1).bit_length()
    run = -(-length // (_MERGED_TILE << merges)) * _MERGED_TILE
    runs, tiles = -(-length // run), -(-length // _MERGED_TILE)
    one = {"block": (1, 1, 1)}
    target, other = _room(keys.shape, keys.dtype, positions), _room(keys.shape, keys.dtype, positions)
    compiled("sort_runs", _RUNS, *types)(
        keys, *target, *other, np.int64(length), np.int64(run), np.int64(runs), grid=(rows * runs, 1), **one
    )
    for merge in range(merges):
        compiled("merge_tiles", _RUNS, *types)(
            *target, *other, np.int64(length), np.int64(run << merge), np.int64(tiles), grid=(rows * tiles, 1), **one
        )
        target, other = other, target
    return target


def _sort_rows(rows, length, keys, positions, descending):
    """Sorted keys, and where they were if `positions`, of contiguous `keys` of rows of one length."""
    types = type_name(keys.dtype), "1" if positions else "0", "1" if descending else "0"
    sort = _sort_in_threads if _driver._device_traits().serial_threads else _sort_in_blocks
    return sort(rows, length, keys, positions, types)


def rows_of(a, axis, dtype=None):
    """A contiguous array (new, or `a` itself) with the axis last, and the order that puts it back."""
    order = [i for i in range(a.ndim) if i != axis] + [axis]
    moved = a.transpose(order) if axis != a.ndim - 1 else a
    return packed(moved, a.dtype if dtype is None else dtype), [order.index(i) for i in range(a.ndim)]


def _sorted(a, axis, positions, descending):
    type_name(a.dtype)
    if axis is not None and not positions:
        _axis(axis, a.ndim)  # NumPy's sort refuses axes of an array that has none, its argsort does not
    a, axis = _along_one(a, axis)
    if not a.size:
        return GPUArray(a.shape, a.dtype), GPUArray(a.shape, _POSITION)
    keys, back = rows_of(a, axis)
    values, at = _sort_rows(a.size // a.shape[axis], a.shape[axis], keys, positions, descending)
    return values.transpose(back), at.transpose(back) if positions else None


def sorting_arguments(kind, order):
    """ValueError for what NumPy's `kind` and `order` cannot be; whatever the kind, the sort here is stable."""
    if kind not in (None, "stable", "quicksort", "mergesort", "heapsort"):
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")


def sort(a, axis=-1, *, descending=False, stable=True):
    """The elements in order along an axis (None: of the flattened array): a new array.

    Equal elements keep their order whatever `stable` says; NaN is behind all numbers, or before them
    in descending order.

    Examples
    --------
    >>> gpuarray.sort(gpuarray.to_gpu(np.array([3, 1, 2], np.int32)))
    array([1, 2, 3], dtype=int32)
    """
    return _sorted(a, axis, False, descending)[0]


def sort_in_place(self, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """Put the elements in order along an axis, in place; equal ones keep their order, NaN is last.

    `kind` and `stable` are NumPy's, every kind is stable here; ValueError for an `order` of fields.
    """
    sorting_arguments(kind, order)
    _array.copy(self, sort(self, _axis(axis, self.ndim), descending=descending), None)


def argsort(a, axis=-1, *, descending=False, stable=True):
    """The int64 positions of the elements in order along an axis; equal ones keep their order.

    Examples
    --------
    >>> gpuarray.argsort(gpuarray.to_gpu(np.array([3, 1, 2], np.int32)))
    array([1, 2, 0])
    """
    return _sorted(a, axis, True, descending)[1]


def argsort_by_kind(self, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """The int64 positions of the elements in order along an axis (None: of the flattened array); see `sort`."""
    sorting_arguments(kind, order)
    return argsort(self, axis, descending=descending)
