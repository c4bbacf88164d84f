# SPDX-License-Identifier: MIT
"""Kernels made of CUB's block and warp algorithms and of libcu++'s barriers, compiled from CUDA's own headers."""

import importlib.util
import pathlib

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda.compiler import SourceModule
from pycuda.tools import clear_context_caches, make_default_context

SOURCE = """
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda/barrier>

extern "C" __global__ void block_reduce(const int *in, int *out) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage storage;
  const int total = Reduce(storage).Sum(in[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

extern "C" __global__ void block_scan(const int *in, int *out) {
  using Scan = cub::BlockScan<int, 128>;
  __shared__ typename Scan::TempStorage storage;
  const int i = blockIdx.x * 128 + threadIdx.x;
  int sum;
  Scan(storage).InclusiveSum(in[i], sum);
  out[i] = sum;
}

extern "C" __global__ void block_sort(const unsigned *in, unsigned *out) {
  using Sort = cub::BlockRadixSort<unsigned, 128, 4>;
  __shared__ typename Sort::TempStorage storage;
  unsigned keys[4];
  const int first = (blockIdx.x * 128 + threadIdx.x) * 4;
  for (int i = 0; i < 4; ++i) keys[i] = in[first + i];
  Sort(storage).Sort(keys);
  for (int i = 0; i < 4; ++i) out[first + i] = keys[i];
}

extern "C" __global__ void warp_reduce(const double *in, double *out) {
  using Reduce = cub::WarpReduce<double>;
  __shared__ typename Reduce::TempStorage storage[4];
  const int warp = threadIdx.x / 32;
  const double total = Reduce(storage[warp]).Sum(in[blockIdx.x * 128 + threadIdx.x]);
  if (threadIdx.x % 32 == 0) out[blockIdx.x * 4 + warp] = total;
}

// Each round every thread passes its number on to the next one.
extern "C" __global__ void pass_on(int *out, int rounds) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int cells[2][64];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  int mine = threadIdx.x;
  for (int round = 0; round < rounds; ++round) {
    cells[round % 2][threadIdx.x] = mine;
    barrier.arrive_and_wait();
    mine = cells[round % 2][(threadIdx.x + 1) % 64];
  }
  out[threadIdx.x] = mine;
}
"""


@pytest.fixture(scope="module")
def module():
    found = importlib.util.find_spec("nvidia")
    places = list(found.submodule_search_locations) if found else []
    folders = [str(path) for place in places for path in pathlib.Path(place).glob("*/include/cccl")]
    if not folders:
        pytest.skip("needs CUB's headers (pip install nvidia-cuda-cccl)")
    # A context of its own: one that an earlier test imported may be gone.
    cuda.init()
    context = make_default_context()
    yield SourceModule(SOURCE, options=["-std=c++17"], no_extern_c=True, include_dirs=folders)
    clear_context_caches()
    context.detach()


def test_algorithms_of_cub_and_barriers_of_libcudacxx_give_what_numpy_gives(module):
    random = np.random.default_rng(1)

    def run(name, values, out):
        module.get_function(name)(cuda.In(values), cuda.Out(out), block=(128, 1, 1), grid=(4, 1))
        return out

    whole = random.integers(-1000, 1000, 512).astype(np.int32)
    assert (run("block_reduce", whole, np.zeros(4, np.int32)) == whole.reshape(4, 128).sum(1)).all()
    assert (run("block_scan", whole, np.zeros(512, np.int32)) == whole.reshape(4, 128).cumsum(1).ravel()).all()
    keys = random.integers(0, 2**32, 2048, dtype=np.uint32)
    assert (run("block_sort", keys, np.zeros(2048, np.uint32)) == np.sort(keys.reshape(4, 512), 1).ravel()).all()
    real = random.standard_normal(512)
    np.testing.assert_allclose(run("warp_reduce", real, np.zeros(16)), real.reshape(16, 32).sum(1), rtol=1e-12)


def test_a_barrier_of_libcudacxx_separates_its_phases(module):
    out = np.zeros(64, np.int32)
    module.get_function("pass_on")(cuda.Out(out), np.int32(11), block=(64, 1, 1))
    assert (out == (np.arange(64) + 11) % 64).all()
