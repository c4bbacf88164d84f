# SPDX-License-Identifier: MIT
"""No message and no repr shows the name of a class or module that is not public."""

import inspect
import re

import numpy as np
import pycuda
import pycuda.driver as cuda
import pytest
from pycuda import curandom, gpuarray, reduction, scan, tools
from pycuda._counter_records import KernelCounters
from pycuda.compiler import SourceModule
from pycuda.compyte.dtypes import TypeNameNotKnown
from pycuda.elementwise import ElementwiseKernel

SOURCE_OF_INSTANCE = """
template <class T> __global__ void k(T *a) { a[threadIdx.x] = 1; }
template __global__ void k<float>(float *);
"""
MANGLED = re.compile(r"\b_Z\w+")
PRIVATE = re.compile(r"\b_[A-Z]\w+|\b_driver\b")


def instances(context):
    """One object of every kind that programs hold, beside their context."""
    module = SourceModule("__global__ void k(float *a) { a[0] = 1; }")
    function = module.get_function("k")
    stream, array = cuda.Stream(), gpuarray.zeros(4, np.float32)
    with stream.capture() as graph:
        function(array, block=(1, 1, 1), stream=stream)
    pool = tools.DeviceMemoryPool()
    page_locked = cuda.pagelocked_empty(4, np.float32)
    managed = cuda.managed_empty(4, np.float32)
    image = cuda.np_to_array(np.zeros((2, 2), np.float32), "C")
    return [
        module,
        function,
        stream,
        array,
        array.gpudata,
        array[1:].gpudata,
        graph,
        graph.nodes[0],
        graph.instantiate(),
        pool,
        pool.allocate(8),
        tools.PageLockedMemoryPool(),
        cuda.mem_alloc(8),
        page_locked.base,
        managed.base,
        cuda.Event(),
        cuda.Device(0),
        context,
        image,
        cuda.TextureObject(image),
        cuda.ArrayDescriptor(),
        cuda.Memcpy2D(),
        cuda.In(page_locked),
        cuda.device_attribute.WARP_SIZE,
        tools.DeviceData(),
        ElementwiseKernel("float *x", "x[i] = 1"),
        reduction.ReductionKernel(np.float32, "0", "a+b", "x[i]", "float *x"),
        scan.InclusiveScanKernel(np.int32, "a+b"),
        curandom.XORWOWRandomNumberGenerator(),
    ]


MISUSES = {
    "a missing attribute": lambda one: one.no_such_thing,
    "an operator": lambda one: one + object(),
    "an operator of one operand": lambda one: ~one,
    "an index": lambda one: one["no such index"],
    "a call": lambda one: one(no_such_keyword=1),
    "a comparison": lambda one: one < object(),
    "an iteration": lambda one: list(one),
    "a number": lambda one: float(one),
    "a deleted attribute": lambda one: delattr(one, "no_such_thing"),
    "a with block": lambda one: one.__enter__(),
    "an argument of a kernel": lambda one: SourceModule("__global__ void k(float a) {}").get_function("k")(
        one, block=(1, 1, 1)
    ),
    "a stream": lambda one: gpuarray.zeros(4, np.float32).get(stream=one),
    "an event": lambda one: cuda.Event().time_since(one),
    "an address": lambda one: cuda.memcpy_dtoh(np.zeros(4), one),
    "a size": lambda one: cuda.mem_alloc(one),
    "an operand": lambda one: gpuarray.zeros(4, np.float32) + one,
    "an index of an array": lambda one: gpuarray.zeros(4, np.float32)[one],
    "a shape": lambda one: gpuarray.zeros(one, np.float32),
    "an element": lambda one: gpuarray.zeros(4, np.float32).fill(one),
}


def message_of(call, *arguments):
    try:
        call(*arguments)
    except Exception as error:  # noqa: BLE001  every class of error has a message
        return f"{type(error).__name__}: {error}"
    return ""


def test_messages_and_reprs_of_objects(context):
    for one in instances(context):
        assert not PRIVATE.search(repr(one)), repr(one)
        for misuse, call in MISUSES.items():
            text = message_of(call, one)
            assert not PRIVATE.search(text), (misuse, type(one), text)


def test_messages_of_methods_and_attributes(context):
    for one in instances(context):
        for name, _ in inspect.getmembers(type(one)):
            if name.startswith("_"):
                continue
            text = message_of(lambda one=one, name=name: getattr(one, name)(no_such_keyword=1))
            assert not PRIVATE.search(text), text
            text = message_of(lambda one=one, name=name: getattr(type(one), name)(object()))
            assert not PRIVATE.search(text), text


@pytest.mark.parametrize("module", [cuda, tools, curandom, gpuarray, reduction, scan])
def test_messages_of_classes_that_are_called_wrongly(module):
    for name in dir(module):
        one = getattr(module, name)
        if isinstance(one, type) and not name.startswith("_"):
            text = message_of(lambda one=one: one(no_such_keyword=1))
            assert not PRIVATE.search(text), text


def test_an_unknown_type_is_an_error_that_programs_can_name():
    with pytest.raises(TypeNameNotKnown) as caught:
        tools.get_or_register_dtype("no such type")
    assert type(caught.value).__name__ == "TypeNameNotKnown"


def failing_calls(function, array):
    """Calls that fail with the kernel's name in their messages, by what is wrong."""
    launch = cuda.Graph()
    return {
        "block": lambda: function(array, block=(64, 64, 1)),
        "grid": lambda: function(array, block=(1, 1, 1), grid=(0, 1)),
        "shared memory": lambda: function(array, block=(1, 1, 1), shared=1 << 30),
        "too few arguments": lambda: function(block=(1, 1, 1)),
        "too many arguments": lambda: function(array, array, block=(1, 1, 1)),
        "prepared codes": lambda: function.prepare("i"),
        "prepared kinds": lambda: function.prepare("d"),
        "prepared call": lambda: function.prepare("P").prepared_call((1, 1), (64, 64, 1), array.gpudata),
        "a node": lambda: launch.add_kernel_node(function, array, block=(64, 64, 1)),
        "parameters": lambda: function.param_set_size(1 << 20),
        "stateful launch": lambda: (function.set_block_shape(64, 64, 1), function.launch()),
    }


def test_messages_and_reprs_name_kernels_as_c_plus_plus_does(context):
    module = SourceModule("template <class T> __global__ void k(T *a) { a[0] = 1; }")
    function, array = module.get_function("k<float>"), gpuarray.zeros(4, np.float32)
    assert function.name.startswith("_Z")
    timing = pycuda.benchmark(function, array, block=(1, 1, 1), seconds=0)
    assert timing.name == "k<float>(float*)"
    assert "k<float>(float*)" in repr(timing)
    assert "k<float>(float*)" in repr(SourceModule(SOURCE_OF_INSTANCE))
    for call in failing_calls(function, array).values():
        with pytest.raises((cuda.Error, TypeError, ValueError)) as caught:
            call()
        assert not MANGLED.search(str(caught.value)), caught.value


def test_counters_name_kernels_as_c_plus_plus_does():
    counted = KernelCounters("_Z1kIfEvPT_", 2, (1, 1, 1), (4, 1, 1), 16, 0, {}, ())
    assert repr(counted).startswith("<KernelCounters of k<float>(float*): 2 launches, grid (1, 1, 1), block (4, 1, 1)")
    with pytest.raises(KeyError, match=r"kernel k<float>\(float\*\) has executed nothing of line 3"):
        counted.line(3)
