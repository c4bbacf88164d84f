# SPDX-License-Identifier: MIT
"""A histogram with more bins than a block's shared memory holds: the blocks of a cluster share theirs.

Needs compute capability 9.0. The CPU driver claims it when PYCUDA_CPU_ARCH says so.
"""

import os
import time
from typing import Any

import numpy as np

os.environ.setdefault("PYCUDA_CPU_ARCH", "90")
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

BINS, CLUSTER, BLOCKS, THREADS, COUNT = 32768, 4, 16, 256, 1 << 18

if not pycuda.autoinit.device.get_attribute(cuda.device_attribute.CLUSTER_LAUNCH):
    raise SystemExit("this program needs a device with clusters of blocks: compute capability 9.0 or newer")

module = SourceModule("""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Each block of a cluster counts `bins_per_block` of the bins, for all of its blocks.
extern "C" __global__ void histogram(unsigned *out, const unsigned *values, int count, int bins_per_block)
{
  extern __shared__ unsigned bins[];
  const cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x) bins[i] = 0;
  cluster.sync();  // all bins are zero before anyone counts

  const int bin_count = bins_per_block * cluster.num_blocks();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const unsigned bin = values[i] % bin_count;
    unsigned *theirs = cluster.map_shared_rank(bins, bin / bins_per_block);
    atomicAdd(theirs + bin % bins_per_block, 1);
  }
  cluster.sync();  // nobody leaves while others may still count here

  unsigned *own = out + cluster.block_rank() * bins_per_block;
  for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
    if (bins[i] != 0) atomicAdd(own + i, bins[i]);
}
""", no_extern_c=True)
histogram = module.get_function("histogram")
shared = BINS // CLUSTER * 4

values = np.random.default_rng(0).integers(0, 1 << 32, COUNT, np.uint32)
values_gpu, out_gpu = cuda.to_device(values), cuda.mem_alloc(BINS * 4)


def run(**options: Any) -> Any:
    cuda.memset_d32(out_gpu, 0, BINS)
    return histogram(out_gpu, values_gpu, np.int32(COUNT), np.int32(BINS // CLUSTER), block=(THREADS, 1, 1),
                     grid=(BLOCKS, 1), shared=shared, cluster=(CLUSTER, 1, 1), **options)


device_seconds = min(run(time_kernel=True) for _ in range(3))
counts = np.empty(BINS, np.uint32)
cuda.memcpy_dtoh(counts, out_gpu)

start = time.perf_counter()
expected = np.bincount(values % BINS, minlength=BINS)
numpy_seconds = time.perf_counter() - start
assert (counts == expected).all()

print(f"{COUNT} values in {BINS} bins: {BLOCKS // CLUSTER} clusters of {CLUSTER} blocks, "
      f"{shared // 1024} KiB of shared memory in each")
print(f"device {device_seconds * 1e3:.3f} ms, NumPy {numpy_seconds * 1e3:.3f} ms")
