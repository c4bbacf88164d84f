# SPDX-License-Identifier: MIT
"""Kernels of graphs that launch graphs, and know their own. Expectations are CUDA's own, on any driver."""

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda.compiler import DynamicSourceModule, SourceModule

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
__global__ void append(int *log, int tag) { log[1 + atomicAdd(log, 1)] = tag; }

__global__ void launch(unsigned long long graph, int mode, int *result)
{
  cudaStream_t modes[] = {cudaStreamGraphTailLaunch, cudaStreamGraphFireAndForget};
  result[0] = cudaGraphLaunch((cudaGraphExec_t) graph, modes[mode]);
}

// Newton's method, a step a launch: it goes on by itself until the root is found.
__global__ void root(double *x, int *steps)
{
  const double next = 0.5 * (x[0] + x[1] / x[0]);
  const double change = next - x[0];
  x[0] = next;
  steps[0] += 1;
  if (change < -1e-12 || change > 1e-12)
    cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}
"""
TAIL, FIRE_AND_FORGET = 0, 1
ONE = {"grid": (1, 1, 1), "block": (1, 1, 1)}


@pytest.fixture
def module(context):
    return DynamicSourceModule(SOURCE)


def numbers(shape, dtype=np.int32):
    memory = cuda.mem_alloc(np.dtype(dtype).itemsize * shape)
    cuda.memset_d8(memory, 0, np.dtype(dtype).itemsize * shape)
    return memory


def read(memory, shape, dtype=np.int32):
    values = np.empty(shape, dtype)
    cuda.memcpy_dtoh(values, memory)
    return values


def for_kernels(graph):
    exec_ = cuda.GraphExec(graph, cuda.graph_instantiate_flags.DEVICE_LAUNCH)
    exec_.upload()
    cuda.Context.synchronize()
    return exec_


@pytest.mark.parametrize(("mode", "expected"), [(TAIL, [2, 7, 1]), (FIRE_AND_FORGET, [2, 1, 7])])
def test_a_kernel_launches_a_graph(module, mode, expected):
    log, result = numbers(8), numbers(1)
    append, launch = module.get_function("append"), module.get_function("launch")
    inner = cuda.Graph()
    inner.add_kernel_node(log, np.int32(1), func=append, **ONE)
    launched = for_kernels(inner)
    outer = cuda.Graph()
    first = outer.add_kernel_node(np.uint64(launched.handle), np.int32(mode), result, func=launch, **ONE)
    outer.add_kernel_node(log, np.int32(7), func=append, dependencies=[first], **ONE)
    stream = cuda.Stream()
    cuda.GraphExec(outer).launch(stream)
    stream.synchronize()
    assert read(result, 1) == 0
    found = list(read(log, 3))
    # A GPU says nothing of the order of a graph that was fired and its launcher's other nodes.
    assert (sorted(found) if mode == FIRE_AND_FORGET else found) == (
        sorted(expected) if mode == FIRE_AND_FORGET else expected
    )


def test_a_graph_goes_on_by_itself_until_it_is_done(module):
    x, steps = numbers(2, np.float64), numbers(1)
    cuda.memcpy_htod(x, np.array([2.0, 2.0]))
    graph = cuda.Graph()
    graph.add_kernel_node(x, steps, func=module.get_function("root"), **ONE)
    exec_ = for_kernels(graph)
    stream = cuda.Stream()
    exec_.launch(stream)
    stream.synchronize()
    np.testing.assert_allclose(read(x, 2, np.float64)[0], np.sqrt(2), rtol=1e-12)
    assert read(steps, 1)[0] == 6


def test_every_thread_knows_its_graph():
    source = """
        __global__ void which(unsigned long long *x)
        {
          x[blockIdx.x * blockDim.x + threadIdx.x] = (unsigned long long) cudaGetCurrentGraphExec() + threadIdx.x;
        }
    """
    which = SourceModule(source).get_function("which")
    shape = {"grid": (4, 1, 1), "block": (256, 1, 1)}
    x, threads = numbers(1024, np.uint64), np.tile(np.arange(256, dtype=np.uint64), 4)
    graph = cuda.Graph()
    graph.add_kernel_node(x, func=which, **shape)
    exec_ = for_kernels(graph)
    exec_.launch()
    cuda.Context.synchronize()
    np.testing.assert_array_equal(read(x, 1024, np.uint64), np.uint64(exec_.handle) + threads)
    which(x, **shape)  # of no graph
    np.testing.assert_array_equal(read(x, 1024, np.uint64), threads)


CHANGES = """
__global__ void count(int *work, int step) { atomicAdd(&work[1], step); }

__global__ void choose(int *work, cudaGraphDeviceNode_t node)
{
  work[2] = cudaGraphKernelNodeSetGridDim(node, dim3(work[0]));
  work[3] = cudaGraphKernelNodeSetParam(node, 8, work[0] * 10);
}

__global__ void all_at_once(int *work, cudaGraphDeviceNode_t node, bool enabled)
{
  alignas(8) char memory[2 * sizeof(cudaGraphKernelNodeUpdate)];  // its union has no constructor
  cudaGraphKernelNodeUpdate *updates = (cudaGraphKernelNodeUpdate *) memory;
  updates[0].node = updates[1].node = node;
  updates[0].field = cudaGraphKernelNodeFieldGridDim;
  updates[0].updateData.gridDim = dim3(4);
  updates[1].field = cudaGraphKernelNodeFieldEnabled;
  updates[1].updateData.isEnabled = enabled;
  work[2] = cudaGraphKernelNodeUpdatesApply(updates, 2);
  work[3] = cudaGraphKernelNodeSetEnabled(node, enabled);
}
"""


def counting(changing, *arguments):
    """A graph in which the kernel `changing` comes before one that counts its blocks, and both kernels' memory."""
    module = DynamicSourceModule(CHANGES)
    work, graph = numbers(4), cuda.Graph()
    count = graph.add_kernel_node(work, np.int32(1), func=module.get_function("count"), block=(1, 1, 1))
    change = graph.add_kernel_node(
        work, count.let_kernels_change(), *arguments, func=module.get_function(changing), block=(1, 1, 1)
    )
    graph.add_edges([(change, count)])
    return graph, work


def launched(exec_, work, *values):
    cuda.memcpy_htod(work, np.array(values, np.int32))
    exec_.upload()
    exec_.launch()
    cuda.Context.synchronize()
    return read(work, 4).tolist()


def test_a_kernel_changes_the_grid_and_a_parameter_of_the_next():
    graph, work = counting("choose")
    exec_ = graph.instantiate()
    assert launched(exec_, work, 3, 0, 7, 7) == [3, 90, 0, 0]
    assert launched(exec_, work, 2, 0, 7, 7) == [2, 40, 0, 0]
    with pytest.raises(cuda.LogicError):
        graph.instantiate()  # one executable alone


@pytest.mark.parametrize(("enabled", "blocks"), [(True, 4), (False, 0)])
def test_a_kernel_makes_several_changes_at_once(enabled, blocks):
    graph, work = counting("all_at_once", np.bool_(enabled))
    assert launched(graph.instantiate(), work, 0, 0, 7, 7) == [0, blocks, 0, 0]


def test_only_kernels_can_be_changed_by_kernels():
    with pytest.raises(cuda.LogicError):
        cuda.Graph().add_empty_node().let_kernels_change()
