# SPDX-License-Identifier: MIT
"""Memory and events that two processes share."""

import contextlib
import multiprocessing
import os
import signal
import sys

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import is_cpu
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.tools import make_default_context

SHARED_EVENT = cuda.event_flags.INTERPROCESS | cuda.event_flags.DISABLE_TIMING

# `wait` ends when *flag is not 0 any more, then it writes.
SOURCE = """
__global__ void add(float *values, float what) { values[threadIdx.x] += what; }
__global__ void wait(volatile int *flag, int *to) { while (*flag == 0) {} *to = 77; }
"""

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux")


def _play(pipe, part, arguments):
    cuda.init()
    context = make_default_context()
    try:
        part(pipe, *arguments)
        context.synchronize()
    finally:
        context.pop()
        context.detach()


@contextlib.contextmanager
def partner(part, *arguments):
    """Another process that runs part(pipe, *arguments) with a context of its own; gives it and the pipe to it."""
    spawn = multiprocessing.get_context("spawn")
    here, there = spawn.Pipe()
    process = spawn.Process(target=_play, args=(there, part, arguments))
    process.start()
    there.close()
    try:
        yield process, here
        process.join()
    finally:
        process.kill()
        process.join()


def receive(pipe):
    return pipe.recv()


@pytest.fixture
def cpu_only(context):
    """For what CUDA leaves undefined."""
    if not is_cpu():
        pytest.skip("needs the CPU driver")


def _add_to_array(pipe, handle, shape):
    memory = cuda.IPCMemoryHandle(handle)
    array = gpuarray.GPUArray(shape, np.float32, gpudata=memory)
    SourceModule(SOURCE).get_function("add")(array, np.float32(10), block=(array.size, 1, 1))
    array[1] *= 2
    pipe.send(array.get())


def test_an_array_on_another_process_s_memory_is_the_same_array(context):
    array = gpuarray.to_gpu(np.arange(12, dtype=np.float32).reshape(3, 4))
    expected = array.get() + 10
    expected[1] *= 2
    with partner(_add_to_array, cuda.mem_get_ipc_handle(array.gpudata), array.shape) as (process, pipe):
        assert (receive(pipe) == expected).all()
    assert process.exitcode == 0
    assert (array.get() == expected).all()
    assert (array + 1).get()[0, 0] == expected[0, 0] + 1


def _open_all(pipe, handles):
    memories = [cuda.IPCMemoryHandle(handle) for handle in handles]
    pipe.send([cuda.from_device(memory, (size,), np.uint8)[-1] for memory, size in zip(memories, SIZES, strict=True)])


SIZES = [1, 255, 4096, 4097, 300_000, 3 << 20]


def test_blocks_of_all_sizes_can_be_shared(context):
    memories = [cuda.mem_alloc(size) for size in SIZES]
    for number, (memory, size) in enumerate(zip(memories, SIZES, strict=True)):
        cuda.memset_d8(memory, number + 1, size)
    with partner(_open_all, [cuda.mem_get_ipc_handle(memory) for memory in memories]) as (_, pipe):
        assert receive(pipe) == [1, 2, 3, 4, 5, 6]


def _keep(pipe, handle):
    memory = cuda.IPCMemoryHandle(handle)
    pipe.send("open")
    pipe.recv()
    pipe.send(cuda.from_device(memory, (4,), np.int32).tolist())


def test_memory_lives_on_when_its_maker_frees_it(cpu_only):
    array = gpuarray.to_gpu(np.arange(4, dtype=np.int32))
    with partner(_keep, cuda.mem_get_ipc_handle(array.gpudata)) as (_, pipe):
        assert receive(pipe) == "open"
        array.gpudata.free()
        pipe.send("freed")
        assert receive(pipe) == [0, 1, 2, 3]


def _share_and_end(pipe):
    array = gpuarray.to_gpu(np.arange(4, dtype=np.int32))
    pipe.send(cuda.mem_get_ipc_handle(array.gpudata))
    pipe.recv()


def test_memory_lives_on_when_its_maker_ends_and_cannot_be_opened_any_more(cpu_only):
    with partner(_share_and_end) as (process, pipe):
        handle = receive(pipe)
        memory = cuda.IPCMemoryHandle(handle)
        pipe.send("opened")
        process.join()
    assert cuda.from_device(memory, (4,), np.int32).tolist() == [0, 1, 2, 3]
    memory.close()
    with pytest.raises(cuda.LogicError):
        cuda.IPCMemoryHandle(handle)


def _use_closed(pipe, handle, stale):
    memory = cuda.IPCMemoryHandle(handle)
    address = int(memory)
    memory.close()
    answers = []
    for wrong in (
        lambda: int(memory),
        memory.close,
        lambda: cuda.IPCMemoryHandle(stale),
        lambda: cuda.IPCMemoryHandle(b"x" * 64),
        lambda: cuda.IPCMemoryHandle(handle, 0),
        lambda: cuda.Event.from_ipc_handle(b"x" * 64),
        lambda: cuda.memcpy_dtoh(np.empty(4, np.uint8), address),
    ):
        try:
            wrong()
            answers.append("nothing")
        except cuda.Error:
            answers.append("refused")
    pipe.send(answers)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        cuda.IPCMemoryHandle(handle).close()
    kept = cuda.IPCMemoryHandle(handle)
    pipe.send(len(os.listdir("/proc/self/fd")) - before)
    kept.close()


def test_wrong_handles_are_refused_and_right_ones_leave_no_descriptors(cpu_only):
    freed = cuda.mem_alloc(100)
    stale = cuda.mem_get_ipc_handle(freed)
    freed.free()
    memory = cuda.mem_alloc(100)
    with partner(_use_closed, cuda.mem_get_ipc_handle(memory), stale) as (_, pipe):
        assert receive(pipe) == ["refused"] * 7
        assert receive(pipe) == 0


def test_only_device_memory_has_handles(context):
    handle = cuda.mem_get_ipc_handle(cuda.mem_alloc(16))
    with pytest.raises(cuda.LogicError, match="invalid device context"):
        cuda.IPCMemoryHandle(handle)
    for memory in (cuda.managed_empty(4, np.int32, mem_flags=cuda.mem_attach_flags.GLOBAL).base, 4096):
        with pytest.raises(cuda.LogicError):
            cuda.mem_get_ipc_handle(memory)


def _wait_for_event(pipe, memory_handle, event_handle):
    memory = cuda.IPCMemoryHandle(memory_handle)
    event = cuda.Event.from_ipc_handle(event_handle)
    stream = cuda.Stream()
    word = cuda.pagelocked_zeros(1, np.int32)
    # Before the other process lets its kernel go on, and behind it all the same.
    stream.wait_for_event(event)
    cuda.memcpy_dtoh_async(word, int(memory) + 4, stream)
    pipe.send((event.query(), stream.is_done()))
    event.synchronize()
    stream.synchronize()
    pipe.send(word[0])
    cuda.memset_d32_async(int(memory) + 4, 78, 1, stream)
    event.record(stream)
    pipe.send("recorded")
    pipe.recv()


def _held_work(memory):
    """Work that waits for `flag`, on a stream of its own; gives both, and the module, whose end would wait for it."""
    flag = cuda.pagelocked_zeros(1, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
    stream = cuda.Stream()
    module = SourceModule(SOURCE)
    addresses = np.intp(flag.base.get_device_pointer()), np.intp(int(memory) + 4)
    module.get_function("wait")(*addresses, block=(1, 1, 1), stream=stream)
    return flag, stream, module


def test_events_put_the_work_of_two_processes_in_order(context):
    memory = cuda.mem_alloc(8)
    cuda.memset_d32(memory, 0, 2)
    event = cuda.Event(SHARED_EVENT)
    handles = cuda.mem_get_ipc_handle(memory), event.ipc_handle()
    flag, stream, module = _held_work(memory)
    event.record(stream)
    try:
        with partner(_wait_for_event, *handles) as (_, pipe):
            assert receive(pipe) == (False, False)
            assert not pipe.poll(0.2), "an event was waited for that had not been reached"
            flag[0] = 1
            assert receive(pipe) == 77
            assert receive(pipe) == "recorded"
            stream.wait_for_event(event)
            word = cuda.pagelocked_zeros(1, np.int32)
            cuda.memcpy_dtoh_async(word, int(memory) + 4, stream)
            stream.synchronize()
            assert word[0] == 78 and event.query()
            pipe.send("seen")
    finally:
        flag[0] = 1


def _record_and_hang(pipe, handle):
    event = cuda.Event.from_ipc_handle(handle)
    memory = cuda.mem_alloc(8)
    _, stream, _module = _held_work(memory)
    event.record(stream)
    pipe.send("recorded")
    pipe.recv()


@pytest.mark.parametrize("waiter", ["host", "stream"])
def test_who_waits_for_a_process_that_is_killed_gets_an_error(cpu_only, waiter, capfd):
    event = cuda.Event(SHARED_EVENT)
    stream = cuda.Stream()
    written = gpuarray.zeros(1, np.float32)
    add = SourceModule(SOURCE).get_function("add")
    with partner(_record_and_hang, event.ipc_handle()) as (process, pipe):
        assert receive(pipe) == "recorded"
        assert not event.query()
        if waiter == "stream":
            stream.wait_for_event(event)
            add(written, np.float32(1), block=(1, 1, 1), stream=stream)
        os.kill(process.pid, signal.SIGKILL)
        ended = f"external.* - process {process.pid} has ended before an event was reached that it had recorded"
        with pytest.raises(cuda.Error, match=ended):
            event.synchronize() if waiter == "host" else stream.synchronize()
        assert capfd.readouterr().err == ""
    if waiter == "host":
        # Whoever only asked goes on; the next record is as good as any.
        event.record(stream)
        event.synchronize()
        assert written.get() == 0
    else:
        # What was to come behind it must not run on data that are not there.
        with pytest.raises(cuda.Error, match="external"):
            written.get()
