# SPDX-License-Identifier: MIT
"""What launches can ask for beyond grid and block, and how kernels fit on the device."""

import gc
import os
import subprocess
import sys

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import has_cpu_driver
from pycuda import gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

# Each block adds to the next one's number, between two waits for all blocks.
GRID = """
#include <cooperative_groups.h>
__global__ void around(int *numbers, int *sums)
{
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  if (threadIdx.x == 0) numbers[blockIdx.x] = blockIdx.x + 1;
  grid.sync();
  if (threadIdx.x == 0) sums[blockIdx.x] = numbers[blockIdx.x] + numbers[(blockIdx.x + 1) % gridDim.x];
  grid.sync();
  if (threadIdx.x == 0 && blockIdx.x == 0) numbers[0] = sums[gridDim.x - 1];
}
"""
BLOCKS = 4
SHAPE = {"block": (32, 1, 1), "grid": (BLOCKS, 1)}


@pytest.fixture
def around():
    return SourceModule(GRID).get_function("around")


@pytest.fixture
def arrays():
    return gpuarray.zeros(BLOCKS, np.int32), gpuarray.zeros(BLOCKS, np.int32)


def check(arrays):
    assert arrays[1].get().tolist() == [3, 5, 7, 5]
    assert arrays[0].get()[0] == 5


class TestCooperative:
    def test_a_call(self, around, arrays):
        around(*arrays, cooperative=True, **SHAPE)
        check(arrays)

    def test_a_call_in_a_stream(self, around, arrays):
        stream = cuda.Stream()
        around(*arrays, cooperative=True, stream=stream, **SHAPE)
        stream.synchronize()
        check(arrays)

    def test_a_call_with_arrays_of_the_host(self, around):
        numbers, sums = np.zeros(BLOCKS, np.int32), np.zeros(BLOCKS, np.int32)
        around(cuda.InOut(numbers), cuda.Out(sums), cooperative=True, **SHAPE)
        assert sums.tolist() == [3, 5, 7, 5] and numbers[0] == 5

    def test_a_timed_call(self, around, arrays):
        assert around(*arrays, cooperative=True, time_kernel=True, **SHAPE) > 0
        check(arrays)

    def test_prepared_calls(self, around, arrays):
        pointers = [array.gpudata for array in arrays]
        assert around.prepare("PP", cooperative=True) is around
        around.prepared_call((BLOCKS, 1), (32, 1, 1), *pointers)
        check(arrays)
        around.prepared_async_call((BLOCKS, 1), (32, 1, 1), cuda.Stream(), *pointers)
        around.prepared_timed_call((BLOCKS, 1), (32, 1, 1), *pointers)()
        around.prepare("PP")
        around.prepared_call((BLOCKS, 1), (32, 1, 1), *pointers, cooperative=True)
        cuda.Context.synchronize()
        check(arrays)

    def test_false_and_none_are_plain_launches(self):
        k = SourceModule("__global__ void k(int *a) { atomicAdd(a, 1); }").get_function("k")
        count = gpuarray.zeros(1, np.int32)
        for value in (False, None, 0):
            k(count, block=(1, 1, 1), cooperative=value)
        assert count.get()[0] == 3

    def test_too_many_blocks_are_refused_with_the_number_that_fits(self, around, arrays):
        with pytest.raises(cuda.LogicError, match=r"cooperative launch of 1000000 blocks, .* at most \d+ at once"):
            around(*arrays, block=(32, 1, 1), grid=(1000000, 1), cooperative=True)


PLAIN = """
import sys
import numpy as np, pycuda.autoinit, pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule
module = SourceModule(sys.stdin.read())
a, b = gpuarray.zeros(4, np.int32), gpuarray.zeros(4, np.int32)
try:
    {call}
    cuda.Context.synchronize()
except cuda.Error as error:
    print(error)
"""
CALLS = {
    "call": 'module.get_function("around")(a, b, block=(32, 1, 1), grid=(4, 1))',
    "async": 'module.get_function("around")(a, b, block=(32, 1, 1), grid=(4, 1), stream=cuda.Stream())',
    "prepared": 'module.get_function("around").prepare("PP").prepared_call((4, 1), (32, 1, 1), a.gpudata, b.gpudata)',
}


@pytest.mark.parametrize("call", CALLS)
def test_a_grid_that_synchronises_in_a_plain_launch_says_what_it_needs(call):
    if not has_cpu_driver():
        pytest.skip("needs the CPU driver: a GPU does not say why a kernel trapped")
    result = subprocess.run(
        [sys.executable, "-c", PLAIN.replace("{call}", CALLS[call])], input=GRID, capture_output=True, text=True,
        env={**os.environ, "PYCUDA_DRIVER": "cpu"},
    )  # fmt: skip
    assert "trap instruction in kernel around" in result.stdout
    assert "needs a cooperative launch: call it with cooperative=True" in result.stdout


@pytest.mark.parametrize(
    "beside",
    [
        "",
        """
        #include <cooperative_groups.h>
        __global__ void other(int *a) { cooperative_groups::this_grid().sync(); }
        """,
    ],
    ids=["alone", "beside a kernel that synchronises its grid"],
)
def test_a_trap_of_another_kind_says_nothing_of_grids(beside):
    if not has_cpu_driver():
        pytest.skip("needs the CPU driver: a GPU does not say why a kernel trapped")
    source = beside + '__global__ void around(int *a, int *b) { asm volatile("trap;"); }'
    result = subprocess.run(
        [sys.executable, "-c", PLAIN.replace("{call}", CALLS["call"])], input=source, capture_output=True, text=True,
        env={**os.environ, "PYCUDA_DRIVER": "cpu"},
    )  # fmt: skip
    assert "trap instruction in kernel around" in result.stdout and "cooperative" not in result.stdout


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver: a GPU does not say why a kernel trapped")
@pytest.mark.parametrize("last", ["trapping", "synchronising"])
def test_the_latest_of_kernels_of_one_name_is_the_one_that_faulted(last):
    program = PLAIN.replace(
        "{call}",
        """
    trapping = SourceModule('__global__ void around(int *a, int *b, int c) { if (c) asm volatile("trap;"); }')
    trapping = trapping.get_function("around")
    waiting = module.get_function("around")
    run = {"trapping": lambda: trapping(a, b, np.int32(1), block=(32, 1, 1)),
           "synchronising": lambda: waiting(a, b, np.int32(1), block=(32, 1, 1))}
    waiting(a, b, np.int32(0), block=(32, 1, 1))
    trapping(a, b, np.int32(0), block=(32, 1, 1))
    waiting(a, b, np.int32(0), block=(32, 1, 1))
    run[sys.argv[1]]()
    """,
    )
    source = """
    #include <cooperative_groups.h>
    __global__ void around(int *a, int *b, int c) { if (c) cooperative_groups::this_grid().sync(); }
    """
    result = subprocess.run(
        [sys.executable, "-c", program, last], input=source, capture_output=True, text=True,
        env={**os.environ, "PYCUDA_DRIVER": "cpu"},
    )  # fmt: skip
    assert "trap instruction in kernel around" in result.stdout, result.stderr
    assert ("cooperative" in result.stdout) == (last == "synchronising")


class TestOtherAttributes:
    def test_a_priority_is_taken(self, arrays):
        k = SourceModule("__global__ void k(int *a) { atomicAdd(a, 1); }").get_function("k")
        least, greatest = 0, -1
        k(arrays[0], block=(1, 1, 1), priority=least)
        k(arrays[0], block=(1, 1, 1), priority=greatest)
        k.prepare("P", priority=greatest).prepared_call((1, 1), (1, 1, 1), arrays[0].gpudata)
        assert arrays[0].get()[0] == 3

    def test_clusters_are_refused_where_the_device_has_none(self, arrays):
        k = SourceModule("__global__ void k(int *a) { atomicAdd(a, 1); }").get_function("k")
        k(arrays[0], block=(1, 1, 1), grid=(2, 1), cluster=(1, 1, 1))
        if cuda.Context.get_device().compute_capability() >= (9, 0):
            k(arrays[0], block=(1, 1, 1), grid=(2, 1), cluster=(2, 1, 1))
        else:
            with pytest.raises(cuda.LogicError, match=r"clusters of 2x1x1 blocks, but the device .* has no clusters"):
                k(arrays[0], block=(1, 1, 1), grid=(2, 1), cluster=(2, 1, 1))
        with pytest.raises(cuda.LogicError, match="clusters of 3x1x1 blocks"):
            k(arrays[0], block=(1, 1, 1), grid=(2, 1), cluster=(3,))

    def test_programmatic_dependent_launches_keep_the_order_of_what_waits(self, arrays):
        k = SourceModule("__global__ void k(int *a) { atomicAdd(a, 1); }").get_function("k")
        k(arrays[0], block=(1, 1, 1))
        try:
            k(arrays[0], block=(1, 1, 1), programmatic_dependent_launch=True)
        except cuda.LogicError as error:
            assert "programmatic dependent launches need compute capability 9.0" in str(error)

    @pytest.mark.parametrize(
        "wrong",
        [{"cluster": 2}, {"priority": "high"}, {"priority": 2**40}, {"cluster": (1, 1.5)}, {"cluster": (1, -1, 1)}],
    )
    def test_values_that_make_no_sense_are_refused(self, wrong, arrays):
        k = SourceModule("__global__ void k(int *a) {}").get_function("k")
        with pytest.raises((TypeError, OverflowError)):
            k(arrays[0], block=(1, 1, 1), **wrong)
        with pytest.raises((TypeError, OverflowError)):
            k.prepare("P", **wrong)

    def test_unknown_keywords_are_refused_as_before(self, arrays):
        k = SourceModule("__global__ void k(int *a) {}").get_function("k")
        words = "extra keyword arguments: cooperativ; a call takes .* cooperative, cluster,"
        with pytest.raises(ValueError, match=words):
            k(arrays[0], block=(1, 1, 1), cooperativ=True)
        k.prepare("P")
        with pytest.raises(TypeError, match="unknown keyword arguments: cooperativ$"):
            k.prepared_call((1, 1), (1, 1, 1), arrays[0].gpudata, cooperativ=True)


class TestOccupancy:
    SOURCE = "extern __shared__ float s[]; __global__ void k(float *a) { s[threadIdx.x] = a[0]; a[1] = s[0]; }"

    @pytest.fixture
    def kernel(self):
        return SourceModule(self.SOURCE).get_function("k")

    def test_blocks_on_a_multiprocessor(self, kernel):
        blocks = kernel.max_active_blocks(256)
        assert blocks >= 1
        assert blocks == kernel.max_active_blocks((16, 16, 1)) == kernel.max_active_blocks(block=(256,), shared=0)
        for ask in (kernel.max_active_blocks, lambda block: kernel.available_shared_memory(1, block)):
            with pytest.raises(cuda.LogicError, match="a block of 0 threads: blocks have at least one"):
                ask(0)
        assert kernel.max_active_blocks(256, shared=40000) < kernel.max_active_blocks(256, 1000)

    def test_a_block_size_that_fills_the_device(self, kernel):
        threads, blocks = kernel.suggested_block_size()
        assert threads % 32 == 0 and blocks >= 1
        assert kernel.suggested_block_size(limit=64)[0] <= 64
        assert kernel.suggested_block_size(shared=1024, limit=128)[0] <= 128

    def test_shared_memory_that_leaves_room(self, kernel):
        assert kernel.available_shared_memory(1, 128) >= kernel.available_shared_memory(4, (128, 1, 1)) > 0

    def test_the_grid_of_a_cooperative_launch_fits(self, around, arrays):
        device = cuda.Context.get_device()
        most = around.max_active_blocks(32) * device.get_attribute(cuda.device_attribute.MULTIPROCESSOR_COUNT)
        big = gpuarray.zeros(most, np.int32), gpuarray.zeros(most, np.int32)
        around(*big, block=(32, 1, 1), grid=(most, 1), cooperative=True)
        assert big[1].get()[0] == 3

    @pytest.mark.parametrize(
        "call",
        [
            lambda k: k.max_active_blocks(),
            lambda k: k.max_active_blocks("a"),
            lambda k: k.max_active_blocks(2**70),
            lambda k: k.max_active_blocks(32, -1),
            lambda k: k.suggested_block_size(1, 2, 3),
            lambda k: k.available_shared_memory(1),
        ],
    )
    def test_wrong_arguments_are_refused(self, kernel, call):
        with pytest.raises((TypeError, OverflowError)):
            call(kernel)

    def test_impossible_blocks_are_refused_by_the_driver(self, kernel):
        for block in (0, -1, (0, 1, 1)):
            with pytest.raises((cuda.LogicError, OverflowError)):
                kernel.max_active_blocks(block)


class TestObjectsAsArguments:
    READ = """__global__ void read(cudaTextureObject_t t, float *o)
    { o[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 1.5f); }"""
    WRITE = """__global__ void write(cudaSurfaceObject_t s)
    { surf2Dwrite(float(threadIdx.x), s, threadIdx.x * 4, 2); }"""

    def texture(self):
        return cuda.TextureObject(cuda.np_to_array(np.arange(16, dtype=np.float32).reshape(4, 4), order="C"))

    def test_a_texture_and_its_handle(self):
        read = SourceModule(self.READ).get_function("read")
        texture = self.texture()
        for argument in (texture, texture.handle, np.uint64(texture.handle)):
            out = np.zeros(4, np.float32)
            read(argument, cuda.Out(out), block=(4, 1, 1))
            assert out.tolist() == [4, 5, 6, 7]

    def test_a_surface(self):
        array = cuda.gpuarray_to_array(gpuarray.zeros((4, 4), np.float32), order="C", allowSurfaceBind=True)
        SourceModule(self.WRITE).get_function("write")(cuda.SurfaceObject(array), block=(4, 1, 1))
        out = np.zeros(4, np.float32)
        read = SourceModule(self.READ.replace("1.5f", "2.5f")).get_function("read")
        read(cuda.TextureObject(array), cuda.Out(out), block=(4, 1, 1))
        assert out.tolist() == [0, 1, 2, 3]

    def test_a_texture_over_plain_memory(self):
        memory = cuda.to_device(np.arange(4, dtype=np.float32))
        texture = cuda.TextureObject.linear(memory, 16, cuda.array_format.FLOAT)
        fetch = SourceModule(
            "__global__ void fetch(cudaTextureObject_t t, float *o) { *o = tex1Dfetch<float>(t, 2); }"
        ).get_function("fetch")
        out = np.zeros(1, np.float32)
        fetch(texture, cuda.Out(out), block=(1, 1, 1))
        assert out[0] == 2

    def test_prepared_calls_take_them(self):
        read = SourceModule(self.READ).get_function("read")
        read.prepare("PP")
        out = gpuarray.zeros(4, np.float32)
        read.prepared_call((1, 1), (4, 1, 1), self.texture(), out.gpudata)
        assert out.get().tolist() == [4, 5, 6, 7]

    def test_one_that_nobody_keeps_lives_until_the_kernel_is_done(self):
        slow = SourceModule(
            """__global__ void slow(cudaTextureObject_t t, float *o)
            {
              float sum = 0;
              for (int i = 0; i < 20000; ++i) sum += tex2D<float>(t, i % 4 + 0.5f, 1.5f);
              o[blockIdx.x * blockDim.x + threadIdx.x] = sum;
            }"""
        ).get_function("slow")
        out = gpuarray.zeros(64 * 64, np.float32)
        stream = cuda.Stream()
        slow(self.texture(), out, block=(64, 1, 1), grid=(64, 1), stream=stream)
        gc.collect()
        for _ in range(20):
            self.texture()
        stream.synchronize()
        assert (out.get() == 5000 * (4 + 5 + 6 + 7)).all()

    def test_a_parameter_of_another_size_is_refused(self):
        k = SourceModule("__global__ void k(int t) {}").get_function("k")
        with pytest.raises(TypeError, match="argument #0 .* is an object of 8 bytes, but the parameter has 4 bytes"):
            k(self.texture(), block=(1, 1, 1))
