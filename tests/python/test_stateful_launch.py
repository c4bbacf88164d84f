# SPDX-License-Identifier: MIT
"""The launch interface from before CUDA 4: set_block_shape, param_set..., launch_grid."""

import struct

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
__global__ void fill(int *values, int start, float step)
{
  extern __shared__ int scratch[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  scratch[threadIdx.x] = start;
  values[i] = scratch[threadIdx.x] + (int)(step * i);
}
"""


@pytest.fixture
def fill(context):
    function = SourceModule(SOURCE).get_function("fill")
    function._set_block_shape(4, 1, 1)
    function._set_shared_size(16)
    return function


def test_a_program_of_2010_runs(fill):
    memory = cuda.to_device(np.zeros(8, np.int32))
    with pytest.deprecated_call(match="Function.param_set_size is deprecated since CUDA 4"):
        fill.param_set_size(16)
    with pytest.deprecated_call():
        fill.param_setv(0, np.array([int(memory)], np.uintp))
    with pytest.deprecated_call():
        fill.param_seti(8, 10)
    with pytest.deprecated_call():
        fill.param_setf(12, 2.0)
    with pytest.deprecated_call():
        fill.launch_grid(2, 1)
    assert cuda.from_device(memory, 8, np.int32).tolist() == [10 + 2 * i for i in range(8)]


def test_param_set_packs_like_a_call(fill):
    memory = cuda.to_device(np.zeros(8, np.int32))
    fill._param_set(memory, np.int32(-3), 1.0)
    stream = cuda.Stream()
    fill._launch_grid_async(2, 1, stream)
    stream.synchronize()
    assert cuda.from_device(memory, 8, np.int32).tolist() == [i - 3 for i in range(8)]
    fill._param_seti(8, 0xFFFFFFFF)
    fill._launch()
    assert cuda.from_device(memory, 4, np.int32).tolist() == [i - 1 for i in range(4)]
    with pytest.raises(TypeError, match="takes no In, Out or InOut"):
        fill._param_set(cuda.InOut(np.zeros(8, np.int32)), 1, 1.0)


def test_launch_kernel_takes_the_packed_parameters(fill):
    memory = cuda.to_device(np.zeros(8, np.int32))
    fill._launch_kernel((2, 1), (4, 1, 1), struct.pack("Pif", int(memory), 5, 0.0), 16, None)
    assert cuda.from_device(memory, 8, np.int32).tolist() == [5] * 8
    with pytest.raises(cuda.LogicError, match="8 bytes of parameters were given, it takes 3 parameters"):
        fill._launch_kernel((1,), (4, 1, 1), bytes(8), 16, None)


def test_what_is_missing_or_too_much_is_named(fill):
    fresh = SourceModule(SOURCE).get_function("fill")
    with pytest.raises(cuda.LogicError, match=r"function::launch failed: .*kernel fill: set_block_shape\(\) has not"):
        fresh._launch()
    with pytest.raises(
        cuda.LogicError, match="kernel fill: 12 bytes of parameters were set, it takes 3 parameters of 8, 4 and 4 bytes"
    ):
        fill._param_set_size(12)
        fill._launch()
    with pytest.raises(cuda.LogicError, match="at most 32764 bytes of parameters"):
        fill._param_setf(1 << 20, 1.0)
    with pytest.raises(OverflowError, match="the value is out of range"):
        fill._param_seti(0, 1 << 32)
    with pytest.raises(TypeError, match=r"_launch_grid\(\) takes 2 arguments, 1 were given"):
        fill._launch_grid(1)
    with pytest.raises(TypeError, match="3 parameters of 8, 4 and 4 bytes, but 1 argument was given"):
        fill._param_set(1)
