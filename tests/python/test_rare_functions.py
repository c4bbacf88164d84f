# SPDX-License-Identifier: MIT
"""Functions of special devices and systems: what they do where they are, and what is said elsewhere."""

import gc
import os

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import is_cpu
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture
def on_cpu(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver")


def test_boxes_are_copied_in_batches():
    stream, host = cuda.Stream(), np.arange(2 * 3 * 8, dtype=np.float32).reshape(2, 3, 8)
    memory = gpuarray.zeros((2, 3, 8), np.float32)
    descriptor = cuda.ArrayDescriptor3D()
    descriptor.width, descriptor.height, descriptor.depth = 4, 3, 2
    descriptor.format, descriptor.num_channels = cuda.array_format.FLOAT, 1
    array = cuda.Array(descriptor)
    first, second = cuda.Memcpy3D(), cuda.Memcpy3D()
    first.set_src_host(host)
    first.set_dst_array(array)
    first.src_x_in_bytes, first.src_pitch, first.src_height = 8, 32, 3
    first.width_in_bytes, first.height, first.depth = 16, 3, 2
    second.set_src_host(host)
    second.set_dst_device(memory.gpudata)
    second.src_y = second.dst_y = 1
    second.src_pitch = second.dst_pitch = 32
    second.src_height = second.dst_height = 3
    second.width_in_bytes, second.height, second.depth = 32, 2, 2
    cuda.memcpy_3d_batch_async([first, second], stream)
    stream.synchronize()
    back = cuda.Memcpy3D()
    found = np.zeros((2, 3, 4), np.float32)
    back.set_src_array(array)
    back.set_dst_host(found)
    back.dst_pitch, back.dst_height = 16, 3
    back.width_in_bytes, back.height, back.depth = 16, 3, 2
    back()
    assert (found == host[:, :, 2:6]).all()
    assert (memory.get()[:, 1:] == host[:, 1:]).all() and not memory.get()[:, 0].any()
    cuda.memcpy_3d_batch_async([], stream)


def test_wrong_batches_of_boxes_are_refused():
    stream, copy = cuda.Stream(), cuda.Memcpy3D()
    with pytest.raises(TypeError, match="a copy must be a Memcpy3D, not int"):
        cuda.memcpy_3d_batch_async([3], stream)
    copy.set_src_host(np.zeros(16, np.float32))
    copy.set_dst_device(cuda.mem_alloc(32))
    copy.width_in_bytes, copy.height, copy.depth = 64, 1, 1
    with pytest.raises(cuda.LogicError, match="cuMemcpy3DBatchAsync"):
        cuda.memcpy_3d_batch_async([copy], stream)
    copy.width_in_bytes = 128
    with pytest.raises(cuda.LogicError, match="host memory of 64 bytes, but the copy goes to byte 128"):
        cuda.memcpy_3d_batch_async([copy], stream)


def test_a_function_is_called_when_memory_is_over_budget():
    asked = []
    callback = cuda.MemoryBudgetCallback(asked.append)
    # As the driver would.
    from pycuda._memory_notices import _Information

    callback._callback(_Information(1, 4096), None, None)
    callback._callback(_Information(77, 1), None, None)
    assert asked == [4096]
    callback.unregister()
    callback.unregister()
    with cuda.MemoryBudgetCallback(asked.append, cuda.Context.get_device()):
        pass
    del callback
    gc.collect()
    with pytest.raises(TypeError, match="the function must be callable, not int"):
        cuda.MemoryBudgetCallback(3)
    with pytest.raises(TypeError, match="device must be a Device or None, not int"):
        cuda.MemoryBudgetCallback(print, 0)


def test_memory_that_is_the_hosts_is_not_saved_there(on_cpu):
    process = cuda.CheckpointProcess()
    assert process.pid == os.getpid()
    calls = (process.lock, process.checkpoint, process.restore, process.unlock, lambda: process.restore_thread_id)
    for call in calls:
        with pytest.raises(cuda.LogicError, match="cuCheckpointProcess.* failed: operation not supported"):
            call()
    device = cuda.Context.get_device()
    with pytest.raises(cuda.LogicError, match="cuCheckpointProcessRestore failed: operation not supported"):
        process.restore({device: device})
    with pytest.raises(TypeError, match="from Device to Device"):
        process.restore({1: 2})


def test_a_process_without_a_lock_runs():
    if is_cpu():
        with pytest.raises(cuda.LogicError, match="cuCheckpointProcessGetState failed: operation not supported"):
            cuda.CheckpointProcess().state  # noqa: B018
    elif cuda.get_driver_version() >= 12080:
        assert cuda.CheckpointProcess().state is cuda.process_state.RUNNING


def test_memory_of_the_host_is_no_dma_buffer(context):
    memory = cuda.mem_alloc(4 << 20)
    if context.get_device().get_attribute(cuda.device_attribute.DMA_BUF_SUPPORTED):
        os.close(cuda.mem_get_dma_buffer(memory, 2 << 20))
    else:
        with pytest.raises(cuda.LogicError, match="cuMemGetHandleForAddressRange"):
            cuda.mem_get_dma_buffer(memory, 4096)
    with pytest.raises(TypeError, match="offset must be an integer, not str"):
        cuda.mem_get_dma_buffer(memory, 4096, "1")
