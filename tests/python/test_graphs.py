# SPDX-License-Identifier: MIT
"""Graphs: captured from streams and made of nodes, changed, launched, and what they keep alive."""

import gc
import threading
import weakref

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from programs import run_program
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel

SOURCE = """
__global__ void scale(float *x, float factor) { x[threadIdx.x] *= factor; }
__global__ void add(float *x, const float *y) { x[threadIdx.x] += y[threadIdx.x]; }
__global__ void spin(int *flag) { while (atomicAdd(flag, 0) == 0) {} }
"""
BLOCK = (32, 1, 1)


@pytest.fixture
def module(context):
    return SourceModule(SOURCE)


@pytest.fixture
def stream(context):
    return cuda.Stream()


@pytest.fixture
def scale(module):
    return module.get_function("scale")


@pytest.fixture
def add(module):
    return module.get_function("add")


def numbers(n=32):
    return np.arange(n, dtype=np.float32)


def run(graph, stream=None):
    graph.instantiate().launch(stream)
    cuda.Context.synchronize()


def test_captured_launches_run_when_the_graph_is_launched(stream, scale):
    a = gpuarray.to_gpu(numbers())
    with stream.capture() as graph:
        assert stream.is_capturing()
        scale(a, np.float32(2), block=BLOCK, stream=stream)
        scale(a, np.float32(3), block=BLOCK)
    assert not stream.is_capturing()
    np.testing.assert_array_equal(a.get(), numbers())
    executable = graph.instantiate()
    for times in (1, 2):
        executable.launch(stream)
        stream.synchronize()
        np.testing.assert_array_equal(a.get(), numbers() * 6**times)


def test_a_graph_sees_the_data_of_its_launch(stream):
    a = gpuarray.to_gpu(numbers())
    with stream.capture() as graph:
        b = a * 2 + 1
    executable = graph.instantiate()
    for data in (numbers(), -numbers()):
        a.set(data)
        executable.launch(stream)
        stream.synchronize()
        np.testing.assert_array_equal(b.get(), data * 2 + 1)


def test_the_pair_of_calls_captures_what_is_put_into_the_stream(stream, scale):
    a = gpuarray.to_gpu(numbers())
    stream.begin_capture()
    assert stream.is_capturing()
    scale(a, np.float32(2), block=BLOCK, stream=stream)
    graph = stream.end_capture()
    assert not stream.is_capturing()
    assert [node.type for node in graph.nodes] == [cuda.graph_node_type.KERNEL]
    run(graph)
    np.testing.assert_array_equal(a.get(), numbers() * 2)


@pytest.mark.parametrize("mode", ["GLOBAL", "THREAD_LOCAL", "RELAXED"])
def test_every_mode_allows_allocations_in_the_block(stream, mode):
    a = gpuarray.to_gpu(numbers())
    with stream.capture(mode=getattr(cuda.capture_mode, mode)) as graph:
        b = gpuarray.empty_like(a)
        b.fill(3)
        b += a
        cuda.mem_alloc(1000)
    run(graph)
    np.testing.assert_array_equal(b.get(), numbers() + 3)


def test_a_stream_that_waits_for_nobody_can_be_captured(context):
    stream = cuda.Stream(1)
    a = gpuarray.to_gpu(numbers())
    with stream.capture() as graph:
        b = a + 1
    run(graph, stream)
    np.testing.assert_array_equal(b.get(), numbers() + 1)


def test_prepared_calls_are_captured(stream, scale):
    scale.prepare("Pf")
    a = gpuarray.to_gpu(numbers())
    with stream.capture() as graph:
        scale.prepared_call((1, 1), BLOCK, a.gpudata, 2.0)
        scale.prepared_async_call((1, 1), BLOCK, stream, a.gpudata, 5.0)
    run(graph)
    np.testing.assert_array_equal(a.get(), numbers() * 10)


def test_kernels_from_expressions_are_captured(stream):
    double = ElementwiseKernel("float *x, float *y", "y[i] = 2 * x[i]")
    a = gpuarray.to_gpu(numbers())
    b = gpuarray.empty_like(a)
    with stream.capture() as graph:
        double(a, b)  # compiled here, too
    run(graph)
    np.testing.assert_array_equal(b.get(), numbers() * 2)


def test_reductions_are_captured(stream):
    sum_of_squares = ReductionKernel(np.float32, "0", "a+b", "x[i]*x[i]", "float *x")
    a = gpuarray.to_gpu(numbers(5000) / 5000)
    with stream.capture() as graph:
        total, largest, squares = gpuarray.sum(a), gpuarray.max(a), sum_of_squares(a)
    executable = graph.instantiate()
    for data in (numbers(5000) / 5000, np.ones(5000, np.float32)):
        a.set(data)
        executable.launch()
        cuda.Context.synchronize()
        np.testing.assert_allclose(total.get(), data.sum(), rtol=1e-5)
        assert largest.get() == data.max()
        np.testing.assert_allclose(squares.get(), (data**2).sum(), rtol=1e-5)


def test_scans_sorts_of_views_and_indexing_are_captured(stream):
    a = gpuarray.to_gpu(numbers(1000))
    places = gpuarray.to_gpu(np.array([5, 3, 900]))
    with stream.capture() as graph:
        running = a.cumsum()
        reversed_ = a[::-1].copy()
        taken = a[places]
        a[2:10] = 0
    run(graph)
    np.testing.assert_allclose(running.get(), numbers(1000).cumsum())
    np.testing.assert_array_equal(reversed_.get(), numbers(1000)[::-1])
    np.testing.assert_array_equal(taken.get(), [5, 3, 900])
    assert not a.get()[2:10].any()


def test_products_are_captured_without_a_library_of_others(stream, monkeypatch):
    from pycuda._arrays import cublas

    monkeypatch.setattr(cublas, "library", lambda: pytest.fail("it knows nothing of the captured stream"))
    a = gpuarray.to_gpu(numbers(36).reshape(6, 6))
    with stream.capture() as graph:
        b = a @ a
    run(graph)
    np.testing.assert_allclose(b.get(), a.get() @ a.get())


def test_random_numbers_differ_from_launch_to_launch(stream):
    from pycuda.curandom import XORWOWRandomNumberGenerator

    generator = XORWOWRandomNumberGenerator()
    with stream.capture() as graph:
        a = generator.gen_uniform(100, np.float32)
    run(graph)
    first = a.get()
    run(graph)
    assert (first != a.get()).any()
    assert ((first > 0) & (first <= 1)).all()


def test_items_of_structs_are_captured_with_their_value(stream):
    pairs = gpuarray.empty(4, np.dtype([("x", "f4"), ("n", "i4")]))
    value = np.array((1.5, 7), pairs.dtype)
    with stream.capture() as graph:
        pairs.fill(value)
    value["n"] = 8
    del value
    gc.collect()
    run(graph)
    assert pairs.get()[3] == np.array((1.5, 7), pairs.dtype)


def test_array_operations_in_a_stream_of_their_own_are_captured(context):
    for flags in (0, 1):
        stream = cuda.Stream(flags)
        a = gpuarray.to_gpu(numbers(5000))
        with stream.capture() as graph:
            total = gpuarray.sum(a, stream=stream)
            gpuarray.maximum(a, 7, out=a, stream=stream)
        run(graph, stream)
        assert total.get() == numbers(5000).sum()
        np.testing.assert_array_equal(a.get(), np.maximum(numbers(5000), 7))


def test_copies_are_captured_and_read_the_host_anew(stream):
    host, back = cuda.pagelocked_empty(32, np.float32), cuda.pagelocked_zeros(32, np.float32)
    memory, second = cuda.mem_alloc(host.nbytes), cuda.mem_alloc(host.nbytes)
    with stream.capture() as graph:
        cuda.memcpy_htod_async(memory, host)
        cuda.memcpy_dtod_async(second, memory, host.nbytes, stream)
        cuda.memcpy_dtod(memory, second, host.nbytes)
        cuda.memcpy_dtoh_async(back, memory)
    assert {node.type for node in graph.nodes} == {cuda.graph_node_type.MEMCPY}
    executable = graph.instantiate()
    for data in (numbers(), -numbers()):
        host[:] = data
        executable.launch(stream)
        stream.synchronize()
        np.testing.assert_array_equal(back, data)


def test_fills_are_captured(stream):
    memory = cuda.mem_alloc(64)
    with stream.capture() as graph:
        cuda.memset_d32(memory, 7, 16)
        cuda.memset_d8_async(memory, 1, 4, stream)
    run(graph)
    np.testing.assert_array_equal(cuda.from_device(memory, 16, np.uint32), [0x01010101] + 15 * [7])


def test_asynchronous_copies_of_arrays_are_captured(stream):
    host, back = cuda.pagelocked_empty(32, np.float32), cuda.pagelocked_zeros(32, np.float32)
    a = gpuarray.zeros(32, np.float32)
    with stream.capture() as graph:
        a.set_async(host)
        a += 1
        a.get_async(ary=back)
    host[:] = numbers()
    run(graph)
    np.testing.assert_array_equal(back, numbers() + 1)


def test_a_plane_is_copied_by_a_graph(stream):
    source = np.arange(64, dtype=np.float32).reshape(8, 8)
    memory = cuda.mem_alloc(4 * 4 * 4)
    copy = cuda.Memcpy2D()
    copy.set_src_host(source)
    copy.set_dst_device(memory)
    copy.src_pitch, copy.dst_pitch, copy.width_in_bytes, copy.height = 32, 16, 16, 4
    with stream.capture() as graph:
        copy(stream)
    run(graph)
    np.testing.assert_array_equal(cuda.from_device(memory, (4, 4), np.float32), source[:4, :4])


def test_streams_fork_and_join_by_events(stream, scale, add):
    other = cuda.Stream()
    a, b = gpuarray.to_gpu(numbers()), gpuarray.to_gpu(numbers())
    fork, join = cuda.Event(), cuda.Event()
    with stream.capture() as graph:
        scale(a, np.float32(2), block=BLOCK)
        fork.record(stream)
        other.wait_for_event(fork)
        assert other.is_capturing()
        scale(b, np.float32(3), block=BLOCK, stream=other)
        scale(a, np.float32(5), block=BLOCK)
        join.record(other)
        stream.wait_for_event(join)
        add(a, b, block=BLOCK)
    assert not other.is_capturing()
    assert len(graph.nodes) == 4
    assert len(graph.edges) == 4
    run(graph)
    np.testing.assert_array_equal(a.get(), numbers() * 13)


def test_a_stream_that_is_not_joined_is_told(stream, scale):
    other, fork = cuda.Stream(), cuda.Event()
    a = gpuarray.to_gpu(numbers())
    with pytest.raises(cuda.LogicError, match="record an event in that stream") as failure:
        with stream.capture():
            fork.record(stream)
            other.wait_for_event(fork)
            scale(a, np.float32(2), block=BLOCK, stream=other)
    assert failure.value.name == "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"
    for each in (stream, other):
        assert not each.is_capturing()
        scale(a, np.float32(1), block=BLOCK, stream=each)
        each.synchronize()


REFUSED = {
    "memcpy_dtoh": (lambda a, f, s: cuda.memcpy_dtoh(np.empty(32, "f4"), a.gpudata), "memcpy_dtoh_async"),
    "memcpy_htod": (lambda a, f, s: cuda.memcpy_htod(a.gpudata, numbers()), "memcpy_htod_async"),
    "get": (lambda a, f, s: a.get(), "get_async"),
    "set": (lambda a, f, s: a.set(numbers()), "set_async"),
    "to_gpu": (lambda a, f, s: gpuarray.to_gpu(numbers()), "before the capture"),
    "truth": (lambda a, f, s: float(gpuarray.sum(a)), "get_async"),
    "In": (lambda a, f, s: f(cuda.In(numbers()), np.float32(2), block=BLOCK), "memory on the device"),
    "InOut": (lambda a, f, s: f(cuda.InOut(numbers()), np.float32(2), block=BLOCK, stream=s), "memory on the device"),
    "time": (lambda a, f, s: f(a, np.float32(2), block=BLOCK, time_kernel=True), "record events"),
    "context": (lambda a, f, s: cuda.Context.synchronize(), "until the graph is launched"),
    "stream": (lambda a, f, s: s.synchronize(), "until the graph is launched"),
    "plane": (lambda a, f, s: cuda.Memcpy2D()(), "give it a stream"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_waits_says_what_to_do_instead(stream, scale, what):
    action, advice = REFUSED[what]
    a = gpuarray.to_gpu(numbers())
    with pytest.raises(cuda.LogicError, match=advice) as failure, stream.capture():
        action(a, scale, stream)
    assert failure.value.name == "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"
    assert not stream.is_capturing()
    scale(a, np.float32(2), block=BLOCK, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(a.get(), numbers() * 2)


@pytest.mark.parametrize("what", sorted(set(REFUSED) - {"plane"}))
def test_a_refusal_that_is_caught_does_not_spoil_the_capture(stream, scale, what):
    a = gpuarray.to_gpu(numbers())
    with stream.capture() as graph:
        with pytest.raises(cuda.LogicError):
            REFUSED[what][0](a, scale, stream)
        b = a + 1
    run(graph)
    np.testing.assert_array_equal(b.get(), numbers() + 1)


def test_an_exception_of_the_block_ends_the_capture_and_passes_through(stream):
    a = gpuarray.to_gpu(numbers())
    with pytest.raises(ZeroDivisionError), stream.capture() as graph:
        b = a + 1
        raise ZeroDivisionError
    assert not stream.is_capturing()
    assert repr(graph) == "<pycuda._driver.Graph, being captured>"
    with pytest.raises(cuda.LogicError, match="capture has ended without an error"):
        graph.instantiate()
    b = a + 1
    np.testing.assert_array_equal(b.get(), numbers() + 1)


def test_the_graph_is_not_there_before_the_end_of_the_block(stream):
    with stream.capture() as graph, pytest.raises(cuda.LogicError, match="capture has ended"):
        graph.nodes  # noqa: B018
    assert graph.nodes == []


def test_a_stream_is_captured_once_at_a_time(stream):
    a = gpuarray.to_gpu(numbers())
    with stream.capture() as graph:
        for begin in (stream.begin_capture, stream.capture().__enter__):
            with pytest.raises(cuda.LogicError, match="captured already"):
                begin()
        b = a + 1
    run(graph)
    np.testing.assert_array_equal(b.get(), numbers() + 1)


def test_a_capture_that_was_not_begun_cannot_be_ended(stream):
    with pytest.raises(cuda.LogicError):
        stream.end_capture()


def test_a_wrong_mode_is_refused(stream):
    with pytest.raises(TypeError):
        stream.capture("global")
    with pytest.raises(cuda.LogicError), stream.capture(7):
        pass
    assert not stream.is_capturing()


def test_events_of_a_capture_cannot_be_waited_for(stream):
    event = cuda.Event()
    with stream.capture():
        event.record(stream)
    with pytest.raises(cuda.LogicError, match="recorded in a captured stream"):
        event.synchronize()


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
    free_before = cuda.mem_get_info()[0]
    with stream.capture() as graph:
        for _ in range(50):
            a += a * 2 + a * 3
    assert free_before - cuda.mem_get_info()[0] < 40 << 20
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
    try:
        pool = cuda.StreamOrderedMemoryPool()
    except cuda.LogicError as error:
        pytest.skip(str(error))
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


def test_another_thread_goes_on_while_one_captures(context):
    stream = cuda.Stream(1)  # of the others the default stream is kept while they are captured
    a = gpuarray.to_gpu(numbers())
    results, errors = [], []
    begun, done = threading.Event(), threading.Event()

    def work():
        begun.wait()
        try:
            own = cuda.Stream(1)
            other = gpuarray.zeros(32, np.float32)
            other._set(numbers(), True, own)
            own.synchronize()
            results.append(other)
            del other
            memory = cuda.mem_alloc(64)
            memory.free()
            gpuarray.empty(8, np.float32).gpudata.free()
        except Exception as error:  # noqa: BLE001
            errors.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=work)
    thread.start()
    with stream.capture() as graph:
        b = a + 1
        begun.set()
        done.wait()
        b += 1
    thread.join()
    assert not errors
    run(graph)
    np.testing.assert_array_equal(b.get(), numbers() + 2)
    np.testing.assert_array_equal(results[0].get(), numbers())


def test_threads_capture_and_launch_side_by_side(context):
    errors = []

    def work(number):
        try:
            stream = cuda.Stream(1)
            a = gpuarray.empty(256, np.float32)
            a.set_async(np.full(256, number, np.float32), stream)
            stream.synchronize()
            for _ in range(10):
                with stream.capture() as graph:
                    b = a * 2 + number
                executable = graph.instantiate()
                executable.launch(stream)
                stream.synchronize()
                host = np.empty(256, np.float32)
                cuda.memcpy_dtoh_async(host, b.gpudata, stream)
                stream.synchronize()
                assert (host == 3 * number).all()
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_nodes_run_after_what_they_depend_on(stream, scale, add):
    host, back = numbers(), np.empty(32, np.float32)
    memory, second = cuda.mem_alloc(host.nbytes), cuda.mem_alloc(host.nbytes)
    graph = cuda.Graph()
    up = graph.add_memcpy_htod_node(memory, host, host.nbytes)
    twice = graph.add_kernel_node(memory, np.float32(2), func=scale, block=BLOCK, dependencies=[up])
    aside = graph.add_memcpy_dtod_node(second, memory, host.nbytes, [twice])
    thrice = graph.add_kernel_node(memory, np.float32(3), func=scale, block=BLOCK, grid=(1, 1), dependencies=[aside])
    both = graph.add_empty_node([thrice, aside])
    total = graph.add_kernel_node(memory, second, func=add, block=BLOCK, dependencies=both)
    graph.add_memcpy_dtoh_node(back, memory, host.nbytes, [total, up])
    assert len(graph.nodes) == 7
    assert set(total.dependencies) == {both}
    assert set(both.dependencies) == {aside, thrice}
    assert (up, twice) in graph.edges
    assert up.dependents[0] in graph.nodes
    executable = graph.get_exec_graph()
    executable.launch()
    cuda.Context.synchronize()
    np.testing.assert_array_equal(back, numbers() * 8)


def test_nodes_fill_with_elements_of_every_size(context):
    memory = cuda.mem_alloc(28)
    graph = cuda.Graph()
    graph.add_memset_node(memory, 7, 4)
    graph.add_memset_node(int(memory) + 4, 0x102, 4, element_size=2)
    graph.add_memset_node(int(memory) + 12, 0x10203, 4, element_size=4)
    run(graph)
    found = cuda.from_device(memory, 28, np.uint8)
    np.testing.assert_array_equal(found[:4], 7)
    np.testing.assert_array_equal(found[4:12].view(np.uint16), 0x102)
    np.testing.assert_array_equal(found[12:].view(np.uint32), 0x10203)
    with pytest.raises(ValueError, match="element_size must be 1, 2 or 4"):
        graph.add_memset_node(memory, 7, 4, element_size=3)
    with pytest.raises(OverflowError):
        graph.add_memset_node(memory, 256, 4)


def test_host_nodes_call_python(context, stream):
    calls = []
    back = cuda.pagelocked_zeros(4, np.int32)
    memory = cuda.mem_alloc(16)
    graph = cuda.Graph()
    fill = graph.add_memset_node(memory, 9, 4, element_size=4)
    copy = graph.add_memcpy_dtoh_node(back, memory, dependencies=fill)
    graph.add_host_node(lambda: calls.append(back.tolist()), [copy])
    executable = graph.instantiate()
    del graph
    gc.collect()
    for _ in range(3):
        executable.launch(stream)
    stream.synchronize()
    assert calls == 3 * [[9, 9, 9, 9]]
    with pytest.raises(TypeError, match="needs a function, not int"):
        cuda.Graph().add_host_node(3)


def test_an_exception_in_a_host_node_is_printed(context, monkeypatch):
    seen = []
    monkeypatch.setattr("sys.unraisablehook", lambda problem: seen.append(problem.exc_type))
    graph = cuda.Graph()
    graph.add_host_node(lambda: 1 // 0)
    run(graph)
    assert seen == [ZeroDivisionError]
    run(cuda.Graph())


def test_a_host_node_must_not_use_the_driver(context):
    if "CPU" not in context.get_device().name():
        pytest.skip("NVIDIA's driver may or may not notice")
    errors = []

    def allocate():
        try:
            cuda.mem_alloc(64)
        except cuda.Error as error:
            errors.append(error)

    graph = cuda.Graph()
    graph.add_host_node(allocate)
    run(graph)
    (error,) = errors
    assert error.name == "CUDA_ERROR_NOT_PERMITTED"
    assert "must not use the driver" in str(error)


def test_a_launched_graph_with_a_host_node_may_be_dropped(context):
    calls = []
    for _ in range(20):
        graph = cuda.Graph()
        graph.add_host_node(lambda: calls.append(1))
        graph.instantiate().launch()
        del graph
    cuda.Context.synchronize()
    assert len(calls) == 20


def test_a_graph_within_a_graph_is_a_copy(stream, scale):
    a = gpuarray.to_gpu(numbers())
    inner = cuda.Graph()
    inner.add_kernel_node(a, np.float32(2), func=scale, block=BLOCK)
    outer = cuda.Graph()
    first = outer.add_child_graph_node(inner)
    assert first.type == cuda.graph_node_type.GRAPH
    inner.add_kernel_node(a, np.float32(100), func=scale, block=BLOCK)
    outer.add_kernel_node(a, np.float32(3), func=scale, block=BLOCK, dependencies=first)
    del inner
    gc.collect()
    run(outer)
    np.testing.assert_array_equal(a.get(), numbers() * 6)


def test_a_graph_is_captured_into_another(stream, scale):
    a = gpuarray.to_gpu(numbers())
    inner = cuda.Graph()
    inner.add_kernel_node(a, np.float32(2), func=scale, block=BLOCK)
    executable = inner.instantiate()
    with stream.capture() as graph:
        scale(a, np.float32(3), block=BLOCK)
        executable.launch()
    del executable, inner
    np.testing.assert_array_equal(a.get(), numbers())
    run(graph)
    np.testing.assert_array_equal(a.get(), numbers() * 6)


def test_a_clone_has_nodes_of_its_own(context, scale):
    a = gpuarray.to_gpu(numbers())
    graph = cuda.Graph()
    node = graph.add_kernel_node(a, np.float32(2), func=scale, block=BLOCK)
    clone = graph.clone()
    graph.add_kernel_node(a, np.float32(5), func=scale, block=BLOCK, dependencies=node)
    assert len(clone.nodes) == 1
    assert clone.nodes[0] != node
    assert clone.find_in_clone(node) == clone.nodes[0]
    del graph, node
    gc.collect()
    run(clone)
    np.testing.assert_array_equal(a.get(), numbers() * 2)


def test_events_are_recorded_and_waited_for_by_nodes(context, stream, scale):
    a = gpuarray.to_gpu(numbers())
    before, after = cuda.Event(), cuda.Event()
    before.record()
    graph = cuda.Graph()
    wait = graph.add_event_wait_node(before)
    node = graph.add_kernel_node(a, np.float32(2), func=scale, block=BLOCK, dependencies=wait)
    record = graph.add_event_record_node(after, node)
    assert record.type == cuda.graph_node_type.EVENT_RECORD
    assert wait.type == cuda.graph_node_type.WAIT_EVENT
    executable = graph.instantiate()
    del before, graph
    executable.launch(stream)
    after.synchronize()
    np.testing.assert_array_equal(a.get(), numbers() * 2)


def test_arguments_of_a_node_are_changed(stream, scale):
    a, b = gpuarray.to_gpu(numbers()), gpuarray.to_gpu(numbers())
    graph = cuda.Graph()
    node = graph.add_kernel_node(a, np.float32(2), func=scale, block=BLOCK)
    executable = graph.instantiate()
    executable.launch()
    executable.set_kernel_arguments(node, b, 5)
    executable.launch()
    np.testing.assert_array_equal(a.get(), numbers() * 2)
    np.testing.assert_array_equal(b.get(), numbers() * 5)
    watched = weakref.ref(b)
    del b
    assert watched() is not None
    executable.batched_set_kernel_node_arguments({node: cuda.KernelNodeParams(args=[a.gpudata, np.float32(3)])})
    assert watched() is None
    executable.launch()
    np.testing.assert_array_equal(a.get(), numbers() * 6)
    executable.batched_set_kernel_node_arguments({node: (a, 10)})
    executable.launch()
    np.testing.assert_array_equal(a.get(), numbers() * 60)


def test_arguments_of_a_captured_launch_are_changed(stream, scale):
    a = gpuarray.to_gpu(numbers())
    with stream.capture() as graph:
        scale(a, np.float32(2), block=BLOCK)
    (node,) = graph.nodes
    assert repr(node) == "<pycuda._driver.GraphNode KERNEL 'scale'>"
    executable = graph.instantiate()
    executable.set_kernel_arguments(node, a, 7.0)
    executable.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(a.get(), numbers() * 7)


def test_wrong_arguments_of_a_node_are_refused(context, scale):
    a = gpuarray.to_gpu(numbers())
    graph = cuda.Graph()
    node = graph.add_kernel_node(a, np.float32(2), func=scale, block=BLOCK)
    executable = graph.instantiate()
    for give in (
        lambda *args: executable.set_kernel_arguments(node, *args),
        lambda *args: graph.add_kernel_node(*args, func=scale, block=BLOCK),
    ):
        with pytest.raises(TypeError, match="takes 2 parameters"):
            give(a)
        with pytest.raises(TypeError, match="scale"):
            give(a, "x")
        with pytest.raises(TypeError, match="no In, Out or InOut"):
            give(cuda.InOut(numbers()), np.float32(2))
    with pytest.raises(TypeError, match="func must be a Function, not int"):
        graph.add_kernel_node(a, func=3, block=BLOCK)
    with pytest.raises(ValueError, match="another graph"):
        cuda.Graph().add_empty_node(node)
    with pytest.raises(TypeError, match="nodes of the graph, not str"):
        graph.add_empty_node(["x"])
    with pytest.raises(ValueError, match="instantiated from"):
        graph.clone().instantiate().set_kernel_arguments(node, a, np.float32(2))
    with pytest.raises(ValueError, match="the host memory has 4"):
        graph.add_memcpy_htod_node(a.gpudata, np.zeros(1, np.float32), 8)
    with pytest.raises(cuda.LogicError):
        graph.add_kernel_node(a, np.float32(2), func=scale, block=(5000, 1, 1))
        graph.instantiate()
    empty = graph.add_empty_node()
    with pytest.raises(cuda.LogicError):
        executable.set_kernel_arguments(empty, a, np.float32(2))


def test_an_executable_graph_takes_the_arguments_of_another_graph(stream):
    a, b = gpuarray.to_gpu(numbers()), gpuarray.to_gpu(-numbers())
    with stream.capture() as graph:
        first = a * 2 + 1
    executable = graph.instantiate()
    with stream.capture() as second_graph:
        second = b * 2 + 5
    executable.update(second_graph)
    del second_graph, graph
    gc.collect()
    executable.launch()
    np.testing.assert_array_equal(second.get(), -numbers() * 2 + 5)
    with stream.capture() as third_graph:
        third = a * 2 - 7
    executable.update(third_graph)
    executable.launch()
    np.testing.assert_array_equal(third.get(), numbers() * 2 - 7)
    del first


def test_an_update_with_another_shape_says_so(stream, scale):
    a = gpuarray.to_gpu(numbers())
    graph = cuda.Graph()
    graph.add_kernel_node(a, np.float32(2), func=scale, block=BLOCK)
    executable = graph.instantiate()
    other = cuda.Graph()
    node = other.add_kernel_node(a, np.float32(2), func=scale, block=BLOCK)
    other.add_kernel_node(a, np.float32(2), func=scale, block=BLOCK, dependencies=node)
    with pytest.raises(cuda.LogicError, match="instantiate") as failure:
        executable.update(other)
    assert failure.value.name == "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"
    executable.launch()
    np.testing.assert_array_equal(a.get(), numbers() * 2)


def test_nodes_are_switched_off_and_on(stream, scale):
    a = gpuarray.to_gpu(numbers())
    graph = cuda.Graph()
    first = graph.add_kernel_node(a, np.float32(2), func=scale, block=BLOCK)
    graph.add_kernel_node(a, np.float32(3), func=scale, block=BLOCK, dependencies=first)
    executable = graph.instantiate()
    executable.set_enabled(first, False)
    assert not executable.is_enabled(first)
    executable.launch()
    np.testing.assert_array_equal(a.get(), numbers() * 3)
    executable.set_enabled(first)
    assert executable.is_enabled(first)
    executable.launch()
    np.testing.assert_array_equal(a.get(), numbers() * 18)


def test_a_graph_is_uploaded_before_its_first_launch(stream, scale):
    a = gpuarray.to_gpu(numbers())
    with stream.capture() as graph:
        scale(a, np.float32(2), block=BLOCK)
    executable = cuda.GraphExec(graph)
    executable.upload(stream)
    executable.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(a.get(), numbers() * 2)


def test_an_empty_graph_is_one(stream):
    with stream.capture() as graph:
        pass
    assert graph.nodes == []
    assert graph.edges == []
    assert repr(graph) == "<pycuda._driver.Graph of 0 nodes>"
    run(graph, stream)


def test_memory_nodes_give_memory_of_the_graph(context, scale):
    graph = cuda.Graph()
    made, memory = graph.add_memalloc_node(size=128)
    fill = graph.add_memset_node(memory, 0x3F800000, 32, [made], element_size=4)
    node = graph.add_kernel_node(memory, np.float32(3), func=scale, block=BLOCK, dependencies=[fill])
    graph.add_memfree_node(memory, [node])
    run(graph)
    np.testing.assert_array_equal(cuda.from_device(memory, 32, np.float32), 3)


def test_a_graph_is_drawn(context, scale, tmp_path):
    a = gpuarray.to_gpu(numbers())
    graph = cuda.Graph()
    node = graph.add_kernel_node(a, np.float32(2), func=scale, block=BLOCK)
    graph.add_empty_node(node)
    text = graph.debug_dot()
    assert text.startswith("digraph")
    assert "->" in text
    assert graph.debug_dot(tmp_path / "graph.dot", verbose=True) == (tmp_path / "graph.dot").read_text()
    graph.debug_dot_print(str(tmp_path / "again.dot"))
    assert (tmp_path / "again.dot").read_text().startswith("digraph")
    with pytest.raises(cuda.LogicError):
        graph.debug_dot(tmp_path / "no" / "such" / "folder.dot")


def test_nodes_and_graphs_say_what_they_are(context):
    graph = cuda.Graph()
    node = graph.add_empty_node()
    assert repr(graph) == "<pycuda._driver.Graph of 1 node>"
    assert repr(node) == "<pycuda._driver.GraphNode EMPTY>"
    assert node == graph.nodes[0]
    assert hash(node) == hash(graph.nodes[0])
    assert node != graph
    assert node.type.name == "EMPTY"
    assert node.handle and graph.handle and graph.instantiate().handle


def test_a_graph_launched_by_a_capture_of_nothing_but_it_repeats(stream):
    a = gpuarray.zeros(4, np.int32)
    with stream.capture() as graph:
        a += 1
    executable = graph.instantiate()
    for _ in range(500):
        executable.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(a.get(), 500)


def test_a_driver_without_graphs_says_so(fake_driver):
    run_program(
        """
        import pycuda.driver as cuda
        cuda.init()
        context = cuda.Device(0).make_context()
        stream = cuda.Stream()
        def capture():
            with stream.capture():
                assert False
        for routine, action in (
            ("cuStreamBeginCapture", stream.begin_capture),
            ("cuStreamBeginCapture", capture),
            ("cuStreamEndCapture", stream.end_capture),
            ("cuStreamIsCapturing", stream.is_capturing),
            ("cuGraphCreate", cuda.Graph),
        ):
            try:
                action()
            except cuda.LogicError as error:
                assert error.code == 801 and error.routine == routine, error
            else:
                assert False, routine
        context.pop()
        """,
        PYCUDA_DRIVER=fake_driver,
    )


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
    before, free_before = resident_kibibytes(), cuda.mem_get_info()[0]
    repeat(1000)
    assert resident_kibibytes() - before < 2000
    assert free_before - cuda.mem_get_info()[0] <= 4 << 20
