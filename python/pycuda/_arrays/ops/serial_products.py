# SPDX-License-Identifier: MIT
"""Matrix products where a block's threads run side by side in vectors, as on the CPU driver."""

import numpy as np

from pycuda._arrays.core.kernels import FUSED_SUM, compiled

# A block makes $2 rows of as many columns as it has threads. What a thread has of `b` serves all these rows, the
# elements of `a` are the same for all threads, and the sums stay in registers. Blocks along x share the columns of `b`,
# which stay in a core's cache from `first` to `last`; sums of further ones are added to what is there.
_TEXT = (
    """
typedef $0 T; typedef $1 A;
#define ROWS $2
"""
    + FUSED_SUM
    + """
extern "C" __global__ void matmul(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, i64 rows,
                                  i64 inner, i64 columns, i64 a_step, i64 b_step, i64 first, i64 last) {
  const i64 column = blockIdx.y * static_cast<i64>(blockDim.x) + threadIdx.x;
  const i64 row = blockIdx.x * static_cast<i64>(ROWS);
  if (column >= columns) return;
  a += blockIdx.z * a_step;
  b += blockIdx.z * b_step + column;
  c += blockIdx.z * rows * columns + column;
  A sum[ROWS];
  const T *line[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const i64 own = row + r < rows ? row + r : rows - 1;
    line[r] = a + own * inner;
    sum[r] = first != 0 ? cast<A>(c[own * columns]) : A();
  }
  for (i64 k = first; k < last; ++k) {
    const A factor = cast<A>(b[k * columns]);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) sum[r] = fused_sum(sum[r], cast<A>(line[r][k]), factor);
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r)
    if (row + r < rows) c[(row + r) * columns] = cast<T>(sum[r]);
}
"""
)
_ROWS = 8
_THREADS = 64
_MOST_BLOCKS = 65535  # along the grid's second and third axis
#: Of the columns of `b` that blocks share, so that they stay in a core's second cache.
_SHARED_BYTES = 256 << 10


def multiply(left, right, result, count, rows, inner, columns, a_step, b_step, name, wide):
    """`count` products of packed matrices into `result`; `name` and `wide` are the types stored and summed."""
    threads = next((few for few in (16, 32) if columns <= few), _THREADS)
    if columns > _MOST_BLOCKS * threads:
        raise NotImplementedError(f"matmul of more than {_MOST_BLOCKS * threads} columns: {left.shape}, {right.shape}")
    kernel = compiled("matmul", _TEXT, name, wide, str(_ROWS))
    # What is summed in a wider type is not put down in between.
    most = inner if name != wide else max(_SHARED_BYTES // (threads * result.dtype.itemsize), 1)
    parts = -(-inner // most)
    bounds = [inner * part // parts for part in range(parts + 1)]
    flat = [one.reshape(-1) for one in (left, right, result)]
    steps = a_step, b_step, rows * columns
    sizes = [np.int64(number) for number in (rows, inner, columns, a_step, b_step)]
    for stacked in range(0, count, _MOST_BLOCKS):
        grid = (-(-rows // _ROWS), -(-columns // threads), min(count - stacked, _MOST_BLOCKS))
        arrays = [one[stacked * step :] for one, step in zip(flat, steps)]
        for first, last in zip(bounds, bounds[1:]):
            kernel(*arrays, *sizes, np.int64(first), np.int64(last), block=(threads, 1, 1), grid=grid)
