# SPDX-License-Identifier: MIT
"""Sources that include CUDA's headers, where NVRTC's wheel is installed and those of the headers are not."""

import os
import pathlib
import subprocess
import sys

import pytest

SOURCE = """
#include <cuda.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuComplex.h>
#include <math_constants.h>
#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cuda/atomic>
#if CUDART_VERSION < 13000 || CUDA_VERSION < 13000
#error "a version of CUDA"
#endif
__device__ cudaError_t error = cudaSuccess;
__device__ cudaStream_t stream;
static_assert(sizeof(CUtensorMap) == 128 && alignof(CUtensorMap) == 64, "");
static_assert(sizeof(CUdeviceptr) == 8 && sizeof(CUtexObject) == 8, "");
__device__ CUresult result = CUDA_SUCCESS;
__device__ CUcontext context;
__device__ CUfunction function;
__device__ CUstream *same = &stream;
__global__ void f(__half *h, float4 *v, int *n) {
  using Reduce = cub::BlockReduce<int, 32>;
  __shared__ typename Reduce::TempStorage storage;
  cooperative_groups::this_thread_block().sync();
  h[0] = __hadd(h[1], h[2]);
  v[0] = make_float4(CUDART_PI_F, 1, 2, 3);
  n[2] = result;
  n[0] = Reduce(storage).Sum(n[threadIdx.x]);
}
"""

TENSOR_MAP = """
#include <cuda.h>
__global__ void g(const __grid_constant__ CUtensorMap map, const void **out) { *out = &map; }
"""

PROGRAM = f"""
import os
import sys
from pycuda import _compilers
from pycuda.compiler import compile
packages, headers = sys.argv[1:]
compiler = _compilers._compiler = _compilers.rtc().Compiler([packages], [headers, os.path.join(headers, "stdlib")])
assert compiler.carries_headers(0)
assert b".entry f" in compile({SOURCE!r}, arch="compute_80", target="ptx", cache_dir=False)
assert b".align 64 .b8 g_param_0[128]" in compile({TENSOR_MAP!r}, arch="compute_90", target="ptx", cache_dir=False)
"""


@pytest.fixture
def packages(tmp_path):
    """A folder of wheels with NVRTC's libraries alone."""
    for folder in sys.path:
        library = pathlib.Path(folder, "nvidia/cu13/lib/libnvrtc.so.13")
        if library.is_file():
            break
    else:
        pytest.skip("needs NVRTC's wheel for CUDA 13")
    there = tmp_path / "nvidia/cu13/lib"
    there.mkdir(parents=True)
    for file in library.parent.glob("libnvrtc*"):
        os.link(file, there / file.name)
    if b"nvrtcInstallBundledHeaders" not in library.read_bytes():
        pytest.skip("needs NVRTC 13.3 or newer")
    return tmp_path / "nvidia"


def run(packages, cache, temporary):
    import pycuda

    headers = pathlib.Path(pycuda.__file__).parent / "cuda"
    settings = {name: value for name, value in os.environ.items() if not name.startswith("CUDA_")}
    temporary.mkdir(exist_ok=True)
    subprocess.run(
        [sys.executable, "-c", PROGRAM, packages, headers],
        check=True,
        # Named, it gets no headers of a toolkit.
        env=settings
        | {
            "TMPDIR": str(temporary),
            "PYCUDA_CACHE_DIR": str(cache),
            "PYCUDA_COMPILER": "nvrtc",
            "PYCUDA_NVRTC": f"{packages}/cu13/lib/libnvrtc.so.13",
        },
    )
    return [entry.name for entry in temporary.iterdir()]


def test_headers_within_nvrtc_do(packages, tmp_path):
    cache = tmp_path / "cache"
    assert run(packages, cache, tmp_path / "temporary") == []
    (kept,) = cache.iterdir()
    assert kept.name.startswith("nvrtc-headers-")
    run(packages, cache, tmp_path / "temporary")
    assert list(cache.iterdir()) == [kept]


def test_without_a_cache_they_go_with_the_process(packages, tmp_path):
    (tmp_path / "file").write_text("no folder")
    assert run(packages, tmp_path / "file/cache", tmp_path / "temporary") == []
