# SPDX-License-Identifier: MIT
"""What a capture is: nothing runs before the launch, and streams begin, fork, join and end it."""

import gc

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from graph_cases import BLOCK, numbers, run


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


def test_an_empty_graph_is_one(stream):
    with stream.capture() as graph:
        pass
    assert graph.nodes == []
    assert graph.edges == []
    assert repr(graph) == "<pycuda.Graph of 0 nodes>"
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


def test_a_stream_is_captured_into_a_graph_that_there_is(stream, scale):
    a = gpuarray.to_gpu(numbers())
    graph = cuda.Graph()
    first = graph.add_memset_node(a.gpudata, 0x40000000, a.size, element_size=4)  # 2.0
    other = graph.add_empty_node()
    with graph.capture(stream, [first]) as into:
        assert into is graph and stream.is_capturing()
        scale(a, np.float32(3), block=BLOCK)
        a += 1
    assert not stream.is_capturing()
    assert len(graph.nodes) == 4 and other.dependents == []
    last = graph.add_memcpy_dtod_node(a.gpudata, a.gpudata, 4, dependencies=graph.nodes[-1])
    assert len(last.dependencies) == 1
    executable = graph.instantiate()
    for _ in range(2):
        executable.launch(stream)
        stream.synchronize()
        np.testing.assert_array_equal(a.get(), np.full_like(numbers(), 7))


def test_what_was_captured_before_an_error_stays_in_the_graph(stream, scale):
    a, graph = gpuarray.to_gpu(numbers()), cuda.Graph()
    with pytest.raises(ZeroDivisionError), graph.capture(stream):
        scale(a, np.float32(2), block=BLOCK, stream=stream)
        _ = 1 // 0
    assert not stream.is_capturing()
    with graph.capture(stream):
        scale(a, np.float32(5), block=BLOCK, stream=stream)
    assert len(graph.nodes) >= 1
    graph.instantiate().launch(stream)
    stream.synchronize()


def test_wrong_captures_into_a_graph_are_refused(stream):
    graph, foreign = cuda.Graph(), cuda.Graph().add_empty_node()
    with pytest.raises(ValueError, match="another graph"):
        graph.capture(stream, foreign)
    with pytest.raises(TypeError):
        graph.capture(None)
    with stream.capture(), pytest.raises(cuda.LogicError, match="captured already"), graph.capture(stream):
        pass
    with graph.capture(stream), pytest.raises(cuda.LogicError):
        gpuarray.zeros(4, np.float32).get()
