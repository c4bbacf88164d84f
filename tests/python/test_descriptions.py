# SPDX-License-Identifier: MIT
"""`repr` of the objects that programs hold says what they are and in which state, not where Python keeps them."""

import numpy as np
import pycuda
import pycuda.driver as cuda
import pytest
from pycuda import curandom, gpuarray, tools
from pycuda.compiler import DynamicModule, SourceModule

SOURCE = """
texture<float, 2> picture;
__global__ void twice(float *a, const int *b, float2 c, int n) { if (n) a[0] = b[0] * c.x; }
__global__ void first(float *a) { a[0] = tex2D(picture, 0, 0); }
"""


@pytest.fixture
def things(context):
    module = SourceModule(SOURCE)
    host, stream, event = np.zeros((2, 4), np.float32), cuda.Stream(), cuda.Event()
    event.record().synchronize()
    memory, array = cuda.mem_alloc(100), cuda.np_to_array(host, "C")
    with stream.capture() as graph:
        cuda.memset_d8_async(memory, 0, 100, stream)
    return {
        "current": cuda.Context.get_current(),
        "Device 0: ": cuda.Device(0),
        ", idle": stream,
        "reached": event,
        "twice, first": module,
        "twice(float*, int const*, float2, int)": module.get_function("twice"),
        "of 100 bytes at 0x": memory,
        "of 4000 bytes at 0x": gpuarray.zeros(1000, np.float32).gpudata,
        "In(ndarray of float32, shape (2, 4))": cuda.In(host),
        "0 blocks in use": tools.DeviceMemoryPool(),
        "of 1 node": graph,
        "GraphExec 0x": graph.instantiate(),
        "warps": tools.DeviceData(),
        "blocks of 128 threads per multiprocessor": tools.OccupancyRecord(tools.DeviceData(), 128),
        "mapped at device address": cuda.pagelocked_empty(3, np.float32).base,
        "of 12 bytes": cuda.managed_empty(3, np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL).base,
        "of 4 x 2 FLOAT": array,
        "filter POINT, addresses CLAMP": module.get_texref("picture"),
        "TextureObject 0x": cuda.TextureObject(array),
        "C_CONTIGUOUS : True": gpuarray.zeros(2, np.float32).flags,
        "generators": curandom.XORWOWRandomNumberGenerator(),
        "not linked": DynamicModule(),
        "width=0": cuda.ArrayDescriptor(),
    }


def test_objects_say_what_they_are(things):
    for words, thing in things.items():
        text = repr(thing)
        assert words in text and " object at 0x" not in text and "unknown" not in text, text


def test_events_say_whether_they_were_recorded(context):
    assert repr(cuda.Event()) == "<pycuda.Event never recorded>"
    assert repr(cuda.Event().record().synchronize()) == "<pycuda.Event reached>"
    assert repr(cuda.Event(cuda.event_flags.DISABLE_TIMING)) == "<pycuda.Event reached or never recorded>"


def test_checks_say_which_they_are_and_a_name_that_is_none_at_once():
    assert repr(pycuda.checks("race", "sync")).startswith("<pycuda.checks('race', 'sync')")
    with pytest.raises(ValueError, match="unknown check in 'rase': the checks are memory, init, race, sync and all"):
        pycuda.checks("race,rase")


def test_an_argument_handler_takes_no_class():
    for kind in (cuda.In, cuda.Out, cuda.InOut):
        with pytest.raises(
            TypeError, match=rf"{kind.__name__} takes an array, such as .*, not the class <class 'numpy"
        ):
            kind(np.float32)


def test_nothing_raises_after_the_memory_is_freed(context):
    memory = cuda.mem_alloc(100)
    memory.free()
    assert repr(memory) == "<pycuda.DeviceAllocation, state unknown>"
