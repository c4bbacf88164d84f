# SPDX-License-Identifier: MIT
"""What graphs keep alive: arguments, temporaries, memory of every pool, modules; and that it ends with them."""

import gc
import weakref

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from graph_cases import BLOCK, numbers, run
from own_memory import own_bytes
from pycuda.compiler import SourceModule


def test_memory_that_was_there_before_lives_as_long_as_the_graph(stream, scale):
    a, memory = gpuarray.to_gpu(numbers()), cuda.mem_alloc(128)
    host = cuda.pagelocked_zeros(32, np.float32)
    watched = [weakref.ref(thing) for thing in (a, memory)]
    with stream.capture() as graph:
        cuda.memcpy_htod_async(memory, host)
        scale(memory, np.float32(2), block=BLOCK)
        b = a + 1
    del a, memory, host
    gc.collect()
    assert all(one() is not None for one in watched)
    executable = graph.instantiate()
    del graph
    for _ in range(100):
        gpuarray.zeros(32, np.float32)  # takes what it can get of the pool
    executable.launch()
    np.testing.assert_array_equal(b.get(), numbers() + 1)
    del executable
    gc.collect()
    assert all(one() is None for one in watched)


def test_temporaries_of_a_capture_are_nobody_elses(stream):
    a = gpuarray.to_gpu(numbers(1024))
    for _ in range(2):
        with stream.capture() as graph:
            b = (a * 2 + 1) * (a - 3) + a * a
        executable = graph.instantiate()
        others = [gpuarray.empty(1024, np.float32).fill(-1) for _ in range(20)]
        executable.launch(stream)
        stream.synchronize()
        np.testing.assert_array_equal(b.get(), (numbers(1024) * 2 + 1) * (numbers(1024) - 3) + numbers(1024) ** 2)
        assert all((other.get() == -1).all() for other in others)
        executable.launch(stream)


def test_a_result_outlives_the_graph(stream):
    a = gpuarray.to_gpu(numbers())
    with stream.capture() as graph:
        b = a + 1
    run(graph)
    del graph
    gc.collect()
    others = [gpuarray.zeros(32, np.float32) for _ in range(20)]
    np.testing.assert_array_equal(b.get(), numbers() + 1)
    del others


def test_temporaries_share_memory_within_a_capture(stream, context):
    a = gpuarray.zeros(1 << 20, np.float32)
    with stream.capture() as graph:
        addresses = set()
        for _ in range(20):
            addresses.add((a * 2).ptr)
            a += a * 2 + a * 3
    assert len(graph.nodes) == 20 * 5
    assert len(addresses) > 1  # an address that was told may be in use elsewhere
    before = own_bytes()
    with stream.capture() as graph:
        for _ in range(50):
            a += a * 2 + a * 3
    assert own_bytes() - before < 40 << 20
    del graph


def test_memory_of_a_pool_of_ones_own_is_kept_by_what_uses_it(stream):
    pool = cuda.DeviceMemoryPool()
    a = gpuarray.to_gpu(numbers(), allocator=pool.allocate)
    with stream.capture() as graph:
        b = a * 2 + 1
    del a
    gc.collect()
    assert pool.active_blocks >= 2
    taken = [pool.allocate(128) for _ in range(10)]
    for one in taken:
        cuda.memset_d8(one, 255, 128)
    run(graph)
    np.testing.assert_array_equal(b.get(), numbers() * 2 + 1)
    del graph
    gc.collect()
    assert pool.active_blocks == 11


def test_memory_of_the_drivers_pools_is_allocated_beside_the_capture(stream, scale):
    if not cuda.Context.get_device().get_attribute(cuda.device_attribute.MEMORY_POOLS_SUPPORTED):
        pytest.skip("needs a device with memory pools")
    pool = cuda.StreamOrderedMemoryPool()
    for given in (None, stream):
        with stream.capture() as graph:
            memory = pool.allocate(128, given)
            cuda.memset_d32(memory, 0x3F800000, 32)
            scale(memory, np.float32(3), block=BLOCK)
            memory.free(given)
            second = pool.allocate(128)
            cuda.memset_d32(second, 0x3F800000, 32)
        assert cuda.graph_node_type.MEM_ALLOC not in {node.type for node in graph.nodes}
        executable = graph.instantiate()
        for _ in range(2):
            executable.launch(stream)
        stream.synchronize()
        np.testing.assert_array_equal(cuda.from_device(second, 32, np.float32), 1)


def test_memory_freed_in_a_capture_stays_for_the_graph(stream, scale):
    memory = cuda.mem_alloc(128)
    back = cuda.pagelocked_zeros(32, np.float32)
    with stream.capture() as graph:
        cuda.memset_d32(memory, 0x3F800000, 32)
        scale(memory, np.float32(3), block=BLOCK)
        cuda.memcpy_dtoh_async(back, memory)
        memory.free()
    with pytest.raises(cuda.LogicError, match="has been freed"):
        int(memory)
    for _ in range(20):
        cuda.memset_d8(cuda.mem_alloc(128), 255, 128)
    run(graph)
    np.testing.assert_array_equal(back, 3)


def test_modules_live_as_long_as_the_graph(stream):
    a = gpuarray.to_gpu(numbers())
    with stream.capture() as graph:
        SourceModule("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }").get_function("twice")(a, block=BLOCK)
    gc.collect()
    run(graph)
    np.testing.assert_array_equal(a.get(), numbers() * 2)


def resident_kibibytes():
    gc.collect()
    with open("/proc/self/statm") as pages:
        return 4 * int(pages.read().split()[1])


def test_nothing_stays_behind(stream, scale):
    a = gpuarray.to_gpu(numbers())

    def once():
        with stream.capture() as graph:
            (a * 2 + 1).ptr  # noqa: B018
            scale(a, np.float32(2), block=BLOCK)
            cuda.mem_alloc(1000)
        executable = graph.instantiate()
        executable.set_kernel_arguments(graph.nodes[-1], a, np.float32(1))
        executable.launch(stream)
        try:
            with stream.capture():
                a * 2
                a.get()
        except cuda.LogicError:
            pass
        other = cuda.Graph()
        other.add_host_node(lambda: None)
        other.add_child_graph_node(graph)
        other.clone().instantiate().launch()

    def repeat(count):
        for _ in range(count):
            once()
        cuda.Context.synchronize()

    repeat(200)
    before, own_before = resident_kibibytes(), own_bytes()
    repeat(1000)
    assert resident_kibibytes() - before < 2000
    assert own_bytes() - own_before <= 4 << 20
