# SPDX-License-Identifier: MIT
"""Libraries: code that is loaded once for all contexts, and its kernels."""

import gc

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import is_cpu
from pycuda import compiler, gpuarray

SOURCE = """
extern "C" {
__device__ int counter;
__managed__ int shared[3];
__global__ void scale(float *x, float factor) { x[threadIdx.x] *= factor; }
__global__ void count(int *out) { *out = ++counter; }
}
"""


@pytest.fixture
def code(context):
    return compiler.compile(SOURCE, no_extern_c=True)


@pytest.fixture
def library(code):
    return cuda.Library(code)


def test_a_kernel_is_called_as_a_function_is(library):
    x = gpuarray.to_gpu(np.arange(4, dtype=np.float32))
    library.get_kernel("scale")(x, np.float32(2), block=(4, 1, 1))
    np.testing.assert_array_equal(x.get(), [0, 2, 4, 6])


def test_all_kernels_are_listed_with_their_names_and_parameters(library):
    kernels = {kernel.name: kernel for kernel in library.kernels}
    assert kernels.keys() == {"scale", "count"}
    assert kernels["scale"].parameters == [(0, 8), (8, 4)]
    assert "scale" in repr(kernels["scale"])
    assert kernels["scale"].handle == library.get_kernel("scale").handle != 0


def test_a_library_is_loaded_without_a_context_and_serves_contexts_made_later(driver, code, context):
    context.pop()
    library = driver.Library(code)
    kernel = library.get_kernel("count")
    with pytest.raises(driver.LogicError):
        kernel.function  # noqa: B018
    context.push()
    other = driver.Device(0).make_context()
    try:
        values = []
        for current in (context, context, other):
            current.push()
            out = gpuarray.zeros(1, np.int32)
            kernel(out, block=(1, 1, 1))
            values.append(int(out.get()[0]))
            del out
            driver.Context.pop()
        assert values == [1, 2, 1]  # each context has its own variables
    finally:
        other.detach()


def test_kernels_and_modules_keep_their_library(code):
    kernel = cuda.Library(code).get_kernel("count")
    module = cuda.Library(code).get_module()
    gc.collect()
    out = gpuarray.zeros(1, np.int32)
    kernel(out, block=(1, 1, 1))
    module.get_function("count")(out, block=(1, 1, 1))
    assert out.get()[0] == 1
    assert kernel.library.get_kernel("scale").name == "scale"


def test_variables_of_the_current_context(library):
    address, size = library.get_global("counter")
    assert size == 4
    cuda.memcpy_htod(address, np.int32([41]))
    out = gpuarray.zeros(1, np.int32)
    library.get_kernel("count")(out, block=(1, 1, 1))
    assert out.get()[0] == 42
    assert library.get_module().get_global("counter") == (address, size)


def test_managed_variables_are_the_same_everywhere(library):
    address, size = library.get_managed("shared")
    assert size == 12 and address == library.get_global("shared")[0]
    cuda.memcpy_htod(address, np.int32([1, 2, 3]))
    np.testing.assert_array_equal(cuda.from_device(address, 3, np.int32), [1, 2, 3])


def test_attributes_are_those_of_all_contexts_of_a_device(library, context):
    kernel = library.get_kernel("scale")
    attribute = cuda.function_attribute
    most = kernel.get_attribute(attribute.MAX_THREADS_PER_BLOCK)
    assert most == kernel.get_attribute(attribute.MAX_THREADS_PER_BLOCK, cuda.Device(0)) >= 256
    kernel.set_attribute(attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, 4096, cuda.Device(0))
    assert kernel.get_attribute(attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES) == 4096
    kernel.set_cache_config(cuda.func_cache.PREFER_L1)


def test_arguments_are_checked_as_those_of_modules(library):
    scale = library.get_kernel("scale")
    with pytest.raises(TypeError, match="argument"):
        scale(np.float32(1), block=(1, 1, 1))
    with pytest.raises(ValueError, match="block size"):
        scale(gpuarray.zeros(1, np.float32), np.float32(1))


def test_a_kernel_goes_into_a_graph(library):
    x = gpuarray.to_gpu(np.ones(4, np.float32))
    graph = cuda.Graph()
    scale = library.get_kernel("scale").function
    graph.add_kernel_node(x, np.float32(5), func=scale, block=(4, 1, 1))
    graph.instantiate().launch()
    np.testing.assert_array_equal(x.get(), [5] * 4)


def test_a_library_of_a_file(code, tmp_path):
    path = tmp_path / "code.bin"
    path.write_bytes(code if isinstance(code, bytes) else code.encode())
    assert cuda.Library.from_file(path).get_kernel("scale").name == "scale"


def test_the_compiler_is_heard(code):
    heard = []
    cuda.Library(code, message_handler=lambda *said: heard.append(said))
    assert [succeeded for succeeded, _, _ in heard] == [True]


def test_what_is_not_there_is_named(library, tmp_path):
    with pytest.raises(cuda.LogicError, match="kernel 'scales'"):
        library.get_kernel("scales")
    with pytest.raises(cuda.LogicError, match="variable 'counters'"):
        library.get_global("counters")
    with pytest.raises(cuda.LogicError, match="variable 'nothing'"):
        library.get_managed("nothing")
    with pytest.raises((cuda.LogicError, cuda.RuntimeError), match="cuLibraryGetUnifiedFunction"):
        library.get_unified_function("scale")
    with pytest.raises((cuda.LogicError, cuda.RuntimeError), match="cuLibraryLoadFromFile"):
        cuda.Library.from_file(tmp_path / "nothing.cubin")
    # NVIDIA's driver may look at the code when a kernel is asked for.
    with pytest.raises(cuda.Error, match="cuLibraryLoadData|cuLibraryGetKernel"):
        cuda.Library("no code at all").get_kernel("scale")


def test_what_the_compiler_says_is_said_once_and_ends_without_a_line_break(context):
    broken = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { foo; }"
    heard = []
    with pytest.raises(cuda.LogicError) as told:  # NVIDIA's driver may look at the code when a kernel is asked for
        cuda.Library(broken, message_handler=lambda *said: heard.append(said)).get_kernel("k")
    at_load = len(heard)
    assert at_load == 1 or not is_cpu()
    assert str(told.value).count("foo") == 1 or not is_cpu(), told.value
    with pytest.raises(cuda.LogicError) as told:
        cuda.module_from_buffer(broken, message_handler=lambda *said: heard.append(said))
    assert str(told.value).count("foo") == 1, told.value
    linker = cuda.Linker(lambda *said: heard.append(said))
    with pytest.raises(cuda.LogicError):
        linker.add_data(b"nothing", cuda.jit_input_type.PTX)
    assert len(heard) == at_load + 2
    # What NVIDIA's driver has not looked at has been loaded with success.
    for succeeded, information, errors in heard if is_cpu() else heard[at_load:]:
        assert not succeeded and errors and not errors.endswith("\n") and not information.endswith("\n")
