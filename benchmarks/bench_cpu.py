# SPDX-License-Identifier: MIT
"""The CPU driver against the same algorithms in C++ (g++ -O3 -march=native, threads), in one interleaved run.

    python benchmarks/bench_cpu.py [--rounds 7]

Prints one row per kernel: medians in milliseconds and how many times faster than g++ the kernel is. Launches are
synchronised; copies are not counted. Needs g++ and NVRTC. PYCUDA_CPU_VECTOR=0 measures the scalar path.
"""

import argparse
import ctypes
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy as np

os.environ.setdefault("PYCUDA_DRIVER", "cpu")

import pycuda.autoinit  # noqa: E402, F401
import pycuda.driver as cuda  # noqa: E402
from pycuda.compiler import SourceModule  # noqa: E402

KERNELS = r"""
#define TILE 16
extern "C" {
__global__ void matmul(const double* a, const double* b, double* c, int n) {
  __shared__ double s[TILE][TILE], t[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  double sum = 0;
  for (int k = 0; k < n; k += TILE) {
    s[y][x] = a[row * n + k + x];
    t[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int j = 0; j < TILE; ++j) sum += s[y][j] * t[j][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
__global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void mandelbrot(int* out, int n, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  float cr = -2.f + 3.f * x / n, ci = -1.5f + 3.f * y / n, a = 0, b = 0;
  int i = 0;
  while (i < limit && a * a + b * b < 4.f) {
    float next = a * a - b * b + cr;
    b = 2 * a * b + ci;
    a = next;
    ++i;
  }
  out[y * n + x] = i;
}
__global__ void nbody(const float* px, const float* py, const float* pz, float* out, int n) {
  __shared__ float sx[256], sy[256], sz[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  float x = px[i], y = py[i], z = pz[i], f = 0;
  for (int start = 0; start < n; start += 256) {
    sx[threadIdx.x] = px[start + threadIdx.x];
    sy[threadIdx.x] = py[start + threadIdx.x];
    sz[threadIdx.x] = pz[start + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 256; ++j) {
      float dx = sx[j] - x, dy = sy[j] - y, dz = sz[j] - z;
      float inverse = 1.f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
      f += dx * inverse * inverse * inverse;
    }
    __syncthreads();
  }
  out[i] = f;
}
__device__ float normal(float x) { return 0.5f * erfcf(-x * 0.70710678f); }
__global__ void black_scholes(const float* s, const float* k, const float* t, float* call, float* put, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float root = sqrtf(t[i]), d1 = (logf(s[i] / k[i]) + (0.02f + 0.045f) * t[i]) / (0.3f * root);
  float d2 = d1 - 0.3f * root, e = k[i] * expf(-0.02f * t[i]);
  call[i] = s[i] * normal(d1) - e * normal(d2);
  put[i] = e * normal(-d2) - s[i] * normal(-d1);
}
__global__ void reduce(const float* x, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
}
"""

NATIVE = r"""
#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>
template <class F> static void share(int n, F f) {
  int workers = WORKERS;
  std::vector<std::thread> threads;
  for (int w = 1; w < workers; ++w)
    threads.emplace_back([=] { f(long(n) * w / workers, long(n) * (w + 1) / workers); });
  f(0, n / workers);
  for (auto& thread : threads) thread.join();
}
extern "C" {
void matmul(const double* a, const double* b, double* c, int n) {
  share(n, [=](int first, int last) {
    for (int i = first; i < last; ++i) {
      std::fill(c + long(i) * n, c + long(i + 1) * n, 0.0);
      for (int k = 0; k < n; ++k) for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  });
}
void saxpy(float a, const float* x, float* y, int n) {
  share(n, [=](int first, int last) { for (int i = first; i < last; ++i) y[i] = a * x[i] + y[i]; });
}
void mandelbrot(int* out, int n, int limit) {
  share(n, [=](int first, int last) {
    for (int y = first; y < last; ++y) for (int x = 0; x < n; ++x) {
      float cr = -2.f + 3.f * x / n, ci = -1.5f + 3.f * y / n, a = 0, b = 0;
      int i = 0;
      while (i < limit && a * a + b * b < 4.f) { float next = a * a - b * b + cr; b = 2 * a * b + ci; a = next; ++i; }
      out[y * n + x] = i;
    }
  });
}
void nbody(const float* px, const float* py, const float* pz, float* out, int n) {
  share(n, [=](int first, int last) {
    for (int i = first; i < last; ++i) {
      float f = 0;
      for (int j = 0; j < n; ++j) {
        float dx = px[j] - px[i], dy = py[j] - py[i], dz = pz[j] - pz[i];
        float inverse = 1.f / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-3f);
        f += dx * inverse * inverse * inverse;
      }
      out[i] = f;
    }
  });
}
static float normal(float x) { return 0.5f * erfcf(-x * 0.70710678f); }
void black_scholes(const float* s, const float* k, const float* t, float* call, float* put, int n) {
  share(n, [=](int first, int last) {
    for (int i = first; i < last; ++i) {
      float root = std::sqrt(t[i]), d1 = (std::log(s[i] / k[i]) + (0.02f + 0.045f) * t[i]) / (0.3f * root);
      float d2 = d1 - 0.3f * root, e = k[i] * std::exp(-0.02f * t[i]);
      call[i] = s[i] * normal(d1) - e * normal(d2);
      put[i] = e * normal(-d2) - s[i] * normal(-d1);
    }
  });
}
void reduce(const float* x, float* out, int n) {
  share(n / 256, [=](int first, int last) {
    for (int b = first; b < last; ++b) { float s = 0; for (int i = 0; i < 256; ++i) s += x[b * 256 + i]; out[b] = s; }
  });
}
}
"""


def native_library(folder):
    source = pathlib.Path(folder) / "native.cpp"
    source.write_text(NATIVE)
    library = source.with_suffix(".so")
    workers = len(os.sched_getaffinity(0))
    subprocess.run(
        [
            "g++",
            "-O3",
            "-march=native",
            "-std=c++20",
            "-shared",
            "-fPIC",
            "-pthread",
            f"-DWORKERS={workers}",
            str(source),
            "-o",
            str(library),
        ],
        check=True,
    )
    return ctypes.CDLL(str(library))


def seconds(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def cases():
    """Name, grid, block, arguments (arrays are copied to the device), index of the result, tolerance."""
    random = np.random.default_rng(1)

    def f32(n):
        return random.random(n, dtype=np.float32)

    n = 1024
    square = [random.random((n, n)) for _ in range(2)]
    yield "matmul", (n // 16, n // 16), (16, 16, 1), [*square, np.zeros((n, n)), np.int32(n)], 2, 1e-9
    large = 1 << 24
    yield "saxpy", (large // 256, 1), (256, 1, 1), [np.float32(2), f32(large), f32(large), np.int32(large)], None, 0
    # Fused multiply-adds differ between compilers, so that some pixels near the edge differ.
    yield (
        "mandelbrot",
        (n // 16, n // 16),
        (16, 16, 1),
        [np.zeros((n, n), np.int32), np.int32(n), np.int32(256)],
        None,
        0,
    )
    bodies = 8192
    yield (
        "nbody",
        (bodies // 256, 1),
        (256, 1, 1),
        [f32(bodies), f32(bodies), f32(bodies), np.zeros(bodies, np.float32), np.int32(bodies)],
        3,
        1e-2,
    )
    options = 1 << 20
    yield (
        "black_scholes",
        (options // 256, 1),
        (256, 1, 1),
        [
            f32(options) * 25 + 5,
            f32(options) * 99 + 1,
            f32(options) * 9 + 1,
            np.zeros(options, np.float32),
            np.zeros(options, np.float32),
            np.int32(options),
        ],
        3,
        1e-3,
    )
    numbers = 1 << 22
    yield (
        "reduce",
        (numbers // 256, 1),
        (256, 1, 1),
        [f32(numbers), np.zeros(numbers // 256, np.float32), np.int32(numbers)],
        1,
        1e-4,
    )


def measure(module, native, rounds, name, grid, block, arguments, result, tolerance):
    """Medians in milliseconds: the kernel, the loop in C++."""
    kernel = module.get_function(name)
    on_device = [cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in arguments]
    as_c = [
        a.ctypes.data_as(ctypes.c_void_p)
        if isinstance(a, np.ndarray)
        else ctypes.c_float(a)
        if isinstance(a, np.float32)
        else ctypes.c_int(a)
        for a in arguments
    ]

    def ours():
        kernel(*on_device, grid=grid, block=block)
        cuda.Context.synchronize()

    def theirs():
        getattr(native, name)(*as_c)

    ours()
    theirs()
    if result is not None:
        found = cuda.from_device_like(on_device[result], arguments[result])
        np.testing.assert_allclose(found, arguments[result], rtol=tolerance, atol=tolerance)
    times = [(seconds(ours), seconds(theirs)) for _ in range(rounds)]
    return (statistics.median(column) * 1e3 for column in zip(*times, strict=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    module = SourceModule(KERNELS, no_extern_c=True)
    print(f"{'kernel':<15}{'pycuda ms':>11}{'g++ ms':>10}{'x g++':>8}")
    with tempfile.TemporaryDirectory() as folder:
        native = native_library(folder)
        for case in cases():
            mine, other = measure(module, native, rounds, *case)
            print(f"{case[0]:<15}{mine:>11.2f}{other:>10.2f}{other / mine:>8.2f}", flush=True)


if __name__ == "__main__":
    main()
