# SPDX-License-Identifier: MIT
"""Memory pools hold freed blocks and give them out again."""

import gc
import io

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray
from pycuda.tools import (
    DebugMemoryPool,
    DeviceMemoryPool,
    PageLockedAllocator,
    PageLockedMemoryPool,
)

pytestmark = pytest.mark.usefixtures("context")


def test_bins_waste_at_most_a_sixteenth():
    pool = DeviceMemoryPool()
    for size, held in [(0, 1), (1, 1), (1000, 1023), (1024, 1087), (1048576, 1114111)]:
        assert pool.alloc_size(pool.bin_number(size)) == held


def test_freed_blocks_are_held_and_handed_out_again():
    pool = DeviceMemoryPool()
    block = pool.allocate(1000)
    address = int(block)
    assert len(block) == 1000 and block.__index__() == address
    assert (pool.active_blocks, pool.active_bytes, pool.held_blocks, pool.managed_bytes) == (1, 1000, 0, 1023)
    block.free()
    assert (pool.active_blocks, pool.active_bytes, pool.held_blocks, pool.managed_bytes) == (0, 0, 1, 1023)
    with pytest.raises(cuda.LogicError, match="pooled_device_allocation::free failed"):
        block.free()
    assert int(pool.allocate(1001)) == address
    gc.collect()
    assert pool.held_blocks == 1
    pool.free_held()
    assert (pool.held_blocks, pool.managed_bytes) == (0, 0)


def test_a_pool_can_stop_holding():
    pool = DeviceMemoryPool()
    block = pool.allocate(100)
    pool.stop_holding()
    block.free()
    assert pool.held_blocks == 0


def test_a_pool_block_can_be_written_and_read():
    pool = DeviceMemoryPool()
    array = np.arange(100.0)
    block = pool.allocate(array.nbytes)
    cuda.memcpy_htod(block, array)
    assert (cuda.from_device_like(block, array) == array).all()


def test_blocks_keep_the_pool_alive():
    block = DeviceMemoryPool().allocate(10)
    gc.collect()
    block.free()


def test_a_pool_hands_out_memory_of_the_current_context():
    pool = DeviceMemoryPool()
    mine = pool.allocate(1000)
    address = int(mine)
    mine.free()
    other = cuda.Device(0).make_context()
    try:
        theirs = pool.allocate(1000)
        assert int(theirs) != address
        theirs.free()
        assert pool.held_blocks == 2
        assert int(pool.allocate(1000)) != address
    finally:
        other.pop()
    again = pool.allocate(1000)
    assert int(again) == address
    other.detach()


def test_too_much_for_a_pool_is_a_memory_error():
    pool = DeviceMemoryPool()
    pool.allocate(1 << 20)
    with pytest.raises(cuda.MemoryError, match="memory_pool::allocate failed: out of memory - failed to free memory"):
        pool.allocate(1 << 50)
    assert pool.held_blocks == 0


def test_page_locked_pools_give_arrays():
    pool = PageLockedMemoryPool(PageLockedAllocator(cuda.host_alloc_flags.PORTABLE))
    array = pool.allocate((3, 4), np.float32, order="F")
    assert array.shape == (3, 4) and array.flags.f_contiguous
    array[:] = 1
    assert type(array.base) is cuda.PooledHostAllocation and len(array.base) == 48
    assert pool.active_blocks == 1
    del array
    gc.collect()
    assert (pool.active_blocks, pool.held_blocks) == (0, 1)
    assert PageLockedMemoryPool().allocate((2,), "f8").size == 2


def test_a_pool_class_may_be_derived_from():
    class Counting(DeviceMemoryPool):
        count = 0

        def allocate(self, size):
            self.count += 1
            return super().allocate(size)

    pool = Counting()
    pool.allocate(10)
    assert pool.count == 1


def test_the_debugging_pool_says_who_allocates_what():
    log = io.StringIO()
    pool = DebugMemoryPool(interactive=False, logfile=log)
    block = pool.allocate(1234)
    assert "1234 bytes" in log.getvalue() and "test_the_debugging_pool" in log.getvalue()
    assert isinstance(block, cuda.PooledDeviceAllocation)


def test_methods_compare_as_pythons_do():
    pool, other = DeviceMemoryPool(), DeviceMemoryPool()
    assert pool.allocate == pool.allocate
    assert not pool.allocate != pool.allocate
    assert hash(pool.allocate) == hash(pool.allocate)
    assert pool.allocate != other.allocate
    assert pool.allocate != pool.free_held
    assert pool.allocate != 3
    assert {pool.allocate: 1, other.allocate: 2}[pool.allocate] == 1
    assert gpuarray.zeros(4, np.float32, allocator=pool.allocate).allocator == pool.allocate
    with pytest.raises(TypeError):
        pool.allocate < pool.allocate  # noqa: B015
