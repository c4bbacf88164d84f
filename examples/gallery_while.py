# SPDX-License-Identifier: MIT
"""Solve a heat equation by conjugate gradients in a graph that repeats itself until the error is small.

The host launches once and waits once: a kernel of the graph looks at the error and says whether to go on. Conditions in
graphs need CUDA 12.3.
"""

import time
from typing import Any

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from numpy.typing import NDArray
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel

N, TOLERANCE, MOST_ITERATIONS = 4096, 1e-20, 500

# One implicit step of the heat equation on a rod: (1 + 2c) x[i] - c (x[i-1] + x[i+1]).
apply = ElementwiseKernel(
    "double *out, double *x, double c, int size",
    "out[i] = (1 + 2 * c) * x[i] - c * ((i > 0 ? x[i - 1] : 0) + (i + 1 < size ? x[i + 1] : 0))",
    "apply",
)
forward = ElementwiseKernel(
    "double *x, double *r, double *p, double *q, double *rr, double *pq",
    "const double alpha = *rr / *pq; x[i] += alpha * p[i]; r[i] -= alpha * q[i]",
    "forward",
)
turn = ElementwiseKernel(
    "double *p, double *r, double *rr_new, double *rr", "p[i] = r[i] + *rr_new / *rr * p[i]", "turn"
)
look = SourceModule("""
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle, unsigned int);

__global__ void look(double *rr, const double *rr_new, double tolerance, int *count, int most,
                     cudaGraphConditionalHandle more)
{
  *rr = *rr_new;
  cudaGraphSetConditional(more, *rr > tolerance && ++*count < most);
}
""").get_function("look")


def solve_with_numpy(b: NDArray[Any], c: float) -> NDArray[Any]:
    """The same on the host."""
    x, r, p = np.zeros_like(b), b.copy(), b.copy()
    rr = r @ r
    for _ in range(MOST_ITERATIONS):
        q = (1 + 2 * c) * p
        q[1:] -= c * p[:-1]
        q[:-1] -= c * p[1:]
        alpha = rr / (p @ q)
        x += alpha * p
        r -= alpha * q
        rr, before = r @ r, rr
        if rr <= TOLERANCE:
            break
        p = r + rr / before * p
    return x


rng = np.random.default_rng(0)
b, x = gpuarray.to_gpu(rng.standard_normal(N)), gpuarray.zeros(N, np.float64)
c, size = np.float64(1), np.int32(N)
r, p, q = (gpuarray.zeros_like(b) for _ in range(3))
rr, count = gpuarray.dot(b, b), gpuarray.zeros(1, np.int32)
# What is captured is compiled before.
apply(q, b, c, size)
forward(x, r, b, q, rr, gpuarray.dot(b, q))
turn(p, r, rr, rr)

stream = cuda.Stream()
with stream.capture() as graph:
    x.fill(0)
    count.fill(0)
    cuda.memcpy_dtod_async(r.gpudata, b.gpudata, b.nbytes, stream)
    cuda.memcpy_dtod_async(p.gpudata, b.gpudata, b.nbytes, stream)
    first = gpuarray.dot(b, b)
    cuda.memcpy_dtod_async(rr.gpudata, first.gpudata, 8, stream)
    more = graph.condition()
    with graph.while_(more):
        apply(q, p, c, size)
        forward(x, r, p, q, rr, gpuarray.dot(p, q))
        rr_new = gpuarray.dot(r, r)
        turn(p, r, rr_new, rr)
        look(rr, rr_new, np.float64(TOLERANCE), count, np.int32(MOST_ITERATIONS), more.handle, block=(1, 1, 1))
solver = graph.instantiate()

iterations = []
for host in (rng.standard_normal(N), np.sin(np.linspace(0, np.pi, N))):  # a smooth one needs fewer
    b.set(host)
    start = time.perf_counter()
    solver.launch(stream)
    stream.synchronize()
    milliseconds = 1e3 * (time.perf_counter() - start)
    start = time.perf_counter()
    expected = solve_with_numpy(host, float(c))
    numpy_milliseconds = 1e3 * (time.perf_counter() - start)
    np.testing.assert_allclose(x.get(), expected, atol=1e-9)
    iterations.append(int(count.get()[0]))

print(f"{iterations[0]} and {iterations[1]} iterations by one launch each")
print(f"device {milliseconds:.2f} ms, NumPy {numpy_milliseconds:.2f} ms")
