# SPDX-License-Identifier: MIT
"""Warp operations as CUDA programs use them, in blocks of many sizes; on the CPU driver they are vectors."""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pycuda
import pytest
from pycuda import driver
from pycuda.compiler import SourceModule

SOURCE = r"""
extern "C" {
__global__ void reduce_down(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}
__global__ void reduce_xor(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  if (i < n) out[i] = v;
}
__global__ void reduce_block(const float* in, float* out, int n) {
  __shared__ float part[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float v = i < n ? in[i] : 0;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (lane == 0) part[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < (blockDim.x + 31) / 32 ? part[lane] : 0;
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (lane == 0) out[blockIdx.x] = v;
  }
}
__global__ void scan(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  int v = i < n ? in[i] : 0;
  for (int o = 1; o < 32; o <<= 1) { int u = __shfl_up_sync(0xffffffffu, v, o); if (lane >= o) v += u; }
  if (i < n) out[i] = v;
}
__global__ void compact(const int* in, int* out, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  bool keep = i < n && in[i] % 3 == 0;
  unsigned mask = __ballot_sync(0xffffffffu, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(mask));
  base = __shfl_sync(0xffffffffu, base, 0);
  if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = in[i];
}
__global__ void aggregated(const int* in, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 5 == 1) {
    unsigned mask = __activemask();
    int leader = __ffs(mask) - 1, lane = threadIdx.x & 31;
    int base = 0;
    if (lane == leader) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(mask, base, leader);
  }
}
__global__ void ballot_branch(const int* in, int* out, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  bool keep = i < n && in[i] % 3 == 0;
  unsigned mask = __ballot_sync(0xffffffffu, keep);
  if (keep) {
    int leader = __ffs(mask) - 1, base = 0;
    if (lane == leader) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(mask, base, leader);
    out[base + __popc(mask & ((1u << lane) - 1))] = in[i];
  }
}
__global__ void redux(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = __reduce_add_sync(0xffffffffu, in[i]) ^ __reduce_max_sync(0xffffffffu, (unsigned)in[i]);
}
__global__ void match(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int all; unsigned m = __match_all_sync(0xffffffffu, in[i] / 64, &all);
  out[i] = __match_any_sync(0xffffffffu, in[i] % 4) + 7 * all + m;
}
__global__ void broadcast(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  int v = i < n ? in[i] : 0;
  for (int k = 0; k < 32; ++k) sum = sum * 3 + __shfl_sync(0xffffffffu, v, k);
  if (i < n) out[i] = sum;
}
__global__ void agreed(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = i < n ? in[i] : 0, y = x * 7 % 1001;
  for (int k = 1; k < 16; ++k) {
    int a = __shfl_sync(0xffffffffu, x, 0), b = __shfl_sync(0xffffffffu, y, 0);
    if (a > b) x = __shfl_xor_sync(0xffffffffu, x, k) * 5 % 1013 + k;
    else y = __shfl_xor_sync(0xffffffffu, y, k) * 3 % 1009 - k;
  }
  if (i < n) out[i] = x * 2048 + y;
}
__global__ void rotate(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  double v = i < n ? in[i] : 0;
  v = __shfl_sync(0xffffffffu, v, (lane + 5) & 31);
  if (i < n) out[i] = v;
}
__global__ void stride_sum(const float* in, float* out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}
__global__ void tiles(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  int v = i < n ? in[i] : 0;
  unsigned mask = 0xffu << (lane & ~7);
  for (int o = 4; o > 0; o >>= 1) v += __shfl_down_sync(mask, v, o, 8);
  if (i < n) out[i] = v;
}
}
"""

KERNELS = re.findall(r"__global__ void (\w+)", SOURCE)
BLOCKS = [32, 72, 96, 250, 1000]
BLOCK_COUNT = 5


@pytest.fixture
def module(context):
    return SourceModule(SOURCE, no_extern_c=True, options=["-arch=compute_80"])


class Launch:
    """A kernel on blocks of one size, the last of which has threads without work."""

    def __init__(self, module, size):
        self.module, self.size, self.n = module, size, BLOCK_COUNT * size - 13
        self.values = np.random.default_rng(size).integers(0, 1000, self.n).astype(np.int32)
        self.padded_size = -(-size // 32) * 32

    def run(self, name, *arguments):
        import pycuda.driver as cuda

        passed = [cuda.InOut(a) if isinstance(a, np.ndarray) else a for a in arguments]
        self.module.get_function(name)(*passed, np.int32(self.n), block=(self.size, 1, 1), grid=(BLOCK_COUNT, 1))

    def warps(self, values):
        """One row for each warp; zeros stand for threads that there are not, or that have no work."""
        blocks = np.zeros((BLOCK_COUNT, self.padded_size), values.dtype)
        whole = np.zeros(BLOCK_COUNT * self.size, values.dtype)
        whole[: self.n] = values
        blocks[:, : self.size] = whole.reshape(BLOCK_COUNT, self.size)
        return blocks.reshape(-1, 32)

    def by_thread(self, rows):
        return rows.reshape(BLOCK_COUNT, self.padded_size)[:, : self.size].reshape(-1)[: self.n]

    def exist(self):
        """Lanes that have a thread, warp by warp."""
        blocks = np.zeros((BLOCK_COUNT, self.padded_size), bool)
        blocks[:, : self.size] = True
        return blocks.reshape(-1, 32)


@pytest.fixture(params=BLOCKS)
def launch(request, module):
    return Launch(module, request.param)


def needs_lanes_or_cpu_driver(launch):
    """On a GPU a lane that is not there has no defined value; on the CPU driver the reader keeps its own."""
    if launch.size % 32 and "CPU" not in driver.Device(0).name():
        pytest.skip("needs the CPU driver: elsewhere lanes beyond the block have no defined value")


def test_sums_by_shfl_down_need_only_lane_0(launch):
    needs_lanes_or_cpu_driver(launch)
    out = np.zeros(1, np.int32)
    # Lanes beyond the block's end give nothing to lane 0 where the last warp is full or padded with zeros.
    exact = launch.size % 32 == 0
    launch.run("reduce_down", launch.values, out)
    if exact:
        assert out[0] == launch.values.sum()
    else:
        assert out[0] == _partial_down_sums(launch).sum()


def _partial_down_sums(launch):
    """What lane 0 gets where lanes read themselves instead of lanes that are not there."""
    rows, exist = launch.warps(launch.values).astype(np.int64), launch.exist()
    lanes = np.arange(32)
    for distance in (16, 8, 4, 2, 1):
        source = np.where(lanes + distance < 32, lanes + distance, lanes)
        source = np.where(exist[:, source], source, lanes)
        rows = rows + np.take_along_axis(rows, source, 1)
    return rows[exist[:, 0], 0]


def test_every_lane_has_the_sum_after_shfl_xor(launch):
    needs_lanes_or_cpu_driver(launch)
    values = launch.values.astype(np.float32)
    out = np.zeros_like(values)
    launch.run("reduce_xor", values, out)
    rows, exist = launch.warps(values), launch.exist()
    lanes = np.arange(32)
    for distance in (16, 8, 4, 2, 1):
        source = np.where(exist[:, lanes ^ distance], lanes ^ distance, lanes)
        rows = rows + np.take_along_axis(rows, source, 1)
    np.testing.assert_array_equal(out, launch.by_thread(rows))


def test_block_sums_through_shared_memory(module):
    for size in (32, 96, 256, 992, 1024):
        launch = Launch(module, size)
        values = launch.values.astype(np.float32)
        out = np.zeros(BLOCK_COUNT, np.float32)
        launch.run("reduce_block", values, out)
        np.testing.assert_array_equal(out, launch.warps(values).reshape(BLOCK_COUNT, -1).sum(1))


def test_scans_by_shfl_up(launch):
    out = np.zeros_like(launch.values)
    launch.run("scan", launch.values, out)
    np.testing.assert_array_equal(out, launch.by_thread(np.cumsum(launch.warps(launch.values), 1)))


@pytest.mark.parametrize("name", ["compact", "ballot_branch"])
def test_compaction_by_ballot(launch, name):
    out, count = np.zeros_like(launch.values), np.zeros(1, np.int32)
    launch.run(name, launch.values, out, count)
    kept = launch.values[launch.values % 3 == 0]
    assert count[0] == kept.size
    np.testing.assert_array_equal(np.sort(out[: kept.size]), np.sort(kept))


def test_atomics_aggregated_over_the_active_lanes(launch):
    count = np.zeros(1, np.int32)
    launch.run("aggregated", launch.values, count)
    assert count[0] == np.count_nonzero(launch.values % 5 == 1)


def _present(launch):
    """Lanes whose thread has work: those left when the others have returned."""
    return launch.warps(np.ones(launch.n, bool))


def test_reductions_by_redux(launch):
    out = np.zeros_like(launch.values)
    launch.run("redux", launch.values, out)
    rows = launch.warps(launch.values)
    results = rows.sum(1) ^ np.where(_present(launch), rows, 0).max(1)
    np.testing.assert_array_equal(out, launch.by_thread(np.repeat(results[:, None], 32, 1)))


def test_matches(launch):
    out = np.zeros_like(launch.values)
    launch.run("match", launch.values, out)
    rows, present = launch.warps(launch.values), _present(launch)
    bits = np.uint32(1) << np.arange(32, dtype=np.uint32)
    wanted = np.zeros(rows.shape, np.uint32)
    for warp, there in enumerate(present):
        if not there.any():
            continue
        members = np.uint32(bits[there].sum())
        same = np.unique(rows[warp][there] // 64).size == 1
        for lane in np.flatnonzero(there):
            equal = there & (rows[warp] % 4 == rows[warp][lane] % 4)
            wanted[warp, lane] = bits[equal].sum() + (7 + members if same else 0)
    np.testing.assert_array_equal(out.view(np.uint32), launch.by_thread(wanted))


def test_broadcasts_from_every_lane(launch):
    needs_lanes_or_cpu_driver(launch)
    out = np.zeros_like(launch.values)
    launch.run("broadcast", launch.values, out)
    rows, exist = launch.warps(launch.values), launch.exist()
    sums = np.zeros(rows.shape, np.int32)
    for lane in range(32):
        sums = sums * np.int32(3) + np.where(exist[:, lane : lane + 1], rows[:, lane : lane + 1], rows)
    np.testing.assert_array_equal(out, launch.by_thread(sums))


def test_warps_take_the_way_that_one_lane_s_numbers_say(launch):
    needs_lanes_or_cpu_driver(launch)
    out = np.zeros_like(launch.values)
    launch.run("agreed", launch.values, out)
    lanes, exist = np.arange(32), launch.exist()
    x = launch.warps(launch.values)
    y = x * 7 % 1001
    ways = set()
    for k in range(1, 16):
        source = np.where(exist[:, lanes ^ k], lanes ^ k, lanes)
        first = x[:, :1] > y[:, :1]
        ways.update(first.ravel().tolist())
        next_x = np.fmod(np.take_along_axis(x, source, 1) * 5, 1013) + k
        next_y = np.fmod(np.take_along_axis(y, source, 1) * 3, 1009) - k
        x, y = np.where(first, next_x, x), np.where(first, y, next_y)
    assert ways == {True, False}
    np.testing.assert_array_equal(out, launch.by_thread(x * 2048 + y))


def test_shuffles_of_doubles_by_a_varying_index(launch):
    needs_lanes_or_cpu_driver(launch)
    values = launch.values / 7
    out = np.zeros_like(values)
    launch.run("rotate", values, out)
    rows, exist = launch.warps(values), launch.exist()
    source = np.broadcast_to((np.arange(32) + 5) & 31, rows.shape)
    source = np.where(np.take_along_axis(exist, source, 1), source, np.arange(32))
    np.testing.assert_array_equal(out, launch.by_thread(np.take_along_axis(rows, source, 1)))


def test_sums_after_a_loop_that_lanes_leave_one_by_one(launch):
    values = np.ones(launch.n, np.float32)
    out = np.zeros(1, np.float32)
    launch.run("stride_sum", values, out)
    if launch.size % 32 == 0:
        assert out[0] == launch.n


def test_tiles_with_masks_of_their_own(launch):
    needs_lanes_or_cpu_driver(launch)
    out = np.zeros_like(launch.values)
    launch.run("tiles", launch.values, out)
    rows, exist = launch.warps(launch.values), launch.exist()
    lanes = np.arange(32)
    for distance in (4, 2, 1):
        source = np.where(lanes % 8 + distance < 8, lanes + distance, lanes)
        source = np.where(exist[:, source], source, lanes)
        rows = rows + np.take_along_axis(rows, source, 1)
    np.testing.assert_array_equal(out, launch.by_thread(rows))


def test_warps_that_span_rows_of_a_block(module):
    """Blocks of 16 x 8: lanes 16 to 31 of a warp are another row's threads."""
    import pycuda.driver as cuda

    values, out = np.arange(16, dtype=np.int32), np.zeros(1, np.int32)
    module.get_function("reduce_down")(cuda.In(values), cuda.InOut(out), np.int32(16), block=(16, 8, 1), grid=(1, 1))
    # Lane 0 adds both rows of its warp. Lane 16, whose threadIdx.x is 0 as well, reads itself where
    # it would read beyond lane 31, so it adds its own row twice.
    assert out[0] == values.sum() * (2 + 2) * 4


LOADING = """
import sys
import pycuda.autoinit
from pycuda.compiler import SourceModule
SourceModule(sys.argv[1], no_extern_c=True, options=["-arch=compute_80"])
"""


def test_the_cpu_driver_runs_them_as_vectors(tmp_path):
    if not (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists():
        pytest.skip("needs the CPU driver, which was not built")
    environment = dict(os.environ, PYCUDA_DRIVER="cpu", PYCUDA_CPU_DUMP=str(tmp_path), PYCUDA_DISABLE_CACHE="1")
    # Vector forms are waited for, however long they take.
    environment["PYCUDA_CPU_PATIENCE"] = "-1"
    environment["CUDA_MODULE_LOADING"] = "EAGER"
    environment.pop("PYCUDA_CPU_VECTOR", None)
    ran = subprocess.run(
        [sys.executable, "-c", LOADING, SOURCE], env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    text = "".join(path.read_text() for path in tmp_path.glob("*-widened.ll"))
    missing = [name for name in KERNELS if f"@f.{name}.gang(" not in text]
    assert missing == ["tiles"]  # lanes of a warp give different member masks there
