# SPDX-License-Identifier: MIT
"""Memory of the driver's stream-ordered allocator."""

import gc

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import has_cpu_driver, run_program
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture
def pool(context):
    if not cuda.Context.get_device().get_attribute(cuda.device_attribute.MEMORY_POOLS_SUPPORTED):
        pytest.skip("needs a device with memory pools")
    return cuda.StreamOrderedMemoryPool(release_threshold=1 << 30)


def test_memory_comes_and_goes_in_the_order_of_its_stream(pool):
    stream = cuda.Stream()
    source = cuda.pagelocked_empty(1000, np.int32)
    source[:] = np.arange(1000)
    target = cuda.pagelocked_zeros(1000, np.int32)
    block = pool.allocate(4000, stream)
    assert len(block) == 4000 and int(block) == block.__index__() != 0
    cuda.memcpy_htod_async(block, source, stream)
    cuda.memcpy_dtoh_async(target, block, stream)
    block.free()
    stream.synchronize()
    assert (target == source).all()
    with pytest.raises(cuda.LogicError, match="stream_ordered_allocation::free failed: invalid resource handle"):
        block.free()
    with pytest.raises(cuda.LogicError, match="the memory has been freed"):
        int(block)


def test_memory_outlives_the_names_of_its_stream_and_pool(pool):
    block = cuda.StreamOrderedMemoryPool().allocate(16, cuda.Stream())
    gc.collect()
    cuda.memcpy_htod(block, np.arange(4, dtype=np.int32))
    assert cuda.from_device(block, 4, np.int32).tolist() == [0, 1, 2, 3]
    block.free(cuda.Stream())


def test_the_pool_counts_and_gives_back(pool):
    assert pool.release_threshold == 1 << 30
    block = pool.allocate(1 << 20)
    assert pool.active_bytes >= 1 << 20 and pool.managed_bytes >= pool.active_bytes
    del block
    gc.collect()
    cuda.Context.synchronize()
    assert pool.active_bytes == 0
    pool.release_threshold = 0
    assert pool.release_threshold == 0
    pool.trim()
    pool.free_held()
    assert pool.managed_bytes == 0
    assert cuda.StreamOrderedMemoryPool.of_device().active_bytes >= 0


def test_arrays_may_live_in_it(pool):
    array = gpuarray.to_gpu(np.arange(100, dtype=np.float32), allocator=pool.allocate)
    assert isinstance(array.gpudata, cuda.StreamOrderedAllocation)
    assert (2 * array).get().sum() == 9900
    assert pool.active_bytes >= 400


def test_too_much_is_a_memory_error(pool):
    with pytest.raises(cuda.MemoryError, match="cuMemAllocFromPoolAsync failed: out of memory"):
        pool.allocate(1 << 50)
    with pytest.raises(OverflowError):
        pool.allocate(-1)
    with pytest.raises(TypeError, match="a stream must be a Stream or None, not int"):
        pool.allocate(1, 5)


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, whose memory can be made small")
def test_memory_freed_before_in_the_stream_is_there_for_the_next():
    program = """
        import time
        import pycuda.autoinit
        import pycuda.driver as cuda
        pool, stream, graph = cuda.StreamOrderedMemoryPool(), cuda.Stream(), cuda.Graph()
        graph.add_host_node(lambda: time.sleep(0.1))
        run = graph.instantiate()
        for turn in range(4):
            block = pool.allocate(40 << 20, stream)
            run.launch(stream)
            block.free(stream)
        stream.synchronize()
        print("enough")
    """
    out, _ = run_program(program, PYCUDA_DRIVER="cpu", PYCUDA_CPU_MEMORY="64M")
    assert out.strip() == "enough"


def _since_cuda_13():
    if cuda.get_driver_version() < 13000:
        pytest.skip("needs a driver of CUDA 13")


def test_the_pools_of_a_place_are_found_and_chosen(pool):
    _since_cuda_13()
    device = cuda.mem_location_type.DEVICE
    default = cuda.StreamOrderedMemoryPool.of_location(device)
    assert default.managed_bytes == cuda.StreamOrderedMemoryPool.of_device().managed_bytes
    block = pool.allocate(1 << 20)
    used = cuda.mem_pool_attribute.USED_MEM_CURRENT
    pool.make_current(device)
    try:
        assert cuda.StreamOrderedMemoryPool.of_location(device, current=True).get_attribute(used) == len(block)
    finally:
        default.make_current(device)
    assert cuda.StreamOrderedMemoryPool.current().get_attribute(used) == default.get_attribute(used)


def test_a_pool_of_another_place_is_refused(pool):
    _since_cuda_13()
    with pytest.raises(cuda.LogicError, match="cuMemSetMemPool"):
        pool.make_current(cuda.mem_location_type.HOST)
    with pytest.raises(cuda.LogicError, match="cuMemGetDefaultMemPool"):
        cuda.StreamOrderedMemoryPool.of_location(77)
