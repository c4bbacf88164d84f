# SPDX-License-Identifier: MIT
"""Graphs made node by node, looked at, copied, changed, updated and launched."""

import gc
import weakref

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from graph_cases import BLOCK, numbers, run
from programs import run_program


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
        pytest.skip("needs the CPU driver: NVIDIA's may or may not notice")
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


def test_a_graph_is_not_launched_in_a_capture(stream, scale):
    a = gpuarray.to_gpu(numbers())
    inner = cuda.Graph()
    inner.add_kernel_node(a, np.float32(2), func=scale, block=BLOCK)
    executable = inner.instantiate()
    with pytest.raises(cuda.LogicError, match="captur"), stream.capture():
        executable.launch()
    assert not stream.is_capturing()
    executable.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(a.get(), numbers() * 2)


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
    executable.set_kernel_arguments(node, b, np.float32(5))
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
    executable.batched_set_kernel_node_arguments({node: (a, np.float32(10))})
    executable.launch()
    np.testing.assert_array_equal(a.get(), numbers() * 60)


def test_arguments_of_a_captured_launch_are_changed(stream, scale):
    a = gpuarray.to_gpu(numbers())
    with stream.capture() as graph:
        scale(a, np.float32(2), block=BLOCK)
    (node,) = graph.nodes
    assert repr(node) == "<pycuda.GraphNode KERNEL 'scale'>"
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
    assert repr(graph) == "<pycuda.Graph of 1 node>"
    assert repr(node) == "<pycuda.GraphNode EMPTY>"
    assert node == graph.nodes[0]
    assert hash(node) == hash(graph.nodes[0])
    assert node != graph
    assert node.type.name == "EMPTY"
    assert node.handle and graph.handle and graph.instantiate().handle


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


@pytest.mark.parametrize("wrong", [3, 1.5, "event"])
def test_what_is_no_event_makes_no_node(context, wrong):
    graph = cuda.Graph()
    for add in (graph.add_event_record_node, graph.add_event_wait_node):
        with pytest.raises(TypeError, match="an event must be an Event, not"):
            add(wrong)
