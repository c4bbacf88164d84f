# SPDX-License-Identifier: MIT
"""Semaphores of other processes by descriptor: on the CPU driver words in any file that can be mapped."""

import mmap
import os
import subprocess
import sys

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import is_cpu
from pycuda import gpuarray

TYPES = cuda.external_semaphore_handle_type


@pytest.fixture
def file(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver: a GPU's takes what Vulkan exports")
    descriptor = os.memfd_create("semaphore")
    os.ftruncate(descriptor, 8)
    yield descriptor
    os.close(descriptor)


@pytest.fixture
def word(file):
    return np.frombuffer(mmap.mmap(file, 8), np.uint64)


def test_a_stream_waits_for_another_ones_signal(file, word):
    progress = cuda.ExternalSemaphore(file)
    waiting, other = cuda.Stream(), cuda.Stream()
    a = gpuarray.zeros(100, np.int32)
    progress.wait(2, waiting)
    cuda.memset_d32_async(a.gpudata, 5, 100, waiting)
    progress.signal(1, other)
    other.synchronize()
    assert not waiting.is_done() and word[0] == 1
    progress.signal(2, other)
    waiting.synchronize()
    assert (a.get() == 5).all()


def test_another_process_signals(file):
    progress, stream = cuda.ExternalSemaphore(file), cuda.Stream()
    progress.wait(7, stream)
    code = "import mmap, sys; mmap.mmap(int(sys.argv[1]), 8)[0] = 7"
    subprocess.run([sys.executable, "-c", code, str(file)], pass_fds=[file], check=True)
    stream.synchronize()


def test_a_wait_takes_the_signal_of_a_binary_semaphore(file, word):
    flag, stream = cuda.ExternalSemaphore(file, TYPES.OPAQUE_FD), cuda.Stream()
    flag.signal(stream=stream)
    stream.synchronize()
    assert word[0] == 1
    flag.wait(stream=stream)
    stream.synchronize()
    assert word[0] == 0


def test_several_are_signalled_by_one_call(file, word):
    first, second, stream = cuda.ExternalSemaphore(file), cuda.ExternalSemaphore(file), cuda.Stream()
    cuda.signal_external_semaphores([(first, 3), (second, 4)], stream)
    cuda.wait_external_semaphores(iter([(first, 4), (second, 4)]), stream)
    cuda.signal_external_semaphores([], stream)
    stream.synchronize()
    assert word[0] == 4


def test_graphs_signal_and_wait(file, word):
    semaphore, graph, stream = cuda.ExternalSemaphore(file), cuda.Graph(), cuda.Stream()
    waits = graph.add_semaphore_wait_node([(semaphore, 1)])
    signals = graph.add_semaphore_signal_node([(semaphore, 8)], dependencies=[waits])
    assert (waits.type, signals.type) == (
        cuda.graph_node_type.EXT_SEMAS_WAIT,
        cuda.graph_node_type.EXT_SEMAS_SIGNAL,
    )
    assert signals.get_params() == {"pairs": [(semaphore.handle, 8)]}
    step = graph.instantiate()
    step.launch(stream)
    assert not stream.is_done()
    word[0] = 1
    stream.synchronize()
    assert word[0] == 8
    step.set_params(signals, pairs=[(semaphore, 9)])
    step.launch(stream)
    stream.synchronize()
    assert word[0] == 9
    signals.set_params(pairs=[(semaphore, 10)])
    assert signals.get_params()["pairs"] == [(semaphore.handle, 10)]
    with pytest.raises(cuda.LogicError, match="cuGraphExecNodeSetParams"):
        step.set_params(signals, pairs=[(semaphore, 1), (semaphore, 2)])
    with pytest.raises(ValueError, match="at least one semaphore"):
        graph.add_semaphore_wait_node([])


def test_a_captured_stream_makes_nodes(file, word):
    semaphore, stream = cuda.ExternalSemaphore(file), cuda.Stream()
    with stream.capture() as graph:
        semaphore.signal(6, stream)
    assert [node.type for node in graph.nodes] == [cuda.graph_node_type.EXT_SEMAS_SIGNAL]
    assert word[0] == 0
    graph.instantiate().launch(stream)
    stream.synchronize()
    assert word[0] == 6


def test_what_is_no_such_semaphore_is_refused(file):
    reading, writing = os.pipe()
    try:
        with pytest.raises(cuda.Error, match=r"cuImportExternalSemaphore failed: unknown error"):
            cuda.ExternalSemaphore(reading)
    finally:
        os.close(reading), os.close(writing)
    with pytest.raises(cuda.Error, match="cuImportExternalSemaphore"):
        cuda.ExternalSemaphore(-1)
    with pytest.raises(cuda.LogicError, match="cuImportExternalSemaphore failed: invalid argument"):
        cuda.ExternalSemaphore(file, 99)
    with pytest.raises(TypeError, match="descriptor must be an integer, not str"):
        cuda.ExternalSemaphore("file")


def test_wrong_values_are_refused(file):
    semaphore = cuda.ExternalSemaphore(file)
    with pytest.raises(TypeError, match="a semaphore must be an ExternalSemaphore, not int"):
        cuda.signal_external_semaphores([(3, 1)])
    with pytest.raises(OverflowError, match="value is out of range: -1"):
        semaphore.signal(-1)
    with pytest.raises(TypeError, match="value must be an integer, not float"):
        semaphore.wait(value=0.5)


def test_the_descriptor_stays_the_callers(file):
    number = os.dup(file)
    semaphore = cuda.ExternalSemaphore(number)
    os.close(number)
    del semaphore
    assert os.fstat(file).st_size == 8
