# SPDX-License-Identifier: MIT
"""Objects whose context is gone: each call that gets one says so, and what to do."""

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import run_program
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceMemoryPool

GONE = "the context has been detached, and all that was made in it is gone: make streams and events, compile the"
ONE = {"block": (1, 1, 1)}


class Objects:
    """One of each class, in the current context."""

    def __init__(self):
        self.module = SourceModule("__device__ int v; __global__ void k(float *a) {}\n__global__ void n() {}")
        self.kernel, self.empty = self.module.get_function("k"), self.module.get_function("n")
        self.prepared = self.module.get_function("k").prepare("P")
        self.stream, self.event = cuda.Stream(), cuda.Event()
        self.event.record()
        self.memory, self.pool = cuda.mem_alloc(16), DeviceMemoryPool()
        self.pooled = self.pool.allocate(16)
        self.array = gpuarray.zeros(4, np.float32)
        self.gpudata = gpuarray.zeros(4, np.float32).gpudata
        self.managed = cuda.managed_zeros(4, np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL)
        self.pinned = cuda.pagelocked_zeros(4, np.float32)
        self.cuda_array = cuda.np_to_array(np.zeros((4, 4), np.float32), "C")
        self.texture = cuda.TextureObject(self.cuda_array)
        self.graph = cuda.Graph()
        self.graph.add_empty_node()
        self.graph_exec = self.graph.instantiate()


# From a dead object and one that lives.
CALLS = {
    "a stream waits": lambda dead, live: dead.stream.synchronize(),
    "a stream is asked": lambda dead, live: dead.stream.is_done(),
    "a stream waits for an event": lambda dead, live: live.stream.wait_for_event(dead.event),
    "an event in a stream": lambda dead, live: live.event.record(dead.stream),
    "an event's time": lambda dead, live: live.event.time_since(dead.event),
    "a launch into a stream": lambda dead, live: live.empty(stream=dead.stream, **ONE),
    "a prepared launch into a stream": lambda dead, live: live.prepared.prepared_async_call(
        (1, 1), (1, 1, 1), dead.stream, live.memory
    ),
    "an array's work in a stream": lambda dead, live: gpuarray.sum(live.array, stream=dead.stream),
    "a copy in a stream": lambda dead, live: cuda.memcpy_htod_async(live.memory, live.pinned, dead.stream),
    "a copy back in a stream": lambda dead, live: live.array.get_async(stream=dead.stream),
    "memset in a stream": lambda dead, live: cuda.memset_d32_async(live.memory, 0, 4, dead.stream),
    "a graph's launch in a stream": lambda dead, live: live.graph_exec.launch(dead.stream),
    "a graph's launch": lambda dead, live: dead.graph_exec.launch(),
    "a graph's update": lambda dead, live: live.graph_exec.update(dead.graph),
    "a graph in a graph": lambda dead, live: live.graph.add_child_graph_node(dead.graph),
    "an event in a graph": lambda dead, live: live.graph.add_event_record_node(dead.event),
    "a wait in a graph": lambda dead, live: live.graph.add_event_wait_node(dead.event),
    "a launch": lambda dead, live: dead.empty(**ONE),
    "a function": lambda dead, live: dead.module.get_function("k"),
    "a variable": lambda dead, live: dead.module.get_global("v"),
    "memory for a kernel": lambda dead, live: live.kernel(dead.memory, **ONE),
    "memory for a prepared kernel": lambda dead, live: live.prepared.prepared_call((1, 1), (1, 1, 1), dead.memory),
    "memory of a pool": lambda dead, live: live.kernel(dead.pooled, **ONE),
    "memory of an array": lambda dead, live: live.kernel(dead.gpudata, **ONE),
    "managed memory": lambda dead, live: live.kernel(dead.managed, **ONE),
    "a copy from memory": lambda dead, live: cuda.memcpy_dtoh(np.zeros(4, np.float32), dead.memory),
    "a copy between memory": lambda dead, live: cuda.memcpy_dtod(live.memory, dead.memory, 16),
    "an address": lambda dead, live: int(dead.memory),
    "a CUDA array": lambda dead, live: cuda.Memcpy2D().set_src_array(dead.cuda_array),
    "a texture": lambda dead, live: dead.texture.handle,
    "an array": lambda dead, live: dead.array.get(),
}


@pytest.mark.parametrize("call", CALLS)
def test_every_class_says_that_its_context_is_gone(context, call):
    second = cuda.Device(0).make_context()
    dead = Objects()
    second.detach()
    live = Objects()
    with pytest.raises(cuda.LogicError, match=GONE):
        CALLS[call](dead, live)
    repr(vars(dead))


def test_so_does_each_after_a_reset(driver):
    run_program(
        f"""
        import numpy as np
        import pycuda.autoinit
        import pycuda.driver as cuda
        from pycuda.tools import reset_context

        stream, memory = cuda.Stream(), cuda.mem_alloc(4)
        reset_context()
        for use in (stream.synchronize, lambda: cuda.memcpy_dtoh(np.zeros(1, np.int32), memory)):
            try:
                use()
            except cuda.LogicError as error:
                assert {GONE!r} in str(error), error
            else:
                raise AssertionError("nothing was raised")
        memory.free()
        """
    )


def test_handles_of_another_context_say_so(context):
    here = Objects()
    with cuda.Device(0).make_context() as second:
        there = Objects()
        for use in (lambda: here.event.record(there.stream), lambda: here.empty(stream=there.stream, **ONE)):
            with pytest.raises(cuda.LogicError, match="invalid resource handle - it is of another context, or of one"):
                use()
        with pytest.raises(cuda.LogicError, match="the events are of two contexts: record both in streams of one"):
            here.event.time_till(there.event)
    second.detach()
