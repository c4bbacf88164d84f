# SPDX-License-Identifier: MIT
"""What nvcc, or an older one, compiled and the compiler refuses: functions of mixed types, old shuffles, `register`."""

import math

import numpy as np
import pycuda.driver as drv
import pytest
from compiling import needs_cccl
from programs import is_cpu
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")


def value_of(expression, **options):
    source = (
        f"__global__ void k(double *out, int i, unsigned u, long long l, float f, double d) {{ *out = {expression}; }}"
    )
    out = np.zeros(1)
    SourceModule(source, **options).get_function("k")(
        drv.Out(out), np.int32(7), np.uint32(3), np.int64(2), np.float32(0.5), np.float64(2.5), block=(1, 1, 1)
    )
    return out[0]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("sqrt(i)", math.sqrt(7)),
        ("exp(u)", math.exp(3)),
        ("fabs(-i)", 7),
        ("floor(l)", 2),
        ("pow(i, u)", 343),
        ("pow(2, i)", 128),
        ("pow(f, u)", 0.125),
        ("pow(d, l)", 6.25),
        ("fmod(d, f)", 0),
        ("atan2(f, d)", math.atan2(0.5, 2.5)),
        ("fmax(i, u)", 7),
        ("std::pow(i, i) + std::sqrt(u)", 7.0**7 + math.sqrt(3)),
    ],
)
def test_they_compute_in_double(expression, value):
    assert value_of(expression) == pytest.approx(value, rel=1e-15)


def test_shuffles_that_name_no_lanes_and_the_keyword_register():
    source = """
    __global__ void k(int *out) {
        register int sum = threadIdx.x;
        for (int step = 16; step > 0; step /= 2) sum += __shfl_down(sum, step);
        out[threadIdx.x] = __shfl(sum, 0) + __shfl_xor((int)threadIdx.x, 1, 32) + __shfl_up(0, 1);
    }"""
    out = np.zeros(32, np.int32)
    SourceModule(source).get_function("k")(drv.Out(out), block=(32, 1, 1))
    assert (out == 496 + (np.arange(32) ^ 1)).all()


@pytest.mark.parametrize("header", ["", "#include <device_functions.h>\n#include <sm_20_intrinsics.h>\n"])
def test_votes_that_name_no_lanes(header):
    source = (
        header
        + """
    __global__ void k(int *out) {
        const int lane = threadIdx.x;
        int told = __any(lane == 40) + 2 * __all(lane < 32) + 4 * (__ballot(lane & 1) == 0xaaaaaaaau);
        if (lane < 8) told += 8 * (__ballot(1) == 0xff);
        out[lane] = told;
    }"""
    )
    out = np.zeros(64, np.int32)
    SourceModule(source).get_function("k")(drv.Out(out), block=(64, 1, 1))
    assert out.tolist() == 8 * [14] + 24 * [6] + 32 * [5]


OWN_ATOMIC_ADD = """
__device__ double atomicAdd(double *address, double value) {
    unsigned long long *bits = (unsigned long long *)address, old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
"""


@pytest.mark.parametrize(
    ("before", "after", "options"),
    [("", "", {}), ("static inline ", "", {}), ("", 'extern "C"', {"no_extern_c": True})],
)
def test_a_sources_own_addition_of_doubles(before, after, options):
    source = f"""{before}{OWN_ATOMIC_ADD}{after}
    __global__ void k(double *d, float *f, int *i, unsigned *u) {{
        atomicAdd(d, 1); atomicAdd(d + 1, 0.5); atomicAdd(f, 1.0); atomicAdd(i, -1); atomicAdd(u, 2);
    }}"""
    d, f, i, u = np.zeros(2), np.zeros(1, np.float32), np.zeros(1, np.int32), np.zeros(1, np.uint32)
    kernel = SourceModule(source, **options).get_function("k")
    kernel(drv.InOut(d), drv.InOut(f), drv.InOut(i), drv.InOut(u), block=(64, 1, 1))
    assert d.tolist() == [64, 32] and f[0] == 64 and i[0] == -64 and u[0] == 128


def test_headers_of_host_code_without_a_host_compiler():
    source = """
    #include <iostream>
    #include <vector>
    #include <sys/time.h>
    #include <fcntl.h>
    #include <filesystem>
    #include <malloc.h>
    #include <memory.h>
    #include <stdarg.h>
    #include <wchar.h>
    using namespace std;
    extern "C" __global__ void k(int *out) { register int lane = threadIdx.x; out[lane] = __shfl_down(lane, 1); }"""
    out = np.zeros(32, np.int32)
    SourceModule(source, no_extern_c=True).get_function("k")(drv.Out(out), block=(32, 1, 1))
    assert out.tolist() == [*range(1, 32), 31]
    with pytest.raises(drv.CompileError, match='identifier "missing" is undefined') as caught:
        SourceModule(source.replace("lane, 1", "lane, missing"), no_extern_c=True)
    assert "nvcc was tried" not in str(caught.value) and "cannot open" not in str(caught.value)


def test_a_users_own_header_comes_before_the_hosts_of_the_same_name(tmp_path):
    (tmp_path / "list").write_text("#define MINE 7\n")
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside" / "all.h").write_text('#include <map>\n#include "vector"\n')
    (tmp_path / "beside" / "vector").write_text("#define BESIDE 6\n")
    source = """
    #include <string>
    #include <list>
    #include <beside/all.h>
    __global__ void k(int *out) { *out = MINE * BESIDE; }"""
    out = np.zeros(1, np.int32)
    SourceModule(source, include_dirs=[str(tmp_path)]).get_function("k")(drv.Out(out), block=(1, 1, 1))
    assert out[0] == 42


def test_constants_of_the_file_computed_from_others():
    source = """
    const float step = 0.25;
    const double diffusion = 4, squared = step * step, share = diffusion * squared / (3 * diffusion);
    __device__ double twice(double x) { return 2 * x; }
    __global__ void k(double *out) { out[0] = squared; out[1] = twice(share); }"""
    out = np.zeros(2)
    SourceModule(source).get_function("k")(drv.Out(out), block=(1, 1, 1))
    assert out.tolist() == [0.0625, 0.125 / 3]
    unused = "const float step = 0.25, square = step * step;\n__global__ void k() { const float c = square; }"
    with pytest.warns(UserWarning, match='"c" was declared'):
        SourceModule(unused, cache_dir=False)  # a hit says nothing
    with pytest.raises(drv.CompileError, match="  const float step = 0.25, square = step . step . missing;\n"):
        SourceModule(unused.replace("step;", "step * missing;"))
    with pytest.raises(drv.CompileError, match="dynamic initialization"):
        SourceModule("__device__ int f(); __device__ int x = f();")


def test_all_of_cub_at_once():
    source = """
    #include <cub/cub.cuh>
    extern "C" __global__ void k(int *out) {
        typedef cub::WarpReduce<int> Reduce;
        __shared__ typename Reduce::TempStorage storage;
        const int sum = Reduce(storage).Sum(threadIdx.x);
        if (threadIdx.x == 0) *out = sum;
    }"""
    out = np.zeros(1, np.int32)
    needs_cccl()
    module = SourceModule(source, no_extern_c=True)
    module.get_function("k")(drv.Out(out), block=(32, 1, 1))
    assert out[0] == 496


def test_a_call_that_nobody_can_decide_is_still_refused():
    with pytest.raises(drv.CompileError, match='more than one instance of overloaded function "f"'):
        SourceModule(
            "__device__ int f(float, double) { return 1; } __device__ int f(double, float) { return 2; }\n"
            'extern "C" __global__ void k(int *a) { *a = f(1, 1) + sqrt(2); }',
            no_extern_c=True,
        )


def test_attributes_behind_a_structs_brace_are_the_structs():
    source = """
    #define ALIGN(bytes) __align__(bytes)
    typedef struct { int x; short y; } __align__(32) Aligned;
    typedef struct Named { int x; short y; } __attribute__((aligned(16))) Named_;
    typedef struct { char x; int y; } __attribute__((packed)) Packed;
    typedef struct { Aligned a; struct { int x; } ALIGN(8) b; } ALIGN(64) Nested;
    __global__ void sizes(int *out) {
      out[0] = sizeof(Aligned); out[1] = sizeof(Named_); out[2] = sizeof(Packed); out[3] = sizeof(Nested);
      out[4] = sizeof(((Nested *)0)->b);
    }
    """
    out = np.zeros(5, np.int32)
    SourceModule(source).get_function("sizes")(drv.Out(out), block=(1, 1, 1))
    assert out.tolist() == [32, 16, 5, 64, 8]


WARP_SYNCHRONOUS = """
__device__ float summed(volatile float *own)
{
  for (int step = 16; step; step /= 2)
    own[0] += own[step];
  return own[0];
}
__global__ void rows(const float *matrix, float *out, int n)
{
  __shared__ float parts[256 + 16];
  int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  float sum = 0;
  for (int i = lane; i < n; i += 32) sum += matrix[row * n + i];
  parts[threadIdx.x] = sum;
  sum = summed(parts + threadIdx.x);
  if (lane == 0) out[row] = sum;
}
__global__ void scan(int *numbers)
{
  __shared__ volatile int own[512];
  int at = 2 * threadIdx.x - threadIdx.x % 32 + 32, i = blockIdx.x * blockDim.x + threadIdx.x;
  own[at - 32] = 0;
  own[at] = numbers[i];
  for (int step = 1; step < 32; step *= 2) {
    int other = own[at - step];
    own[at] += other;
  }
  numbers[i] = own[at];
}
__global__ void turned(int *numbers)
{
  __shared__ volatile int own[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  own[t] = numbers[i];
  numbers[i] = own[t ^ 31];
}
"""


@pytest.mark.parametrize("block", [32, 128, 256])
def test_warps_that_exchange_numbers_without_barriers(block):
    if not is_cpu() and drv.Context.get_device().compute_capability() >= (7, 0):
        pytest.skip("needs a GPU from before Volta or the CPU driver")
    module = SourceModule(WARP_SYNCHRONOUS)
    random = np.random.default_rng(block)
    matrix = random.integers(0, 9, (3 * block // 32, 70)).astype(np.float32)
    sums = np.zeros(len(matrix), np.float32)
    module.get_function("rows")(drv.In(matrix), drv.Out(sums), np.int32(70), block=(block, 1, 1), grid=(3, 1))
    np.testing.assert_array_equal(sums, matrix.sum(1))
    numbers = random.integers(0, 99, (3 * block // 32, 32), np.int32)
    for name, expected in (("scan", np.cumsum(numbers, 1)), ("turned", numbers[:, ::-1])):
        found = numbers.copy()
        module.get_function(name)(drv.InOut(found), block=(block, 1, 1), grid=(3, 1))
        np.testing.assert_array_equal(found, expected)
