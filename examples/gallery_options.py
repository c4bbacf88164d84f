# SPDX-License-Identifier: MIT
"""Price a European call option by Monte Carlo, beside the formula of Black and Scholes."""

import math
import time
from typing import Any

import numpy as np
import option_kernel as option
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

BLOCKS, PATHS_PER_THREAD = 64, 128
PATHS = option.THREADS * BLOCKS * PATHS_PER_THREAD

price = SourceModule(option.SOURCE).get_function("price")

means = np.empty(BLOCKS, np.float32)
means_gpu = cuda.mem_alloc(means.nbytes)
arguments = [0, PATHS_PER_THREAD, option.PRICE, option.STRIKE, option.DRIFT, option.DEVIATION]
shape: dict[str, Any] = {"block": (option.THREADS, 1, 1), "grid": (BLOCKS, 1)}
price(means_gpu, *arguments, **shape)  # the first launch compiles
device_seconds = price(means_gpu, *arguments, time_kernel=True, **shape)
cuda.memcpy_dtoh(means, means_gpu)
on_device = option.DISCOUNT * float(means.mean(dtype=np.float64))

start = time.perf_counter()
normal = np.random.default_rng(0).standard_normal(PATHS, np.float32)
at_end = np.float32(option.PRICE) * np.exp(np.float32(option.DRIFT) + np.float32(option.DEVIATION) * normal)
payoff = np.maximum(at_end - np.float32(option.STRIKE), 0)
with_numpy = option.DISCOUNT * float(payoff.mean(dtype=np.float64))
numpy_seconds = time.perf_counter() - start

exact = option.exact_value()
error = option.DISCOUNT * float(payoff.std(dtype=np.float64)) / math.sqrt(PATHS)
assert abs(on_device - exact) < 4 * error and abs(with_numpy - exact) < 4 * error

print(f"{PATHS} paths: device {on_device:.4f}, NumPy {with_numpy:.4f}, formula {exact:.4f}, standard error {error:.4f}")
print(f"device {device_seconds * 1e3:.2f} ms, NumPy {numpy_seconds * 1e3:.2f} ms")
