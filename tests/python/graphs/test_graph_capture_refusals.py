# SPDX-License-Identifier: MIT
"""What a capture refuses and why, and that it leaves its stream usable."""

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from graph_cases import BLOCK, numbers, run


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
    assert repr(graph) == "<pycuda.Graph, being captured>"
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
    with pytest.raises(cuda.LogicError, match="recorded in a captured stream|invalid argument"):
        event.synchronize()
