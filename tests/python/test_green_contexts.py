# SPDX-License-Identifier: MIT
"""Green contexts: kernels on some of the multiprocessors."""

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

WHERE = """
__global__ void where(unsigned *out)
{
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    if (threadIdx.x == 0) out[blockIdx.x] = number;
}
"""
BLOCKS = 4096


@pytest.fixture
def everything(context):
    return cuda.SMResource.of_device(context.get_device())


@pytest.fixture
def group(everything):
    return everything.split(everything.min_partition_size, count=1)[0][0]


def places(kernel, stream=None):
    out = gpuarray.zeros(BLOCKS, np.uint32)
    cuda.Context.synchronize()
    kernel(out, block=(64, 1, 1), grid=(BLOCKS, 1), stream=stream)
    if stream is not None:
        stream.synchronize()
    cuda.Context.synchronize()
    return set(out.get().tolist())


def test_the_resource_of_a_device(everything, context):
    assert everything.count == context.get_device().multiprocessor_count
    assert cuda.SMResource.of_context().count == everything.count
    assert 1 <= everything.min_partition_size <= everything.count
    assert everything.alignment >= 1


def test_a_split_has_groups_and_a_rest(everything):
    size = everything.min_partition_size
    groups, rest = everything.split(size)
    assert all(group.count >= size for group in groups)
    assert sum(group.count for group in groups) + (rest.count if rest else 0) == everything.count
    groups, rest = everything.split(everything.count, count=1)
    assert len(groups) == 1 and rest is None


def test_impossible_splits(everything, group):
    with pytest.raises(cuda.LogicError, match="cuDevSmResourceSplitByCount failed"):
        everything.split(everything.count + 1)
    with pytest.raises(cuda.LogicError, match="cuDevSmResourceSplitByCount failed"):
        group.split(1)
    with pytest.raises(cuda.LogicError, match="needs a resource"):
        cuda.GreenContext([])
    with pytest.raises(TypeError):
        cuda.GreenContext(3)


def test_kernels_stay_on_their_multiprocessors(group):
    with cuda.GreenContext(group) as green:
        kernel = SourceModule(WHERE).get_function("where")
        assert len(places(kernel)) <= group.count
        stream = green.make_stream()
        assert len(places(kernel, stream)) <= group.count
        assert green.owns(stream) and green.owns(cuda.Stream())
        assert cuda.SMResource.of_context().count == group.count


def test_the_parts_of_a_split_are_apart(everything):
    groups, rest = everything.split(everything.min_partition_size, count=1)
    if rest is None:
        pytest.skip("needs a device with multiprocessors for two groups")
    first, second = cuda.GreenContext(groups), cuda.GreenContext(rest)
    assert first.id != second.id
    with first:
        kernel = SourceModule(WHERE).get_function("where")
        one = places(kernel, first.make_stream())
        other = places(kernel, second.make_stream())
    assert not one & other


def test_arrays_in_a_green_context(group):
    with cuda.GreenContext(group):
        a = gpuarray.arange(1000, dtype=np.float32)
        assert float((a * 2).sum().get()) == 999000


def test_what_is_made_in_it_keeps_it(group):
    green = cuda.GreenContext(group)
    with green:
        a = gpuarray.ones(10, np.float32)
    del green
    assert a.get().tolist() == [1] * 10


def test_events_of_a_green_context(group):
    green = cuda.GreenContext(group)
    with green:
        event = cuda.Event()
        assert green.record(event) is event
        event.synchronize()
        green.wait_for_event(event)
        cuda.Context.synchronize()


def test_a_detached_green_context(group, context):
    green = cuda.GreenContext(group)
    stream = green.make_stream()
    green.detach()
    with pytest.raises(cuda.LogicError):
        stream.synchronize()
    with pytest.raises(cuda.LogicError):
        green.push()


def test_the_resource_of_a_green_context_is_split_further(everything):
    green = cuda.GreenContext(everything.split(everything.count)[0])
    assert green.resource.count == everything.count
    groups, _ = green.resource.split(everything.min_partition_size)
    assert groups
