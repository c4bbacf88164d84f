# SPDX-License-Identifier: MIT
"""Programs as in public reports on other packages, which the comments name, with the results that were wanted."""

import gc

import numpy as np
import pycuda.driver as cuda
import pytest
from compiling import needs_cccl
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel

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
