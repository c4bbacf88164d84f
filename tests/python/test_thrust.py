# SPDX-License-Identifier: MIT
"""Thrust's algorithms in kernels, compiled without nvcc: each runs in the thread that calls it."""

import numpy as np
import pycuda.driver as cuda
import pytest
from compiling import needs_cccl, ptx_of
from pycuda.compiler import SourceModule


@pytest.fixture(autouse=True)
def nvrtc_alone(monkeypatch):
    monkeypatch.setenv("PYCUDA_COMPILER", "nvrtc")
    needs_cccl(version=(3, 5))


def test_algorithms_compute_what_numpy_does(context):
    source = """
    #include <thrust/binary_search.h>
    #include <thrust/reduce.h>
    #include <thrust/scan.h>
    #include <thrust/sort.h>
    #include <thrust/transform.h>
    #include <thrust/unique.h>
    struct twice { __device__ int operator()(int x) const { return 2 * x; } };
    __global__ void rows(int *a, int *sums, int *places, int *kinds, int n)
    {
      int *row = a + threadIdx.x * n;
      thrust::sort(thrust::seq, row, row + n);
      sums[threadIdx.x] = thrust::reduce(thrust::device, row, row + n, 0);
      places[threadIdx.x] = thrust::lower_bound(thrust::seq, row, row + n, 50) - row;
      kinds[threadIdx.x] = thrust::unique(thrust::seq, row, row + n) - row;
      thrust::transform(thrust::seq, row, row + 2, row, twice());
      thrust::inclusive_scan(thrust::seq, row, row + 2, row);
    }
    """
    rows, n = 40, 30
    a = np.random.default_rng(1).integers(0, 100, (rows, n)).astype(np.int32)
    a[:, 3] = a[:, 4]
    given = np.sort(a, axis=1)
    sums, places, kinds = np.zeros((3, rows), np.int32)
    rows_of = SourceModule(source).get_function("rows")
    rows_of(cuda.InOut(a), *map(cuda.Out, (sums, places, kinds)), np.int32(n), block=(rows, 1, 1))
    assert (sums == given.sum(1)).all()
    assert (places == [np.searchsorted(row, 50) for row in given]).all()
    different = [np.unique(row) for row in given]
    assert (kinds == [len(row) for row in different]).all()
    assert (a[:, 1] == [2 * (row[0] + row[1]) for row in different]).all()


@pytest.mark.parametrize(
    "headers",
    [
        ["copy.h", "count.h", "extrema.h", "fill.h", "find.h", "for_each.h", "gather.h", "inner_product.h"],
        ["device_vector.h", "host_vector.h", "universal_vector.h", "device_make_unique.h", "allocate_unique.h"],
        ["mr/disjoint_sync_pool.h", "mr/sync_pool.h", "mr/pool.h", "mr/new.h", "mr/tls_pool.h"],
        ["system_error.h", "system/cuda/memory.h", "system/cuda/vector.h", "system/cuda/memory_resource.h"],
        ["system/omp/vector.h", "system/cpp/vector.h", "system/cuda/execution_policy.h", "zip_function.h"],
    ],
    ids=lambda headers: headers[0],
)
def test_headers_that_hosts_use_leave_kernels_alone(headers):
    includes = "".join(f"#include <thrust/{name}>\n" for name in headers)
    assert ".entry k(" in ptx_of(includes + "__global__ void k(int *a) { *a = 1; }")


def test_other_headers_of_cuda_stand_beside_them():
    source = """
    #include <thrust/sort.h>
    #include <cooperative_groups.h>
    #include <curand_kernel.h>
    #include <cub/block/block_reduce.cuh>
    __global__ void k(int *a) { cooperative_groups::this_thread_block().sync(); thrust::sort(thrust::seq, a, a + 9); }
    """
    assert ".entry k(" in ptx_of(source)
