# SPDX-License-Identifier: MIT
"""Programs without a fault are clean: examples under the checks in vectors, CUB and cooperative groups under all."""

import pathlib

import numpy as np
import pycuda
import pytest
from programs import has_cpu_driver, is_cpu, run_file
from pycuda.compiler import SourceModule

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
PROGRAMS = sorted(path.name for kind in ("seed", "gallery") for path in EXAMPLES.glob(f"{kind}_*.py"))
#: Numbers that may be smaller: the checks look at the same lines.
SMALLER = {
    "gallery_filter.py": [("WIDTH, HEIGHT, TILE = 960, 640, 16", "WIDTH, HEIGHT, TILE = 960, 64, 16")],
    "gallery_mandelbrot.py": [("WIDTH, HEIGHT, STEPS = 960, 640, 200", "WIDTH, HEIGHT, STEPS = 960, 640, 20")],
}

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")


@pytest.mark.parametrize("program", PROGRAMS)
def test_examples_are_clean(program, tmp_path):
    text = (EXAMPLES / program).read_text()
    for number, smaller in SMALLER.get(program, []):
        assert number in text
        text = text.replace(number, smaller)
    for path in EXAMPLES.glob("*.py"):
        (tmp_path / path.name).write_text(path.read_text())
    (tmp_path / program).write_text(text)
    report = tmp_path / "report"
    settings = {"PYCUDA_CPU_CHECK": "memory,init,sync", "PYCUDA_CPU_CHECK_REPORT": report}
    run_file(tmp_path / program, PYCUDA_DRIVER="cpu", **settings)
    assert not report.exists(), report.read_text()


BLOCKS = """
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/warp/warp_reduce.cuh>

extern "C" __global__ void algorithms(int *in, int *sums, int *scans, int *sorted, int *warps)
{
  using Reduce = cub::BlockReduce<int, 128>;
  using Scan = cub::BlockScan<int, 128>;
  using Sort = cub::BlockRadixSort<int, 128, 2>;
  using Warp = cub::WarpReduce<int>;
  __shared__ union {
    Reduce::TempStorage reduce;
    Scan::TempStorage scan;
    Sort::TempStorage sort;
    Warp::TempStorage warp[4];
  } storage;
  const int t = threadIdx.x, first = blockIdx.x * 256;
  const int sum = Reduce(storage.reduce).Sum(in[first + t]);
  if (t == 0) sums[blockIdx.x] = sum;
  __syncthreads();
  int prefix;
  Scan(storage.scan).InclusiveSum(in[first + t], prefix);
  scans[blockIdx.x * 128 + t] = prefix;
  __syncthreads();
  int keys[2] = {in[first + 2 * t], in[first + 2 * t + 1]};
  Sort(storage.sort).Sort(keys);
  sorted[first + 2 * t] = keys[0];
  sorted[first + 2 * t + 1] = keys[1];
  __syncthreads();
  const int part = Warp(storage.warp[t / 32]).Sum(in[first + t]);
  if (t % 32 == 0) warps[blockIdx.x * 4 + t / 32] = part;
}
"""

GROUPS = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void groups(const int *in, int *sums, int *scans, int *half)
{
  __shared__ int s[128];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(warp);
  const int t = block.thread_rank(), value = in[blockIdx.x * 128 + t];
  s[t] = value;
  block.sync();
  const int other = s[127 - t];
  const int sum = cg::reduce(warp, other, cg::plus<int>());
  if (warp.thread_rank() == 0) sums[blockIdx.x * 4 + warp.meta_group_rank()] = sum;
  scans[blockIdx.x * 128 + t] = cg::inclusive_scan(tile, value);
  if (t % 2 == 0) {
    cg::coalesced_group some = cg::coalesced_threads();
    half[blockIdx.x * 128 + t] = cg::reduce(some, value, cg::plus<int>());
  }
}
"""


def _clean(driver, source, name, arguments, block, grid):
    if not is_cpu():
        pytest.skip("needs the CPU driver")
    function = SourceModule(source, no_extern_c=True).get_function(name)
    with pycuda.checks("all") as found:
        results = [driver.mem_alloc(array.nbytes) for array in arguments]
        driver.memcpy_htod(results[0], arguments[0])
        function(*results, block=(block, 1, 1), grid=(grid, 1))
        for array, result in zip(arguments[1:], results[1:], strict=True):
            driver.memcpy_dtoh(array, result)
    assert found == []


def test_algorithms_of_cub_are_clean(context, driver):
    values = np.random.default_rng(1).integers(-1000, 1000, 1024, dtype=np.int32)
    rows = values.reshape(4, 256)
    sums, scans, ordered, warps = (np.zeros(count, np.int32) for count in (4, 512, 1024, 16))
    _clean(driver, BLOCKS, "algorithms", [values, sums, scans, ordered, warps], 128, 4)
    assert (sums == rows[:, :128].sum(1)).all()
    assert (scans == np.cumsum(rows[:, :128], 1).ravel()).all()
    assert (ordered == np.sort(rows, 1).ravel()).all()
    assert (warps == rows[:, :128].reshape(4, 4, 32).sum(2).ravel()).all()


def test_cooperative_groups_are_clean(context, driver):
    values = np.arange(512, dtype=np.int32) % 37
    rows = values.reshape(4, 128)
    sums, scans, half = np.zeros(16, np.int32), np.zeros(512, np.int32), np.zeros(512, np.int32)
    _clean(driver, GROUPS, "groups", [values, sums, scans, half], 128, 4)
    assert (sums == rows[:, ::-1].reshape(4, 4, 32).sum(2).ravel()).all()
    assert (scans == np.cumsum(values.reshape(-1, 8), 1).ravel()).all()
    assert (half.reshape(16, 32)[:, ::2] == values.reshape(16, 32)[:, ::2].sum(1)[:, None]).all()
