# SPDX-License-Identifier: MIT
"""What fences, atomics and their scopes order: right programs are clean, wrong ones are found."""

import numpy as np
import pycuda
import pytest
from programs import has_cpu_driver
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

#: The last block adds up what all have left, and resets the counter for the next launch.
LAST_BLOCK = """
__device__ unsigned count;
__global__ void k(int *a)
{
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    a[blockIdx.x] = 1;
    %(release)s
    is_last = atomicInc(&count, gridDim.x) == gridDim.x - 1;
    %(acquire)s
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) { %(work)s }
}
"""
FENCE = "__threadfence();"

#: Who sets a flag (0), who waits for it (1), and who does neither.
OF_BLOCKS = "threadIdx.x == 0 ? (int)blockIdx.x : 2"
OF_THREADS = "blockIdx.x == 0 && threadIdx.x % 40 == 0 ? (int)threadIdx.x / 40 : 2"


def _flag(me, release, acquire):
    """A consumer waits for the flag of a producer and resets it."""
    return f"""
__device__ int flag;
__global__ void k(int *a)
{{
  const int me = {me};
  if (me == 0) {{
    a[1] = 5;
    {release}
    atomicExch(&flag, 1);
  }} else if (me == 1) {{
    while (atomicAdd(&flag, 0) == 0) {{}}
    {acquire}
    flag = 0;
    a[2] = a[1];
  }}
}}
"""


def _findings(cuda, source, grid, block=64):
    if pycuda._driver._rtc.driver_origin()["kind"] != "CPU":
        pytest.skip("needs the CPU driver")
    kernel = SourceModule(source).get_function("k")
    with pycuda.checks("race") as found:
        kernel(cuda.InOut(np.zeros(1024, np.int32)), block=(block, 1, 1), grid=(grid, 1))
    return found


def _last_block(release=FENCE, acquire=FENCE, work="count = 0;"):
    return LAST_BLOCK % {"release": release, "acquire": acquire, "work": work}


@pytest.mark.parametrize(
    "source",
    [
        _last_block(),
        _last_block(acquire=""),  # the barrier acquires
        _last_block(work="a[100] = count;"),
        _last_block(work="count = 0; for (int i = 0; i < gridDim.x; ++i) a[100] += a[i];"),
        _last_block(work="if (count == gridDim.x) count = 0;"),
    ],
)
def test_the_last_block_may_reset_the_counter(context, driver, source):
    assert _findings(driver, source, grid=12) == []


ACQ_REL = """
#include <cuda/atomic>
__device__ int count;
__global__ void k(int *a)
{
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> all(count);
  a[blockIdx.x] = 1;
  if (all.fetch_add(1, cuda::memory_order_%s) == gridDim.x - 1) count = 0;
}
"""


@pytest.mark.parametrize("order", ["acq_rel", "seq_cst"])
def test_an_update_that_acquires_and_releases_is_over_for_the_last_one(context, driver, order):
    assert _findings(driver, ACQ_REL % order, grid=12) == []


def test_a_relaxed_update_orders_nothing(context, driver):
    assert _findings(driver, ACQ_REL % "relaxed", grid=12) != []


@pytest.mark.parametrize(
    ("me", "fence"), [(OF_BLOCKS, FENCE), (OF_THREADS, FENCE), (OF_THREADS, "__threadfence_block();")]
)
def test_a_consumer_may_reset_a_flag(context, driver, me, fence):
    assert _findings(driver, _flag(me, fence, fence), grid=2) == []


@pytest.mark.parametrize("me", [OF_BLOCKS, OF_THREADS])
@pytest.mark.parametrize(("release", "acquire"), [("", FENCE), (FENCE, ""), ("", "")])
def test_a_flag_without_a_fence_on_either_side_is_found(context, driver, me, release, acquire):
    assert _findings(driver, _flag(me, release, acquire), grid=2) != []


@pytest.mark.parametrize(
    "source",
    [
        _last_block(release="", acquire=""),
        _last_block(release="", acquire=FENCE),
        # Not ordered with what comes between the fence and the update.
        _last_block(release=f"{FENCE} a[blockIdx.x + 50] = 1;", work="for (int i = 0; i < 12; ++i) a[50 + i] = 2;"),
        # Everybody resets it.
        """
__device__ unsigned count;
__global__ void k(int *a)
{
  if (threadIdx.x != 0) return;
  __threadfence();
  atomicInc(&count, 1000);
  __threadfence();
  count = 0;
}
""",
    ],
)
def test_what_nothing_orders_with_the_last_block_is_found(context, driver, source):
    assert _findings(driver, source, grid=12) != []


def test_threads_of_one_block_that_all_reset_a_counter_are_found(context, driver):
    source = "__device__ int n; __global__ void k(int *a)"
    source += "{ __threadfence(); atomicAdd(&n, 1); __threadfence(); n = 0; }"
    assert _findings(driver, source, grid=1) != []


def test_an_atomic_with_another_address_than_the_flag_is_not_ordered_by_it(context, driver):
    source = _flag(OF_BLOCKS, FENCE, FENCE).replace(
        "atomicExch(&flag, 1);", "atomicExch(&flag, 1); atomicAdd(a + 9, 1);"
    )
    source = source.replace("a[2] = a[1];", "a[2] = a[1]; a[9] = 7;")
    assert _findings(driver, source, grid=2) != []


BLOCK_REF = """
#include <cuda/atomic>
__global__ void k(int *a)
{
  cuda::atomic_ref<int, cuda::thread_scope_block> count(a[%s]);
  count.fetch_add(1%s);
}
"""
RELAXED = ", cuda::memory_order_relaxed"


@pytest.mark.parametrize(
    "source",
    [
        # In vectors, and thread by thread.
        "__global__ void k(int *a) { atomicAdd_block(a, 1); }",
        "__global__ void k(int *a) { __threadfence(); atomicAdd_block(a, 1); }",
        "__global__ void k(int *a) { if (blockIdx.x == 0) atomicAdd_block(a, 1); else atomicAdd(a, 1); }",
        BLOCK_REF % ("0", RELAXED),
        BLOCK_REF % ("0", ""),
    ],
)
def test_atomics_of_the_scope_of_a_block_do_not_meet_those_of_another(context, driver, source):
    found = _findings(driver, source, grid=4)
    assert len(found) == 1
    assert "an atomic access whose scope is the block" in found[0].message
    assert "atomicAdd() instead of atomicAdd_block()" in str(found[0])


@pytest.mark.parametrize(
    "source",
    [
        "__global__ void k(int *a) { atomicAdd_block(a + blockIdx.x, 1); }",
        "__global__ void k(int *a) { __shared__ int s; s = 0; __syncthreads(); atomicAdd_block(&s, 1); }",
        "__global__ void k(int *a) { atomicAdd_system(a, 1); atomicAdd(a, 1); }",
        BLOCK_REF % ("blockIdx.x", RELAXED),
        BLOCK_REF % ("blockIdx.x", ""),
    ],
)
def test_atomics_of_the_scope_of_a_block_may_meet_within_it(context, driver, source):
    assert _findings(driver, source, grid=4) == []


BLOCK_FLAG = """
#include <cuda/atomic>
__device__ int done;
__global__ void k(int *a)
{
  cuda::atomic_ref<int, cuda::thread_scope_block> flag(done);
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    a[0] = 5;
    flag.store(1, cuda::memory_order_release);
  } else {
    while (flag.load(cuda::memory_order_acquire) == 0) {}
    a[1] = a[0];
  }
}
"""


@pytest.mark.parametrize(
    ("release", "acquire"),
    [
        ("__threadfence_block();", "__threadfence_block();"),
        (FENCE, "__threadfence_block();"),
        ("__threadfence_block();", FENCE),
    ],
)
def test_a_fence_of_the_scope_of_a_block_does_not_order_blocks(context, driver, release, acquire):
    found = _findings(driver, _flag(OF_BLOCKS, release, acquire), grid=2)
    assert found != []
    if release != FENCE:
        assert all("scope of a block" in finding.message for finding in found)
        assert "use __threadfence() instead of __threadfence_block()" in str(found[0])


def test_a_flag_of_the_scope_of_a_block_does_not_order_blocks(context, driver):
    found = _findings(driver, BLOCK_FLAG, grid=2)
    assert any("a[1] = a[0];" in finding.source for finding in found)
    assert any("an atomic access whose scope is the block" in finding.message for finding in found)


def test_the_remedy_is_about_the_statement_of_the_line_that_races(context, driver):
    if pycuda._driver._rtc.driver_origin()["kind"] != "CPU":
        pytest.skip("needs the CPU driver")
    source = "__global__ void k(int *last, int *sum) { int i = threadIdx.x; last[0] = i; sum[i] += 1; }"
    kernel = SourceModule(source).get_function("k")
    with pycuda.checks("race") as found:
        kernel(*(driver.InOut(np.zeros(64, np.int32)) for _ in range(2)), block=(64, 1, 1))
    assert len(found) == 1
    assert "sum[i]" not in found[0].remedy
    assert found[0].remedy.startswith("let one thread write this place")
