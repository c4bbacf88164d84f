# SPDX-License-Identifier: MIT
"""Conditional nodes: if, if-else, while and switch, made node by node and captured, and what is refused."""

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from graph_cases import BLOCK, numbers
from programs import has_cpu_driver, run_program
from pycuda.compiler import SourceModule

SOURCE = """
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
// By one of many threads: the condition is *value, or whether the counter is not yet 0.
__global__ void decide(cudaGraphConditionalHandle handle, const unsigned *value) {
    if (threadIdx.x == 7) cudaGraphSetConditional(handle, *value);
}
__global__ void count_down(cudaGraphConditionalHandle handle, unsigned *counter) {
    if (threadIdx.x == 7) cudaGraphSetConditional(handle, --*counter);
}
"""


@pytest.fixture
def conditions(context):
    return SourceModule(SOURCE)


@pytest.fixture
def decide(conditions):
    return conditions.get_function("decide")


@pytest.fixture
def count_down(conditions):
    return conditions.get_function("count_down")


def word(value=0):
    return gpuarray.to_gpu(np.uint32([value]))


def launch(executable, stream=None):
    executable.launch(stream)
    cuda.Context.synchronize()


@pytest.mark.parametrize("rounds", [1, 5, 200])
def test_a_loop_runs_until_its_condition_is_0(scale, count_down, rounds):
    x, counter, back = gpuarray.to_gpu(numbers()), word(), np.empty(32, np.float32)
    graph = cuda.Graph()
    more = graph.condition()
    loop = graph.while_(more)
    with loop as body:
        work = body.add_kernel_node(x, np.float32(-1), func=scale, block=BLOCK)
        body.add_kernel_node(more.handle, counter, func=count_down, block=BLOCK, dependencies=work)
    graph.add_memcpy_dtoh_node(back, x.gpudata, dependencies=loop.node)
    assert loop.node.type == cuda.graph_node_type.CONDITIONAL
    assert len(body.nodes) == 2
    executable = graph.instantiate()
    for _ in range(2):
        x.set(numbers())
        counter.set(np.uint32([rounds]))
        launch(executable)
        np.testing.assert_array_equal(back, numbers() * (-1) ** rounds)


def test_if_and_else_and_switch_choose_by_the_condition(decide):
    value, x = word(), word()
    graph = cuda.Graph()
    either, number = graph.condition(0), graph.condition(0)
    nodes = [graph.add_kernel_node(c.handle, value, func=decide, block=BLOCK) for c in (either, number)]
    only = graph.condition(0)
    nodes.append(graph.add_kernel_node(only.handle, value, func=decide, block=BLOCK))
    y, z = word(), word()
    with graph.if_(only, dependencies=nodes) as body:
        body.add_memset_node(x.gpudata, 5, 1, element_size=4)
    then, otherwise = graph.if_else(either, dependencies=nodes)
    for part, filled in ((then, 10), (otherwise, 20)):
        with part as body:
            body.add_memset_node(y.gpudata, filled, 1, element_size=4)
    for i, case in enumerate(graph.switch(number, 3, dependencies=nodes)):
        with case as body:
            body.add_memset_node(z.gpudata, 100 + i, 1, element_size=4)
    executable = graph.instantiate()
    for given in (0, 1, 2, 3):
        for array in (x, y, z):
            array.fill(0)
        value.fill(given)
        launch(executable)
        assert x.get()[0] == (5 if given else 0)
        assert y.get()[0] == (10 if given else 20)
        assert z.get()[0] == (100 + given if given < 3 else 0)


def test_a_condition_may_keep_its_value_between_launches(decide):
    value, x = word(1), word()
    graph = cuda.Graph()
    kept = graph.condition(None)
    node = graph.add_kernel_node(kept.handle, value, func=decide, block=BLOCK)
    with graph.if_(kept, dependencies=node) as body:
        body.add_memset_node(x.gpudata, 3, 1, element_size=4)
    executable = graph.instantiate()
    launch(executable)
    executable.set_enabled(node, False)
    x.fill(0)
    launch(executable)
    assert x.get()[0] == 3


def test_a_loop_is_captured(stream, count_down):
    x, counter = gpuarray.to_gpu(numbers()), word()
    with stream.capture() as graph:
        y = x + 0
        more = graph.condition()
        with graph.while_(more):
            y *= 2  # in no stream, and in the captured one
            count_down(more.handle, counter, block=BLOCK, stream=stream)
        z = y + 1
    assert [node.type.name for node in graph.nodes].count("CONDITIONAL") == 1
    executable = graph.instantiate()
    for rounds in (3, 1):
        counter.set(np.uint32([rounds]))
        launch(executable, stream)
        np.testing.assert_array_equal(z.get(), numbers() * 2**rounds + 1)


def test_captured_conditions_nest(stream, decide, count_down):
    x, outer_count, inner_count, three = word(), word(4), word(), word(3)
    with stream.capture() as graph:
        outer = graph.condition()
        with graph.while_(outer) as body:
            cuda.memcpy_dtod(inner_count.gpudata, three.gpudata, 4)
            inner = body.condition()
            decide(inner.handle, inner_count, block=BLOCK)
            with body.while_(inner):
                x += np.uint32(1)
                count_down(inner.handle, inner_count, block=BLOCK)
            count_down(outer.handle, outer_count, block=BLOCK)
        choose = graph.condition(1)
        then, otherwise = graph.if_else(choose)
        with then:
            x += np.uint32(100)
        with otherwise:
            x += np.uint32(1000)
    launch(graph.instantiate(), stream)
    assert x.get()[0] == 112


def test_nodes_of_a_body_change_and_switch_off(scale):
    x = gpuarray.to_gpu(numbers())
    graph = cuda.Graph()
    once = graph.condition()
    with graph.if_(once) as body:
        node = body.add_kernel_node(x, np.float32(2), func=scale, block=BLOCK)
    executable = graph.instantiate()
    launch(executable)
    executable.set_kernel_arguments(node, x, np.float32(5))
    launch(executable)
    executable.set_enabled(node, False)
    launch(executable)
    np.testing.assert_array_equal(x.get(), numbers() * 10)


def test_a_graph_keeps_what_its_bodies_use(scale):
    back = cuda.pagelocked_empty(32, np.float32)  # a body copies from and to no other host memory
    graph = cuda.Graph()

    def fill():
        x = gpuarray.to_gpu(numbers())
        once = graph.condition()
        with graph.if_(once) as body:
            node = body.add_kernel_node(x, np.float32(2), func=scale, block=BLOCK)
            body.add_memcpy_dtoh_node(back, x.gpudata, dependencies=node)

    fill()
    others = [gpuarray.zeros(32, np.float32) for _ in range(8)]
    launch(graph.instantiate())
    np.testing.assert_array_equal(back, numbers() * 2)
    assert all(not other.get().any() for other in others)


def test_what_conditional_nodes_are_refused(context, stream):
    graph, other = cuda.Graph(), cuda.Graph()
    condition = graph.condition()
    with pytest.raises(cuda.LogicError, match="invalid argument"):
        other.while_(condition)
    with pytest.raises(cuda.LogicError, match="invalid argument"):
        graph.switch(condition, 0)
    with pytest.raises(cuda.LogicError, match="invalid argument"):
        graph.instantiate()  # no node has the condition
    graph.while_(condition)
    with pytest.raises(cuda.LogicError, match="invalid argument"):
        graph.if_(condition)
    event = cuda.Event()
    for foreign in (lambda body: body.add_host_node(lambda: None), lambda body: body.add_event_record_node(event)):
        holder = cuda.Graph()
        with holder.while_(holder.condition()) as body:
            foreign(body)
        with pytest.raises(cuda.LogicError, match="invalid argument"):
            holder.instantiate()
    with pytest.raises(cuda.LogicError, match="not supported"):
        graph.clone()
    with pytest.raises(cuda.LogicError, match="not supported"):
        other.add_child_graph_node(graph)
    executable = graph.instantiate()
    with pytest.raises(cuda.LogicError, match="not supported"):
        graph.instantiate()
    del executable
    with pytest.raises(TypeError):
        graph.while_(1)
    with pytest.raises(OverflowError):
        graph.condition(-1)


def test_what_a_capture_refuses(stream):
    x = word()
    with stream.capture() as graph:
        condition = graph.condition()
        with pytest.raises(ValueError, match="takes no dependencies"):
            graph.if_(condition, dependencies=[])
        with graph.if_(condition) as body:
            x += np.uint32(1)
            with pytest.raises(cuda.LogicError, match="captures another graph now"):
                graph.if_(condition)
            with pytest.raises(cuda.LogicError, match="capture"):
                x.get()
    with pytest.raises(cuda.LogicError):
        body.condition()
    launch(graph.instantiate(), stream)
    assert x.get()[0] == 1


def test_an_exception_in_a_captured_body_leaves_no_graph(stream):
    x = word()
    with pytest.raises(cuda.LogicError, match="body of a conditional node is not complete"), stream.capture() as graph:
        condition = graph.condition()
        with pytest.raises(ZeroDivisionError), graph.while_(condition):
            x += np.uint32(1)
            raise ZeroDivisionError
    with pytest.raises(cuda.LogicError):
        graph.instantiate()
    x += np.uint32(2)  # the thread's work runs again
    assert x.get()[0] == 2


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver: a GPU cannot be interrupted")
def test_an_endless_loop_is_interrupted():
    program = """
import os, signal, threading, time
import pycuda.autoinit
import pycuda.driver as cuda
graph = cuda.Graph()
more = graph.condition()
memory = cuda.mem_alloc(4)
with graph.while_(more) as body:
    body.add_memset_node(memory, 1, 4)
stream = cuda.Stream()
executable = graph.instantiate()
executable.launch(stream)
assert not stream.is_done()


try:
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    stream.synchronize()
except (KeyboardInterrupt, cuda.Error) as error:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("interrupted", flush=True)
os._exit(0)
"""
    output, _ = run_program(program, PYCUDA_DRIVER="cpu")
    assert "interrupted" in output
