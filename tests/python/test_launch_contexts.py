# SPDX-License-Identifier: MIT
"""Kernels of another context than the current one: a launch belongs to the kernel's own."""

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SLOW = """
__global__ void slow(volatile int *x, int rounds) {
  int wait = 0;
  for (int i = 0; i < rounds; ++i) wait = wait * 1664525 + 1013904223 + x[1];
  x[0] = wait == 12345 ? 2 : 1;
}
"""
ROUNDS = np.int32(30_000_000)
BLOCK = {"block": (1, 1, 1)}


@pytest.fixture
def elsewhere(context):
    """A kernel and an array of one context, while another one is current."""
    function = SourceModule(SLOW).get_function("slow").prepare("Pi")
    array = gpuarray.zeros(4, np.int32)
    context.synchronize()
    other = cuda.Device(0).make_context()
    yield function, array
    cuda.Context.pop()
    other.detach()


@pytest.mark.filterwarnings("ignore:Function.param_set:DeprecationWarning")
def test_arguments_must_be_of_the_kernels_context(elsewhere):
    function, array = elsewhere
    function(array, np.int32(1), **BLOCK)
    function.param_set(array, np.int32(1))
    assert array.get()[0] == 1
    of_current = gpuarray.zeros(4, np.int32)
    for launch in (
        lambda: function(of_current, np.int32(1), **BLOCK),
        lambda: function.param_set(of_current, np.int32(1)),
    ):
        with pytest.raises(ValueError, match="belongs to another context"):
            launch()


def test_buffers_for_host_arrays_live_as_long_as_the_kernel_runs(elsewhere, context):
    function, _ = elsewhere
    host = np.zeros(4, np.int32)
    function(cuda.In(host), ROUNDS, **BLOCK)
    function(cuda.InOut(host), ROUNDS, **BLOCK)
    assert host[0] == 1
    context.push()
    cuda.Context.synchronize()
    cuda.Context.pop()


def test_the_time_of_a_prepared_call_is_the_kernels(elsewhere):
    function, array = elsewhere
    timed = function(array, ROUNDS, time_kernel=True, **BLOCK)
    prepared = function.prepared_timed_call((1, 1), (1, 1, 1), array.gpudata, ROUNDS)()
    assert prepared > timed / 20


def test_there_is_no_time_between_events_of_two_contexts(context):
    start = cuda.Event()
    start.record()
    other = cuda.Device(0).make_context()
    try:
        end = cuda.Event()
        end.record()
        with pytest.raises(cuda.LogicError, match="of two contexts"):
            start.time_till(end)
    finally:
        cuda.Context.pop()
        other.detach()
