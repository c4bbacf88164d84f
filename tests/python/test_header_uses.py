# SPDX-License-Identifier: MIT
"""What kernels use of CUDA's and CCCL's headers, compiled without nvcc: each gives what NumPy gives."""

import pathlib

import numpy as np
import pycuda.driver as cuda
import pytest
from compiling import needs_cccl
from pycuda._compilers import the_compiler
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")
random = np.random.default_rng(3)


@pytest.fixture(autouse=True)
def nvrtc_alone(monkeypatch):
    monkeypatch.setenv("PYCUDA_COMPILER", "nvrtc")


def run(source, *arguments, threads=128):
    SourceModule(source).get_function("k")(*arguments, block=(threads, 1, 1))


def test_types_of_libcudacxx():
    needs_cccl("cuda/std/mdspan", version=(3, 0))
    source = """
    #include <cuda/std/array>
    #include <cuda/std/bit>
    #include <cuda/std/bitset>
    #include <cuda/std/complex>
    #include <cuda/std/expected>
    #include <cuda/std/mdspan>
    #include <cuda/std/numeric>
    #include <cuda/std/optional>
    #include <cuda/std/span>
    #include <cuda/std/tuple>
    #include <cuda/std/variant>
    __global__ void k(double *o) {
      namespace s = cuda::std;
      s::array<int, 5> a{1, 2, 3, 4, 5};
      o[0] = s::accumulate(a.begin(), a.end(), 0);
      o[1] = s::optional<int>(7).value_or(1) + s::optional<int>().value_or(1);
      s::variant<int, double> v = 2.5;
      o[2] = s::get<double>(v) + s::visit([](auto x) { return double(x); }, v);
      s::expected<int, int> e = s::unexpected(4);
      o[3] = e.error();
      o[4] = s::span<int>(a).subspan(1, 2).size();
      int m[6] = {0, 1, 2, 3, 4, 5};
      o[5] = s::mdspan<int, s::extents<int, 2, 3>>(m)(1, 2);
      s::bitset<70> b;
      b.set(69).set(3);
      o[6] = b.count();
      o[7] = s::abs(s::complex<double>(3, 4));
      auto [q, r] = s::make_tuple(1, 2.5f);
      o[8] = q + r;
      o[9] = s::popcount(255u) + s::gcd(12, 18);
    }
    """
    o = np.zeros(10)
    run(source, cuda.Out(o), threads=1)
    assert o.tolist() == [15, 8, 5, 4, 2, 5, 2, 5, 3.5, 14]


def test_atomics_of_libcudacxx():
    needs_cccl("cuda/atomic", version=(3, 0))
    source = """
    #include <cuda/atomic>
    __global__ void k(int *o, float *f) {
      cuda::atomic_ref<int, cuda::thread_scope_device>(o[0]).fetch_max(threadIdx.x);
      cuda::std::atomic_ref<int>(o[1]).fetch_or(1 << (threadIdx.x & 7));
      cuda::atomic_ref<float>(f[0]).fetch_add(0.5f);
      cuda::atomic_ref<int, cuda::thread_scope_block> count(o[2]);
      int seen = count.load();
      while (!count.compare_exchange_weak(seen, seen + 3)) {}
    }
    """
    o, f = np.zeros(3, np.int32), np.zeros(1, np.float32)
    run(source, cuda.InOut(o), cuda.InOut(f))
    assert o.tolist() == [127, 255, 384] and f[0] == 64


def test_pipelines_copy_in_stages():
    needs_cccl("cuda/pipeline", version=(3, 0))
    source = """
    #include <cooperative_groups/memcpy_async.h>
    #include <cuda/pipeline>
    namespace cg = cooperative_groups;
    __global__ void k(const int *a, int *o) {
      auto block = cg::this_thread_block();
      __shared__ int part[2][128];
      #pragma nv_diag_suppress static_var_with_dynamic_init
      __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
      auto pipeline = cuda::make_pipeline(block, &state);
      for (int copied = 0, used = 0; used < 8; used++) {
        for (; copied < 8 && copied < used + 2; copied++) {
          pipeline.producer_acquire();
          cuda::memcpy_async(block, part[copied & 1], a + copied * 128, cuda::aligned_size_t<16>(512), pipeline);
          pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        o[used * 128 + threadIdx.x] = 2 * part[used & 1][127 - threadIdx.x];
        pipeline.consumer_release();
      }
      block.sync();
      cg::memcpy_async(block, part[0], a, 512);
      cg::wait(block);
      o[threadIdx.x] += part[0][threadIdx.x];
    }
    """
    a, o = random.integers(0, 1000, (8, 128)).astype(np.int32), np.zeros((8, 128), np.int32)
    run(source, cuda.In(a), cuda.Out(o))
    expected = 2 * a[:, ::-1]
    expected[0] += a[0]
    assert (o == expected).all()


def test_groups_scan_and_part():
    source = """
    #include <cooperative_groups.h>
    #include <cooperative_groups/reduce.h>
    #include <cooperative_groups/scan.h>
    namespace cg = cooperative_groups;
    __global__ void k(const int *a, int *o) {
      const int i = threadIdx.x, value = a[i];
      auto warp = cg::tiled_partition<32>(cg::this_thread_block());
      auto eight = cg::tiled_partition<8>(warp);
      o[i] = cg::inclusive_scan(eight, value);
      o[128 + i] = cg::exclusive_scan(warp, value, cg::plus<int>());
      o[256 + i] = cg::reduce(eight, value, cg::greater<int>());
      o[384 + i] = cg::labeled_partition(warp, value & 3).size();
      o[512 + i] = cg::reduce(cg::binary_partition(warp, value & 1), value, cg::less<int>());
    }
    """
    a, o = random.integers(0, 1000, 128).astype(np.int32), np.zeros((5, 128), np.int32)
    run(source, cuda.In(a), cuda.Out(o))
    warps, eights = a.reshape(4, 32), a.reshape(16, 8)
    assert (o[0] == eights.cumsum(1).ravel()).all()
    assert (o[1] == (warps.cumsum(1) - warps).ravel()).all()
    assert (o[2] == eights.max(1).repeat(8)).all()
    assert o[3].tolist() == [(warp & 3 == value & 3).sum() for warp in warps for value in warp]
    assert o[4].tolist() == [warp[warp & 1 == value & 1].min() for warp in warps for value in warp]


def rounded(values, fraction_bits, least_exponent, most):
    exponent = np.maximum(np.floor(np.log2(np.maximum(abs(values), 1e-30))), least_exponent)
    step = 2.0 ** (exponent - fraction_bits)
    return np.clip(np.rint(values / step) * step, -most, most)


def test_floats_of_eight_six_and_four_bits():
    folders = [folder for _, _, folders in the_compiler().installations() for folder in folders]
    if not any((pathlib.Path(folder) / "cuda_fp4.h").exists() for folder in folders):
        pytest.skip("needs the headers of CUDA 12.8 or newer: pip install nvidia-cuda-runtime")
    source = """
    #include <cuda_fp4.h>
    #include <cuda_fp6.h>
    #include <cuda_fp8.h>
    __global__ void k(const float *a, float *o) {
      const float x = a[threadIdx.x];
      o += threadIdx.x;
      o[0] = float(__nv_fp8_e4m3(x));
      o[64] = float(__nv_fp8_e5m2(x));
      o[128] = float(__nv_fp6_e3m2(x));
      o[192] = float(__nv_fp6_e2m3(x));
      o[256] = float(__nv_fp4_e2m1(x));
    }
    """
    a, o = np.linspace(-4, 4, 64).astype(np.float32), np.zeros((5, 64), np.float32)
    run(source, cuda.In(a), cuda.Out(o), threads=64)
    for row, format in zip(o, ((3, -6, 448), (2, -14, 57344), (2, -2, 28), (3, 0, 7.5), (1, 0, 6)), strict=True):
        assert (row == rounded(a, *format)).all(), format


def test_quasirandom_numbers_of_sobol():
    source = """
    #include <curand_kernel.h>
    __global__ void k(unsigned *d, unsigned long long *d64, double *o) {
      curandStateSobol32_t s;
      curandStateScrambledSobol64_t t;
      curand_init(d, threadIdx.x, &s);
      curand_init(d64, 0ull, threadIdx.x, &t);
      o[threadIdx.x] = curand_uniform(&s);
      o[64 + threadIdx.x] = curand_uniform_double(&t);
    }
    """
    bits = np.arange(32, dtype=np.uint64)
    directions = np.uint64(1) << (np.uint64(31) - bits)
    wide = np.uint64(1) << (np.uint64(63) - np.arange(64, dtype=np.uint64))
    o = np.zeros((2, 64))
    run(source, cuda.In(directions.astype(np.uint32)), cuda.In(wide), cuda.Out(o), threads=64)
    gray = np.arange(64) ^ (np.arange(64) >> 1)
    expected = [int(f"{number:032b}"[::-1], 2) / 2**32 for number in gray]
    assert np.allclose(o, [expected] * 2, rtol=0, atol=1e-6)
