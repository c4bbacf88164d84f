# SPDX-License-Identifier: MIT
"""Modules, functions and launches that compute something."""

import gc
import pathlib
import threading

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray
from pycuda.compiler import DynamicModule, DynamicSourceModule, SourceModule

pytestmark = pytest.mark.usefixtures("context")


def test_a_kernel_keeps_its_module_alive():
    function = SourceModule("__global__ void f(int *x) { *x = 3; }").get_function("f")
    gc.collect()
    result = np.zeros(1, np.int32)
    function(cuda.Out(result), block=(1, 1, 1))
    assert result[0] == 3
    assert function.max_threads_per_block >= 256
    assert function.num_regs > 0


def test_globals_have_an_address_and_a_size():
    module = SourceModule(
        """
        __device__ float values[10];
        __constant__ float factor;
        __global__ void scale() { values[threadIdx.x] *= factor; }
        """
    )
    address, size = module.get_global("values")
    assert size == 40
    cuda.memcpy_htod(address, np.arange(10, dtype=np.float32))
    cuda.memcpy_htod(module.get_global("factor")[0], np.float32(2))
    module.get_function("scale")(block=(10, 1, 1))
    assert cuda.from_device(address, 10, np.float32).tolist() == [2.0 * i for i in range(10)]


def test_arguments_of_every_type_arrive():
    module = SourceModule(
        """
        struct pair { int a; double b; };
        __global__ void gather(double *out, char c, short s, int i, long long l, float f, double d, bool b,
                               float4 v, pair p, unsigned char u)
        {
          double values[] = {double(c), double(s), double(i), double(l), f, d, double(b), v.x, v.y, v.z, v.w,
                             double(p.a), p.b, double(u)};
          for (int k = 0; k < 14; ++k) out[k] = values[k];
        }
        """
    )
    gather = module.get_function("gather")
    vector = np.dtype([(name, np.float32) for name in "xyzw"])
    pair = np.dtype([("a", np.int32), ("b", np.float64)], align=True)
    expected = [-1, -300, 1 << 20, 1 << 40, 0.5, 0.25, 1, 1, 2, 3, 4, 7, 8.5, 200]
    vector_value, pair_value = np.array((1, 2, 3, 4), vector), np.array((7, 8.5), pair)
    out = np.zeros(14)
    gather(cuda.Out(out), -1, -300, 1 << 20, 1 << 40, 0.5, 0.25, True, vector_value, pair_value, 200, block=(1, 1, 1))
    assert out.tolist() == expected
    out[:] = 0
    gather(cuda.Out(out), np.int8(-1), np.int16(-300), np.int32(1 << 20), np.int64(1 << 40), np.float32(0.5),
           np.float64(0.25), np.bool_(True), vector_value[()], pair_value[()], np.uint8(200),
           block=(1, 1, 1))  # fmt: skip
    assert out.tolist() == expected


def test_prepared_calls_run_in_the_default_stream_another_and_timed():
    module = SourceModule("__global__ void add(int *x, int by) { x[threadIdx.x] += by; }")
    add = module.get_function("add").prepare("Pi")
    memory = cuda.to_device(np.zeros(32, np.int32))
    add.prepared_call((1, 1), (32, 1, 1), memory, 1)
    stream = cuda.Stream()
    cuda.Context.synchronize()
    add.prepared_async_call((1, 1), (32, 1, 1), stream, memory, 10)
    stream.synchronize()
    seconds = add.prepared_timed_call((1, 1), (32, 1, 1), memory, 100)()
    assert 0 <= seconds < 60
    assert (cuda.from_device(memory, 32, np.int32) == 111).all()


def test_handlers_in_a_stream_copy_in_that_stream():
    module = SourceModule("__global__ void add(int *x, int by) { x[threadIdx.x] += by; }")
    values = np.arange(32, dtype=np.int32)
    stream = cuda.Stream(1)
    for _ in range(20):
        module.get_function("add")(cuda.InOut(values), 1, block=(32, 1, 1), stream=stream)
    assert (values == np.arange(32) + 20).all()


def test_dynamic_shared_memory_is_the_launch_s():
    module = SourceModule(
        """
        extern __shared__ int scratch[];
        __global__ void reverse(int *x)
        {
          scratch[threadIdx.x] = x[threadIdx.x];
          __syncthreads();
          x[threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];
        }
        """
    )
    values = np.arange(64, dtype=np.int32)
    reverse = module.get_function("reverse")
    reverse(cuda.InOut(values), block=(64, 1, 1), shared=256)
    assert (values == np.arange(64)[::-1]).all()
    with pytest.raises(cuda.LogicError, match="bytes of dynamic shared memory"):
        reverse(cuda.InOut(values), block=(64, 1, 1), shared=1 << 28)


def test_managed_arrays_go_straight_to_kernels():
    values = cuda.managed_zeros(32, np.int32, mem_flags=cuda.mem_attach_flags.GLOBAL)
    module = SourceModule("__global__ void add(int *x, int by) { x[threadIdx.x] += by; }")
    module.get_function("add")(values, 4, block=(32, 1, 1))
    module.get_function("add")(values[16:], 4, block=(16, 1, 1))
    cuda.Context.synchronize()
    assert (values[:16] == 4).all() and (values[16:] == 8).all()


def test_threads_launch_at_once():
    module = SourceModule("__global__ void add(int *x, int by) { atomicAdd(x, by); }")
    add = module.get_function("add").prepare("Pi")
    total = cuda.to_device(np.zeros(1, np.int32))
    failures = []

    def work():
        try:
            for _ in range(200):
                add.prepared_call((1, 1), (32, 1, 1), total, 1)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cuda.Context.synchronize()
    assert not failures
    assert cuda.from_device(total, 1, np.int32)[0] == 8 * 200 * 32


def test_a_linker_makes_one_module_of_several():
    from pycuda.compiler import compile as compile_source

    options = ["-rdc=true"]
    first = compile_source("__device__ int twice(int x) { return 2 * x; }", options=options, target="ptx")
    second = compile_source(
        "__device__ int twice(int x); __global__ void f(int *x) { *x = twice(*x); }", options=options, target="ptx"
    )
    said = []
    linker = cuda.Linker(lambda *words: said.append(words))
    linker.add_data(first, cuda.jit_input_type.PTX, "first.ptx")
    linker.add_data(second, cuda.jit_input_type.PTX)
    module = linker.link_module()
    value = np.array([21], np.int32)
    module.get_function("f")(cuda.InOut(value), block=(1, 1, 1))
    assert value[0] == 42
    assert [words[0] for words in said] == [True]


def test_a_module_is_linked_from_sources_that_call_each_other():
    module = DynamicModule()
    module.add_source(
        "extern __device__ int g(int); __global__ void f(int *x) { *x = g(*x); }", nvcc_options=["-rdc=true"]
    )
    with pytest.raises(OSError, match='"libnothing.a" not found'):
        module.add_stdlib("nothing")
    module.add_source("__device__ int g(int x) { return 7 * x; }", nvcc_options=["-rdc=true"], name="g.ptx").link()
    value = np.full(1, 6, np.int32)
    module.get_function("f")(cuda.InOut(value), block=(1, 1, 1))
    assert value[0] == 42
    with pytest.raises(RuntimeError, match="the module is linked already"):
        module.add_data(b"", cuda.jit_input_type.PTX)


def test_a_dynamic_source_module_runs_and_launches_kernels_from_kernels():
    values = np.zeros(4, np.int32)
    plain = DynamicSourceModule("__global__ void f(int *x) { x[threadIdx.x] = 3 * threadIdx.x; }")
    plain.get_function("f")(cuda.InOut(values), block=(4, 1, 1))
    assert values.tolist() == [0, 3, 6, 9]
    nested = """
        __global__ void child(int *x) { x[threadIdx.x] += 1; }
        __global__ void parent(int *x) { child<<<1, 4>>>(x); }
    """
    DynamicSourceModule(nested).get_function("parent")(cuda.InOut(values), block=(1, 1, 1))
    assert values.tolist() == [1, 4, 7, 10]


def test_devices_tell_their_attributes():
    device = cuda.Context.get_device()
    assert device.warp_size == device.get_attribute(cuda.device_attribute.WARP_SIZE) == 32
    assert device.multiprocessor_count >= 1
    assert isinstance(device.compute_mode, cuda.compute_mode)
    assert device.compute_capability() == (
        device.compute_capability_major,
        device.compute_capability_minor,
    )
    assert device.total_memory() > 0 and device.name() and device.pci_bus_id()
    assert cuda.Device(device.pci_bus_id()) == device
    assert hash(cuda.Device(0)) == hash(cuda.Device(0))
    attributes = device.get_attributes()
    assert attributes[cuda.device_attribute.WARP_SIZE] == 32
    assert all(isinstance(key, cuda.device_attribute) for key in attributes)
    with pytest.raises(AttributeError):
        device.no_such_attribute  # noqa: B018


def test_prepared_calls_take_vectors_by_dtype():
    kernel = SourceModule("__global__ void put(float *out, float3 v) { out[0] = v.x; out[1] = v.y; out[2] = v.z; }")
    put = kernel.get_function("put").prepare([np.intp, gpuarray.vec.float3])
    out = cuda.mem_alloc(12)
    put.prepared_call((1, 1), (1, 1, 1), out, gpuarray.vec.make_float3(1, 2, 3))
    host = np.zeros(3, np.float32)
    cuda.memcpy_dtoh(host, out)
    assert host.tolist() == [1, 2, 3]


def test_a_module_can_be_printed_when_its_context_is_gone(context):
    context = cuda.Device(0).make_context()
    module = SourceModule("__global__ void k() {}")
    assert repr(module) == "<pycuda.compiler.SourceModule with k>"
    context.pop()
    context.detach()
    assert repr(module) == "<pycuda.compiler.SourceModule without a context>"
    assert repr(SourceModule.__new__(SourceModule)) == "<pycuda.compiler.SourceModule without a context>"


def test_a_kernel_that_is_asked_for_as_an_attribute_comes_with_advice():
    module = SourceModule("__global__ void twice(float *a) { a[0] *= 2; }")
    with pytest.raises(AttributeError, match=r"has no attribute 'twice': get_function\('twice'\) is the kernel$"):
        module.twice  # noqa: B018
    with pytest.raises(AttributeError, match="'SourceModule' object has no attribute 'thrice'$"):
        module.thrice  # noqa: B018
    assert not hasattr(SourceModule.__new__(SourceModule), "module")


def test_a_source_may_be_an_object_that_turns_into_text():
    class Generated:
        def __str__(self):
            return "__global__ void one(int *x) { *x = 1; }"

    value = np.zeros(1, np.int32)
    SourceModule(Generated()).get_function("one")(cuda.Out(value), block=(1, 1, 1))
    assert value[0] == 1
    with pytest.raises(TypeError, match="the source must be a str, not PosixPath: pass its read_text"):
        SourceModule(pathlib.Path("kernel.cu"))
