# SPDX-License-Identifier: MIT
"""Streams and events."""

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import run_program
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")


def test_an_event_is_reached_in_stream_order():
    stream = cuda.Stream(1)
    memory = cuda.mem_alloc(1 << 20)
    event = cuda.Event(cuda.event_flags.DISABLE_TIMING)
    cuda.memset_d8_async(memory, 1, 1 << 20, stream)
    assert event.record(stream) is event
    assert event.synchronize() is event
    assert event.query() is True
    assert stream.is_done()


# cupy/cupy 5678
def test_a_time_to_an_event_that_is_not_reached_says_what_to_call():
    flag = cuda.pagelocked_zeros(1, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
    source = "__global__ void wait(volatile int *flag) { while (*flag == 0) {} }"
    wait = SourceModule(source).get_function("wait")
    stream, start, end = cuda.Stream(), cuda.Event(), cuda.Event()
    start.record(stream)
    wait(np.intp(flag.base.get_device_pointer()), block=(1, 1, 1), stream=stream)
    end.record(stream)
    try:
        with pytest.raises(cuda.RuntimeError, match=r"is not done: call synchronize\(\) of the later one"):
            start.time_till(end)
    finally:
        flag[0] = 1
    end.synchronize()
    assert start.time_till(end) >= 0


def test_times_between_events_are_milliseconds():
    start, end = cuda.Event(), cuda.Event()
    start.record()
    cuda.memset_d8(cuda.mem_alloc(1 << 20), 1, 1 << 20)
    end.record()
    end.synchronize()
    time = start.time_till(end)
    assert isinstance(time, float) and time >= 0
    assert end.time_since(start) == pytest.approx(time)


def test_events_that_were_not_recorded_have_no_time():
    with pytest.raises(cuda.LogicError, match="cuEventElapsedTime failed"):
        cuda.Event().time_since(cuda.Event())


def test_one_stream_waits_for_another():
    first, second = cuda.Stream(), cuda.Stream()
    source = cuda.pagelocked_zeros(1 << 16, np.int32)
    source[:] = 7
    memory = cuda.mem_alloc_like(source)
    done = cuda.Event()
    cuda.memcpy_htod_async(memory, source, first)
    done.record(first)
    second.wait_for_event(done)
    target = cuda.pagelocked_zeros(1 << 16, np.int32)
    cuda.memcpy_dtoh_async(target, memory, second)
    second.synchronize()
    assert (target == 7).all()


def test_streams_tell_their_handle():
    stream = cuda.Stream()
    assert isinstance(stream.handle, int) and stream.handle != 0
    assert stream.__cuda_stream__() == (0, stream.handle)


def test_an_int_is_no_stream():
    with pytest.raises(TypeError):
        cuda.Event().record(0)


def test_handles_for_other_processes_are_bytearrays():
    event = cuda.Event(cuda.event_flags.INTERPROCESS | cuda.event_flags.DISABLE_TIMING)
    handle = event.ipc_handle()
    assert type(handle) is bytearray and len(handle) == 64


def test_wrong_handles_are_refused():
    with pytest.raises(cuda.LogicError, match="argument is not a bytes array"):
        cuda.Event.from_ipc_handle(5)
    with pytest.raises(cuda.LogicError, match="handle has the wrong size"):
        cuda.Event.from_ipc_handle(b"short")
    with pytest.raises(cuda.LogicError, match="handle has the wrong size"):
        cuda.IPCMemoryHandle(b"short")


def test_as_many_kernels_as_on_a_gpu_wait_for_one_more():
    # 127 and the one that releases them: 128, which is also the most that a GPU runs at once.
    out, _ = run_program(
        """
        import numpy as np, pycuda.autoinit, pycuda.driver as cuda
        from pycuda.compiler import SourceModule

        module = SourceModule('''
        extern "C" __global__ void wait(volatile int *flag, int *out) { while (*flag == 0); atomicAdd(out, 1); }
        extern "C" __global__ void release(volatile int *flag)
        {
          for (int i = 0; i < *flag + 5; i++) if (i == 3) *flag = 1;  // a loop: no launch runs it at once
        }
        ''')
        wait, release = module.get_function("wait"), module.get_function("release")
        flag, out = cuda.mem_alloc(4), cuda.mem_alloc(4)
        cuda.memset_d32(flag, 0, 1)
        cuda.memset_d32(out, 0, 1)
        streams = [cuda.Stream(1) for _ in range(128)]
        for stream in streams[:-1]:
            wait(flag, out, block=(32, 1, 1), stream=stream)
        release(flag, block=(1, 1, 1), stream=streams[-1])
        for stream in streams:
            stream.synchronize()
        count = np.zeros(1, np.int32)
        cuda.memcpy_dtoh(count, out)
        print(count[0])
        """,
        PYCUDA_CPU_TIMEOUT=20,
    )
    assert out.split() == [str(127 * 32)]
