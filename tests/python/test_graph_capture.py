# SPDX-License-Identifier: MIT
"""What is captured into graphs, what is refused and why, and that nothing runs before the launch."""

import gc
import threading

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from graph_cases import BLOCK, SOURCE, numbers, run
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel


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


def test_other_threads_cannot_spoil_a_capture_by_waiting(stream):
    a, errors = gpuarray.to_gpu(numbers()), []

    def wait():
        try:
            cuda.Context.synchronize()
        except cuda.LogicError as error:
            errors.append(str(error))

    with stream.capture() as graph:
        thread = threading.Thread(target=wait)
        thread.start()
        thread.join()
        b = a + 1
    assert "another thread captures" in errors[0]
    run(graph)
    np.testing.assert_array_equal(b.get(), numbers() + 1)


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
        cuda.Context.synchronize()  # streams with flag 1 do not wait for copies that are still on their way
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


def test_a_capture_ends_with_its_stream(stream, scale):
    def forget():
        values, lost = gpuarray.to_gpu(numbers()), cuda.Stream()
        lost.begin_capture()
        scale(values, np.float32(2), block=BLOCK, stream=lost)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        forget()
    gc.collect()
    cuda.Context.synchronize()
    assert not cuda.Stream().is_capturing()
    stream.begin_capture()
    assert not stream.end_capture().nodes


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
    with pytest.raises(cuda.LogicError, match="recorded in a captured stream|invalid argument"):
        event.synchronize()


def test_an_empty_graph_is_one(stream):
    with stream.capture() as graph:
        pass
    assert graph.nodes == []
    assert graph.edges == []
    assert repr(graph) == "<pycuda._driver.Graph of 0 nodes>"
    run(graph, stream)


def test_a_graph_launched_by_a_capture_of_nothing_but_it_repeats(stream):
    a = gpuarray.zeros(4, np.int32)
    with stream.capture() as graph:
        a += 1
    executable = graph.instantiate()
    for _ in range(500):
        executable.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(a.get(), 500)


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

    def free():
        try:
            stream = cuda.Stream(1)
            for _ in range(300):
                array = gpuarray.empty(64, np.float32)
                array.set_async(np.ones(64, np.float32), stream)
                stream.synchronize()
                del array  # other streams may use it: the context is waited for, unless something is captured in it
                gpuarray.empty(64, np.float32).gpudata.free()
                cuda.mem_alloc(64)
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 4)] + [
        threading.Thread(target=free)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
