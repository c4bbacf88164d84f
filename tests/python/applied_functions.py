# SPDX-License-Identifier: MIT
"""A kernel that applies an expression of CUDA C++ to each number of an array."""

import numpy as np
from pycuda.compiler import SourceModule

SOURCE = """
extern "C" __global__ void apply(const TYPE* x, TYPE* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = FUNCTION;
}
"""


def apply(expression, x):
    """What `expression`, which names `x[i]`, gives for the float32 or float64 numbers of `x`."""
    import pycuda.driver as cuda

    name = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}[x.dtype]
    module = SourceModule(SOURCE.replace("TYPE", name).replace("FUNCTION", expression), no_extern_c=True)
    result = np.empty_like(x)
    module.get_function("apply")(
        cuda.In(x), cuda.Out(result), np.int32(x.size), block=(96, 1, 1), grid=(-(-x.size // 96), 1)
    )
    return result
