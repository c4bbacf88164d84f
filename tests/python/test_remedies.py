# SPDX-License-Identifier: MIT
"""Mistakes in calls whose errors name what to write instead."""

import copy
import io
import pickle
import re
import struct
import traceback

import numpy as np
import pycuda
import pycuda.driver as cuda
import pytest
from programs import run_program
from pycuda import curandom, gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")

ONE = {"block": (1, 1, 1)}


def kernel(parameters="int *a"):
    return SourceModule(f"__global__ void k({parameters}) {{}}").get_function("k")


class Dataset:
    shape, dtype = (3,), np.dtype(np.float32)


COPIES = {
    "to the device": (
        lambda host, there: cuda.memcpy_htod(host, there),
        "not numpy.ndarray: dest and src are swapped$",
    ),
    "to the host": (
        lambda host, there: cuda.memcpy_dtoh(there, host),
        r"memcpy_dtoh.* from it; dest and src are swapped$",
    ),
    "in a stream": (lambda host, there: cuda.memcpy_htod_async(host, there, cuda.Stream()), "dest and src are swapped"),
    "back in a stream": (
        lambda host, there: cuda.memcpy_dtoh_async(there, host, cuda.Stream()),
        "dest and src are swapped",
    ),
    "a number": (lambda host, there: cuda.memcpy_htod(there, 4.0), "required, not 'float': numpy.array.* makes one"),
    "a list": (lambda host, there: cuda.memcpy_htod(there, [4.0]), "required, not 'list': numpy.array.* makes one"),
    "between hosts": (
        lambda host, there: cuda.memcpy_htod(host, host),
        "not numpy.ndarray, which is in the host's memory",
    ),
}


@pytest.mark.parametrize("copy", COPIES)
def test_copies(copy):
    call, words = COPIES[copy]
    for there in (cuda.mem_alloc(16), gpuarray.zeros(4, np.float32).gpudata):
        with pytest.raises(TypeError, match=words):
            call(np.zeros(4, np.float32), there)


def test_no_memory():
    with pytest.raises(cuda.LogicError, match="invalid argument - 0 bytes were asked for: the least is 1"):
        cuda.mem_alloc(0)


def test_more_memory_than_the_cpu_device_has():
    if not cuda.Context.get_device().name().startswith("CPU"):
        pytest.skip("needs the CPU driver")
    for call in (lambda: cuda.mem_alloc(1 << 45), lambda: gpuarray.zeros(1 << 45, np.float64)):
        with pytest.raises(cuda.MemoryError, match=r"PYCUDA_CPU_MEMORY \(--memory of .*\) sets how much"):
            call()


@pytest.mark.parametrize("vector", ["int2", "float4", "ulonglong2", "uchar3"])
def test_a_tuple_for_a_vector(vector):
    with pytest.raises(TypeError, match=rf"tuple; pycuda.gpuarray.vec.make_{vector}\(...\) makes one"):
        kernel(f"{vector} v")((1, 2), **ONE)
    with pytest.raises(TypeError, match="tuple; numpy.array makes an array of it"):
        kernel("int *a")((1, 2), **ONE)


def test_names_of_keywords():
    with pytest.raises(TypeError, match="unknown keyword arguments: shared; prepared calls take shared_size"):
        kernel().prepare("P").prepared_call((1, 1), (1, 1, 1), 0, shared=4)


def test_an_extent_that_is_a_numpy_float():
    with pytest.raises(TypeError, match=r"grid must be an integer, not numpy.float64 1.0: // divides .*, int\(...\)"):
        kernel()(np.intp(0), grid=(np.float64(1), 1), **ONE)


@pytest.mark.parametrize("wrapper", [cuda.In, cuda.Out, cuda.InOut])
def test_arrays_with_gaps_for_copies(wrapper):
    with pytest.raises(ValueError, match="its strides .*; numpy.ascontiguousarray makes a contiguous copy"):
        kernel()(wrapper(np.zeros((4, 4), np.int32)[:, ::2]), **ONE)


@pytest.mark.parametrize("to_gpu", [gpuarray.to_gpu, gpuarray.to_gpu_async])
def test_what_is_almost_an_array(to_gpu):
    with pytest.raises(AttributeError, match=rf"{to_gpu.__name__} takes a NumPy array, not Dataset: numpy.array"):
        to_gpu(Dataset())
    masked = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
    with pytest.raises(TypeError, match=r"masked elements.*: filled\(value\) .*, compressed\(\)"):
        to_gpu(masked)
    assert to_gpu(masked.filled(7)).get().tolist() == [1, 7, 3]
    assert to_gpu(np.ma.array([1.0, 2.0])).get().tolist() == [1, 2]


def test_functions_of_numpy_that_take_a_function_first():
    with pytest.raises(TypeError, match=re.escape("np.apply_along_axis(func1d, axis, a.get(), ...)")):
        np.apply_along_axis(np.sum, 0, gpuarray.zeros(4, np.float32))


def test_the_traceback_of_a_refused_source_is_short():
    def frames(call):
        with pytest.raises(cuda.CompileError) as caught:
            call()
        return [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)][2:]

    assert frames(lambda: SourceModule("__global__ void k() { missing; }")) == ["__init__"]
    twice = ElementwiseKernel("float *a", "a[i] = missing")
    assert frames(lambda: twice(gpuarray.zeros(3, np.float32))) == ["__call__"]
    total = {"neutral": "0", "reduce_expr": "a + missing", "arguments": "float *in"}
    assert frames(lambda: ReductionKernel(np.float32, **total)) == ["__init__", "_compile_stage"]
    assert frames(lambda: InclusiveScanKernel(np.float32, "a + missing")) == ["__init__", "compile_kernel"]


def test_attributes_of_numpys_arrays():
    array = gpuarray.zeros(4, np.float32)
    for name in ("tofile", "flat", "ctypes"):
        with pytest.raises(
            AttributeError, match=rf"has no {name}: a.get\(\) copies an array to the host, which has it"
        ):
            getattr(array, name)
    assert not hasattr(array, "__array_struct__")


def test_sparse_matrices_lists_and_structs():
    sparse = pytest.importorskip("scipy.sparse", reason="needs SciPy")
    with pytest.raises(AttributeError, match=r"not csr_array: its toarray\(\) makes one"):
        gpuarray.to_gpu(sparse.csr_array(np.eye(3)))
    with pytest.raises(TypeError, match="not 'list': numpy.array.* makes one"):
        cuda.to_device([1, 2])
    pair = np.dtype([("first", "f4"), ("second", "i4")])
    with pytest.raises(TypeError, match="neutral must be what reduce_expr starts from.* it is None"):
        ReductionKernel(np.float32, neutral=None, reduce_expr="a + b")
    with pytest.raises(TypeError, match="the scan is for dtype int32, the input has dtype float32: convert it with"):
        InclusiveScanKernel(np.int32, "a + b")(gpuarray.zeros(4, np.float32))
    with pytest.raises(ValueError, match=r"unable to map dtype .*: get_or_register_dtype\(name, dtype\)"):
        InclusiveScanKernel(pair, "a + b")


def test_the_argument_with_a_wrong_value_is_named():
    scale = ElementwiseKernel("float *x, float a, int n_times", "x[i] *= a * n_times")
    x = gpuarray.zeros(4, np.float32)
    with pytest.raises(struct.error, match=r"argument #1 \(0-based\) .*'float a', needs a number, not GPUArray"):
        scale(x, x, 2)
    with pytest.raises(struct.error, match=r"argument #2 \(0-based\) .*'int n_times', is too small for 4294967296"):
        scale(x, 2, 2**32)


def test_a_file_and_flags_that_the_driver_refuses():
    with pytest.raises(cuda.RuntimeError, match="file not found - '/nonexistent/file.cubin'"):
        cuda.module_from_file("/nonexistent/file.cubin")
    with pytest.raises(cuda.LogicError, match="flags=3: they are 0 or 1, which is stream_flags.NON_BLOCKING"):
        cuda.Stream(3)


@pytest.mark.parametrize("name, instead", [("a Stream", "make one in the other process"), ("an Event", "ipc_handle")])
def test_what_exists_in_this_process_alone_says_so_when_it_is_pickled(name, instead):
    with pytest.raises(TypeError, match=f"cannot pickle or copy {name}, which exists in this .* {instead}"):
        pickle.dumps(getattr(cuda, name.split()[1])())


def test_a_device_is_pickled_by_its_place_on_the_bus():
    device = cuda.Device(0)
    device.role = "first"
    for other in (pickle.loads(pickle.dumps(device)), copy.copy(device), copy.deepcopy(device)):
        assert other == device and other.role == "first" and type(other) is cuda.Device
    text = pickle.dumps(device)
    run_program(f"import pickle; print(pickle.loads({text!r}).warp_size)")  # a process that has not called init
    elsewhere = text.replace(device.pci_bus_id().encode(), b"0000:FE:00.0")
    with pytest.raises(
        cuda.LogicError, match="no device has .*0000:FE:00.0.*; it was pickled as .*VISIBLE_DEVICES"
    ) as caught:
        pickle.loads(elsewhere)
    assert caught.value.code == 101


def test_kernels_and_memory_say_what_to_send():
    with pytest.raises(TypeError, match="a Function.* send the source"):
        pickle.dumps(kernel())
    with pytest.raises(TypeError, match="a Module.* send the source"):
        pickle.dumps(SourceModule("__global__ void k() {}"))
    for memory in (cuda.mem_alloc(4), gpuarray.zeros(4, np.float32).gpudata):
        with pytest.raises(TypeError, match="send a copy of its contents in a NumPy array"):
            copy.deepcopy(memory)


@pytest.mark.parametrize("function", ["sum", "prod", "max", "min", "any", "all", "dot", "vdot", "reshape", "transpose"])
@pytest.mark.parametrize("value", [[1.0, 2.0], np.ones(2, np.float32), 5, None], ids=["list", "ndarray", "int", "None"])
def test_functions_of_arrays_on_the_device(function, value):
    there = [gpuarray.zeros(2, np.float32)] if function in ("dot", "vdot") else []
    with pytest.raises(TypeError, match=rf"gpuarray.{function} takes an array on the device, not .*: to_gpu\("):
        getattr(gpuarray, function)(value, *there)


def test_an_elementwise_kernel_says_how_an_array_is_declared():
    copy_all = ElementwiseKernel("float x, float *y", "y[i] = x", "copy_all")
    array = gpuarray.zeros(3, np.float32)
    with pytest.raises(struct.error, match=r"not GPUArray; 'x' is declared as a number: .* a pointer, '\*x'"):
        copy_all(array, array)


def test_what_get_global_returns_and_arrays_of_one_number():
    module = SourceModule("__constant__ float c[4]; __global__ void k(float f, int n) {}")
    with pytest.raises(TypeError, match=r"not tuple: what get_global returns is \(address, bytes\), give its \[0\]"):
        cuda.memcpy_htod(module.get_global("c"), np.ones(4, np.float32))
    for number in (np.array(2.0), np.array([2.0])):
        with pytest.raises(TypeError, match=r"but the parameter has 4 bytes; array.item\(\) is a number"):
            module.get_function("k")(number, np.int32(1), **ONE)


def test_a_wrong_argument_can_be_printed():
    assert repr(cuda.In(5)) == "In(int, which is not an array)"


def test_habits_from_other_packages():
    array = gpuarray.zeros(2, np.float32)
    for name, words in {"to": "get", "cuda": "on the device already", "data_ptr": "a.ptr is the address"}.items():
        with pytest.raises(AttributeError, match=words):
            getattr(array, name)
    for name, words in {"jit": "SourceModule", "grid": r"blockIdx\.x", "device_count": r"Device\.count\(\)"}.items():
        with pytest.raises(AttributeError, match=words):
            getattr(cuda, name)
    for name, words in {
        "mean": r"arrays have the method a\.mean\(\)",
        "get": r"the method a\.get\(\)",
        "sqrt": r"cumath\.sqrt",
        "randn": "pycuda.curandom",
    }.items():
        with pytest.raises(AttributeError, match=words):
            getattr(gpuarray, name)
    for name, words in {"randn": "gen_normal", "seed": r"numpy\.random\.seed", "random": r"rand\(shape"}.items():
        with pytest.raises(AttributeError, match=words):
            getattr(curandom, name)
    for name, words in {
        "cudaMemcpy": "memcpy_htod",
        "cudaMalloc": "mem_alloc",
        "cudaDeviceSynchronize": "Context",
    }.items():
        with pytest.raises(AttributeError, match=words):
            getattr(cuda, name)
    with pytest.raises(ValueError, match="'y = x' cannot .* The code comes before the name, and results are arguments"):
        ElementwiseKernel("float x", "float y", "y = x")


def test_what_is_no_source_and_what_are_no_options():
    with pytest.raises(TypeError, match="not function: kernels are written in CUDA C"):
        SourceModule(test_habits_from_other_packages)
    with pytest.raises(TypeError, match=r"not StringIO: pass what its read\(\) returns"):
        SourceModule(io.StringIO("__global__ void k() {}"))
    with pytest.raises(TypeError, match=r"not one string: \['-O3', '-use_fast_math'\]"):
        SourceModule("__global__ void k() {}", options="-O3 -use_fast_math")
    with pytest.raises(TypeError, match=r'not list: pycuda\.checks\("race", "sync"\)'), pycuda.checks(["race"]):
        pass
