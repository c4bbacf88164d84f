# SPDX-License-Identifier: MIT
"""The code under test: a three-point moving average on the device."""

import numpy as np
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
from pycuda.tools import context_dependent_memoize

BLOCK = 128


# A module belongs to one context, and every test has its own: so does what is remembered.
@context_dependent_memoize
def _kernel():
    return SourceModule("""
    __global__ void blur(float *out, const float *in, int n)
    {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      const float left = in[i > 0 ? i - 1 : 0];
      const float right = in[i < n - 1 ? i + 1 : n - 1];
      out[i] = (left + in[i] + right) / 3;
    }
    """).get_function("blur")


def blur(signal: np.ndarray) -> np.ndarray:
    """Each value's mean with its two neighbours; the ends count twice."""
    signal = np.ascontiguousarray(signal, np.float32)
    if signal.ndim != 1 or signal.size == 0:
        raise ValueError("the signal must have one dimension and at least one value")
    result = np.empty_like(signal)
    blocks = (signal.size + BLOCK - 1) // BLOCK
    _kernel()(cuda.Out(result), cuda.In(signal), np.int32(signal.size), block=(BLOCK, 1, 1), grid=(blocks, 1))
    return result
