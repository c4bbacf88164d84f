# SPDX-License-Identifier: MIT
"""Compiles a kernel, runs it and compares the result: `python -m pycuda selftest`."""

import time

_SOURCE = """
__global__ void sum_of_squares(const float *a, const float *b, float *out, int n) {
  __shared__ float partial[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? a[i] * a[i] + b[i] * b[i] : 0;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}
"""


def _run():
    """The device's name, seconds until the first result, seconds of a second run, and the two results."""
    # may fail: the test says why
    import numpy

    import pycuda.driver as cuda
    from pycuda.compiler import SourceModule

    started = time.perf_counter()
    cuda.init()
    context = cuda.Device(0).retain_primary_context()
    context.push()
    try:
        n = 100_000
        blocks = -(-n // 128)
        a = numpy.arange(n, dtype=numpy.float32) % 7
        b = numpy.arange(n, dtype=numpy.float32) % 5
        sums = numpy.zeros(blocks, numpy.float32)
        kernel = SourceModule(_SOURCE).get_function("sum_of_squares")
        times = []
        for _ in range(2):
            kernel(cuda.In(a), cuda.In(b), cuda.Out(sums), numpy.int32(n), block=(128, 1, 1), grid=(blocks, 1))
            times.append(time.perf_counter() - started)
        return cuda.Device(0).name(), times[0], times[1] - times[0], float(sums.sum()), float((a * a + b * b).sum())
    finally:
        context.pop()


def main():
    """Print one line: passed, or what went wrong. 0 or 1."""
    try:
        name, first, second, result, expected = _run()
    except Exception as error:
        print(f"selftest         FAILED: {type(error).__name__}: {error}", flush=True)
        return 1
    if result != expected:
        print(f"selftest         FAILED on {name}: the kernel's sum is {result}, it should be {expected}", flush=True)
        return 1
    print(f"selftest         passed on {name}: first result after {first:.2f} s, second run {second * 1e3:.2f} ms")
    return 0
