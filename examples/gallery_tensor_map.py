# SPDX-License-Identifier: MIT
"""A matrix transposed by the copy unit: tensor maps bring tiles into shared memory and take them back.

Needs compute capability 9.0. The CPU driver claims it when PYCUDA_CPU_ARCH says so.
"""

import os
import time

import numpy as np

os.environ.setdefault("PYCUDA_CPU_ARCH", "90")
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

TILE, ROWS, COLUMNS = 32, 1000, 1500  # no multiples of a tile: the copies leave out what is outside

if not pycuda.autoinit.device.get_attribute(cuda.device_attribute.TENSOR_MAP_ACCESS_SUPPORTED):
    raise SystemExit("this program needs a device with tensor maps: compute capability 9.0 or newer")

module = SourceModule(
    """
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda.h>
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

// A row of a tile has 128 bytes. In shared memory the maps exchange its pieces of 16 bytes by the row's number, so that
// threads that read a column use different banks.
__device__ int at(int row, int column) { return row * TILE + (column ^ (row % 8 * 4)); }

extern "C" __global__ void transpose(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to)
{
  __shared__ alignas(1024) float in[TILE * TILE], out[TILE * TILE];
  #pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier arrived;
  const int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
  if (threadIdx.x == 0) {
    init(&arrived, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    const int corner[] = {x, y};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, in, &from, corner,
                              cuda::device::barrier_native_handle(arrived));
    arrived.wait(cuda::device::barrier_arrive_tx(arrived, 1, sizeof in));
  }
  __syncthreads();  // the tile is there

  for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x)
    out[at(i / TILE, i % TILE)] = in[at(i % TILE, i / TILE)];
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    const int corner[] = {y, x};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, corner, out);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});  // shared memory stays until it has been read
  }
}
""".replace("TILE", str(TILE)),
    no_extern_c=True,
)
transpose = module.get_function("transpose")

matrix = np.random.default_rng(0).random((ROWS, COLUMNS), np.float32)
matrix_gpu, result_gpu = gpuarray.to_gpu(matrix), gpuarray.zeros((COLUMNS, ROWS), np.float32)
swizzle = cuda.tensor_map_swizzle.SWIZZLE_128B
source = cuda.TensorMap.tiled(matrix_gpu, box=(TILE, TILE), swizzle=swizzle)
target = cuda.TensorMap.tiled(result_gpu, box=(TILE, TILE), swizzle=swizzle)

grid = (-(-COLUMNS // TILE), -(-ROWS // TILE))
device_seconds = min(transpose(source, target, block=(256, 1, 1), grid=grid, time_kernel=True) for _ in range(3))

start = time.perf_counter()
expected = np.ascontiguousarray(matrix.T)
numpy_seconds = time.perf_counter() - start
assert (result_gpu.get() == expected).all()

print(f"{ROWS} x {COLUMNS} floats in tiles of {TILE} x {TILE}")
print(f"device {device_seconds * 1e3:.3f} ms, NumPy {numpy_seconds * 1e3:.3f} ms")
