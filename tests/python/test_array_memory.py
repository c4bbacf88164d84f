# SPDX-License-Identifier: MIT
"""The arrays' pool: blocks change hands in the order of the work, and go back when memory is short."""

import gc

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import has_cpu_driver, run_program
from pycuda import _driver, gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

NON_BLOCKING = 1
SIZE = 1 << 16
SLOW_COPY = """
__global__ void slow_copy(const int *x, int *y, int n, int rounds) {
  int wait = 0;
  for (int i = 0; i < rounds; ++i) wait = wait * 1664525 + 1013904223 + x[0];
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] + (wait == 12345 ? 1 : 0);
}
"""


def test_memory_freed_in_the_default_stream_is_not_overwritten_by_another_stream_too_early():
    slow_copy = SourceModule(SLOW_COPY).get_function("slow_copy")
    n = 1 << 16
    y = gpuarray.zeros(n, np.int32)
    stream = cuda.Stream(NON_BLOCKING)
    for _ in range(3):
        x = gpuarray.empty(n, np.int32)
        x.fill(5)
        cuda.Context.synchronize()
        slow_copy(x, y, np.int32(n), np.int32(30_000_000), block=(32, 1, 1))
        del x
        z = gpuarray.empty(n, np.int32)
        z.fill(7, stream)
        cuda.Context.synchronize()
        assert (y.get() == 5).all() and (z.get() == 7).all()
        del z


def slow_zeros(target, stream):
    """The launch that writes zeros there, later than work in other streams."""
    zeros = gpuarray.zeros(SIZE, np.int32)
    cuda.Context.synchronize()
    slow_copy = SourceModule(SLOW_COPY).get_function("slow_copy")
    slow_copy(zeros, target, np.int32(8), np.int32(30_000_000), block=(32, 1, 1), stream=stream)
    return zeros, slow_copy  # to be kept until the stream is idle


@pytest.mark.parametrize("view", [lambda a: a[2:], lambda a: a.reshape(2, -1), lambda a: a.view(np.uint32)])
def test_memory_whose_views_address_was_told_waits_for_its_users(view):
    y, stream = gpuarray.empty(SIZE, np.int32), cuda.Stream(NON_BLOCKING)
    part = view(y)
    kept = slow_zeros(part.gpudata, stream)
    del part, y
    z = gpuarray.empty(SIZE, np.int32)
    z.fill(7)
    stream.synchronize()
    assert kept and (z.get() == 7).all()


def test_memory_freed_while_another_context_is_current_waits_for_its_own_ones_work(context):
    y, stream = gpuarray.empty(SIZE, np.int32), cuda.Stream(NON_BLOCKING)
    kept = slow_zeros(y, stream)
    other = cuda.Device(0).make_context()
    try:
        del y
        cuda.Context.pop()
        z = gpuarray.empty(SIZE, np.int32)
        z.fill(7)
        stream.synchronize()
        assert kept and (z.get() == 7).all()
    finally:
        other.detach()


def test_a_launch_in_the_default_stream_does_not_make_the_memory_wait():
    kernel = SourceModule("__global__ void put(int *x) { *x = 3; }").get_function("put")
    x = gpuarray.zeros(4, np.int32)
    kernel(x, block=(1, 1, 1))
    assert x.get()[0] == 3
    active, _ = _driver._array.pool_statistics()
    address = x.ptr
    del x
    assert _driver._array.pool_statistics()[0] == active - 16
    assert gpuarray.zeros(4, np.int32).ptr == address


def test_a_launch_takes_the_memory_that_a_subclass_names():
    class Elsewhere(gpuarray.GPUArray):
        @property
        def gpudata(self):
            return self.other.gpudata

    kernel = SourceModule("__global__ void put(int *x) { *x = 3; }").get_function("put")
    x = Elsewhere((4,), np.int32)
    x.other = gpuarray.zeros(4, np.int32)
    kernel(x, block=(1, 1, 1))
    assert x.other.get()[0] == 3


def test_held_memory_goes_back_when_an_allocation_finds_no_room():
    arrays = [gpuarray.empty(1 << 20, np.uint8) for _ in range(5)]
    del arrays
    gc.collect()
    active, managed = _driver._array.pool_statistics()
    assert managed >= active + (5 << 20)
    with pytest.raises(cuda.MemoryError):
        cuda.mem_alloc(1 << 50)
    assert _driver._array.pool_statistics() == (active, active)


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, whose memory can be made small")
def test_other_allocations_get_what_was_held():
    output, _ = run_program(
        """
        import numpy as np
        import pycuda.autoinit, pycuda.driver as cuda
        from pycuda import _driver, gpuarray
        from pycuda.tools import DeviceMemoryPool

        statistics = _driver._array.pool_statistics
        arrays = [gpuarray.empty(8 << 20, np.uint8) for _ in range(5)]
        del arrays
        assert statistics()[1] >= 40 << 20
        cuda.mem_alloc(56 << 20).free()
        assert statistics()[1] < 40 << 20
        held = gpuarray.GPUArray((48 << 20,), np.int8)
        del held
        assert statistics()[1] >= 48 << 20
        cuda.mem_alloc(48 << 20).free()
        other = DeviceMemoryPool()
        other.allocate(48 << 20).free()
        other.free_held()
        print(gpuarray.GPUArray((50 << 20,), np.int8).size >> 20)
        """,
        PYCUDA_DRIVER="cpu",
        PYCUDA_CPU_MEMORY="64M",
        PYCUDA_CPU_CHECK=None,
    )
    assert output == "50\n"


def test_an_array_takes_other_memory_and_a_layout_that_fits_it():
    # As scikit-cuda's set_realloc does it.
    array = gpuarray.to_gpu(np.arange(5, dtype=np.float32))
    data = np.random.default_rng(5).random((10, 1))
    with pytest.raises(ValueError, match=r"shape \(5,\) cannot be given shape \(10, 1\)$"):
        array.shape = data.shape
    with pytest.raises(TypeError, match="not compatible"):
        array.dtype = data.dtype
    array.gpudata.free()
    array.gpudata = cuda.mem_alloc(data.nbytes)
    for name in ("shape", "size", "strides", "dtype"):
        setattr(array, name, getattr(data, name))
    assert (array.shape, array.dtype, array.strides, array.nbytes) == (data.shape, data.dtype, data.strides, 80)
    array.set(data)
    np.testing.assert_array_equal((array * 2).get(), data * 2)
    too_many = cuda.mem_get_address_range(array.gpudata)[1] // 8 + 1
    with pytest.raises(ValueError, match=rf"cannot be given shape \({too_many},\): {too_many * 8} bytes, but"):
        array.shape = (too_many,)
    array.shape = (too_many - 1,)
    with pytest.raises(ValueError, match=rf"dtype float64 cannot be given dtype complex128: {too_many * 8} bytes, but"):
        array.dtype = np.complex128
