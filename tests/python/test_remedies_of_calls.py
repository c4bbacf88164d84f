# SPDX-License-Identifier: MIT
"""Typical mistakes in calls of the driver's interface: each error says what to write instead."""

import struct

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray, tools
from pycuda.compiler import DynamicModule, SourceModule

pytestmark = pytest.mark.usefixtures("context")

SCALE = "__global__ void scale(float *a, float f, int n) { if (threadIdx.x < n) a[threadIdx.x] *= f; }"
TEXTURE = "texture<float, 2> image; __global__ void k(float *a) { *a = tex2D(image, 0, 0); }"


def scale(*arguments, **launch):
    SourceModule(SCALE).get_function("scale")(*arguments, **launch)


def zeros(shape=10, dtype=np.float32):
    return gpuarray.zeros(shape, dtype)


def rows(**launch):
    kernel = SourceModule("__global__ void k(float **rows) { rows[0][0] = 1; }").get_function("k")
    kernel(cuda.InOut(np.zeros((3, 3), np.float32)), block=(1, 1, 1))


def register_twice():
    host = cuda.aligned_empty(1024, np.float32)
    registered = cuda.register_host_memory(host)
    try:
        cuda.register_host_memory(host)
    finally:
        registered.base.unregister()


F, N, BLOCK = np.float32(2), np.int32(10), {"block": (32, 1, 1)}

CALLS = {
    "a method that is not called": (
        lambda: cuda.Device(0).compute_capability[0],
        TypeError,
        r"compute_capability is called before its result is indexed: compute_capability\(\)\[",
    ),
    "a comparison with a method": (
        lambda: cuda.Device(0).compute_capability >= (8, 0),
        TypeError,
        "instances of 'pycuda.driver.method' and 'tuple'",
    ),
    "a function that is not called": (
        lambda: cuda.mem_get_info[0],
        TypeError,
        r"mem_get_info is called before its result is indexed: mem_get_info\(\)\[",
    ),
    "a number of devices that is not asked for": (
        lambda: cuda.Device.count > 1,
        TypeError,
        "instances of 'pycuda.driver.function' and 'int'",
    ),
    "the length of memory": (
        lambda: cuda.mem_alloc(4).nbytes,
        AttributeError,
        "mem_get_address_range.memory.*its bytes",
    ),
    "the contents of memory": (lambda: cuda.mem_alloc(4).get(), AttributeError, r"memcpy_dtoh\(array, memory\) copies"),
    "the time of an event": (lambda: cuda.Event().elapsed_time, AttributeError, r"end\.time_since\(start\) returns"),
    "a stream of CuPy": (
        lambda: cuda.Stream().ptr,
        AttributeError,
        "'Stream' object has no attribute 'ptr': its handle",
    ),
    "memory like a list": (lambda: cuda.mem_alloc_like([1]), AttributeError, "takes an array, not list: numpy.array"),
    "host memory like a list": (lambda: cuda.pagelocked_empty_like([1]), AttributeError, "takes an array, not list"),
    "an order of NumPy": (
        lambda: cuda.pagelocked_empty((3, 3), np.float32, order="K"),
        cuda.LogicError,
        r"unrecognized order specifier: it is 'C' \(rows\) or 'F' \(columns\)",
    ),
    "an offset in memory": (lambda: cuda.mem_alloc(16) + 4, TypeError, r"int\(memory\) \+ bytes is an address in it"),
    "memory behind an offset": (lambda: 4 + cuda.mem_alloc(16), TypeError, r"int\(memory\) \+ bytes"),
    "an element of memory": (lambda: cuda.mem_alloc(16)[0], TypeError, "memory has no elements: GPUArray.shape, dtype"),
    "memory like an array": (
        lambda: cuda.mem_alloc(np.zeros(4)),
        TypeError,
        "integer, not numpy.ndarray: give its nbytes",
    ),
    "memory of a shape": (lambda: cuda.mem_alloc((4, 4)), TypeError, "not tuple: it is the product of a shape and"),
    "memory of half a byte": (
        lambda: cuda.mem_alloc(16.0),
        TypeError,
        r"not float: // divides integers, int\(\.\.\.\)",
    ),
    "a stream by its number": (
        lambda: cuda.memcpy_htod_async(cuda.mem_alloc(4), bytes(4), 0),
        TypeError,
        "a stream must be a Stream or None, not int: None is the default stream",
    ),
    "memory registered twice": (register_twice, cuda.LogicError, r"unregister\(\) of what register_host_memory\(\)"),
    "a handle that is cut": (
        lambda: cuda.IPCMemoryHandle(b"abc"),
        cuda.LogicError,
        r"wrong size, 3 bytes: mem_get_ipc_handle\(\) returns 64 in the other process",
    ),
    "a handle of another kind": (
        lambda: cuda.Event.from_ipc_handle(5),
        cuda.LogicError,
        r"not a bytes array: Event\.ipc_handle\(\) returns it",
    ),
    "an array as a block": (
        lambda: scale(zeros(), F, N, block=np.array([32, 1, 1])),
        TypeError,
        r"not numpy.ndarray: tuple\(\.\.\.\) makes one",
    ),
    "a class as an argument": (
        lambda: scale(cuda.In, F, N, **BLOCK),
        TypeError,
        "type; call the class, or pass one of",
    ),
    "a dictionary as an argument": (
        lambda: scale({}, F, N, **BLOCK),
        TypeError,
        "dict; kernels take numbers, and arrays as GPUArray or in pycuda.driver.In",
    ),
    "an Array as an argument": (
        lambda: scale(cuda.matrix_to_array(np.zeros((2, 2), np.float32), "C"), F, N, **BLOCK),
        TypeError,
        r"Array; kernels read it through pycuda.driver.TextureObject\(array\), and write to it through SurfaceObject",
    ),
    "an array as a texture": (
        lambda: SourceModule(
            "__global__ void look(cudaTextureObject_t t, float *o) { o[0] = tex2D<float>(t, 0, 0); }"
        ).get_function("look")(np.zeros((4, 4), np.float32), zeros(), **BLOCK),
        TypeError,
        "if it is a cudaTextureObject_t or cudaSurfaceObject_t, pass a pycuda.driver.TextureObject or SurfaceObject",
    ),
    "rows of a host array": (
        rows,
        TypeError,
        r"'float\*\*', pointers to pointers. Declare one pointer, and index it with",
    ),
    "a texture reference alone": (
        lambda: scale(zeros(), F, N, texrefs=SourceModule(TEXTURE).get_texref("image"), **BLOCK),
        TypeError,
        r"a list of texture references: texrefs=\[texref\]",
    ),
    "a source as a name": (
        lambda: SourceModule(SCALE).get_function(f"\n{SCALE}\n"),
        cuda.LogicError,
        "a text of several lines is no name of a kernel: the module has 'scale'",
    ),
    "a source as an image": (
        lambda: cuda.module_from_buffer(SCALE),
        cuda.LogicError,
        "this is a source: pycuda.compiler.SourceModule compiles it",
    ),
    "a module that is not linked": (
        lambda: DynamicModule().get_function("k"),
        RuntimeError,
        r"the module is not linked: call its link\(\) first",
    ),
    "a name as a texture reference": (
        lambda: zeros(4).bind_to_texref_ext("image"),
        TypeError,
        r"texref must be what module\.get_texref\(name\) returns, not str",
    ),
    "a host array for gpuarray_to_array": (
        lambda: cuda.gpuarray_to_array(np.zeros((4, 4), np.float32), "C"),
        TypeError,
        "takes a GPUArray, not ndarray: np_to_array copies one of the host",
    ),
    "a number as a device": (
        lambda: tools.DeviceData(5),
        TypeError,
        "dev must be a pycuda.driver.Device or None, not int",
    ),
    "a name as a log": (
        lambda: tools.DebugMemoryPool(logfile="log"),
        TypeError,
        "a file that is open for writing, not str",
    ),
    "a number as a function": (lambda: tools.context_dependent_memoize(5), TypeError, "decorates a function, not int"),
    "a pool as an allocator": (
        lambda: gpuarray.zeros(3, np.float32, allocator=tools.DeviceMemoryPool()),
        TypeError,
        "an allocator is a function of the size in bytes, not DeviceMemoryPool: give its allocate",
    ),
}


@pytest.mark.parametrize("mistake", CALLS)
def test_a_mistake_in_a_call_is_answered_with_a_remedy(mistake):
    call, error, words = CALLS[mistake]
    with pytest.raises(error, match=words) as told:
        call()
    assert len(str(told.value).splitlines()) <= 3


def test_what_the_driver_says_of_memory_and_events_that_cannot_be_shared():
    if not cuda.Context.get_device().name().startswith("CPU"):
        pytest.skip("needs the CPU driver")
    with pytest.raises(cuda.LogicError, match="no memory of mem_alloc begins at this address"):
        cuda.mem_get_ipc_handle(5)
    with pytest.raises(cuda.LogicError, match="there is no device memory at this address"):
        cuda.mem_get_address_range(12345)
    with pytest.raises(cuda.LogicError, match=r"event_flags\.INTERPROCESS \| event_flags\.DISABLE_TIMING"):
        cuda.Event().ipc_handle()


def cycle():
    graph = cuda.Graph()
    first = graph.add_empty_node()
    graph.add_edges([(graph.add_empty_node([first]), first)])


def condition_of_two_nodes():
    graph = cuda.Graph()
    condition = graph.condition(0)
    graph.if_(condition)
    graph.if_(condition)


def arguments_of_an_empty_node():
    graph = cuda.Graph()
    node = graph.add_empty_node()
    graph.instantiate().set_kernel_arguments(node, 1)


def neighbours_of_a_destroyed_node():
    node = cuda.Graph().add_empty_node()
    node.destroy()
    return node.dependents


def picture_in_no_folder():
    cuda.Graph().debug_dot_print("/nonexistent/graph.dot")


GRAPHS = {
    "a cycle": (cycle, "the edges make neither a cycle nor a second edge"),
    "a condition of two nodes": (condition_of_two_nodes, "a condition is for one node"),
    "arguments of another node": (arguments_of_an_empty_node, "the node is none of a kernel, or was destroyed"),
    "a destroyed node": (neighbours_of_a_destroyed_node, "the node was destroyed, or is of another graph"),
    "a picture in no folder": (picture_in_no_folder, "the file cannot be written: is its folder there"),
}


@pytest.mark.parametrize("mistake", GRAPHS)
def test_a_graph_says_what_is_wrong_with_it(mistake):
    if not cuda.Context.get_device().name().startswith("CPU"):
        pytest.skip("needs the CPU driver: NVIDIA's crashes on nodes that are gone")
    call, words = GRAPHS[mistake]
    with pytest.raises(cuda.LogicError, match=words):
        call()


def test_functions_and_methods_print_with_their_names():
    assert repr(cuda.mem_get_info) == "<function mem_get_info of pycuda.driver>"
    device = cuda.Device(0)
    assert repr(device.name) == f"<method name of {device!r}>"


def test_attributes_of_memory_events_and_streams_that_nobody_has():
    for thing in (cuda.mem_alloc(4), cuda.Event(), cuda.Stream()):
        with pytest.raises(AttributeError, match="object has no attribute 'nothing'$"):
            _ = thing.nothing
        assert not hasattr(thing, "__array_interface__")


def test_addresses_of_rows_pass():
    kernel = SourceModule("__global__ void k(float **rows) { rows[1][2] = 7; }").get_function("k")
    first, second = zeros(4), zeros(4)
    kernel(cuda.In(np.array([first.ptr, second.ptr], np.uint64)), block=(1, 1, 1))
    assert second.get().tolist() == [0, 0, 7, 0]
    kernel(gpuarray.to_gpu(np.array([first.ptr, second.ptr], np.int64)), block=(1, 1, 1))


def test_prepared_values_of_the_wrong_sort():
    kernel = SourceModule(SCALE).get_function("scale").prepare("Pfi")
    with pytest.raises(struct.error, match="code 'i' needs an integer, not float"):
        kernel.prepared_call((1, 1), (32, 1, 1), zeros().gpudata, F, 10.5)


def test_places_and_resources_that_are_none():
    for call in (
        lambda: cuda.StreamOrderedMemoryPool(location=77),
        lambda: cuda.PhysicalMemory(2 << 20, location=77),
    ):
        with pytest.raises(cuda.LogicError, match="the location is one of mem_location_type, and the number that of"):
            call()
    with pytest.raises(TypeError, match="made of an SMResource or several: SMResource.of_device"):
        cuda.GreenContext(5)
    with pytest.raises(TypeError, match="mark_cuda_test decorates a function, not int"):
        tools.mark_cuda_test(5)


def test_attributes_that_can_only_be_read():
    if not cuda.Context.get_device().name().startswith("CPU"):
        pytest.skip("needs the CPU driver")
    with pytest.raises(cuda.LogicError, match="MAX_DYNAMIC_SHARED_SIZE_BYTES and .*_CARVEOUT can be set"):
        SourceModule(SCALE).get_function("scale").set_attribute(cuda.function_attribute.NUM_REGS, 1)
    with pytest.raises(cuda.LogicError, match="RELEASE_THRESHOLD and the REUSE_ attributes can be set"):
        pool = cuda.StreamOrderedMemoryPool.current()
        pool.set_attribute(cuda.mem_pool_attribute.USED_MEM_CURRENT, 5)
