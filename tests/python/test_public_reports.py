# SPDX-License-Identifier: MIT
"""Programs as in public reports on other packages, which the comments name, with the results that were wanted."""

import ctypes
import gc
import struct

import numpy as np
import pycuda.driver as cuda
import pytest
from compiling import needs_cccl
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")


# fjarri/reikna 55
def test_an_asynchronous_copy_needs_no_get_of_the_subclass():
    class Array(gpuarray.GPUArray):
        def get(self):
            return None

    host = cuda.pagelocked_zeros((8, 8), np.float32)
    array = Array((8, 8), np.float32)
    array.fill(4)
    array.get_async(ary=host)
    cuda.Context.synchronize()
    assert (host == 4).all()


# cupy/cupy 7743
def test_a_block_reduces_complex_numbers_by_cub():
    needs_cccl()
    source = """
    #include <cub/cub.cuh>
    #include <cuda/std/complex>
    typedef cuda::std::complex<float> Number;
    struct Sum { __device__ Number operator()(const Number &a, const Number &b) const { return a + b; } };
    extern "C" __global__ void dot(const Number *a, const Number *b, Number *out)
    {
      typedef cub::BlockReduce<Number, 128> Reduce;
      __shared__ typename Reduce::TempStorage storage;
      const int i = blockIdx.x * 128 + threadIdx.x;
      const Number sum = Reduce(storage).Reduce(conj(a[i]) * b[i], Sum());
      if (threadIdx.x == 0) out[blockIdx.x] = sum;
    }
    """
    random = np.random.default_rng(0)
    a, b = (random.random((2, 3, 128)) + 1j * random.random((2, 3, 128))).astype(np.complex64)
    out = np.zeros(3, np.complex64)
    dot = SourceModule(source, no_extern_c=True).get_function("dot")
    dot(cuda.In(a), cuda.In(b), cuda.Out(out), block=(128, 1, 1), grid=(3, 1))
    np.testing.assert_allclose(out, (a.conj() * b).sum(1), rtol=1e-4)


# cupy/cupy 7980
def test_a_box_of_numbers_is_a_texture():
    source = """
    __global__ void copy(float *out, cudaTextureObject_t texture, int width, int height, int depth)
    {
      const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
      const int z = blockIdx.z * blockDim.z + threadIdx.z;
      if (x < width && y < height && z < depth)
        out[x + width * (y + height * z)] = tex3D<float>(texture, x + 0.5f, y + 0.5f, z + 0.5f);
    }
    """
    box = np.random.default_rng(1).random((19, 32, 64)).astype(np.float32)
    texture = cuda.TextureObject(cuda.np_to_array(box, order="C"))
    out = np.zeros_like(box)
    copy = SourceModule(source).get_function("copy")
    copy(cuda.Out(out), texture, *map(np.int32, (64, 32, 19)), block=(8, 8, 4), grid=(8, 4, 5))
    assert (out == box).all()


# numba/numba 8740
def test_a_grid_of_two_dimensions_meets_row_by_row():
    source = """
    #include <cooperative_groups.h>
    __global__ void sweep(int *a, int n)
    {
      const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
      for (int row = 1; row < n; ++row) {
        if (y == row && x < n) a[y * n + x] = a[(y - 1) * n + (x + 1) % n] + 1;
        cooperative_groups::this_grid().sync();
      }
    }
    """
    n = 32
    a = np.zeros((n, n), np.int32)
    a[0] = np.arange(n) * 100
    want = a.copy()
    for row in range(1, n):
        want[row] = np.roll(want[row - 1], -1) + 1
    sweep = SourceModule(source).get_function("sweep")
    sweep(cuda.InOut(a), np.int32(n), block=(8, 8, 1), grid=(4, 4), cooperative=True)
    assert (a == want).all()


# ROCm/legacy-rocm-build 1645
def test_atomics_are_seen_behind_a_barrier_of_the_grid():
    source = """
    #include <cooperative_groups.h>
    __global__ void least(int *a)
    {
      const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
      const int i = blockDim.x * blockIdx.x + threadIdx.x;
      if (i == 0) a[0] = 10000000;
      grid.sync();
      if (i >= 3187 && i < 3896) atomicMin(a, i);
      grid.sync();
      if (i == 0) a[1] = a[0];
    }
    """
    least = SourceModule(source).get_function("least")
    for _ in range(10):
        out = np.zeros(2, np.int32)
        least(cuda.InOut(out), block=(1024, 1, 1), grid=(4, 1), cooperative=True)
        assert out[1] == 3187


# NVIDIA/cccl 2558
def test_bytes_of_shared_memory_may_hold_wider_numbers():
    source = """
    __global__ void k(const int *a, double *out)
    {
      __shared__ __align__(4) unsigned char first[52];
      __shared__ __align__(8) unsigned char second[576];
      if (threadIdx.x < 13) ((int *)first)[threadIdx.x] = a[threadIdx.x];
      ((double *)second)[threadIdx.x] = a[threadIdx.x] * 0.5;
      __syncthreads();
      out[threadIdx.x] = ((double *)second)[(threadIdx.x + 1) % 72] + ((int *)first)[threadIdx.x % 13];
    }
    """
    a, out = np.arange(72, dtype=np.int32), np.zeros(72)
    SourceModule(source).get_function("k")(cuda.In(a), cuda.Out(out), block=(72, 1, 1))
    assert (out == np.roll(a, -1) * 0.5 + a[np.arange(72) % 13]).all()


# gpgpu-sim/gpgpu-sim_distribution 103
def test_sines_of_large_numbers_are_reduced():
    source = """
    __global__ void k(float *a)
    {
      const int i = threadIdx.x + blockIdx.x * blockDim.x;
      const float x = 1000.0f * i, s = sinf(x), c = cosf(x);
      a[i] += sqrtf(s * s + c * c);
    }
    """
    a = np.zeros(4096, np.float32)
    SourceModule(source).get_function("k")(cuda.InOut(a), block=(256, 1, 1), grid=(16, 1))
    np.testing.assert_allclose(a, 1, atol=1e-6)


# Theano/libgpuarray 541
def test_an_elementwise_kernel_takes_several_views_with_gaps():
    kernel = ElementwiseKernel("float *z, float a, float *x, float b, float *y", "z[i] = a * x[i] + b * y[i]")
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    y, z = np.ones((2, 3, 4), np.float32)
    on_device = [gpuarray.to_gpu(one)[:, ::2] for one in (z, x, y)]
    kernel(on_device[0], 1.1, on_device[1], 3, on_device[2])
    np.testing.assert_allclose(on_device[0].get(), 1.1 * x[:, ::2] + 3 * y[:, ::2], rtol=1e-6)


# cupy/cupy 10158, lwa-project/bifrost 155
def test_sums_of_views_go_into_views():
    a = np.random.default_rng(3).random((6, 8))
    target = gpuarray.zeros((8, 16), np.float64)
    gpuarray.sum(gpuarray.to_gpu(a), axis=0, out=target[0, ::2])
    got = target.get()
    np.testing.assert_allclose(got[0, ::2], a.sum(0))
    assert (got[0, 1::2] == 0).all()
    box = np.random.default_rng(4).random((9, 7, 5))
    view = gpuarray.to_gpu(box)[:, 2:6, 1:4]
    np.testing.assert_allclose(view.sum(axis=1).get(), box[:, 2:6, 1:4].sum(1))


# JuliaGPU/CUDAdrv.jl 238, lupinemachines/lupine 580
def test_a_plane_of_a_box_is_copied_by_itself():
    box = np.random.default_rng(2).random((4, 4, 4))
    device, plane = gpuarray.to_gpu(box), np.zeros((4, 4))
    copy = cuda.Memcpy3D()
    copy.set_src_device(device.gpudata)
    copy.set_dst_host(plane)
    copy.src_y, copy.src_height, copy.dst_height = 1, 4, 1
    copy.src_pitch = copy.dst_pitch = copy.width_in_bytes = 32
    copy.height, copy.depth = 1, 4
    copy()
    assert (plane == box[:, 1]).all()
    stream, other = cuda.Stream(), gpuarray.zeros_like(device)
    copy = cuda.Memcpy3DPeer()
    copy.set_src_device(device.gpudata)
    copy.set_dst_device(other.gpudata)
    copy.set_src_context(cuda.Context.get_current())
    copy.set_dst_context(cuda.Context.get_current())
    copy.src_pitch = copy.dst_pitch = copy.width_in_bytes = 32
    copy.src_height = copy.dst_height = copy.height = copy.depth = 4
    copy(stream)
    stream.synchronize()
    assert (other.get() == box).all()


# NVIDIA/cuda-python 166
def test_a_graph_keeps_the_host_memory_that_it_copies_from():
    stream, device = cuda.Stream(), cuda.mem_alloc(16)

    def make():
        host = np.arange(4, dtype=np.int32)
        with stream.capture() as graph:
            cuda.memcpy_htod_async(device, host, stream)
        return graph.instantiate()

    run = make()
    gc.collect()
    overwriting = [np.full(4, 9, np.int32) for _ in range(1000)]
    run.launch(stream)
    stream.synchronize()
    out = np.zeros(4, np.int32)
    cuda.memcpy_dtoh(out, device)
    assert out.tolist() == [0, 1, 2, 3] and len(overwriting) == 1000


# inducer/pycuda 173
class TestVariablesInPreambles:
    PREAMBLE = "__constant__ int factors[2] = {1, 1}; __device__ int count;"

    def test_elementwise_kernels_have_one_for_vectors_views_and_ranges(self):
        kernel = ElementwiseKernel(
            "int *x", "x[i] *= factors[i % 2]; atomicAdd(&count, 1)", "scale", preamble=self.PREAMBLE
        )
        address, size = kernel.get_global("factors")
        counted, _ = kernel.get_global("count")
        assert size == 8
        x = gpuarray.to_gpu(np.arange(16, dtype=np.int32))
        want = np.arange(16)
        for factors in ([2, 3], [5, 7]):
            cuda.memcpy_htod(address, np.array(factors, np.int32))
            kernel(x)
            want = want * np.tile(factors, 8)
            kernel(x[::3])
            want[::3] *= np.tile(factors, 3)
            kernel(x, slice=slice(1, None, 2))
            want[1::2] *= factors[1]
            assert (x.get() == want).all()
        count = np.zeros(1, np.int32)
        cuda.memcpy_dtoh(count, counted)
        assert count[0] == 2 * (16 + 6 + 8)

    def test_all_stages_of_a_reduction_have_its_value(self):
        kernel = ReductionKernel(
            np.int32, "factors[1]", "max(a, b)", "x[i] * factors[0]", "const int *x", preamble=self.PREAMBLE
        )
        x = np.random.default_rng(5).integers(-100, -50, (3, 100000)).astype(np.int32)
        on_device = gpuarray.to_gpu(x)
        cuda.memcpy_htod(kernel.get_global("factors")[0], np.array([3, -1000], np.int32))
        assert kernel(on_device).get() == 3 * x.max()
        assert kernel(on_device[:, ::2]).get() == 3 * x[:, ::2].max()

    @pytest.mark.parametrize("n", [100, 100000])
    def test_all_passes_of_a_scan_have_its_value(self, n):
        x = np.random.default_rng(n).integers(0, 1000, n).astype(np.int32)
        running = np.maximum.accumulate(np.minimum(x, 500))
        kernel = InclusiveScanKernel(np.int32, "min(max(a, b), factors[0])", preamble=self.PREAMBLE)
        cuda.memcpy_htod(kernel.get_global("factors")[0], np.array([500, 0], np.int32))
        assert (kernel(gpuarray.to_gpu(x)).get()[1:] == running[1:]).all()
        kernel = ExclusiveScanKernel(np.int32, "min(max(a, b), factors[0])", "0", preamble=self.PREAMBLE)
        cuda.memcpy_htod(kernel.get_global("factors")[0], np.array([500, 0], np.int32))
        assert (kernel(gpuarray.to_gpu(x)).get()[2:] == running[1:-1]).all()

    def test_a_variable_that_is_not_there_is_named(self):
        for kernel in (ElementwiseKernel("int *x", "x[i] = 0"), InclusiveScanKernel(np.int32, "a + b")):
            with pytest.raises(cuda.LogicError, match="no variable 'factors'"):
                kernel.get_global("factors")


# NVIDIA/VideoProcessingFramework 297
@pytest.mark.parametrize(("kind", "zero"), [("Memcpy2D", "width_in_bytes"), ("Memcpy3D", "height")])
def test_a_copy_of_nothing_because_of_a_misspelled_attribute_warns(kind, zero):
    source, target = gpuarray.to_gpu(np.arange(12, dtype=np.uint8)), gpuarray.zeros(12, np.uint8)
    copy = getattr(cuda, kind)()
    copy.set_src_device(source.gpudata)
    copy.set_dst_device(target.gpudata)
    copy.width_in_bytes = copy.height = 1
    setattr(copy, zero, 0)
    copy()  # of nothing, which may be meant
    copy.width = 12
    with pytest.warns(UserWarning, match=f"{kind} copies nothing: its {zero} is 0, and it has no attribute 'width'"):
        copy()
    copy.width_in_bytes, copy.height = 12, 1
    if kind == "Memcpy3D":
        copy.depth = 1
    copy()
    assert (target.get() == source.get()).all()


# cupy/cupy 9667
def test_an_instance_is_compiled_by_its_mangled_name():
    module = SourceModule(
        "template <class T, int N> __global__ void fill(T *a) { a[threadIdx.x] = N; }\n"
        "namespace space { template <class T> __global__ void one(T *a) { a[threadIdx.x] = 1; } }"
    )
    a = gpuarray.zeros(4, np.float32)
    module.get_function("_Z4fillIfLi7EEvPT_")(a, block=(4, 1, 1))
    assert a.get().tolist() == [7] * 4
    module.get_function("_ZN5space3oneIfEEvPT_")(a, block=(4, 1, 1))
    assert a.get().tolist() == [1] * 4
    with pytest.raises(cuda.LogicError, match="'_Z5emptyIfEvPT_'.* identifier \"empty\" is undefined"):
        module.get_function("_Z5emptyIfEvPT_")


# cupy/cupy 563
def test_numbers_beyond_63_bits_keep_their_value():
    large = 2**64 - 11
    a = gpuarray.to_gpu(np.array([5], np.uint64))
    assert (a + large).get()[0] == (large + a).get()[0] == 2**64 - 6
    assert (large - a).get()[0] == 2**64 - 16
    a.fill(large)
    assert a.get()[0] == large
    ElementwiseKernel("unsigned long long *x, unsigned long long c", "x[i] = c - 1")(a, large)
    assert a.get()[0] == large - 1
    kernel = SourceModule("__global__ void k(unsigned long long *x, unsigned long long c) { x[0] = c; }")
    kernel.get_function("k")(a, large, block=(1, 1, 1))
    assert a.get()[0] == large


# cupy/cupy 8130
def test_elements_that_lie_far_apart_are_found():
    whole = gpuarray.zeros(2**31 + 64, np.int8)
    whole[-1:].fill(5)
    ends = whole[:: 2**31 + 63]
    assert (ends + ends).get().tolist() == [0, 10]
    ends += 1
    assert whole[-1:].get()[0] == 6 and whole[:2].get().tolist() == [1, 0]


# numba/numba 5374, and structs.html of Kernel Tuner's documentation
def test_records_in_records_go_by_value_by_address_and_to_shared_memory():
    inner = np.dtype([("first", np.int8), ("rest", np.float64, (6,))], align=True)
    outer = np.dtype([("some", np.float32, (3,)), ("inner", inner)], align=True)
    source = """
    struct Inner { signed char first; double rest[6]; };
    struct Outer { float some[3]; Inner inner; };
    __global__ void k(Outer *a, Outer value)
    {
      __shared__ Outer s[1];
      s[0] = value;
      s[0].inner.rest[3] += 1;
      a->some[1] = s[0].some[2];
      a->inner = s[0].inner;
    }
    """
    kernel = SourceModule(source).get_function("k")
    value = np.zeros((), outer)
    value["some"][2], value["inner"]["first"], value["inner"]["rest"][3] = 4, -5, 6
    packed = np.frombuffer(value.tobytes(), np.dtype((np.void, outer.itemsize)))[0]
    record = np.rec.array(value.reshape(1))[0]
    for passed in (value, value[()], packed, record):
        a = np.zeros(1, outer)
        kernel(cuda.InOut(a), passed, block=(1, 1, 1))
        assert a["some"][0].tolist() == [0, 4, 0]
        assert a["inner"]["first"][0] == -5 and a["inner"]["rest"][0].tolist() == [0, 0, 0, 7, 0, 0]


# cupy/cupy 2778
def test_numbers_and_structs_of_ctypes_and_packed_bytes_are_values():
    class Pair(ctypes.Structure):
        _fields_ = (("x", ctypes.c_float), ("n", ctypes.c_int))

    source = """
    struct Pair { float x; int n; };
    __global__ void of_struct(double *a, Pair pair) { a[0] = pair.x * pair.n; }
    __global__ void of_numbers(double *a, double x, long long n, void *p) { a[0] = x * n + (p == nullptr); }
    """
    module = SourceModule(source)
    a = gpuarray.zeros(1, np.float64)
    of_struct, of_numbers = map(module.get_function, ("of_struct", "of_numbers"))
    for value in (Pair(2.5, 3), struct.pack("fi", 2.5, 3)):
        a.fill(0)
        of_struct(a, value, block=(1, 1, 1))
        assert a.get()[0] == 7.5
    of_numbers(a, ctypes.c_float(2.5), ctypes.c_int16(-3), ctypes.c_void_p(), block=(1, 1, 1))
    assert a.get()[0] == -6.5
    for wrong in ((ctypes.c_double * 2)(1, 2), b"1234567"):
        with pytest.raises(TypeError, match=r"#1 .* bytes, but the parameter has 8 bytes"):
            of_struct(a, wrong, block=(1, 1, 1))
    with pytest.raises(TypeError, match="wrap it in pycuda.driver.In"):
        of_struct((ctypes.c_float * 2)(1, 2), Pair(), block=(1, 1, 1))


def test_a_small_host_array_is_not_taken_for_an_address():
    first = SourceModule("__global__ void first(float *a) { a[0] = 1; }").get_function("first")
    with pytest.raises(TypeError, match="an ndarray of 8 bytes, which is passed by value.*wrap it in"):
        first(np.zeros(2, np.float32), block=(1, 1, 1))
    a = gpuarray.zeros(1, np.float32)
    first(np.array([int(a.gpudata)]), block=(1, 1, 1))
    assert a.get()[0] == 1
    with pytest.raises(TypeError, match=r"numpy.intp\(0\) is a null pointer"):
        first(None, block=(1, 1, 1))


# cupy/cupy 3652 and 4288
class TestNumbersInTheOtherByteOrder:
    SWAPPED = np.arange(4, dtype=np.dtype(np.float32).newbyteorder())

    def test_kernels_refuse_them(self):
        twice = SourceModule("__global__ void twice(float *a) { a[threadIdx.x] *= 2; }").get_function("twice")
        on_device = gpuarray.to_gpu(self.SWAPPED)
        for argument in (cuda.In(self.SWAPPED), cuda.InOut(self.SWAPPED), on_device):
            with pytest.raises(TypeError, match=r"byte order is not the device's.*astype\(numpy.float32\)"):
                twice(argument, block=(4, 1, 1))

        class Foreign:
            __cuda_array_interface__ = dict(on_device.__cuda_array_interface__)

        with pytest.raises(TypeError, match="byte order is not the device's"):
            twice(Foreign(), block=(4, 1, 1))
        assert (on_device.get() == self.SWAPPED).all()

    def test_kernels_that_take_bytes_do_not(self):
        swap = """
        __global__ void swap(unsigned char *a)
        {
          const int i = 4 * threadIdx.x;
          for (int j = 0; j < 2; j++) { unsigned char t = a[i + j]; a[i + j] = a[i + 3 - j]; a[i + 3 - j] = t; }
        }
        """
        on_device = gpuarray.to_gpu(self.SWAPPED)
        SourceModule(swap).get_function("swap")(on_device, block=(4, 1, 1))
        assert on_device.view(np.float32).get().tolist() == [0, 1, 2, 3]

    @pytest.mark.parametrize("operation", [lambda a: a * 2, lambda a: a.sum(), lambda a: a.astype(np.float32)])
    def test_operations_say_how_to_convert_them(self, operation):
        with pytest.raises(TypeError, match=r"before to_gpu, with astype\(numpy.float32\)"):
            operation(gpuarray.to_gpu(self.SWAPPED))


def test_host_arrays_without_elements_are_null_pointers():
    source = "__global__ void k(const float *a, float *b, int *nulls) { *nulls = (a == nullptr) + (b == nullptr); }"
    kernel = SourceModule(source).get_function("k")
    nulls, empty = np.zeros(1, np.int32), np.zeros((0, 3), np.float32)
    for stream in (None, cuda.Stream()):
        nulls[:] = 0
        kernel(cuda.In(empty), cuda.InOut(empty), cuda.Out(nulls), block=(1, 1, 1), stream=stream)
        assert nulls[0] == 2


def test_scalars_of_a_class_that_derives_from_numpys_pass_as_its():
    class Length(np.float32):
        pass

    class Count(np.int64):
        pass

    kernel = SourceModule("__global__ void k(double *a, float x, int n) { a[0] = x * n; }").get_function("k")
    a = gpuarray.zeros(1, np.float64)
    kernel(a, Length(2.5), Count(3), block=(1, 1, 1))
    assert a.get()[0] == 7.5
    assert (a * Length(2)).get()[0] == 15 and (a + Count(1)).get()[0] == 8.5


# tile-ai/tilelang 2569, taichi-dev/taichi 7457
def test_short_numbers_are_shuffled_and_small_ones_are_multiplied():
    source = """
    #include <cuda_fp16.h>
    #include <cuda_bf16.h>
    template <class T> __device__ void around(T *out, T value)
    {
      out[threadIdx.x] = __shfl_xor_sync(~0u, value, 1);
      out[32 + threadIdx.x] = __shfl_down_sync(~0u, value, 3, 16);
    }
    extern "C" __global__ void shuffle(__half *h, __half2 *h2, __nv_bfloat16 *b)
    {
      around(h, __float2half(threadIdx.x));
      around(h2, __floats2half2_rn(threadIdx.x, 0.5f));
      around(b, __float2bfloat16(threadIdx.x));
    }
    extern "C" __global__ void multiply(__half *a) { a[0] = a[0] * __float2half(0.7f); }
    """
    module = SourceModule(source)
    lanes = np.arange(32)
    want = np.stack([lanes ^ 1, np.where(lanes % 16 >= 13, lanes, lanes + 3)])
    h, pairs, b = np.zeros((2, 32), np.float16), np.zeros((2, 32, 2), np.float16), np.zeros((2, 32), np.uint16)
    module.get_function("shuffle")(cuda.Out(h), cuda.Out(pairs), cuda.Out(b), block=(32, 1, 1))
    assert (h == want).all() and (pairs[:, :, 0] == want).all() and (pairs[:, :, 1] == 0.5).all()
    assert ((b.astype(np.uint32) << 16).view(np.float32) == want).all()
    small = np.array([-8.2e-5], np.float16)
    product = small.copy()
    module.get_function("multiply")(cuda.InOut(product), block=(1, 1, 1))
    assert product[0] == small[0] * np.float16(0.7) != 0
