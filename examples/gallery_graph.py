# SPDX-License-Identifier: MIT
"""Solve a heat equation by conjugate gradients: twenty iterations of small kernels, captured once as a graph.

The kernels are too short to keep the device busy while the host launches them one by one. The graph is one launch; it
reads the right-hand side again each time.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from numpy.typing import NDArray
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.gpuarray import GPUArray

N, ITERATIONS, REPEATS = 4096, 20, 10

# One implicit step of the heat equation on a rod: (1 + 2c) x[i] - c (x[i-1] + x[i+1]).
apply = ElementwiseKernel(
    "double *out, double *x, double c, int size",
    "out[i] = (1 + 2 * c) * x[i] - c * ((i > 0 ? x[i - 1] : 0) + (i + 1 < size ? x[i + 1] : 0))",
    "apply",
)
# The quotients stay on the device: the host never waits for a number.
forward = ElementwiseKernel(
    "double *x, double *r, double *p, double *q, double *rr, double *pq",
    "const double alpha = *rr / *pq; x[i] += alpha * p[i]; r[i] -= alpha * q[i]",
    "forward",
)
turn = ElementwiseKernel(
    "double *p, double *r, double *rr_new, double *rr", "p[i] = r[i] + *rr_new / *rr * p[i]", "turn"
)


def solve(b: GPUArray[Any], x: GPUArray[Any], c: Any = 1.0) -> None:
    """Conjugate gradients on the device, from 0."""
    q = gpuarray.empty_like(b)
    x.fill(0)
    r, p = b.copy(), b.copy()
    rr = gpuarray.dot(r, r)
    for _ in range(ITERATIONS):
        apply(q, p, c, np.int32(N))
        forward(x, r, p, q, rr, gpuarray.dot(p, q))
        rr_new = gpuarray.dot(r, r)
        turn(p, r, rr_new, rr)
        rr = rr_new


def milliseconds(action: Callable[[], object]) -> float:
    """The least time of several runs, in milliseconds."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        action()
        cuda.Context.synchronize()
        times.append(1e3 * (time.perf_counter() - start))
    return min(times)


def solve_with_numpy(b: NDArray[Any], c: float = 1.0) -> NDArray[Any]:
    """The same on the host."""
    x, r, p = np.zeros_like(b), b.copy(), b.copy()
    rr = r @ r
    for _ in range(ITERATIONS):
        q = (1 + 2 * c) * p
        q[1:] -= c * p[:-1]
        q[:-1] -= c * p[1:]
        alpha = rr / (p @ q)
        x += alpha * p
        r -= alpha * q
        rr, before = r @ r, rr
        p = r + rr / before * p
    return x


rng = np.random.default_rng(0)
b, x = gpuarray.to_gpu(rng.standard_normal(N)), gpuarray.empty(N, np.float64)
solve(b, x)  # compiles
launches = milliseconds(lambda: solve(b, x))

stream = cuda.Stream()
with stream.capture() as graph:
    solve(b, x)
executable = graph.instantiate()
as_graph = milliseconds(lambda: executable.launch(stream))

host = rng.standard_normal(N)
b.set(host)  # another right-hand side for the same graph
executable.launch(stream)
stream.synchronize()
solution = x.get()
start = time.perf_counter()
expected = solve_with_numpy(host)
numpy_milliseconds = 1e3 * (time.perf_counter() - start)
np.testing.assert_allclose(solution, expected, atol=1e-9)
print(
    f"{ITERATIONS} iterations, {len(graph.nodes)} nodes; by launches {launches:.2f} ms; as a graph on the "
    f"device {as_graph:.2f} ms, NumPy {numpy_milliseconds:.2f} ms"
)
