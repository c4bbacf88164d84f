# SPDX-License-Identifier: MIT
"""What a report advises about the shape of a launch: lone threads, few blocks, rows of the block, and no checks."""

from types import SimpleNamespace

import numpy as np
import pytest
from programs import is_cpu
from pycuda import _report_costs, gpuarray
from pycuda._counter_records import Access, AccessSample
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void alone(float *a, int n)
{
  for (int i = 0; i < n; i++)
    a[i] = 2 * a[i];
}

__global__ void first_alone(float *a, int n)
{
  if (threadIdx.x == 0)
    for (int i = 0; i < n; i++)
      a[i] = 2 * a[i];
}

__global__ void last_of_warps_alone(float *a, int n)
{
  int lane = threadIdx.x % 32;
  float sum = 0;
  if (lane > 30)
    for (int i = 0; i < n; i++)
      sum += a[i];
  if (lane == 31)
    a[n + threadIdx.x / 32] = sum;
}

__global__ void first_writes(float *a, int n)
{
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      s[threadIdx.x] += s[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    a[0] = s[0];
}

__global__ void strided(float *a, int n)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    a[i] = 2 * a[i];
}

__global__ void alternates(float *a, int n)
{
  int i = threadIdx.x;
  if (i % 2)
    a[i] = sqrtf(a[i]);
  else
    for (int k = 0; k < n; k++) a[i] += k;
}

__global__ void edge(float *a, int n)
{
  int x = threadIdx.x, y = threadIdx.y;
  if (x == 0)
    a[y * n] = 1;
}

__global__ void every_second(float *a, int n)
{
  if (threadIdx.x % 2 == 0)
    a[threadIdx.x * n] = 1;
}

__global__ void shifted(float *a, int n)
{
  a[threadIdx.x + n] = 1;
}

__global__ void columns(float *a, int n)
{
  for (int i = 0; i < n; i++)
    a[threadIdx.x * n + i] = 1;
}

__global__ void iterate(float *a, int n)
{
  float x = a[threadIdx.x];
  for (int i = 0; i < n; i++)
    x = x * x + 0.25f;
  a[threadIdx.x] = x;
}

__global__ void swapped(float *a, int n)
{
  int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  a[row * n + column] = 1;
}

__global__ void rows(float *a, int n)
{
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  a[row * n + column] = 1;
}

__global__ void tiled(float *a)
{
  __shared__ float tile[16][16];
  tile[threadIdx.x][threadIdx.y] = 1;
  __syncthreads();
  a[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}
"""


@pytest.fixture
def kernels(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver, whose counters the report shows")
    return SourceModule(SOURCE)


def _report(kernels, name, size, block, grid=(1, 1), n=None):
    numbers = () if n is None else (np.int32(n),)
    return kernels.get_function(name).report(gpuarray.zeros(size, np.float32), *numbers, block=block, grid=grid)


def _advice(*args, **launch):
    report = _report(*args, **launch)
    return report.advice(report.kernels[0])


def test_one_thread_that_does_all_the_work_is_told_of_elements_for_each(kernels):
    (only,) = _advice(kernels, "alone", 1000, (1, 1, 1), n=1000)
    assert only.title == "One thread does all the work"
    assert "Give each thread one element" in only.text and "multiple of 32" not in only.text


@pytest.mark.parametrize(
    ("name", "line"), [("first_alone", "a[i] = 2 * a[i];"), ("last_of_warps_alone", "sum += a[i];")]
)
def test_lone_threads_of_a_block_that_do_all_the_work_are_told_to_share_it(kernels, name, line):
    report = _report(kernels, name, 2000, (128, 1, 1), n=1000)
    first, *others = report.advice(report.kernels[0])
    assert first.title == "Share the work among all threads"
    assert "executed by one thread of 32" in first.text and "i += blockDim.x" in first.text
    (source,) = [one.source for one in report.kernels[0].lines if one.place == first.place]
    assert line in source
    assert all("same way" not in one.title for one in others)


def test_a_first_thread_that_does_the_rest_is_left_alone(kernels):
    titles = [one.title for one in _advice(kernels, "first_writes", 64, (64, 1, 1), n=64)]
    assert "Share the work among all threads" not in titles


def test_what_a_kernel_writes_to_an_argument_that_is_copied_in_alone_is_said_to_be_lost(kernels, driver):
    a = np.ones(64, np.float32)
    strided = kernels.get_function("strided")
    report = strided.report(driver.In(a), np.int32(64), block=(64, 1, 1))
    (place,) = [one.place for one in report.kernels[0].lines if one.source == "a[i] = 2 * a[i];"]
    said = (
        f"argument #0 (0-based) was passed as In, but the kernel writes to it at {place}: what it writes is not copied "
        "back; pass InOut or Out if the program needs it"
    )
    assert report.notes == [said] and said in str(report)
    assert said.replace("argument", "Argument") in report.html
    for argument in (driver.InOut(a), driver.Out(a), gpuarray.to_gpu(a)):
        assert strided.report(argument, np.int32(64), block=(64, 1, 1)).notes == []


def test_an_argument_that_is_read_alone_is_copied_in_rightly(kernels, driver):
    copy = SourceModule("__global__ void copy(float *to, const float *from) { to[threadIdx.x] = from[threadIdx.x]; }")
    a, b = np.ones(64, np.float32), np.zeros(64, np.float32)
    assert copy.get_function("copy").report(driver.Out(b), driver.In(a), block=(64, 1, 1)).notes == []
    update = SourceModule("__global__ void update(int *sum, int *count) { atomicAdd(&count[0], sum[threadIdx.x]); }")
    sums, counts = np.ones(64, np.int32), np.zeros(1, np.int32)
    report = update.get_function("update").report(driver.In(sums), driver.In(counts), block=(64, 1, 1))
    assert [note.partition(" was")[0] for note in report.notes] == ["argument #1 (0-based)"]


def test_blocks_of_one_thread_are_told_of_the_index(kernels):
    titles = {one.title: one.text for one in _advice(kernels, "strided", 256, (1, 1, 1), (256, 1), n=256)}
    assert "One thread does all the work" not in titles
    text = titles["Use blocks of whole warps"]
    assert text.startswith("A block of 1 thread takes 1 warp")
    assert "blockIdx.x * blockDim.x + threadIdx.x" in text


@pytest.mark.parametrize(
    "blocks, words", [(1, "One block keeps one multiprocessor busy"), (4, "4 blocks keep 4 multiprocessors busy")]
)
def test_few_blocks_that_work_for_long_should_be_more(kernels, context, driver, blocks, words):
    first = _advice(kernels, "strided", 16384, (256, 1, 1), (blocks, 1), n=4096 * blocks)[0]
    assert first.title == "Launch more blocks"
    assert first.text.startswith(words)
    assert "about 16 times" in first.text
    count = context.get_device().get_attribute(driver.device_attribute.MULTIPROCESSOR_COUNT)
    assert f"this device has {count}" in first.text


def test_the_worst_access_is_shown_also_below_advice_on_the_launch(kernels):
    a = gpuarray.zeros(1 << 16, np.float32)
    report = kernels.get_function("columns").report(a, np.int32(256), block=(256, 1, 1))
    assert [one.access is None for one in report.advice(report.kernels[0])] == [True, False]
    assert "<svg" in report.html.split("What would help most")[1].split("The source, line by line")[0]


def test_few_blocks_that_compute_for_long_should_be_more(kernels):
    titles = [one.title for one in _advice(kernels, "iterate", 256, (256, 1, 1), n=1000)]
    assert titles == ["Launch more blocks"]


def test_small_work_and_many_blocks_are_left_alone(kernels):
    assert _advice(kernels, "strided", 256, (256, 1, 1), n=256) == []
    assert _advice(kernels, "strided", 16384, (64, 1, 1), (16, 1), n=16384) == []


@pytest.mark.parametrize("block", [(16, 16, 1), (8, 8, 1), (16, 4, 1), (32, 8, 1)])
def test_swapped_indices_are_seen_in_blocks_of_any_width(kernels, block):
    grid = (64 // block[0], 64 // block[1])
    first = _advice(kernels, "swapped", 4096, block, grid, n=64)[0]
    assert first.title == "Coalesce the accesses to global memory"
    assert "places 256 bytes apart" in first.text and "swap the indices" in first.text
    assert all(one.title != first.title for one in _advice(kernels, "rows", 4096, (32, 8, 1), (2, 8), n=64))


def test_lanes_that_a_branch_has_divided_are_not_told_to_shift_the_index(kernels):
    said = [one.text for one in _advice(kernels, "alternates", 64, (64, 1, 1), n=3) if "sectors" in one.text]
    assert said and all("only 16 take part: a branch has divided the warp" in text for text in said)
    assert not any("behind a multiple of 32" in text for text in said)
    (shifted,) = (one.text for one in _advice(kernels, "shifted", 128, (64, 1, 1), n=1) if "sectors" in one.text)
    assert "start 4 bytes behind a multiple of 32" in shifted


@pytest.mark.parametrize("n", [101, 16])
def test_an_edge_that_one_lane_of_each_row_loads_has_no_distance_between_neighbours(kernels, n):
    said = [one.text for one in _advice(kernels, "edge", 16 * 101, (16, 16, 1), n=n) if "sectors" in one.text]
    assert said and all("each in a row of the block of its own" in text for text in said)
    assert not any("bytes apart" in text or "swap the indices" in text for text in said)


def test_a_distance_is_that_of_the_threads_that_take_part(kernels):
    (text,) = (one.text for one in _advice(kernels, "every_second", 2048, (64, 1, 1), n=8) if "sectors" in one.text)
    assert "The threads that take part access places 64 bytes apart" in text


def test_narrow_blocks_should_be_wider(kernels):
    first = _advice(kernels, "rows", 4096, (4, 16, 1), (16, 4), n=64)[0]
    assert "The 4 threads of a row of the block access neighbouring places" in first.text
    assert "Make the block wider" in first.text


def test_tiles_of_narrow_blocks_need_padding(kernels):
    advice = {one.title: one.text for one in _advice(kernels, "tiled", 256, (16, 16, 1))}
    text = advice["Avoid bank conflicts in shared memory"]
    assert "64 bytes apart" in text and "one element longer" in text


def test_strides_within_rows_of_a_block():
    def stride(lanes, addresses, row, warp=0):
        sample = AccessSample((0, 0, 0), warp, tuple(lanes), tuple(addresses))
        return _report_costs.stride_of(Access("ld", "global", "load", 4, 1, 1, 1, len(lanes), sample), row)

    assert stride(range(6), [0, 64, 128, 4, 68, 132], 3) == 64
    assert stride(range(6), [0, 64, 128, 4, 72, 132], 3) is None
    assert stride(range(6), [0, 64, 128, 192, 4, 68], 48) is None
    # The second warp of rows of 34 threads begins with the last two of the first row.
    assert stride(range(4), [0, 64, 4, 68], 34, warp=1) == 64
    assert stride(range(4), [0, 64, 128, 192], 1) is None
    assert stride([0, 16], [0, 1624], None) is None  # not a whole number of bytes from lane to lane


def test_a_single_lane_is_not_one_of_each_row():
    lone, pair = (
        Access("st", "global", "store", 4, 1, 1, 1, len(lanes), AccessSample((0, 0, 0), 0, lanes, addresses))
        for lanes, addresses in (((0,), (0,)), ((0, 16), (0, 64)))
    )
    kernel = SimpleNamespace(block=(16, 16, 1))
    assert [_report_costs._is_one_of_each_row(one, kernel) for one in (lone, pair)] == [False, True]


def test_a_launch_that_is_too_large_for_checks_says_so_first(kernels):
    def report(**others):
        a = gpuarray.zeros(1 << 17, np.float32)
        function = kernels.get_function("strided")
        return function.report(a, np.int32(1 << 17), block=(256, 1, 1), grid=(512, 1), **others)

    words = 'ot checked: more than 65,536 threads; pass checks="all"'
    unasked = report()
    assert str(unasked).startswith("n" + words)
    assert "N" + words.replace('"', "&quot;") in unasked.html.split("<section")[0]
    # Those who say that they want none need no reminder.
    asked = report(checks=())
    assert "ot checked: more" not in str(asked) + asked.html.split("<section")[0]
