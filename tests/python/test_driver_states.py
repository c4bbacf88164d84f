# SPDX-License-Identifier: MIT
"""What the driver keeps of devices, contexts, streams and kernels: flags, attributes, events of a whole context."""

import threading

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import is_cpu, run_program
from pycuda import gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture
def kernel(context):
    return SourceModule("__global__ void k(int *out) { *out += 1; }").get_function("k")


def test_a_stream_knows_its_context_and_device(context):
    stream = cuda.Stream()
    assert stream.context == context
    assert stream.device == context.get_device()


def test_streams_have_priorities_within_the_contexts_range():
    least, greatest = cuda.Context.get_stream_priority_range()
    assert greatest <= 0 <= least
    assert cuda.Stream().priority == 0
    stream = cuda.Stream(flags=1, priority=greatest)
    assert (stream.flags, stream.priority) == (1, greatest)
    assert cuda.Stream(priority=greatest - 100).priority == greatest  # as the driver limits it


def test_attributes_of_streams_are_set_read_and_copied():
    policy, yielding = cuda.launch_attribute.SYNCHRONIZATION_POLICY, cuda.synchronization_policy.YIELD
    first, second = cuda.Stream(), cuda.Stream()
    if is_cpu():  # a GPU's answer is no policy before one is set
        assert first.get_attribute(policy) is cuda.synchronization_policy.AUTO
    first.set_attribute(policy, yielding)
    assert first.get_attribute(policy) is yielding
    second.copy_attributes_from(first)
    assert second.get_attribute(policy) is yielding
    first.set_attribute(cuda.launch_attribute.PRIORITY, 0)
    assert first.get_attribute(cuda.launch_attribute.PRIORITY) == 0


def test_wrong_attributes_of_streams_are_refused():
    stream, attribute = cuda.Stream(), cuda.launch_attribute
    with pytest.raises(cuda.LogicError, match="cuStreamSetAttribute"):
        stream.set_attribute(attribute.SYNCHRONIZATION_POLICY, 77)
    with pytest.raises(cuda.LogicError, match="cuStreamGetAttribute"):
        stream.get_attribute(attribute.CLUSTER_DIMENSION)
    with pytest.raises(TypeError, match=r"SYNCHRONIZATION_POLICY is a number, not \(1, 2\)"):
        stream.set_attribute(attribute.SYNCHRONIZATION_POLICY, (1, 2))
    with pytest.raises(TypeError, match="ACCESS_POLICY_WINDOW is a tuple of 5 numbers, not 1"):
        stream.set_attribute(attribute.ACCESS_POLICY_WINDOW, 1)
    with pytest.raises(TypeError, match="attribute must be an integer, not str"):
        stream.get_attribute("policy")
    with pytest.raises(TypeError, match="source must be a Stream, not int"):
        stream.copy_attributes_from(3)


def test_flags_of_the_current_context_change(context):
    cuda.Context.set_flags(cuda.ctx_flags.SCHED_YIELD)
    assert cuda.Context.get_flags() & cuda.ctx_flags.SCHED_MASK == cuda.ctx_flags.SCHED_YIELD
    with pytest.raises(OverflowError, match="cuCtxSetFlags is out of range: -1"):
        cuda.Context.set_flags(-1)


def test_all_work_of_a_context_is_waited_for(kernel, context):
    out = gpuarray.zeros(1, np.int32)
    cuda.Context.synchronize()
    first, second = cuda.Stream(flags=1), cuda.Stream(flags=1)
    for _ in range(20):
        kernel(out, block=(1, 1, 1), stream=first)
    event = cuda.Event()
    assert context.record(event) is event
    context.wait_for_event(event)
    kernel(out, block=(1, 1, 1), stream=second)
    second.synchronize()
    assert event.query() and first.is_done()
    assert out.get()[0] == 21
    with pytest.raises(TypeError, match="event must be an Event, not NoneType"):
        context.record(None)


def test_the_primary_context_is_inactive_until_it_is_retained_and_reset_at_will():
    run_program(
        """
        import pycuda.driver as cuda
        cuda.init()
        device = cuda.Device(0)
        device.set_primary_context_flags(cuda.ctx_flags.SCHED_YIELD)
        assert device.get_primary_context_state() == (cuda.ctx_flags.SCHED_YIELD, False)
        context = device.retain_primary_context()
        assert device.get_primary_context_state()[1] is True
        context.detach()
        device.reset_primary_context()
        assert device.get_primary_context_state()[1] is False
        """
    )


def test_affinity_is_told():
    assert cuda.Device(0).has_exec_affinity() in (False, True)
    count = cuda.Context.get_device().multiprocessor_count
    try:
        assert 1 <= cuda.Context.get_exec_affinity() <= count
    except cuda.Error as error:
        assert "UNSUPPORTED_EXEC_AFFINITY" in error.name  # noqa: PT017 - devices without MPS


def test_memory_of_graphs_is_counted():
    device, attribute = cuda.Context.get_device(), cuda.graph_mem_attribute
    device.trim_graph_memory()
    used = device.get_graph_mem_attribute(attribute.USED_MEM_CURRENT)
    device.set_graph_mem_attribute(attribute.USED_MEM_HIGH)
    assert device.get_graph_mem_attribute(attribute.USED_MEM_HIGH) == used
    with pytest.raises(cuda.LogicError, match="cuDeviceSetGraphMemAttribute"):
        device.set_graph_mem_attribute(attribute.USED_MEM_CURRENT)


def test_kernels_are_loaded_by_name_or_use(kernel):
    assert cuda.get_module_loading_mode() in (cuda.module_loading_mode.EAGER, cuda.module_loading_mode.LAZY)
    kernel.load()
    assert kernel.is_loaded()
    again = kernel.module.get_function("k")
    assert again.handle == kernel.handle


def test_a_stream_calls_a_python_function_in_its_order(kernel):
    stream, out, seen = cuda.Stream(), gpuarray.zeros(1, np.int32), []
    host = cuda.pagelocked_zeros(1, np.int32)
    cuda.Context.synchronize()
    kernel(out, block=(1, 1, 1), stream=stream)
    cuda.memcpy_dtoh_async(host, out.gpudata, stream)
    stream.launch_host_function(lambda: seen.append((int(host[0]), threading.current_thread().ident)))
    stream.synchronize()
    assert [value for value, _ in seen] == [1]
    with pytest.raises(TypeError, match="a stream runs a function, not int"):
        stream.launch_host_function(3)


def test_a_function_of_a_captured_stream_becomes_a_node():
    stream, seen = cuda.Stream(), []
    with stream.capture() as graph:
        stream.launch_host_function(lambda: seen.append(1))
    assert [node.type for node in graph.nodes] == [cuda.graph_node_type.HOST]
    execution = graph.instantiate()
    for _ in range(2):
        execution.launch(stream)
    stream.synchronize()
    assert seen == [1, 1]


def test_an_event_outside_of_a_graph_is_recorded_by_a_node(kernel):
    stream, event, out = cuda.Stream(), cuda.Event(), gpuarray.zeros(1, np.int32)
    with stream.capture() as graph:
        kernel(out, block=(1, 1, 1), stream=stream)
        event.record(stream, 1)
    assert cuda.graph_node_type.EVENT_RECORD in [node.type for node in graph.nodes]
    graph.instantiate().launch(stream)
    event.synchronize()
    stream.synchronize()


def test_occupancy_of_clusters_where_there_are_any(kernel, context):
    if context.get_device().compute_capability() < (9, 0):
        with pytest.raises(cuda.Error, match="cuOccupancyMaxPotentialClusterSize"):
            kernel.max_cluster_size(128)
        return
    assert kernel.max_cluster_size(128) >= 8
    assert kernel.max_active_clusters(2, 128) >= 1
    assert kernel.max_active_clusters((2, 2), (32, 4), shared=1024) >= 1


def test_wrong_extents_of_clusters_are_named(kernel):
    with pytest.raises(ValueError, match="cluster must be positive, not 0"):
        kernel.max_active_clusters(0, 128)
    with pytest.raises(TypeError, match="block must be an integer, not str"):
        kernel.max_cluster_size("many")
    with pytest.raises(ValueError, match="block has 1 to 3 extents, not 4"):
        kernel.max_cluster_size((1, 1, 1, 1))


@pytest.mark.parametrize("architecture", ["sm_90"])
def test_clusters_of_a_claimed_architecture(architecture, monkeypatch):
    run_program(
        """
        import pycuda.autoinit, pycuda.driver as cuda
        from pycuda.compiler import SourceModule
        if cuda.Context.get_device().compute_capability() >= (9, 0):
            kernel = SourceModule("__global__ void k(int *out) { *out += 1; }").get_function("k")
            assert kernel.max_cluster_size(128) >= 8
            assert kernel.max_active_clusters((2, 2), (32, 4), shared=1024) >= 1
        """,
        PYCUDA_CPU_ARCH=architecture,
    )
