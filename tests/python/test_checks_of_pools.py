# SPDX-License-Identifier: MIT
"""`pycuda.checks` and blocks of pools: freed in the order of the work that uses them, kept out of use afterwards."""

import threading

import numpy as np
import pycuda
import pytest
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceMemoryPool

SOURCE = """
__global__ void late(const float *a, float *to)
{
  const long long begin = clock64();
  while (clock64() - begin < 100000000) __nanosleep(1000);
  to[threadIdx.x] = a[threadIdx.x];
}

__global__ void copy(const float *a, float *to) { to[threadIdx.x] = a[threadIdx.x]; }
"""


@pytest.fixture
def kernels(cpu_context):
    module = SourceModule(SOURCE)
    return module.get_function("late"), module.get_function("copy")


@pytest.mark.parametrize("checks", [("memory",), ("all",)])
def test_a_temporary_array_may_be_freed_while_its_kernel_is_queued(kernels, checks):
    late, _ = kernels
    to = gpuarray.zeros(64, np.float32)
    with pycuda.checks(*checks) as found:
        temporary = gpuarray.to_gpu(np.arange(64, dtype=np.float32))
        late(temporary, to, block=(64, 1, 1))
        del temporary
    assert found == []
    assert to.get().tolist() == list(range(64))


def test_an_array_of_before_may_be_freed_while_its_kernel_is_queued(kernels):
    late, _ = kernels
    to = gpuarray.zeros(64, np.float32)
    of_before = gpuarray.to_gpu(np.arange(64, dtype=np.float32))
    with pycuda.checks("memory") as found:
        late(of_before, to, block=(64, 1, 1))
        del of_before
    assert found == []
    assert to.get().tolist() == list(range(64))


def test_a_block_of_a_pool_may_be_freed_while_its_kernel_is_queued(kernels, driver):
    late, _ = kernels
    pool, to = DeviceMemoryPool(), gpuarray.zeros(64, np.float32)
    with pycuda.checks("memory") as found:
        block = pool.allocate(256)
        driver.memcpy_htod(block, np.arange(64, dtype=np.float32))
        late(block, to, block=(64, 1, 1))
        block.free()
    assert found == []
    assert to.get().tolist() == list(range(64))


def test_an_array_may_be_freed_after_a_statement_that_waited_for_another_context(kernels, driver, cpu_context):
    late, _ = kernels
    to = gpuarray.zeros(64, np.float32)
    temporary = gpuarray.to_gpu(np.arange(64, dtype=np.float32))
    other = cpu_context.get_device().make_context()
    try:
        other.pop()
        with pycuda.checks("memory"):
            late(temporary, to, block=(64, 1, 1))
            other.push()
        driver.Context.pop()
        del temporary
        driver.Context.synchronize()
    finally:
        other.detach()
    assert to.get().tolist() == list(range(64))


def test_an_array_may_be_freed_after_another_threads_statement(kernels, driver, cpu_context):
    late, _ = kernels
    to = gpuarray.zeros(64, np.float32)
    temporary = gpuarray.to_gpu(np.arange(64, dtype=np.float32))
    other = cpu_context.get_device().make_context()
    other.pop()
    entered, launched = threading.Event(), threading.Event()

    def work_of_the_other():
        other.push()
        try:
            with pycuda.checks("memory"):
                entered.set()
                launched.wait()
        finally:
            driver.Context.pop()

    thread = threading.Thread(target=work_of_the_other)
    thread.start()
    try:
        entered.wait()
        late(temporary, to, block=(64, 1, 1))
        launched.set()
        thread.join()
        del temporary
        driver.Context.synchronize()
    finally:
        launched.set()
        thread.join()
        other.detach()
    assert to.get().tolist() == list(range(64))


@pytest.mark.parametrize("freed", ["before", "within", "and another allocated"])
def test_a_use_after_free_is_found(kernels, freed):
    _, copy = kernels
    pool, to = DeviceMemoryPool(), gpuarray.zeros(64, np.float32)
    block = pool.allocate(250)
    address = np.uintp(int(block))
    if freed == "before":
        block.free()
    with pycuda.checks("memory") as found:
        if freed != "before":
            block.free()
        other = pool.allocate(250) if freed == "and another allocated" else None
        copy(address, to, block=(64, 1, 1))
    del other
    (finding,) = found
    assert finding.check == "memory" and "has been freed" in finding.message
    # The bytes that were asked for: the block has more.
    assert "the 250-byte block of device memory" in finding.message


def test_pools_keep_blocks_again_when_checks_have_ended(kernels):
    pool = DeviceMemoryPool()
    with pycuda.checks("init"):
        pool.allocate(1000).free()
        assert pool.held_blocks == 0
        exact = pool.allocate(1000)
        assert pool.managed_bytes == 1000
    exact.free()
    assert pool.held_blocks == 1
    # 1010 bytes have the bin of 1000, whose block is too short.
    longer = pool.allocate(1010)
    assert int(longer) != 0 and pool.held_blocks == 1
    assert pool.managed_bytes == 1000 + 1023


def test_fresh_arrays_of_a_statement_are_unwritten(kernels):
    _, copy = kernels
    to = gpuarray.zeros(64, np.float32)
    del to  # the pool keeps what is written
    to = gpuarray.zeros(64, np.float32)
    kept = gpuarray.zeros(64, np.float32)
    del kept
    with pycuda.checks("init") as found:
        copy(gpuarray.empty(64, np.float32), to, block=(64, 1, 1))
    assert [one.check for one in found] == ["init"]
