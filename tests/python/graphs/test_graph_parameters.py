# SPDX-License-Identifier: MIT
"""Parameters of nodes are read and changed, in graphs and in what is instantiated from them."""

import ctypes
import gc
import pathlib
import struct
import threading
import weakref

import numpy as np
import pycuda
import pycuda.driver as cuda
import pytest
from programs import is_cpu
from pycuda import gpuarray

kinds = cuda.graph_node_type


@pytest.fixture
def graph(context):
    return cuda.Graph()


def run(graph):
    graph.instantiate().launch()
    cuda.Context.synchronize()


def test_a_kernel_node_tells_its_shape_and_arguments(graph, scale):
    x = gpuarray.zeros(4, np.float32)
    params = graph.add_kernel_node(x, np.float32(2), func=scale, block=(4, 1, 1), grid=(3, 2), shared=64).get_params()
    assert (params["grid"], params["block"], params["shared"]) == ((3, 2, 1), (4, 1, 1), 64)
    address, factor = params["args"]
    assert int.from_bytes(address, "little") == int(x.gpudata)
    assert np.frombuffer(factor, np.float32)[0] == 2


def test_a_kernel_node_gets_another_shape_arguments_and_kernel(graph, scale, add):
    x, y = gpuarray.to_gpu(np.ones(8, np.float32)), gpuarray.to_gpu(np.full(8, 3, np.float32))
    node = graph.add_kernel_node(x, np.float32(2), func=scale, block=(4, 1, 1))
    node.set_params(block=(8, 1, 1))
    run(graph)
    np.testing.assert_array_equal(x.get(), [2] * 8)
    node.set_params(func=scale, args=(x, np.float32(10)))
    run(graph)
    np.testing.assert_array_equal(x.get(), [20] * 8)
    node.set_params(func=add, args=(x, y))
    execution = graph.instantiate()
    del y  # the graph keeps it
    gc.collect()
    execution.launch()
    np.testing.assert_array_equal(x.get(), [23] * 8)


def test_an_executable_graph_changes_apart_from_its_graph(graph, scale):
    x = gpuarray.to_gpu(np.ones(4, np.float32))
    node = graph.add_kernel_node(x, np.float32(2), func=scale, block=(4, 1, 1))
    execution = graph.instantiate()
    execution.set_params(node, func=scale, args=(x, np.float32(5)))
    execution.launch()
    np.testing.assert_array_equal(x.get(), [5] * 4)
    run(graph)
    np.testing.assert_array_equal(x.get(), [10] * 4)
    assert execution.flags == 0
    with pytest.raises(ValueError, match="not one of the graph"):
        execution.set_params(graph.clone().nodes[0], block=(1, 1, 1))


def test_a_copy_node_gets_other_ends_and_sizes(graph):
    source, target = np.arange(8, dtype=np.int32), cuda.to_device(np.zeros(8, np.int32))
    node = graph.add_memcpy_htod_node(target, source, 8)
    params = node.get_params()
    assert (params["src_memory_type"], params["dst_memory_type"]) == (cuda.memory_type.HOST, cuda.memory_type.DEVICE)
    assert (params["width_in_bytes"], params["dst_device"]) == (8, int(target))
    node.set_params(size=16)
    run(graph)
    np.testing.assert_array_equal(cuda.from_device(target, 8, np.int32), [0, 1, 2, 3, 0, 0, 0, 0])
    node.set_params(src=np.full(8, 7, np.int32), size=32)
    gc.collect()
    run(graph)
    np.testing.assert_array_equal(cuda.from_device(target, 8, np.int32), [7] * 8)
    # Rows of 4 bytes, 8 bytes apart in the source.
    node.set_params(src=source, width_in_bytes=4, height=4, src_pitch=8, dst_pitch=4)
    run(graph)
    np.testing.assert_array_equal(cuda.from_device(target, 8, np.int32), [0, 2, 4, 6, 7, 7, 7, 7])


def test_an_executable_graph_gets_another_copy_and_fill(graph):
    target, other = cuda.to_device(np.zeros(4, np.int32)), cuda.to_device(np.zeros(4, np.int32))
    fill = graph.add_memset_node(target, 1, 4, element_size=4)
    copy = graph.add_memcpy_dtod_node(other, target, 16, dependencies=fill)
    execution = graph.instantiate()
    execution.set_params(fill, data=6)
    execution.set_params(copy, src=target, dest=other, size=8)
    execution.launch()
    cuda.Context.synchronize()
    np.testing.assert_array_equal(cuda.from_device(target, 4, np.int32), [6] * 4)
    np.testing.assert_array_equal(cuda.from_device(other, 4, np.int32), [6, 6, 0, 0])


def test_a_fill_node_tells_and_changes_what_it_writes(graph):
    memory = cuda.to_device(np.zeros(4, np.int32))
    node = graph.add_memset_node(memory, 3, 4, element_size=4)
    assert node.get_params() == {
        "dest": int(memory),
        "data": 3,
        "size": 4,
        "element_size": 4,
        "height": 1,
        "pitch": node.get_params()["pitch"],
    }
    node.set_params(dest=int(memory) + 4, size=2)
    run(graph)
    np.testing.assert_array_equal(cuda.from_device(memory, 4, np.int32), [0, 3, 3, 0])


def test_a_host_node_gets_another_function(graph):
    seen = []
    node = graph.add_host_node(lambda: seen.append("first"))
    node.set_params(function=lambda: seen.append("second"))
    gc.collect()
    execution = graph.instantiate()
    execution.launch()
    cuda.Context.synchronize()
    execution.set_params(node, function=lambda: seen.append("third"))
    execution.launch()
    cuda.Context.synchronize()
    assert seen == ["second", "third"]
    node.get_params()["function"]()
    assert seen[-1] == "second"


def test_event_nodes_get_other_events(graph, stream):
    first, second = cuda.Event(), cuda.Event()
    record, wait = graph.add_event_record_node(first), graph.add_event_wait_node(first)
    assert record.get_params() == wait.get_params() == {"event": first.handle}
    record.set_params(event=second)
    wait.set_params(event=second)
    assert record.get_params() == wait.get_params() == {"event": second.handle}
    execution = graph.instantiate()
    execution.set_params(record, event=first)
    execution.launch(stream)
    stream.synchronize()
    assert first.query()


def test_a_child_graph_node_shows_its_nodes_and_is_exchanged(graph):
    memory = cuda.to_device(np.zeros(1, np.int32))
    children = []
    for value in (1, 2):
        child = cuda.Graph()
        child.add_memset_node(memory, value, 1, element_size=4)
        children.append(child)
    node = graph.add_child_graph_node(children[0])
    inside = node.get_params()["graph"]
    assert [one.type for one in inside.nodes] == [kinds.MEMSET]
    execution = graph.instantiate()
    execution.set_params(node, graph=children[1])
    execution.launch()
    cuda.Context.synchronize()
    assert cuda.from_device(memory, 1, np.int32)[0] == 2


def test_attributes_of_kernel_nodes_are_set_and_copied(graph, scale):
    x = gpuarray.zeros(4, np.float32)
    first, second = (graph.add_kernel_node(x, np.float32(1), func=scale, block=(4, 1, 1)) for _ in range(2))
    priority = cuda.launch_attribute.PRIORITY
    wanted = cuda.Context.get_stream_priority_range()[1]
    first.set_attribute(priority, wanted)
    assert first.get_attribute(priority) == wanted
    assert second.get_attribute(priority) == 0
    second.copy_attributes_from(first)
    assert second.get_attribute(priority) == wanted
    with pytest.raises(cuda.LogicError):
        graph.add_empty_node().get_attribute(priority)


def test_wrong_parameters_are_named(graph, scale):
    memory = cuda.mem_alloc(16)
    fill, empty = graph.add_memset_node(memory, 0, 16), graph.add_empty_node()
    copy = graph.add_memcpy_htod_node(memory, np.zeros(4, np.int32))
    kernel = graph.add_kernel_node(memory, np.float32(1), func=scale, block=(4, 1, 1))
    assert empty.get_params() == {}
    for call, said in (
        (lambda: fill.set_params(value=1), "a fill node has no parameter 'value'; it has dest, data"),
        (lambda: copy.set_params(depht=1), "a copy node has no parameter 'depht'"),
        (lambda: copy.set_params(width_in_bytes="all"), "width_in_bytes must be an integer, not str"),
        (lambda: empty.set_params(size=1), "the parameters of a EMPTY node are not changed so"),
        (lambda: kernel.set_params(func=3), "func must be a Function, not int"),
        (lambda: kernel.set_params(args=(1, 2)), "args needs func"),
        (lambda: kernel.set_params(func=scale, args=(1,)), "argument"),
        (lambda: graph.add_event_wait_node(cuda.Event()).set_params(event=3), "event must be an Event, not int"),
        (lambda: graph.add_host_node(print).set_params(function=3), "a host node needs a function, not int"),
    ):
        with pytest.raises(TypeError, match=said):
            call()
    with pytest.raises(OverflowError, match="data is out of range for elements of 1 bytes: 256"):
        fill.set_params(data=256)
    with pytest.raises(ValueError, match="block has 1 to 3 extents, not 4"):
        kernel.set_params(block=(1, 1, 1, 1))
    with pytest.raises(ValueError, match="not contiguous"):
        copy.set_params(src=np.zeros((4, 4))[:, 1])


def test_edges_are_added_and_removed(graph):
    first, second, third = (graph.add_empty_node() for _ in range(3))
    graph.add_edges([(first, second), (second, third)])
    assert graph.root_nodes == [first]
    assert third.dependencies == [second]
    graph.remove_edges([(first, second)])
    assert set(graph.root_nodes) == {first, second}
    graph.add_edges([])
    with pytest.raises(cuda.LogicError, match="cuGraphRemoveDependencies"):
        graph.remove_edges([(first, third)])
    with pytest.raises(ValueError, match="an edge is a pair of nodes"):
        graph.add_edges([(first, second, third)])
    with pytest.raises(ValueError, match="the node is of another graph"):
        graph.add_edges([(first, cuda.Graph().add_empty_node())])
    with pytest.raises(TypeError, match="a node must be a GraphNode, not int"):
        graph.add_edges([(first, 3)])


def test_a_node_is_destroyed_with_its_edges(graph):
    first = graph.add_empty_node()
    second = graph.add_empty_node(first)
    third = graph.add_empty_node(second)
    second.destroy()
    assert set(graph.nodes) == {first, third}
    assert graph.edges == []
    with pytest.raises(cuda.LogicError):
        second.destroy()


def test_what_is_captured_next_waits_for_nodes_of_ones_own(stream, scale):
    x = gpuarray.to_gpu(np.ones(4, np.float32))
    cuda.Context.synchronize()
    assert stream.get_capture_info() is None
    stream.begin_capture()
    scale(x, np.float32(2), block=(4, 1, 1), stream=stream)
    number, graph, before = stream.get_capture_info()
    assert [node.type for node in before] == [kinds.KERNEL]
    own = graph.add_empty_node(before)
    stream.update_capture_dependencies(own, replace=True)
    assert stream.get_capture_info()[0] == number
    assert stream.get_capture_info()[2] == [own]
    scale(x, np.float32(5), block=(4, 1, 1), stream=stream)
    captured = stream.end_capture()
    assert sorted(int(node.type) for node in captured.nodes) == [kinds.KERNEL, kinds.KERNEL, kinds.EMPTY]
    captured.instantiate().launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(x.get(), [10] * 4)
    with pytest.raises(cuda.LogicError, match="the stream is not captured"):
        stream.update_capture_dependencies([])


def test_allocation_nodes_of_other_libraries_tell_what_they_allocate(graph):
    package = pathlib.Path(pycuda.__file__).parent
    library = ctypes.CDLL(str(package / "libcuda_cpu.so") if is_cpu() else "libcuda.so.1")
    device = cuda.mem_location_type.DEVICE
    # Pinned memory of device 0: CUDA_MEM_ALLOC_NODE_PARAMS.
    params = ctypes.create_string_buffer(struct.pack("IIiiPNH54xPNNP", 1, 0, int(device), 0, 0, 0, 0, 0, 0, 1000, 0))
    node, free, one = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t(1)
    whole = ctypes.c_void_p(graph.handle)
    assert library.cuGraphAddMemAllocNode(ctypes.byref(node), whole, None, ctypes.c_size_t(0), params) == 0
    allocation = graph.nodes[0].get_params()
    assert (allocation["size"], allocation["location"], allocation["id"]) == (1000, device, 0)
    address = ctypes.c_uint64(allocation["address"])
    assert (
        library.cuGraphAddMemFreeNode(ctypes.byref(free), whole, ctypes.byref(node), one, address) == 0
    )
    (freeing,) = [found for found in graph.nodes if found.type == kinds.MEM_FREE]
    assert freeing.get_params() == {"address": allocation["address"]}


def test_a_node_of_memory_operations_tells_their_number_and_gets_others(graph):
    words = cuda.to_device(np.zeros(2, np.uint32))
    node = graph.add_memory_operations_node(cuda.MemoryOperations().write_value32(words, 1).write_value32(words, 2))
    assert node.get_params()["count"] == 2
    node.set_memory_operations(cuda.MemoryOperations().write_value32(words, 8).write_value32(words, 9))
    run(graph)
    assert cuda.from_device(words, 2, np.uint32)[0] == 9
    with pytest.raises(cuda.LogicError):
        graph.add_empty_node().set_memory_operations(cuda.MemoryOperations().write_value32(words, 1))


class Thing:
    pass


def test_a_user_object_lives_as_long_as_its_graphs(graph):
    thing = Thing()
    gone = threading.Event()
    alive = weakref.ref(thing, lambda _: gone.set())
    user_object = cuda.UserObject(thing)
    graph.add_empty_node()
    graph.retain(user_object, 2)
    graph.release(user_object)
    copy = graph.clone()
    graph.release(user_object)
    if is_cpu():  # NVIDIA's driver does not say that there is no reference left
        with pytest.raises(cuda.LogicError, match="cuGraphReleaseUserObject"):
            graph.release(user_object)
    del thing, user_object
    gc.collect()
    assert alive() is not None  # of the copy
    del copy
    gc.collect()
    assert gone.wait()  # on a thread of the driver's
    with pytest.raises(TypeError, match="user_object must be a UserObject, not int"):
        graph.retain(3)
